// Cells of several lines that the stream has behind the whole table: spreadsheets draw them after those of one line.
import { isBelow, piecesOf, rowOf, type Row } from './rows.ts';
import type { TextLine } from '../lines/text.ts';
import { firstIndex } from '../../../search.ts';

/** Fewer rows of several cells show no table by themselves. */
const LEAST_ROWS = 3;
/** More than this share of the lines are next lines of their cells. The figures along an axis are none. */
const LEAST_NEXT = 0.3;
const WORD = /\p{L}{2}/u;
/** Left edges of the lines of one column differ by at most this many points. */
const SAME_EDGE = 1.5;
/** Lines closer than this many times the font size stand beside each other. */
const BESIDE = 0.5;

/** The index of the first line that stands above rows written before it; -1 if there is none. */
export function firstLate(lines: readonly TextLine[]): number {
  const heights: number[] = [];
  return lines.findIndex(({ cells, baseline, size }) => {
    if (cells.length > 1) heights.push(baseline);
    const row = heights.at(-2);
    return cells.length === 1 && row !== undefined && baseline > row + BESIDE * size;
  });
}

/**
 * Rows with late lines in their free places; `undefined` where one has none. The rows have a value on one line each:
 * late lines end with it, begin with it, or stand around it.
 */
export function withLate(rows: readonly Row[], late: readonly TextLine[]): Row[] | undefined {
  const parted = rows.filter(
    ({ pieces }) => pieces.length > 1 && pieces.some(({ isDetached }) => isDetached === true),
  );
  const [first, last] = [parted[0], parted.at(-1)];
  if (first === undefined || last === undefined || parted.length < LEAST_ROWS) return undefined;
  const right = parted.reduce((most, { spans }) => Math.max(most, spans.at(-1)?.right ?? most), -Infinity);
  const lefts = Map.groupBy(late, (line) => Math.round(line.left / SAME_EDGE));
  const isFree = (line: TextLine): boolean =>
    line.cells.length === 1 &&
    WORD.test(line.text) &&
    line.left < right &&
    line.baseline < first.top &&
    [-1, 0, 1].reduce(
      (sum, by) => sum + (lefts.get(Math.round(line.left / SAME_EDGE) + by)?.length ?? 0),
      0,
    ) > 1 &&
    besideOf(rows, line).every(({ spans }) =>
      spans.every((span) => span.right < line.left || span.left > line.right),
    );
  const isCell = late.filter((line, at) => isNext(late[at - 1], line)).length > LEAST_NEXT * late.length;
  if (!isCell || !late.every(isFree)) return undefined;
  const rowOfLine = alignmentOf(parted, late);
  const own = Map.groupBy(late, rowOfLine);
  if (own.size < 2) return undefined;
  return rows.map((row) => {
    const lines = own.get(row);
    if (lines === undefined) return row;
    return rowOf([...row.pieces, ...piecesOf(lines).map((piece) => ({ ...piece, isTight: true }))]);
  });
}

/**
 * Finds the row of a late line. The cells of several lines begin at the height of the other cells of their rows, or end
 * there, or stand around it where lines stand below the last row.
 */
function alignmentOf(rows: readonly Row[], late: readonly TextLine[]): (line: TextLine) => Row | undefined {
  const bottom = rows.at(-1)?.bottom ?? -Infinity;
  const endsAt = (line: TextLine): number =>
    firstIndex(rows, ({ top }) => top < line.baseline + BESIDE * line.size);
  const isBeside = (line: TextLine): boolean => besideOf(rows, line).length > 0;
  const begin = late.filter((line, at) => isBeside(line) && !isNext(late[at - 1], line));
  const end = late.filter((line, at) => isBeside(line) && !isNext(line, late[at + 1]));
  if (begin.length > end.length)
    return (line) => rows[firstIndex(rows, ({ top }) => top < line.baseline - BESIDE * line.size) - 1];
  if (late.every(({ baseline, size }) => baseline > bottom - BESIDE * size))
    return (line) => rows[endsAt(line)];
  return (line) => {
    const [above, below] = [rows[endsAt(line) - 1], rows[endsAt(line)]];
    if (above === undefined || below === undefined) return above ?? below;
    return above.bottom - line.baseline < line.baseline - below.top ? above : below;
  };
}

/** True if a line is the next line of a cell. */
function isNext(line: TextLine | undefined, next: TextLine | undefined): boolean {
  return line !== undefined && next !== undefined && isBelow(line, next);
}

/** The rows at the height of a line. */
function besideOf(rows: readonly Row[], { baseline, size }: TextLine): readonly Row[] {
  const from = firstIndex(rows, ({ bottom }) => bottom < baseline + BESIDE * size);
  let to = from;
  while ((rows[to]?.top ?? -Infinity) > baseline - BESIDE * size) to++;
  return rows.slice(from, to);
}
