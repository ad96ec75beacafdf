// A table whose cells hold tables → one table with the rows and columns of all of them, as a page shows it: a cell
// beside a table of three rows spans three rows. As lines of a cell these rows would be found and cut as one value.
import { isBlank } from './cell.ts';
import { isLayout } from './frame.ts';
import type { CellNode, RowNode, TableNode } from './node.ts';

/** A cell with its position and extent in rows and columns. */
interface Placed {
  readonly row: number;
  readonly column: number;
  readonly height: number;
  readonly width: number;
  readonly cell: CellNode;
}

/** A table laid out, the tables in its cells included. */
interface Layout {
  readonly cells: readonly Placed[];
  readonly rows: readonly RowNode[];
  readonly columns: number;
}

/** Most positions of a table that is laid out here; spans may claim any number. */
const MAX_POSITIONS = 10_000;
/** Most positions for each cell: a small table in one of many rows would give all others empty cells. */
const MAX_PER_CELL = 2.5;

/** A table with the tables that fill its cells as parts of it; the table itself where that would be mostly empty. */
export function unnest(table: TableNode): TableNode {
  if (!table.rows.some(({ cells }) => cells.some((cell) => tableIn(cell) !== undefined))) return table;
  const layout = layOutNested(table);
  if (layout === undefined || layout.rows.length * layout.columns > MAX_PER_CELL * layout.cells.length)
    return table;
  return { ...table, rows: rowsOf(layout) };
}

/** The table that fills a cell, with more than one row and more than one column. */
function tableIn({ children }: CellNode): TableNode | undefined {
  const [only, ...others] = children.filter((node) => !isBlank([node]));
  if (only?.kind !== 'table' || others.length > 0) return undefined;
  const { rows, caption, list } = only;
  const isGrid = rows.length > 1 && rows.some(({ cells }) => cells.length > 1);
  return isGrid && caption.length === 0 && list === undefined && !isLayout(only) ? only : undefined;
}

/** Tables in one another are no deeper than containers, so that the recursion is bounded. */
function layOutNested(table: TableNode): Layout | undefined {
  const cells = placeCells(table);
  if (cells === undefined) return undefined;
  const inside = new Map<Placed, Layout>();
  for (const placed of cells) {
    const nested = tableIn(placed.cell);
    const layout = nested === undefined ? undefined : layOutNested(nested);
    if (layout !== undefined) inside.set(placed, layout);
  }
  const widths = new Array<number>(Math.max(...cells.map(({ column, width }) => column + width))).fill(1);
  const heights = table.rows.map(() => 1);
  for (const [{ row, column, height, width }, { rows, columns }] of inside) {
    widen(widths, column, width, columns);
    widen(heights, row, height, rows.length);
  }
  const [left, top] = [startsOf(widths), startsOf(heights)];
  const rows = table.rows.flatMap((row, at) =>
    Array.from({ length: heights[at] ?? 1 }, (_, part) => (part === 0 ? row : { ...row, startsPage: false })),
  );
  const columns = left.at(-1) ?? 0;
  if (rows.length * columns > MAX_POSITIONS) return undefined;
  const spread = cells.flatMap((placed) => {
    const row = top[placed.row] ?? 0;
    const column = left[placed.column] ?? 0;
    const height = (top[placed.row + placed.height] ?? 0) - row;
    const width = (left[placed.column + placed.width] ?? 0) - column;
    const layout = inside.get(placed);
    return layout === undefined
      ? [{ row, column, height, width, cell: placed.cell }]
      : stretched(layout, { row, column, height, width });
  });
  return { cells: spread, rows, columns };
}

/** The cells at their positions, as browsers place them; `undefined` for a table that is too large. */
function placeCells({ rows }: TableNode): Placed[] | undefined {
  const placed: Placed[] = [];
  const freeFrom: number[] = [];
  let positions = 0;
  for (const [row, { cells }] of rows.entries()) {
    let column = 0;
    for (const cell of cells) {
      for (; (freeFrom[column] ?? 0) > row; column++) positions++;
      const height = Math.min(cell.rowspan, rows.length - row);
      positions += height * cell.colspan;
      if (positions > MAX_POSITIONS) return undefined;
      placed.push({ row, column, height, width: cell.colspan, cell });
      for (const end = column + cell.colspan; column < end; column++) freeFrom[column] = row + height;
    }
  }
  return placed;
}

/** Makes room for so many columns or rows in place of some; the last of those takes what is missing. */
function widen(sizes: number[], at: number, count: number, needed: number): void {
  const missing = needed - sizes.slice(at, at + count).reduce((sum, size) => sum + size, 0);
  if (missing > 0) sizes[at + count - 1] = (sizes[at + count - 1] ?? 1) + missing;
}

/** The start of each, and the end of the last. */
function startsOf(sizes: readonly number[]): number[] {
  const starts = [0];
  for (const size of sizes) starts.push((starts.at(-1) ?? 0) + size);
  return starts;
}

/** The cells of a table in the place of a cell; its last rows and columns reach to the end of that. */
function stretched({ cells, rows, columns }: Layout, place: Omit<Placed, 'cell'>): Placed[] {
  return cells.map(({ row, column, height, width, cell }) => ({
    row: place.row + row,
    column: place.column + column,
    height: row + height === rows.length ? place.height - row : height,
    width: column + width === columns ? place.width - column : width,
    cell,
  }));
}

/** Rows for the layout; a position without a cell becomes an empty one, so that the cells behind it keep theirs. */
function rowsOf({ cells, rows }: Layout): RowNode[] {
  const freeFrom: number[] = [];
  const byRow = Map.groupBy(cells, ({ row }) => row);
  return rows.map((node, row) => {
    const own = (byRow.get(row) ?? []).toSorted((a, b) => a.column - b.column);
    const filled = own.flatMap(({ column, height, width, cell }, index): CellNode[] => {
      const before = own[index - 1];
      const empty: CellNode[] = [];
      for (let at = before === undefined ? 0 : before.column + before.width; at < column; at++)
        if ((freeFrom[at] ?? 0) <= row) empty.push(EMPTY);
      for (let at = column; at < column + width; at++) freeFrom[at] = row + height;
      return [...empty, { ...cell, colspan: width, rowspan: height }];
    });
    return { ...node, cells: filled };
  });
}

const EMPTY: CellNode = { kind: 'cell', header: false, colspan: 1, rowspan: 1, children: [] };
