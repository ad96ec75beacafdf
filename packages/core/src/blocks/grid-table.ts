// Tables drawn with lines in plain text, with `+---+` or with `├───┤`, as databases, reStructuredText and text browsers
// draw them. All lines between two rules are one row, so that no cut falls inside a wrapped cell.
import { tableRow } from './gfm-table.ts';
import type { Span } from '../document.ts';
import { columnOf, type LineSpans, skipBlank, skipBlankBack } from './lines.ts';
import { PIPE, PLUS } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

/**
 * A rule across the whole table. A rule with a blank or a bar separates only some columns. Nearly all lines fail at
 * their second character.
 */
const RULE = /^(?=[-=:+|─-╿]+$)(?!.*[│┃║]).*[-=─━═]/;
/** A rule that stands out among the others. */
const DOUBLE = /^.[=━═]/;
/** Matches a line without content: a rule, perhaps of some columns only, or a line of empty cells. */
const BARE = /^[-=:+|\s─-╿]+$/;
/** Matches a rule that separates no columns. */
const UNPARTED = /^.[-=:─━═]*.?$/;
/** The characters that separate the cells of a line. */
const BAR = /[│┃║┆┇┊┋]/g;
/** Matches an empty cell of a line. */
const EMPTY = /[|│┃║┆┇┊┋]\s*[|│┃║┆┇┊┋]/;

/** The lines between two rules. */
interface Band {
  /** The rule above it. */
  readonly rule: string;
  /** Its lines, and the rule below it. */
  readonly lines: (Span & { readonly isBare: boolean })[];
}

/**
 * The table in the lines between two blank ones, from the line with the index `above` on. `undefined` when no lines are
 * drawn around them, or when they have a single column, as a box has. One more line, such as `2 rows in set`, may stand
 * below the table without belonging to it. Linear.
 */
export function gridTable(text: string, lines: LineSpans, above: number): GrowingBlock | undefined {
  const start = lines.start(above);
  const bands = isFrame(text.charCodeAt(start)) ? bandsOf(text, lines, above) : undefined;
  if (bands === undefined) return undefined;
  const rows = rowsOf(text, start, bands);
  if (rows.length < 2 || !rows.some(({ children = [] }) => children.length > 1)) return undefined;
  return { kind: 'table', start, end: rows.at(-1)?.end ?? start, children: rows };
}

/** The bands of lines that all stand in a frame; `undefined` when they do not, or when no rule separates columns. */
function bandsOf(text: string, lines: LineSpans, above: number): Band[] | undefined {
  const column = columnOf(text, lines.start(above));
  const last = lines.count - 1;
  const bottom = isFrame(text.charCodeAt(lines.start(last))) ? last : last - 1;
  const bands: Band[] = [];
  let isBox = true;
  for (let index = above; index <= bottom; index++) {
    const [start, end] = [lines.start(index), lines.end(index)];
    if (!isFrame(text.charCodeAt(start)) || !isFrame(text.charCodeAt(end - 1))) return undefined;
    // In a table all lines begin in one column; the boxes of a diagram stand anywhere.
    if (columnOf(text, start) !== column) return undefined;
    const line = text.slice(start, end);
    const isRule = RULE.test(line);
    const isInner = index > above && index < bottom;
    if (!isRule && !isInner) return undefined;
    isBox &&= !isRule || UNPARTED.test(line);
    bands.at(-1)?.lines.push({ start, end, isBare: BARE.test(line) });
    if (isRule && index < bottom) bands.push({ rule: line, lines: [] });
  }
  return isBox ? undefined : bands;
}

/** The rows of a table that begins at `from`, with the header rows marked. */
function rowsOf(text: string, from: number, bands: readonly Band[]): GrowingBlock[] {
  const [top, ...below] = bands;
  const inner = below.length;
  const hasPlus = below.some(({ rule }) => rule.startsWith('+'));
  const hasDouble = below.some(({ rule }) => DOUBLE.test(rule));
  const tall = bands.filter(({ lines }) => lines.length > 2);
  // A header is wrapped even when none of its cells is empty; in the body an empty cell marks a wrapped row.
  const isWrapped = tall.some(
    (band) => band === top || band.lines.some(({ start, end }) => EMPTY.test(text.slice(start, end))),
  );
  const isParted = tall.length > 0 && !isWrapped;
  // Below a lone rule of dashes databases write one row a line; some tools separate groups of such rows, or a sum, by
  // further rules.
  const byLines = isParted || (inner < 2 && !(hasDouble && hasPlus));
  const rows: GrowingBlock[] = [];
  let aboveDouble = 0;
  for (const band of bands) {
    const isBody = band !== top;
    if (isBody && DOUBLE.test(band.rule)) aboveDouble ||= rows.length;
    let isFirst = true;
    for (const { start, end, isBare } of band.lines) {
      const last = rows.at(-1);
      if (last !== undefined && (isBare || !isFirst)) extend(last, end);
      else if (!isBare) rows.push(rowOf(text, last === undefined ? from : start, start, end));
      isFirst = (isBare && isFirst) || (byLines && (isBody || inner === 0));
    }
  }
  // reStructuredText doubles the rule below a header; text browsers, whose rules begin with a bar, draw all alike.
  const hasHeader = inner === 1 || hasDouble || (inner > 1 && (!hasPlus || isParted));
  // A double rule with as many rows above it as below belongs to a sum.
  const headers = 2 * aboveDouble < rows.length ? Math.max(1, aboveDouble) : 1;
  for (const row of rows.slice(0, hasHeader ? headers : 0)) row.header = true;
  return rows;
}

/** The lines behind the first of a row, and the rule below it, belong to its last cell: a cell is one slice. */
function extend(row: GrowingBlock, end: number): void {
  const cell = row.children?.at(-1);
  row.end = end;
  if (cell !== undefined) cell.end = end;
}

/** The row whose first line is [at, end); its first cell begins at `start`. */
function rowOf(text: string, start: number, at: number, end: number): GrowingBlock {
  if (!isDrawn(text.charCodeAt(at))) return tableRow(text, start, at, end);
  const children: GrowingBlock[] = [];
  let from = start;
  for (const { index } of text.slice(at, end - 1).matchAll(BAR)) {
    // The bar at the start of the line separates no cells.
    if (index === 0) continue;
    children.push({ kind: 'cell', start: from, end: skipBlankBack(text, from, at + index) });
    from = at + index;
  }
  children.push({ kind: 'cell', start: from, end });
  return { kind: 'row', start, end, children };
}

/** The offset behind the upper line of the frame, which belongs to the first cell. */
export function belowFrame(text: string, start: number, end: number): number {
  const [line = '', below] = text.slice(start, end).split('\n', 2);
  return below !== undefined && RULE.test(line.trimEnd()) ? skipBlank(text, start + line.length, end) : start;
}

/** The content of the first line of a cell between drawn bars. */
export function drawnContent(text: string, start: number, end: number): Span {
  const cell = text.slice(start, end);
  const [, marks = '', value = ''] = /^(.\s*)([^│┃║┆┇┊┋\n]*)/.exec(cell) ?? [];
  const from = start + marks.length;
  return { start: from, end: from + value.trimEnd().length };
}

/** True for a unit that begins and ends the lines of such a table. */
function isFrame(code: number): boolean {
  return code === PIPE || code === PLUS || isDrawn(code);
}

/** True for Unicode's Box Drawing. */
export function isDrawn(code: number): boolean {
  return code >= 0x2500 && code <= 0x257f;
}
