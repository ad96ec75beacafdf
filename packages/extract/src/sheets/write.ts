// A sheet → calls of the tree builder: a heading with its name, its tables, and the lines of text around them.
import { TreeBuilder } from '../tree/builder.ts';
import { MAX_COLSPAN, MAX_ROWSPAN, type CellNode, type RowNode, type TreeNode } from '../tree/node.ts';
import { headersOf } from './headers.ts';
import { regionsOf, type SheetRegion } from './regions.ts';
import {
  MAX_COLUMNS,
  MAX_POSITIONS,
  type Range,
  type Sheet,
  type SheetCell,
  type SheetRow,
  type Spent,
} from './sheet.ts';

/** Merged ranges of a sheet that are looked at. */
const MAX_MERGES = 100_000;

/** Rows of a single column that are lines of text; a longer column is a list of values. */
const MAX_LINES = 12;

/** Writes a sheet. Rows beyond {@link MAX_POSITIONS} are left out. */
export function writeSheet(builder: TreeBuilder, sheet: Sheet, spent: Spent): void {
  if (sheet.rows.length === 0) return;
  builder.openHeading(1);
  builder.text(sheet.name);
  builder.closeHeading();
  const merges = new Map<number, Range>();
  for (const range of sheet.merges.slice(0, MAX_MERGES)) merges.set(keyOf(range.top, range.left), range);
  for (const region of regionsOf(sheet)) writeRegion(builder, region, sheet, merges, spent);
}

type Merges = ReadonlyMap<number, Range>;

const keyOf = (row: number, column: number): number => row * MAX_COLUMNS + column;

function writeRegion(
  builder: TreeBuilder,
  region: SheetRegion,
  sheet: Sheet,
  merges: Merges,
  spent: Spent,
): void {
  const headers = headersOf(region, sheet);
  const titles = region.table !== undefined || headers > 0 ? 0 : titlesOf(region.rows);
  for (const row of region.rows.slice(0, titles)) writeLine(builder, row);
  const rows = region.rows.slice(titles);
  const below = { ...region, rows };
  if (headers === 0 && isText(rows)) for (const row of rows) writeLine(builder, row);
  else writeTable(builder, rows, titles === 0 ? headers : headersOf(below, sheet), merges, spent);
}

/** Number of lines above a table: rows of one text each, above rows of more cells. */
function titlesOf(rows: readonly SheetRow[]): number {
  const first = rows.findIndex(({ cells }) => cells.length > 1 || cells[0]?.isValue === true);
  return Math.max(0, first);
}

/** True for a few rows of one column. */
function isText(rows: readonly SheetRow[]): boolean {
  return (
    rows.length <= MAX_LINES && rows.every(({ cells }) => cells.length === 1 && isSameColumn(cells, rows))
  );
}

function isSameColumn([cell]: readonly SheetCell[], [first]: readonly SheetRow[]): boolean {
  return cell?.column === first?.cells[0]?.column;
}

function writeLine(builder: TreeBuilder, { cells }: SheetRow): void {
  for (const cell of cells) writeText(builder, cell);
  builder.boundary();
}

function writeText(builder: TreeBuilder, { text, href }: SheetCell): void {
  if (href !== undefined) builder.openMark('link', href);
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) builder.lineBreak();
    builder.text(line);
  }
  if (href !== undefined) builder.closeMark('link');
}

function writeTable(
  builder: TreeBuilder,
  rows: readonly SheetRow[],
  headers: number,
  merges: Merges,
  spent: Spent,
): void {
  const columns = columnsOf(rows);
  const ranks = new Map(columns.map((column, rank) => [column, rank]));
  /** For each column the first row that no merged cell above reaches. */
  const freeFrom = new Array<number>(columns.length).fill(0);
  const nodes: RowNode[] = [];
  for (const [at, { index, cells }] of rows.entries()) {
    spent.positions += 1 + (ranks.get(cells.at(-1)?.column ?? 0) ?? 0);
    if (spent.positions > MAX_POSITIONS) {
      spent.isFull = true;
      break;
    }
    const row: CellNode[] = [];
    let rank = 0;
    for (const cell of cells) {
      const own = ranks.get(cell.column) ?? 0;
      // A cell that a merged one covers is not shown.
      if (own < rank || (freeFrom[own] ?? 0) > at) continue;
      for (; rank < own; rank++) if ((freeFrom[rank] ?? 0) <= at) row.push(EMPTY);
      const range = merges.get(keyOf(index, cell.column));
      const colspan = range === undefined ? 1 : countUpTo(columns, own, range.right);
      const rowspan = range === undefined ? 1 : Math.min(MAX_ROWSPAN, countRows(rows, at, range.bottom));
      row.push({ kind: 'cell', header: false, colspan, rowspan, children: nodesOf(builder, cell) });
      rank = own + colspan;
      if (rowspan > 1) for (let covered = own; covered < rank; covered++) freeFrom[covered] = at + rowspan;
    }
    nodes.push({ kind: 'row', header: at < headers, cells: row });
  }
  builder.add({ kind: 'table', presentational: false, isFramed: true, caption: [], rows: nodes });
}

const EMPTY: CellNode = { kind: 'cell', header: false, colspan: 1, rowspan: 1, children: [] };

/** Characters that the builder changes. */
const CHANGED = /[\0\t\n\f\r`\xad\ufeff]| {2}/;

/** The content of a cell. Most are plain: making their nodes here takes a fifth of the builder's time and memory. */
function nodesOf({ targets }: TreeBuilder, cell: SheetCell): TreeNode[] {
  const { text, href } = cell;
  if (href === undefined && !CHANGED.test(text)) return [{ kind: 'paragraph', text }];
  const builder = new TreeBuilder(targets);
  builder.openTable();
  builder.openRow({ header: false });
  builder.openCell();
  writeText(builder, cell);
  const [table] = builder.finish();
  return table?.kind === 'table' ? (table.rows[0]?.cells[0]?.children ?? []) : [];
}

/** The columns with a filled cell, in order. */
function columnsOf(rows: readonly SheetRow[]): number[] {
  const columns = new Set<number>();
  for (const { cells } of rows) for (const { column } of cells) columns.add(column);
  return [...columns].sort((one, other) => one - other);
}

/** Number of columns from a rank on that are not behind a column. */
function countUpTo(columns: readonly number[], rank: number, right: number): number {
  let count = 1;
  while (count < MAX_COLSPAN && (columns[rank + count] ?? Infinity) <= right) count++;
  return count;
}

/** Number of rows from one on that are not below a row. */
function countRows(rows: readonly SheetRow[], at: number, bottom: number): number {
  let [low, high] = [at, rows.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.index ?? Infinity) <= bottom) low = middle;
    else high = middle - 1;
  }
  return low - at + 1;
}
