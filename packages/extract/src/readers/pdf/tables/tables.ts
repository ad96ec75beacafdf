// Tables of a page: the ruled ones, and those whose rows have gutters in common.
// In doubt there is no table: prose cut into cells is worse than a table read as prose.
import type { Table } from './cells.ts';
import { findRuled } from './ruled.ts';
import type { Rule } from '../pdfium/rules.ts';
import type { TextLine } from '../lines/text.ts';
import { COLUMN_JUMP, findUnruled } from './unruled.ts';

/**
 * The tables of a page, given its lines in the order of the stream. A line belongs to one table at most. A line that
 * `isApart` belongs to none, unless lines are drawn around it.
 */
export function findTables(
  lines: readonly TextLine[],
  rules: readonly Rule[],
  isApart: (line: TextLine) => boolean,
): Table[] {
  const upright = lines.filter(({ text, isTurned, cells }) => text !== '' && !isTurned && cells.length > 0);
  const ruled = findRuled(upright, rules);
  const taken = new Set([...ruled.flatMap((table) => table.lines), ...lines.filter(isApart)]);
  return [...ruled, ...findUnruled(lines, taken, rules)];
}

const WORD = /\p{L}{2}/u;

/**
 * The fixed-pitch lines that the stream has in the position of a row's cells: right beside the text before them, the
 * first of them no lower than that text. Other lines in a fixed pitch are code. Linear.
 */
export function fixedCells(lines: readonly TextLine[]): Set<TextLine> {
  const cells = new Set<TextLine>();
  let text: TextLine | undefined;
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

/** True if a line in a fixed pitch stands to the right of a line of text, and no lower. */
function isNextCell({ text, right, baseline, isTurned }: TextLine, next: TextLine): boolean {
  const rise = next.baseline - baseline;
  return (
    !isTurned &&
    WORD.test(text) &&
    next.left > right &&
    rise > -next.size / 2 &&
    rise < COLUMN_JUMP * next.size
  );
}
