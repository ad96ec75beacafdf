// Parts a sheet into its tables and the lines of text around them. People put several tables on one sheet, with titles,
// notes and empty rows between them; an empty row is also a mere space inside one table. The cost is linear in the
// cells: each of them is looked at a few times on each of at most MAX_DEPTH levels.
import { firstIndex } from '../search.ts';
import type { DefinedTable, Sheet, SheetCell, SheetRow } from './sheet.ts';

/** Rows that belong together. */
export interface SheetRegion {
  readonly rows: readonly SheetRow[];
  /** The author's definition, if any. */
  readonly table?: DefinedTable;
}

/** Most tables of a sheet that are taken from their definitions; a sheet has a handful. */
const MAX_TABLES = 200;
/** Tables below tables beside tables: deeper parts stay together. */
const MAX_DEPTH = 4;
/** Most empty rows inside one table. */
const MAX_GAP = 2;

/** The regions of a sheet from top to bottom, those beside one another from left to right. */
export function regionsOf({
  rows,
  tables,
  hidden,
}: Pick<Sheet, 'rows' | 'tables' | 'hidden'>): SheetRegion[] {
  const { defined, others } = takeDefined(rows, tables.slice(0, MAX_TABLES));
  const regions = [...defined, ...split(others, hidden, 0).map((part): SheetRegion => ({ rows: part }))];
  const placed = regions.map((region) => {
    return { region, top: region.rows[0]?.index ?? 0, left: extentOf(region.rows).left };
  });
  placed.sort((one, other) => one.top - other.top || one.left - other.left);
  return placed.map(({ region }) => region);
}

/** The cells of defined tables, and all other cells. */
function takeDefined(
  rows: readonly SheetRow[],
  tables: readonly DefinedTable[],
): { defined: SheetRegion[]; others: readonly SheetRow[] } {
  if (tables.length === 0) return { defined: [], others: rows };
  const taken = tables.map((table) => ({ table, rows: [] as SheetRow[] }));
  const others = rows.flatMap((row) => {
    let cells = row.cells;
    for (const { table, rows: own } of taken) {
      if (row.index < table.top || row.index > table.bottom) continue;
      const isInside = ({ column }: SheetCell): boolean => column >= table.left && column <= table.right;
      const inside = cells.filter(isInside);
      if (inside.length === 0) continue;
      own.push({ index: row.index, cells: inside });
      cells = cells.filter((cell) => !isInside(cell));
    }
    return cells.length === 0 ? [] : [{ index: row.index, cells }];
  });
  return { defined: taken.filter((region) => region.rows.length > 0), others };
}

function split(rows: readonly SheetRow[], hidden: Sheet['hidden'], depth: number): (readonly SheetRow[])[] {
  if (rows.length === 0) return [];
  if (depth === MAX_DEPTH) return [rows];
  return bandsOf(rows, hidden.rows).flatMap((band) => {
    const sides = sidesOf(band, hidden.columns);
    return sides.length === 1 ? [band] : sides.flatMap((side) => split(side, hidden, depth + 1));
  });
}

/** Rows between empty rows; rows below an empty row that go on with the table above it belong to it. */
function bandsOf(rows: readonly SheetRow[], hidden: readonly number[]): SheetRow[][] {
  const bands: SheetRow[][] = [];
  let last = -Infinity;
  const top = rows[0]?.index ?? 0;
  let next = firstIndex(hidden, (row) => row >= top);
  for (const row of rows) {
    for (; (hidden[next] ?? Infinity) < row.index; next++) if (hidden[next] === last + 1) last++;
    if (row.index === last + 1) bands.at(-1)?.push(row);
    else bands.push([row]);
    last = row.index;
  }
  const joined: SheetRow[][] = [];
  let extent = { left: 0, right: 0 };
  for (const band of bands) {
    const before = joined.at(-1);
    const own = extentOf(band);
    if (before !== undefined && goesOn(before, extent, band, own)) {
      for (const row of band) before.push(row);
      continue;
    }
    joined.push(band);
    extent = own;
  }
  return joined;
}

interface Extent {
  readonly left: number;
  readonly right: number;
}

