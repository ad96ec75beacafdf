// Which rows of a table name its columns. Marked ones do (`<thead>`, `<th>`, Word's repeated rows and the first row that a style sets off);
// where nothing is marked, a first row in bold type, or one of different short labels. In doubt none does: a row of values that
// is taken for names would stand above each piece of the table as its context.
import type { RowNode, TableNode } from './node.ts';

/** The text of a row's cells, as they stand in the grid; '' where a span covers or nothing stands. */
type Texts = readonly string[];

/**
 * How many of the rows that are shown, from the first, are headers. All rows never are.
 *
 * @param shown indices of the rows that have text
 * @param texts text of those, by columns
 */
export function countHeaders({ rows }: TableNode, shown: readonly number[], texts: readonly Texts[]): number {
  const declared = shown.findIndex((row) => !isMarked(rows[row]));
  if (declared > 0) return declared;
  if (declared === -1) return Math.min(1, shown.length);
  if (rows.some((row) => row.header || row.cells.some((cell) => cell.header))) return 0;
  return likelyHeaders(texts);
}

function isMarked(row: RowNode | undefined): boolean {
  return row !== undefined && (row.header || row.cells.every((cell) => cell.header));
}

/** Without header cells anywhere. A title over all columns is part of the header below it. */
function likelyHeaders(texts: readonly Texts[]): number {
  const [first, ...rows] = texts;
  if (first === undefined || rows.length === 0) return 0;
  if (isBoldHeader(first, rows)) return isTitle(first) && looksLikeHeader(rows[0], rows.slice(1)) ? 2 : 1;
  if (isTitle(first)) return looksLikeHeader(rows[0], rows.slice(1)) ? 2 : 0;
  return looksLikeHeader(first, rows) ? 1 : 0;
}

function isTitle(row: Texts): boolean {
  return row.length > 2 && row[0] !== '' && row.slice(1).every((text) => text === '');
}

const isBold = (text: string): boolean => /^\*\*[^]+\*\*$/.test(text);
const plain = (text: string): string => text.replace(/^\*+|\*+$/g, '');

/** A row in bold type above one that is not. */
function isBoldHeader(first: Texts, [second = []]: readonly Texts[]): boolean {
  const filled = (row: Texts): Texts => row.filter((text) => text !== '');
  return filled(first).every(isBold) && !filled(second).every(isBold) && !namesWhatIsBeside(first);
}

/** `Name:` stands before its value, not above it. */
function namesWhatIsBeside(row: Texts): boolean {
  return row.length > 1 && row.some((text) => /[:：]\**$/.test(text));
}

/** A figure, an amount, a date: what stands below a header, not in it. */
const FIGURE = /^[\s\d.,:;%$€£¥+()/–-]*\d[\s\d.,:;%$€£¥+()/–-]*$/;

/** Longest text of a cell that is still a label. */
const MAX_LABEL = 60;

/**
 * A first row of different short labels above more rows is taken for the header; and one whose labels repeat, or that has none above
 * the names of the rows, where most columns below it hold figures. Not where the first column is in bold type and the first row is not: that names rows.
 */
function looksLikeHeader(first: Texts = [], rows: readonly Texts[]): boolean {
  if (rows.length === 0 || namesWhatIsBeside(first)) return false;
  const labels = first.map(plain);
  const [corner = '', ...others] = labels;
  if (!others.every(isLabel) || !(corner === '' || isLabel(corner))) return false;
  if (others.length > 0 && isBold(first[0] ?? '') && !first.every(isBold)) return false;
  return (corner !== '' && new Set(labels).size === labels.length) || isAboveFigures(labels.length, rows);
}

function isLabel(text: string): boolean {
  return text !== '' && text.length <= MAX_LABEL && !FIGURE.test(text);
}

/** Of the columns behind the first, and of the filled cells of each, so many are figures. */
const FIGURES_SHARE = 0.6;

/** Whether most columns but the first hold figures. Looks at each cell once: rows may be shorter than the first. */
function isAboveFigures(width: number, rows: readonly Texts[]): boolean {
  const filled = new Array<number>(width).fill(0);
  const figures = new Array<number>(width).fill(0);
  for (const row of rows)
    for (const [column, text] of row.entries()) {
      if (column === 0 || text === '') continue;
      filled[column] = (filled[column] ?? 0) + 1;
      if (FIGURE.test(plain(text))) figures[column] = (figures[column] ?? 0) + 1;
    }
  const columns = filled.filter((count, at) => count > 0 && (figures[at] ?? 0) >= FIGURES_SHARE * count);
  return width > 1 && columns.length >= FIGURES_SHARE * (width - 1);
}
