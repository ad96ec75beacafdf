// Tables of a page: the ruled ones, and those whose rows have gutters in common.
// In doubt there is no table: prose cut into cells is worse than a table read as prose.
import type { Table } from './cells.ts';
import { findRuled } from './ruled.ts';
import type { Rule } from './rules.ts';
import type { Line } from './text.ts';
import { COLUMN_JUMP, findUnruled } from './unruled.ts';

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

const WORD = /\p{L}{2}/u;

/**
 * The lines in a fixed pitch that a stream has as it has the cells of a row: right beside the text before them, the
 * first of them no lower than it. Other lines in a fixed pitch are code. Linear.
 */
export function fixedCells(lines: readonly Line[]): Set<Line> {
  const cells = new Set<Line>();
  let text: Line | undefined;
  let isCell = false;
  let isFirst = true;
  for (const line of lines) {
    if (line.text === '') continue;
    if (line.isFixedPitch && !line.isTurned) {
      if (isFirst) isCell = text !== undefined && isNextCell(text, line);
      if (isCell) cells.add(line);
      isFirst = false;
    } else {
      text = line;
      isFirst = true;
    }
  }
  return cells;
}

/** Whether a line in a fixed pitch stands to the right of one of the text, and no lower than it. */
function isNextCell({ text, right, baseline, isTurned }: Line, next: Line): boolean {
  const rise = next.baseline - baseline;
  return (
    !isTurned &&
    WORD.test(text) &&
    next.left > right &&
    rise > -next.size / 2 &&
    rise < COLUMN_JUMP * next.size
  );
}
