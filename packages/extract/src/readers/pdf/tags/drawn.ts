// Tables that the layout of a tagged page shows and its tree does not have: browsers write tables without borders as
// loose paragraphs.
import type { TextLine } from '../lines/text.ts';
import type { Table } from '../tables/cells.ts';
import { placesOf, type TaggedPage } from './page.ts';
import { proseOf } from './trust.ts';

/** A table holds at least this share of its characters in whole leaves of running text. */
const LEAST_COVERED = 0.9;

/** The tables of a page's layout by the leaves that they consist of. */
export function drawnTables(
  page: TaggedPage,
  tables: ReadonlyMap<TextLine, Table>,
): ReadonlyMap<number, Table> {
  const drawn = new Map<number, Table>();
  if (tables.size === 0) return drawn;
  const placeOf = placesOf([...tables.keys()]);
  const covered = new Map<Table, number>();
  for (const leaf of proseOf(page)) {
    const lines = page.leaves.get(leaf) ?? [];
    const found = new Set(lines.map((line) => tables.get(placeOf(line) ?? line)));
    const [table] = found;
    if (table === undefined || found.size > 1) continue;
    drawn.set(leaf, table);
    covered.set(table, (covered.get(table) ?? 0) + lettersOf(lines));
  }
  const isWhole = (table: Table): boolean =>
    (covered.get(table) ?? 0) >= LEAST_COVERED * lettersOf(table.lines);
  return new Map([...drawn].filter(([, table]) => isWhole(table)));
}

function lettersOf(lines: readonly TextLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.replaceAll(' ', '').length, 0);
}
