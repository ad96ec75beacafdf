// Finds the rows of a table that name its columns: the marked ones (`<thead>`, `<th>`, Word's repeated rows and the
// first row that a style sets off); without marks, a first row in bold type, or a first row of different short labels.
// In doubt none: a row of values as header would precede each piece of the table as its context.
import type { GridCell } from './cell.ts';
import { withoutMarks } from './links.ts';
import type { RowNode, TableNode } from './node.ts';

/** A row of the grid; `undefined` where a span covers. */
type Row = readonly (GridCell | undefined)[];

/** Rows that a header has at most because its cells reach into them. */
const MAX_REACH = 3;

/**
 * Number of leading shown rows that are headers. It is less than the number of rows.
 *
 * @param shown indices of the rows that have text
 * @param grid those rows, laid out
 */
export function countHeaders({ rows }: TableNode, shown: readonly number[], grid: readonly Row[]): number {
  const marked = shown.findIndex((row) => !isMarked(rows[row]));
  if (marked > 0) return reachOf(grid, marked);
  if (marked === -1) return Math.min(1, shown.length);
  if (rows.some((row) => row.header || row.cells.some((cell) => cell.header))) return 0;
  const words = (cell: GridCell): GridCell => ({ ...cell, text: withoutMarks(cell.text) });
  return likelyHeaders(grid.map((row) => row.map((cell) => cell && words(cell))));
}

function isMarked(row: RowNode | undefined): boolean {
  return row !== undefined && (row.header || row.cells.every((cell) => cell.header));
}

/**
 * Number of header rows, including those that the cells of the first reach into: names over two rows are a header of
 * two.
 */
function reachOf(grid: readonly Row[], headers: number): number {
  let reach = headers;
  for (const cell of grid[0] ?? []) reach = Math.max(reach, cell?.rowSpan ?? 1);
  return reach < grid.length && reach <= MAX_REACH ? reach : headers;
}

/** Number of header rows without any marked cell. A title over all columns is part of the header below it. */
function likelyHeaders(grid: readonly Row[]): number {
  const titles = Math.max(
    0,
    grid.slice(0, MAX_REACH).findIndex((row) => !isTitle(row)),
  );
  const headers = likelyBelow(grid.slice(titles));
  if (headers > 0) return titles + headers;
  return titles > 0 && isBoldHeader(grid) ? 1 : 0;
}

function likelyBelow(grid: readonly Row[]): number {
  const [first = [], ...rows] = grid;
  if (rows.length === 0) return 0;
  if (isBoldHeader(grid)) return reachOf(grid, 1);
  const tiers = tiersOf(grid);
  if (tiers > 0) return tiers;
  return first.every((cell) => (cell?.rowSpan ?? 1) === 1) && isLikeHeader(first, rows) ? 1 : 0;
}

/**
 * Number of rows that name the columns in tiers: each cell of the first reaches over all of these rows or, as the name
 * of a group, over several columns, which the rows below name one by one. Figures must stand below them, or several
 * names over all tiers: a photograph beside a form looks like this, too. 0 without such rows.
 */
function tiersOf(grid: readonly Row[]): number {
  const [first = []] = grid;
  const named = first.filter((cell) => cell !== undefined && cell.text !== '');
  const tiers = first.reduce((most, cell) => Math.max(most, cell?.rowSpan ?? 1), 1);
  if (tiers < 2 || tiers > MAX_REACH || tiers >= grid.length) return 0;
  const over = named.filter((cell) => cell?.rowSpan === tiers);
  const groups = named.filter((cell) => cell?.rowSpan !== tiers);
  if (groups.length === 0 || !groups.every((cell) => (cell?.columnSpan ?? 1) > 1)) return 0;
  const names = grid
    .slice(0, tiers)
    .flatMap((row) => row.flatMap((cell) => (cell === undefined ? [] : [cell.text])));
  // Names of columns may be figures, years above all; a place without a name is no header.
  if (names.some((text) => text === '' || text.length > MAX_LABEL) || namesWhatIsBeside(names)) return 0;
  // A form with values in it looks like this, too.
  const areNames = over.length > 1 && !names.some((text) => /\p{N}/u.test(text));
  return areNames || isAboveFigures(first.length, grid.slice(tiers)) ? tiers : 0;
}

/** One cell over all columns, where there are more. */
function isTitle(row: Row): boolean {
  return row.length > 1 && row[0]?.columnSpan === row.length;
}

const textsOf = (row: Row): string[] => row.map((cell) => cell?.text ?? '');
const isBold = (text: string): boolean => text.length > 4 && text.startsWith('**') && text.endsWith('**');
const plain = (text: string): string => (isBold(text) ? text.slice(2, -2) : text);

/**
 * True for a row in bold type above one that is not. A single cell is the first of a column of names if the next below
 * is bold, too.
 */
function isBoldHeader([first = [], second]: readonly Row[]): boolean {
  if (second === undefined) return false;
  const filled = textsOf(first).filter((text) => text !== '');
  const below = textsOf(second);
  if (!filled.every(isBold) || below.every((text) => text === '' || isBold(text))) return false;
  return !namesWhatIsBeside(textsOf(first)) && (filled.length > 1 || !isBold(below[0] ?? ''));
}

/** `Name:` stands before its value, not above it. */
function namesWhatIsBeside(texts: readonly string[]): boolean {
  return texts.length > 1 && texts.some((text) => /[:：]$/.test(plain(text)));
}

/** A figure, an amount, a date: a value below a header. */
const isFigure = (text: string): boolean => /^[\s\d.,:;%$€£¥+()/–-]+$/.test(text) && /\d/.test(text);

/** Longest text of a cell that is still a label. */
const MAX_LABEL = 60;

/**
 * A first row of different short labels above more rows is taken for the header; and one whose labels repeat, or that
 * has none above the names of the rows, where most columns below it hold figures. Not where the first column is in bold
 * type and the first row is not: that names rows.
 */
function isLikeHeader(row: Row, rows: readonly Row[]): boolean {
  const first = textsOf(row);
  // In a column of names the first is as good as the others.
  if (first.length < 2 || namesWhatIsBeside(first)) return false;
  const labels = first.map(plain);
  const [corner = '', ...others] = labels;
  if (!others.every(isLabel) || !(corner === '' || isLabel(corner))) return false;
  if (isBold(first[0] ?? '') && !first.every(isBold)) return false;
  return (corner !== '' && new Set(labels).size === labels.length) || isAboveFigures(labels.length, rows);
}

function isLabel(text: string): boolean {
  return text !== '' && text.length <= MAX_LABEL && !isFigure(text);
}

/** This share of the columns behind the first, and of the filled cells of each, are figures. */
const FIGURES_SHARE = 0.6;

/** True if most columns but the first hold figures. Reads each cell once: rows may be shorter than the first. */
function isAboveFigures(width: number, rows: readonly Row[]): boolean {
  const filled = new Array<number>(width).fill(0);
  const figures = new Array<number>(width).fill(0);
  for (const row of rows)
    for (const [column, cell] of row.entries()) {
      if (column === 0 || cell === undefined || cell.text === '') continue;
      filled[column] = (filled[column] ?? 0) + 1;
      if (isFigure(plain(cell.text))) figures[column] = (figures[column] ?? 0) + 1;
    }
  const columns = filled.filter((count, at) => count > 0 && (figures[at] ?? 0) >= FIGURES_SHARE * count);
  return columns.length >= FIGURES_SHARE * (width - 1);
}
