// A table as GFM can show it: spans laid out on a grid, with the value once and empty cells after it. A repeated value
// would be found and counted twice; the blocks show which rows a span covers. The cost is linear in the table's content
// for any declared spans.
import { escapeCell, flatten, type GridCell } from './cell.ts';
import { countHeaders } from './header.ts';
import { unnest } from './nested.ts';
import type { CellNode, RowNode, TableNode, TreeNode } from './node.ts';

/** Rows of one entry a column; `undefined` where a cell to the left or above reaches. */
export interface Grid {
  readonly rows: readonly (readonly (GridCell | undefined)[])[];
  /** Number of leading rows that name the columns. */
  readonly headers: number;
  /** Number of pages that begin with each row, and behind the last. */
  readonly pageStarts: readonly number[];
}

/** The position of a cell, in columns and rows of the source. */
interface PlacedCell {
  readonly column: number;
  readonly width: number;
  readonly height: number;
  readonly text: string;
  readonly pageBreak?: number;
  readonly children: readonly TreeNode[];
}

/**
 * Empty cells that spans may claim: this many for each real cell, and a floor for small tables. A table that claims
 * more is hostile; from there on its spans are ignored.
 */
const EMPTY_PER_CELL = 2;
const EMPTY_FLOOR = 10_000;

/** Lays out a table. Rows without any text are left out, and columns in which no cell begins. */
export function layOut(nested: TableNode): Grid {
  const table = unnest(nested);
  const rows = place(table.rows);
  const shown = rows.flatMap((cells, index) => (cells.some(({ text }) => text !== '') ? [index] : []));
  const cells = squeeze(rows, shown);
  return {
    rows: cells,
    headers: countHeaders(table, shown, cells),
    pageStarts: pageStartsOf(table.rows, shown),
  };
}

/** A page that begins with a row that is left out begins with the next. */
function pageStartsOf(rows: readonly RowNode[], shown: readonly number[]): number[] {
  const starts = new Array<number>(shown.length + 1).fill(0);
  let next = 0;
  for (const [row, { startsPage }] of rows.entries()) {
    while ((shown[next] ?? Infinity) < row) next++;
    if (startsPage === true) starts[next] = (starts[next] ?? 0) + 1;
  }
  return starts;
}

function place(rows: readonly RowNode[]): PlacedCell[][] {
  let budget = allowance(rows.reduce((sum, row) => sum + row.cells.length, 0));
  /** For each column the first row that no cell above reaches. */
  const freeFrom: number[] = [];
  return rows.map(({ cells }, row) => {
    const placed: PlacedCell[] = [];
    let column = 0;
    for (const cell of cells) {
      for (; (freeFrom[column] ?? 0) > row && budget > 0; column++) budget--;
      const width = Math.min(cell.colspan, Math.max(1, budget));
      const { children } = cell;
      placed.push({
        column,
        width,
        height: cell.rowspan,
        text: flatten(children),
        children,
        ...breakOf(cell),
      });
      if (cell.rowspan > 1) cover(freeFrom, column, width, row + cell.rowspan);
      budget -= width - 1;
      column += width;
    }
    return placed;
  });
}

/** The offset of a page break in a cell's flat text. */
function breakOf({ children: [only, ...others] }: CellNode): { pageBreak?: number } {
  if (only?.kind !== 'paragraph' || only.pageBreak === undefined || others.length > 0) return {};
  return { pageBreak: escapeCell(only.text.slice(0, only.pageBreak)).length };
}

function allowance(cells: number): number {
  return EMPTY_FLOOR + EMPTY_PER_CELL * cells;
}

function cover(freeFrom: number[], column: number, width: number, until: number): void {
  while (freeFrom.length < column) freeFrom.push(0);
  for (let at = column; at < column + width; at++) freeFrom[at] = Math.max(freeFrom[at] ?? 0, until);
}

/** Numbers the shown rows and the columns in which a cell begins, drops the others, and fills the gaps. */
function squeeze(
  rows: readonly (readonly PlacedCell[])[],
  shown: readonly number[],
): (GridCell | undefined)[][] {
  const columns = [...new Set(shown.flatMap((row) => (rows[row] ?? []).map(({ column }) => column)))];
  columns.sort((a, b) => a - b);
  const rank = new Map(columns.map((column, index) => [column, index]));
  let padding = allowance(shown.reduce((sum, row) => sum + (rows[row]?.length ?? 0), 0));
  const shownBefore = [0];
  for (const row of rows.keys())
    shownBefore.push((shownBefore[row] ?? 0) + (shown[shownBefore[row] ?? 0] === row ? 1 : 0));
  /** For each column the first of the shown rows that no cell above reaches. */
  const freeFrom: number[] = [];
  return shown.map((row, index) => {
    const cells: (GridCell | undefined)[] = [];
    const fill = (to: number): void => {
      for (; cells.length < to && padding > 0; padding--)
        cells.push((freeFrom[cells.length] ?? 0) > index ? undefined : EMPTY);
    };
    for (const { column, width, height, text, pageBreak, children } of rows[row] ?? []) {
      const first = rank.get(column) ?? 0;
      fill(first);
      let columnSpan = 1;
      while ((columns[first + columnSpan] ?? Infinity) < column + width) columnSpan++;
      const rowSpan = (shownBefore[Math.min(rows.length, row + height)] ?? 0) - index;
      if (columnSpan > 1 || rowSpan > 1) cover(freeFrom, first, columnSpan, index + rowSpan);
      const page = pageBreak === undefined ? undefined : { pageBreak };
      cells.push({ text, columnSpan, rowSpan, children, ...page });
    }
    fill(columns.length);
    return cells;
  });
}

const EMPTY: GridCell = { text: '', columnSpan: 1, rowSpan: 1, children: [] };
