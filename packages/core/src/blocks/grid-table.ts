// Tables drawn with lines in plain text, with `+---+` or with `├───┤`, as databases, reStructuredText and text browsers
// draw them. Everything between two rules is one row, however many lines it has, so that no cut falls inside a wrapped
// cell.
import { tableRow } from './gfm-table.ts';
import type { Span } from '../document.ts';
import { columnOf, type Lines, skipBlank, skipBlankBack } from './lines.ts';
import { PIPE, PLUS } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

/** A line across the whole table: where it has a blank or a bar that is drawn, it parts some columns alone. */
const RULE = /^(?!.*[│┃║])(?=.*[-=─━═])[-=:+|─-╿]+$/;
/** A rule that stands out among the others. */
const DOUBLE = /^.[=━═]/;
/** Matches a line without content: a rule, perhaps of some columns only, or a line of empty cells. */
const BARE = /^[-=:+|\s─-╿]+$/;
/** Matches a rule that parts no columns. */
const UNPARTED = /^.[-=:─━═]*.?$/;
/** What parts the cells of a line. */
const BAR = /[│┃║┆┇┊┋]/g;
/** A cell in which a line has nothing. */
const EMPTY = /[|│┃║┆┇┊┋]\s*[|│┃║┆┇┊┋]/;

/** The rules of a table, apart from its first line, and what follows from them. */
interface Rules {
  /** Indexes of the lines that are rules; the last is the last line of the table. */
  readonly lines: readonly number[];
  /** True when the first row names the columns. */
  readonly hasHeader: boolean;
  /** True when each line below the header is a row of its own. */
  readonly byLines: boolean;
}

/**
 * The table made of the lines between two blank ones, from the line with the index `above` on. `undefined` when no
 * lines are drawn around them, or when they have a single column, as a box has. One more line may stand below the table
 * without being part of it: `2 rows in set`. Linear.
 */
export function gridTable(text: string, lines: Lines, above: number): GrowingBlock | undefined {
  const top = lines.start(above);
  const rules = isFrame(text.charCodeAt(top)) ? rulesOf(text, lines, above) : undefined;
  if (rules === undefined) return undefined;
  const rows: GrowingBlock[] = [];
  let passed = 0;
  let isFirst = true;
  const bottom = rules.lines.at(-1) ?? above;
  for (let index = above + 1; index <= bottom; index++) {
    const isRule = index === rules.lines[passed];
    const start = lines.start(index);
    const end = lines.end(index);
    const last = rows.at(-1);
    const isBare = BARE.test(text.slice(start, end));
    if (last !== undefined && (isBare || !isFirst)) extend(last, end);
    else if (!isBare) rows.push(rowOf(text, last === undefined ? top : start, start, end));
    if (isRule) passed++;
    const isNext = rules.byLines && (passed > 0 || rules.lines.length === 1);
    isFirst = isRule || isNext || (isBare && isFirst);
  }
  const [head] = rows;
  if (head === undefined || rows.length < 2 || !rows.some(({ children = [] }) => children.length > 1))
    return undefined;
  if (rules.hasHeader) head.header = true;
  return { kind: 'table', start: top, end: rows.at(-1)?.end ?? top, children: rows };
}

/** The rules of lines that all stand in a frame; `undefined` when some do not, or when no rule parts columns. */
function rulesOf(text: string, lines: Lines, above: number): Rules | undefined {
  const column = columnOf(text, lines.start(above));
  let bottom = lines.count - 1;
  if (!isFrame(text.charCodeAt(lines.start(bottom)))) bottom--;
  const indexes: number[] = [];
  let isBox = true;
  let hasDouble = false;
  let hasPlus = false;
  /**
   * Whether more than one line stands between two rules, and whether one of these lines has an empty cell, as wrapped
   * rows do.
   */
  let isTall = false;
  let isWrapped = false;
  let height = 0;
  let hasEmpty = false;
  for (let index = above; index <= bottom; index++) {
    const start = lines.start(index);
    const end = lines.end(index);
    if (!isFrame(text.charCodeAt(start)) || !isFrame(text.charCodeAt(end - 1))) return undefined;
    // In a table all lines begin in one column; the boxes of a diagram stand anywhere.
    if (columnOf(text, start) !== column) return undefined;
    const line = text.slice(start, end);
    const isOuter = index === above || index === bottom;
    if (RULE.test(line)) {
      isBox &&= UNPARTED.test(line);
      if (index > above) indexes.push(index);
      hasDouble ||= !isOuter && DOUBLE.test(line);
      hasPlus ||= !isOuter && line.startsWith('+');
      height = 0;
      hasEmpty = false;
    } else if (isOuter) return undefined;
    else {
      hasEmpty ||= EMPTY.test(line);
      isTall ||= ++height > 1;
      // A header is wrapped even if nothing in it is empty.
      isWrapped ||= height > 1 && (hasEmpty || indexes.length === 0);
    }
  }
  if (isBox) return undefined;
  const inner = indexes.length - 1;
  const isParted = isTall && !isWrapped;
  return {
    lines: indexes,
    // reStructuredText doubles the rule below a header; text browsers, whose rules begin with a bar, draw all alike.
    hasHeader: inner === 1 || hasDouble || (inner > 1 && (!hasPlus || isParted)),
    // Below a single rule of dashes databases write each row on a line. Some tools use further rules to part groups of
    // such rows, or the sum below them.
    byLines: isParted || (inner < 2 && !(hasDouble && hasPlus)),
  };
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
    // The bar at the start of the line separates nothing.
    if (index === 0) continue;
    children.push({ kind: 'cell', start: from, end: skipBlankBack(text, from, at + index) });
    from = at + index;
  }
  children.push({ kind: 'cell', start: from, end });
  return { kind: 'row', start, end, children };
}

/** Where a cell begins behind the upper line of the frame, which belongs to the first one. */
export function belowFrame(text: string, start: number, end: number): number {
  const [line = '', below] = text.slice(start, end).split('\n', 2);
  return below !== undefined && RULE.test(line.trimEnd()) ? skipBlank(text, start + line.length, end) : start;
}

/** What stands in the first line of a cell between bars that are drawn. */
export function drawnContent(text: string, start: number, end: number): Span {
  const cell = text.slice(start, end);
  const [, marks = '', value = ''] = /^(.\s*)([^│┃║┆┇┊┋\n]*)/.exec(cell) ?? [];
  const from = start + marks.length;
  return { start: from, end: from + value.trimEnd().length };
}

/** What a line of such a table begins and ends with. */
function isFrame(code: number): boolean {
  return code === PIPE || code === PLUS || isDrawn(code);
}

/** True for Unicode's Box Drawing. */
export function isDrawn(code: number): boolean {
  return code >= 0x2500 && code <= 0x257f;
}
