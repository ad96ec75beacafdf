// GFM tables: lines of cells between pipes; a line of dashes makes the line above it the header. Rows and cells tile
// their lines, so every pipe belongs to a cell, and the line of dashes to the last cell of the header.
import { skipBlankBack } from './lines.ts';
import { BACKSLASH, COLON, DASH, PIPE, skipRun, skipSpaces } from './marks.ts';
import type { GrowingBlock } from './tree.ts';

/** Number of cells of the delimiter row `| :-- | --- |`; 0 for any other line. */
export function delimiterColumns(text: string, at: number, end: number): number {
  let columns = 0;
  let seen = false;
  let from = at;
  if (text.charCodeAt(from) === PIPE) {
    seen = true;
    from = skipSpaces(text, from + 1, end);
  }
  while (from < end) {
    const dashes = text.charCodeAt(from) === COLON ? from + 1 : from;
    let after = skipRun(text, dashes, end, DASH);
    if (after === dashes) return 0;
    if (dashes > from) seen = true;
    if (after < end && text.charCodeAt(after) === COLON) {
      seen = true;
      after++;
    }
    columns++;
    from = skipSpaces(text, after, end);
    if (from === end) break;
    if (text.charCodeAt(from) !== PIPE) return 0;
    seen = true;
    from = skipSpaces(text, from + 1, end);
  }
  return seen ? columns : 0;
}

/** Number of cells of the line [at, end), read as a row; 0 for a lone pipe. `\|` separates nothing. */
export function countCells(text: string, at: number, end: number): number {
  let columns = 0;
  for (let from = at; from < end; columns++) {
    const inside = from === at && text.charCodeAt(at) !== PIPE ? from : from + 1;
    if (from > at && skipSpaces(text, inside, end) === end) break;
    if (from === at && inside > from && skipSpaces(text, inside, end) === end) return 0;
    from = nextPipe(text, inside, end);
  }
  return columns;
}

/**
 * The row of the line whose content is [at, end). Its first cell begins at `start`, with the marks of the containers
 * around the table, and its last one ends at `end`.
 */
export function tableRow(text: string, start: number, at: number, end: number): GrowingBlock {
  const cells: GrowingBlock[] = [];
  let cellStart = start;
  let border = nextPipe(text, text.charCodeAt(at) === PIPE ? at + 1 : at, end);
  while (border < end && skipSpaces(text, border + 1, end) < end) {
    cells.push({ kind: 'cell', start: cellStart, end: skipBlankBack(text, cellStart, border) });
    cellStart = border;
    border = nextPipe(text, border + 1, end);
  }
  cells.push({ kind: 'cell', start: cellStart, end });
  return { kind: 'row', start, end, children: cells };
}

/** The offset of the next pipe that separates cells, or `end`. */
export function nextPipe(text: string, at: number, end: number): number {
  for (let after = at; after < end; after++) {
    const code = text.charCodeAt(after);
    if (code === PIPE) return after;
    if (code !== BACKSLASH) continue;
    const escaped = text.charCodeAt(after + 1);
    if (escaped === PIPE || escaped === BACKSLASH) after++;
  }
  return end;
}

/** Most rows of labels below a header. */
export const MOST_LABEL_ROWS = 3;
const EMPTY_FIRST = /^[\s>]*\|\s*\|/;
/** Matches a cell with a word or a year: `2019 €m`, `December 31,`, `(in millions)`, and neither `49%` nor `$1,250`. */
const LABEL = /\p{L}|^\W*(?:19|20)\d\d\W*$/u;

/**
 * True for a row with an empty first cell, whose other cells hold words or years and no values: below a header such a
 * row goes on with the names of the columns.
 */
export function isLabelRow(row: string): boolean {
  if (!EMPTY_FIRST.test(row)) return false;
  const cells = row.split('|').filter((cell) => cell.trim() !== '');
  return cells.length > 0 && cells.every((cell) => LABEL.test(cell));
}
