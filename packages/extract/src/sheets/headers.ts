// The rows that name the columns of a region, by what the author of a sheet says: a defined table, rows that stay in
// view or repeat on each page, the buttons of a filter, bold type. Without any of these the tree decides by the texts
// (tree/header.ts).
import type { SheetRegion } from './regions.ts';
import type { Sheet, SheetRow } from './sheet.ts';

/** Most rows that name columns. More rows in view are a form above the table. */
const MAX_HEADERS = 4;
/** Ranges of titles, and of filters, that are looked at for each region; a sheet has a handful. */
const MAX_RANGES = 200;
/** A filter may stand below a title of the table. */
const MAX_ABOVE_FILTER = 3;

/** Number of leading rows of a region that name its columns; 0 when the author does not say. */
export function headersOf({ rows, table }: SheetRegion, sheet: Pick<Sheet, 'titleRows' | 'filters'>): number {
  if (table !== undefined) return table.headers;
  const found = titleRowsOf(rows, sheet) || filterRowOf(rows, sheet) || boldRowsOf(rows);
  return found < rows.length ? found : 0;
}

function titleRowsOf(rows: readonly SheetRow[], { titleRows }: Pick<Sheet, 'titleRows'>): number {
  for (const { top, bottom } of titleRows.slice(0, MAX_RANGES)) {
    const first = rows[0]?.index ?? -1;
    if (first < top || first > bottom) continue;
    const count = rows.slice(0, MAX_HEADERS + 1).findIndex(({ index }) => index > bottom);
    if (count > 0) return count;
  }
  return 0;
}

function filterRowOf(rows: readonly SheetRow[], { filters }: Pick<Sheet, 'filters'>): number {
  const tops = filters.slice(0, MAX_RANGES).map(({ top }) => top);
  return rows.slice(0, MAX_ABOVE_FILTER).findIndex(({ index }) => tops.includes(index)) + 1;
}

/** Rows in bold type at the top, above rows that are not. */
function boldRowsOf(rows: readonly SheetRow[]): number {
  const isBold = ({ cells }: SheetRow): boolean => cells.every((cell) => cell.isBold);
  const first = rows[0];
  if (first === undefined || first.cells.length < 2 || !isBold(first)) return 0;
  const count = rows.slice(0, MAX_HEADERS).findIndex((row) => !isBold(row));
  return Math.max(0, count);
}
