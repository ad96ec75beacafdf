// Tables in plain text: lines whose cells are separated by pipes, by tabs, or by blanks in straight columns. In doubt
// none, because prose in columns, verse, code, addresses and tables of contents have such lines as well.
import { isBlank } from '../unicode.ts';
import { countCells, delimiterColumns, tableRow } from './gfm-table.ts';
import { hasLetter, type LineSpans, skipBlank } from './lines.ts';
import { isLetter, PIPE, SPACE } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

/** Fewest cells of a table: two rows of three, or three of two. */
const LEAST_CELLS = 6;
/** Greatest mean length, in UTF-16 units, of cells separated by blanks; those of prose in columns are longer. */
const MAX_MEAN = 20;

/** Matches what separates cells: a tab, a pipe beside blanks, or two blanks and more inside a line. */
const MARK = /\t|(?:^| )\|(?= |$)|\S {2,}(?=\S)/m;

interface Row extends GrowingBlock {
  children: GrowingBlock[];
}

/**
 * The table made of the lines between two blank ones, from the line with the index `above` on; `undefined` when they
 * are none. Linear.
 */
export function plainTable(text: string, lines: LineSpans, above: number): GrowingBlock | undefined {
  const top = lines.start(above);
  if (isLetter(text.charCodeAt(top)) && !isParted(text, top, lines.end(above))) return undefined;
  const isMarked = hasDelimiterRow(text, lines, above);
  const mark = isMarked ? '|' : MARK.exec(text.slice(top, lines.end(above + 1)))?.[0].at(-1);
  if (mark === undefined) return undefined;
  const rows: Row[] = [];
  let isRuled = false;
  for (let index = above; index < lines.count; index++) {
    const start = lines.start(index);
    const end = lines.end(index);
    const line = text.slice(start, end);
    const last = rows.at(-1);
    const lastCell = last?.children.at(-1);
    if (/^[-=+|:\s]+$/.test(line)) {
      if (last !== undefined && lastCell !== undefined) last.end = lastCell.end = end;
      isRuled ||= rows.length === 1;
      continue;
    }
    const from = last === undefined ? top : start;
    const children =
      mark === '|' ? (tableRow(text, from, start, end).children ?? []) : cellsOf(text, from, start, end);
    const isLike = children.length >= 2 && children.length === (last?.children ?? children).length;
    // The pattern rules out code, lists of constants, and dots that lead to a page number.
    if (!isMarked && (!isLike || /[{}=;]|,$|\.{4}|(?: \.){4}/.test(line))) return undefined;
    rows.push({ kind: 'row', start: from, end, children });
  }
  const [head, ...body] = rows;
  if (head === undefined || body.length === 0) return undefined;
  const columns = head.children.length;
  const hasFigures = body.some((row) => hasFigure(text, row));
  const isFramed = mark === '|' && text[head.start] === mark;
  const isEnough = isMarked || rows.length * columns >= LEAST_CELLS;
  if (!isEnough || !(isRuled || isFramed || columns > 2 || hasFigures)) return undefined;
  if (
    mark !== '|' &&
    (countsUp(text, body) || (mark === ' ' && !(isStraight(text, body) && (isRuled || body.length > 1))))
  )
    return undefined;
  if (isRuled || (hasFigures && !hasFigure(text, head))) head.header = true;
  return { kind: 'table', start: top, end: rows.at(-1)?.end ?? top, children: rows };
}

/** True for a table of Markdown with two columns or more: below its header stand dashes for each column. */
function hasDelimiterRow(text: string, lines: LineSpans, above: number): boolean {
  const [start, end] = [lines.start(above + 1), lines.end(above + 1)];
  if (isLetter(text.charCodeAt(start))) return false;
  const columns = delimiterColumns(text, start, end);
  return columns > 1 && columns === countCells(text, lines.start(above), lines.end(above));
}

/** True when a line could be a first row: it has a tab, a pipe, two blanks, or a blank that is no space. */
function isParted(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === PIPE || endsCell(text, at, code)) return true;
  }
  return false;
}

/** True for all blanks but a single space. */
function endsCell(text: string, at: number, code: number): boolean {
  return isBlank(code) && (code !== SPACE || isBlank(text.charCodeAt(at + 1)));
}

/** The cells between tabs, or between two blanks and more; the first cell begins at `from`. */
function cellsOf(text: string, from: number, start: number, end: number): GrowingBlock[] {
  const cells: GrowingBlock[] = [];
  for (let at = start; at < end; at = skipBlank(text, at, end)) {
    const cellStart = at === start ? from : at;
    while (at < end && !endsCell(text, at, text.charCodeAt(at))) at++;
    cells.push({ kind: 'cell', start: cellStart, end: at });
  }
  return cells;
}

/** True when a cell is a figure, an amount, a date. */
function hasFigure(text: string, { children }: Row): boolean {
  return children.some(({ start, end }) => {
    const cell = text.slice(start, end);
    return /\d/.test(cell) && !hasLetter(cell);
  });
}

/** True when the last column holds whole numbers that rise, as those of pages do. */
function countsUp(text: string, rows: readonly Row[]): boolean {
  const pages = rows.map(({ children }) => Number(text.slice(children.at(-1)?.start, children.at(-1)?.end)));
  const rises = pages.every((page, index) => Number.isInteger(page) && page >= (pages[index - 1] ?? 0));
  return rises && pages.at(-1) !== pages[0];
}

/** True when the cells of each column are aligned at their beginnings or their ends, and are no lines of prose. */
function isStraight(text: string, rows: readonly Row[]): boolean {
  let ink = 0;
  const edges = rows.map(({ children }) => {
    const line = text.lastIndexOf('\n', children[0]?.start) + 1;
    return children.map(({ start, end }) => {
      ink += end - start;
      return [start - line, end - line] as const;
    });
  });
  const [first = []] = edges;
  return (
    ink <= MAX_MEAN * rows.length * first.length &&
    first.every((cell, column) =>
      cell.some((at, side) => edges.every((cells) => cells[column]?.[side] === at)),
    )
  );
}
