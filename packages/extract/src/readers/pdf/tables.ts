// Tables of a page: the ruled ones, and those whose rows have gutters in common.
// In doubt there is no table: prose cut into cells is worse than a table read as prose.
import type { Table } from './cells.ts';
import { findRuled } from './ruled.ts';
import type { Rule } from './rules.ts';
import type { Line } from './text.ts';
import { findUnruled } from './unruled.ts';

/**
 * The tables of a page, given its lines in the order of the stream. A line belongs to one table at most. What stands
 * `isApart` belongs to none, but where lines are drawn around it.
 */
export function findTables(
  lines: readonly Line[],
  rules: readonly Rule[],
  isApart: (line: Line) => boolean,
): Table[] {
  const upright = lines.filter(({ text, isTurned, cells }) => text !== '' && !isTurned && cells.length > 0);
  const ruled = findRuled(upright, rules);
  const taken = new Set([...ruled.flatMap((table) => table.lines), ...lines.filter(isApart)]);
  return [...ruled, ...findUnruled(lines, taken, rules)];
}
