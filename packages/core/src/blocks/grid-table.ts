// Tables that are drawn with lines in plain text, with `+---+` or with `├───┤`, as databases, reStructuredText and text browsers
// draw them. What stands between two rules is a row, however many lines it has, so that no cut falls inside a cell that is wrapped.
import { tableRow } from './gfm-table.ts';
import type { Span } from '../document.ts';
import { type Lines, skipBlankBack } from './lines.ts';
import { PIPE, PLUS } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

/** A line across the whole table: where it has a blank or a bar that is drawn, it parts some columns alone. */
const RULE = /^(?!.*[│┃║])(?=.*[-=─━═])[-=:+|─-╿]+$/;
/** A rule that stands out among the others. */
const DOUBLE = /^.[=━═]/;
/** What parts the cells of a line. */
const BAR = /[│┃║┆┇┊┋]/g;

/** Where the rules of a table are, the first line aside, and what they say. */
interface Rules {
  /** Indexes of their lines. */
  readonly lines: readonly number[];
  /** Whether the first row names the columns. */
  readonly hasHeader: boolean;
  /** Whether each line below the header is a row. */
  readonly byLines: boolean;
}

/**
 * The table that lines between two blank ones are from the one with the index `above` on, `undefined` when no lines are drawn
 * around them, or around a single column, as those of a box. Linear.
 */
export function gridTable(text: string, lines: Lines, above: number): GrowingBlock | undefined {
  const top = lines.start(above);
  const rules = isFrame(text.charCodeAt(top)) ? rulesOf(text, lines, above) : undefined;
  if (rules === undefined) return undefined;
  const rows: GrowingBlock[] = [];
  let passed = 0;
  let isFirst = true;
  for (let index = above + 1; index < lines.count; index++) {
    const isRule = index === rules.lines[passed];
    const end = lines.end(index);
    const last = rows.at(-1);
    if (last !== undefined && (isRule || !isFirst)) extend(last, end);
    else if (!isRule)
      rows.push(rowOf(text, last === undefined ? top : lines.start(index), lines.start(index), end));
    if (isRule) passed++;
    isFirst = isRule || (rules.byLines && passed === rules.lines.length - 1);
  }
  const [head] = rows;
  if (head === undefined || rows.length < 2 || !rows.some(({ children = [] }) => children.length > 1))
    return undefined;
  if (rules.hasHeader) head.header = true;
  return { kind: 'table', start: top, end: rows.at(-1)?.end ?? top, children: rows };
}

/** The rules of lines that all stand in a frame; `undefined` when they do not. */
function rulesOf(text: string, lines: Lines, above: number): Rules | undefined {
  const indexes: number[] = [];
  let hasDouble = false;
  let hasPlus = false;
  for (let index = above; index < lines.count; index++) {
    const start = lines.start(index);
    const end = lines.end(index);
    if (!isFrame(text.charCodeAt(start)) || !isFrame(text.charCodeAt(end - 1))) return undefined;
    const line = text.slice(start, end);
    const isRule = RULE.test(line);
    const isOuter = index === above || index === lines.count - 1;
    if (isOuter && !isRule) return undefined;
    if (isRule && index > above) indexes.push(index);
    if (!isRule || isOuter) continue;
    hasDouble ||= DOUBLE.test(line);
    hasPlus ||= line.startsWith('+');
  }
  const inner = indexes.length - 1;
  return {
    lines: indexes,
    // reStructuredText doubles the rule below a header; text browsers, whose rules begin with a bar, draw all alike.
    hasHeader: inner === 1 || hasDouble || (inner > 1 && !hasPlus),
    // Below a lone rule of dashes databases write a row on each line.
    byLines: inner < 2 && !(hasDouble && hasPlus),
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
    if (index > 0) children.push({ kind: 'cell', start: from, end: skipBlankBack(text, from, at + index) });
    if (index > 0) from = at + index;
  }
  children.push({ kind: 'cell', start: from, end });
  return { kind: 'row', start, end, children };
}

/** What stands in the first line of a cell between bars that are drawn, without the rule of the frame above it. */
export function drawnContent(text: string, start: number, end: number): Span {
  const cell = text.slice(start, end);
  const [, marks = '', value = ''] = /^((?:[─-╿]{2,}\n)?\s*[─-╿]?\s*)([^│┃║┆┇┊┋\n]*)/.exec(cell) ?? [];
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