/** True if rows below an empty one are in the columns of the table above, and have no names of columns of their own. */
function goesOn(
  above: readonly SheetRow[],
  { left, right }: Extent,
  below: SheetRow[],
  own: Extent,
): boolean {
  const gap = (below[0]?.index ?? 0) - (above.at(-1)?.index ?? 0) - 1;
  if (gap > MAX_GAP || own.left < left || own.right > right) return false;
  const isNames = above.length === 1 && above[0]?.cells.every((cell) => !cell.isValue) === true;
  const isTable = (above.length > 1 || isNames) && above.some(({ cells }) => cells.length > 1);
  if (!isTable || !below.some(({ cells }) => cells.some((cell) => cell.isValue))) return false;
  return !startsWithNames(below);
}

/** True if the first row of two or more names is in bold, or stands above values. */
function startsWithNames(rows: readonly SheetRow[]): boolean {
  const first = rows.find(({ cells }) => cells.length > 1);
  if (first === undefined || first.cells.some((cell) => cell.isValue)) return false;
  if (first.cells.every((cell) => cell.isBold)) return true;
  const next = rows.find(({ index }) => index === first.index + 1);
  if (next === undefined) return false;
  const named = new Set(first.cells.map(({ column }) => column));
  const values = next.cells.filter((cell) => cell.isValue);
  return values.length > 0 && values.every(({ column }) => named.has(column));
}

/** The parts of a band beside one another, with an empty column between them; the band itself where it is one table. */
function sidesOf(band: readonly SheetRow[], hidden: ReadonlySet<number>): (readonly SheetRow[])[] {
  const columns = new Set(hidden);
  for (const { cells } of band) for (const { column } of cells) columns.add(column);
  const starts = [...columns].sort((one, other) => one - other).filter((column) => !columns.has(column - 1));
  if (starts.length < 2) return [band];
  const groups = groupsOf(band, starts).filter((group) => group.length > 0);
  const sides: SheetRow[][] = [];
  let from = 0;
  for (let at = 1; at <= groups.length; at++) {
    if (at < groups.length && !areApart(groups[at - 1] ?? [], groups[at] ?? [])) continue;
    sides.push(joinGroups(groups.slice(from, at)));
    from = at;
  }
  return sides.length === 1 ? [band] : sides;
}

/** The rows of each run of columns that begins at one of the starts. */
function groupsOf(band: readonly SheetRow[], starts: readonly number[]): SheetRow[][] {
  const groups: SheetRow[][] = starts.map(() => []);
  for (const { index, cells } of band) {
    let group = 0;
    let own: SheetCell[] = [];
    for (const cell of cells) {
      const before = group;
      while ((starts[group + 1] ?? Infinity) <= cell.column) group++;
      if (own.length === 0 || group !== before) groups[group]?.push({ index, cells: (own = []) });
      own.push(cell);
    }
  }
  return groups;
}

function joinGroups(groups: readonly SheetRow[][]): SheetRow[] {
  const rows = new Map<number, SheetRow>();
  for (const { index, cells } of groups.flat()) {
    const row = rows.get(index);
    if (row === undefined) rows.set(index, { index, cells: [...cells] });
    else for (const cell of cells) row.cells.push(cell);
  }
  return [...rows.values()].sort((one, other) => one.index - other.index);
}

/**
 * True for two tables of their own: both have rows and columns, and their rows are not the same, or they name their
 * columns alike. An empty column inside a table is a mere space.
 */
function areApart(left: readonly SheetRow[], right: readonly SheetRow[]): boolean {
  const isTable = (rows: readonly SheetRow[]): boolean =>
    rows.length > 1 && rows.filter(({ cells }) => cells.length > 1).length > 1;
  if (!isTable(left) || !isTable(right)) return false;
  if (left[0]?.index !== right[0]?.index || left.at(-1)?.index !== right.at(-1)?.index) return true;
  const names = new Set(left[0]?.cells.map(({ text }) => text));
  const isRepeated = (cell: SheetCell): boolean => !cell.isValue && names.has(cell.text);
  return right[0]?.cells.some(isRepeated) === true;
}

function extentOf(rows: readonly SheetRow[]): Extent {
  let [left, right] = [Infinity, 0];
  for (const { cells } of rows) {
    left = Math.min(left, cells[0]?.column ?? Infinity);
    right = Math.max(right, cells.at(-1)?.column ?? 0);
  }
  return { left, right };
}
