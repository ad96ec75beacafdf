// Pages whose order the stream does not give: columns of labels and values that drawn lines part, which programs write
// from edge to edge, and forms whose labels are drawn in any order. Tables are none of them.
import { commonStyle, type Cell, type TextLine } from '../lines/text.ts';
import type { Rule } from '../pdfium/rules.ts';
import { sliceLine } from './columns.ts';

/** A vertical line from the bottom to the top of columns. */
interface Fence {
  readonly x: number;
  readonly bottom: number;
  readonly top: number;
}

/** Columns have at least so many rows, and this share of them has a label and a value. */
const LEAST_ROWS = 8;
const PAIRS = 0.25;
/** Fences of one block are at least this share of the highest. */
const AS_HIGH = 0.8;
/** More are those of a grid. */
const MAX_FENCES = 12;
/** Columns with more than this share of their rows in common may be those of a table. */
const ALIGNED = 0.8;
/** Pieces of one vertical line are this close, in points. */
const TOUCHING = 3;

/**
 * The lines of a page in the order of its columns between drawn lines, or as given. A page with a table without rules
 * keeps its rows where the columns have them in common.
 */
export function inFencedOrder(
  lines: readonly TextLine[],
  rules: readonly Rule[],
  hasTable: boolean,
): readonly TextLine[] {
  const upright = lines.filter(({ text, isTurned, cells }) => text !== '' && !isTurned && cells.length > 0);
  if (upright.length < LEAST_ROWS) return lines;
  const isScattered = !hasTable && areScattered(upright);
  const fences = fencesOf(rules, upright);
  const [first] = fences;
  const inOrder = (some: readonly TextLine[]): readonly TextLine[] => (isScattered ? rowsOf(some) : some);
  const whole = isScattered ? [...rowsOf(upright), ...turnedOf(lines)] : lines;
  if (first === undefined) return whole;
  const isInside = ({ baseline }: TextLine): boolean => baseline > first.bottom && baseline < first.top;
  const columns = columnsOf(upright.filter(isInside), fences);
  const paired = columns.filter((column) => pairsOf(column) >= PAIRS * column.length);
  if (columns.length === 1) return whole;
  if (hasTable && isAligned(columns)) return lines;
  if (!isScattered && paired.length < Math.max(2, columns.length / 2)) return lines;
  return [
    ...inOrder(upright.filter(({ baseline }) => baseline >= first.top)),
    ...columns.flatMap(inOrder),
    ...inOrder(upright.filter(({ baseline }) => baseline <= first.bottom)),
    ...turnedOf(lines),
  ];
}

function turnedOf(lines: readonly TextLine[]): TextLine[] {
  return lines.filter(({ text, isTurned, cells }) => text !== '' && (isTurned || cells.length === 0));
}

/** The parts of lines between fences, which are given from the left; a strip with few words is no column. */
function columnsOf(lines: readonly TextLine[], fences: readonly Fence[]): TextLine[][] {
  const parting: Fence[] = [];
  for (const fence of fences) {
    const [before, behind] = stripsAt(lines, [...parting, fence]).slice(-2);
    if (isColumn(before) && isColumn(behind)) parting.push(fence);
  }
  return stripsAt(lines, parting);
}

function isColumn(lines: readonly TextLine[] = []): boolean {
  return lines.filter(({ text }) => WORD.test(text)).length >= LEAST_ROWS / 2;
}

function stripsAt(lines: readonly TextLine[], fences: readonly Fence[]): TextLine[][] {
  const strips: TextLine[][] = Array.from({ length: fences.length + 1 }, () => []);
  for (const line of lines) {
    for (let from = 0; from < line.cells.length;) {
      const at = columnAt(line.cells[from], fences);
      let to = from + 1;
      while (to < line.cells.length && columnAt(line.cells[to], fences) === at) to++;
      strips[at]?.push(sliceLine(line, from, to));
      from = to;
    }
  }
  return strips;
}

/** True if most rows of the second column are rows of the first. */
function isAligned([first = [], second = []]: readonly (readonly TextLine[])[]): boolean {
  const heights = new Set(first.map(({ baseline }) => Math.round(baseline)));
  const common = second.filter(({ baseline }) => heights.has(Math.round(baseline)));
  return common.length > ALIGNED * Math.min(heights.size, second.length);
}

function columnAt(cell: Cell | undefined, fences: readonly Fence[]): number {
  return fences.filter(({ x }) => x <= ((cell?.left ?? 0) + (cell?.right ?? 0)) / 2).length;
}

/** Number of lines with a label and a value. */
function pairsOf(lines: readonly TextLine[]): number {
  return lines.filter(({ cells }) => cells.length > 1).length;
}

/** The highest vertical lines that no text crosses, with text on both sides, from the left. */
function fencesOf(rules: readonly Rule[], lines: readonly TextLine[]): Fence[] {
  const upright = rules.filter(({ isLevel }) => !isLevel).sort((a, b) => a.at - b.at || a.from - b.from);
  const fences: Fence[] = [];
  for (const { at, from, to } of upright) {
    const last = fences.at(-1);
    const isSame = last !== undefined && at - last.x <= TOUCHING && from <= last.top + TOUCHING;
    if (isSame) fences[fences.length - 1] = { ...last, top: Math.max(last.top, to) };
    else fences.push({ x: at, bottom: from, top: to });
  }
  const parting = fences.filter((fence) => isParting(fence, lines));
  const highest = parting.reduce((most, { bottom, top }) => Math.max(most, top - bottom), 0);
  const high = parting.filter(({ bottom, top }) => top - bottom >= AS_HIGH * highest);
  return high.length > MAX_FENCES ? [] : high;
}

function isParting({ x, bottom, top }: Fence, lines: readonly TextLine[]): boolean {
  let [left, right] = [0, 0];
  for (const { cells, baseline } of lines) {
    if (baseline <= bottom || baseline >= top) continue;
    if (cells.some((cell) => cell.left < x - 1 && cell.right > x + 1)) return false;
    if (cells.some((cell) => cell.right <= x + 1)) left++;
    if (cells.some((cell) => cell.left >= x - 1)) right++;
  }
  return left >= LEAST_ROWS && right >= LEAST_ROWS;
}

/** A page is scattered when the stream goes up as often, and this share of the lines above others come later. */
const LEAST_RISES = 8;
const RISES = 0.1;
const INVERTED = 0.25;
/** A page with more lines is a book page or a map. */
const MAX_LINES = 400;
/** At most this share of its lines goes on below the one before, as sentences do, and this share are words: labels. */
const STACKED = 0.4;
const WORDS = 0.7;
const WORD = /\p{L}{2}/u;
/** Lines of one paragraph are between these many times the font size apart, and begin this close, in sizes. */
const LEAST_DROP = 0.6;
const MOST_DROP = 1.6;

/** True if lines come in no order: labels of a form that are drawn one by one. At most {@link MAX_LINES} squared. */
function areScattered(lines: readonly TextLine[]): boolean {
  if (lines.length > MAX_LINES) return false;
  const rises = lines.filter((line, at) => line.baseline > (lines[at - 1]?.baseline ?? Infinity) + line.size);
  if (rises.length < Math.max(LEAST_RISES, RISES * lines.length)) return false;
  const stacked = lines.filter((line, at) => isBelow(lines[at - 1], line));
  const words = lines.filter(({ text }) => WORD.test(text));
  if (stacked.length > STACKED * lines.length || words.length < WORDS * lines.length) return false;
  let [inverted, pairs] = [0, 0];
  lines.forEach((line, at) => {
    for (const before of lines.slice(0, at)) {
      if (line.left >= before.right || line.right <= before.left) continue;
      const rise = line.baseline - before.baseline;
      if (Math.abs(rise) <= line.size / 2) continue;
      pairs++;
      if (rise > 0) inverted++;
    }
  });
  return inverted > INVERTED * pairs;
}

function isBelow(before: TextLine | undefined, { left, baseline, size }: TextLine): boolean {
  const drop = (before?.baseline ?? Infinity) - baseline;
  const isLevel = Math.abs((before?.left ?? Infinity) - left) <= size;
  return isLevel && drop >= LEAST_DROP * size && drop <= MOST_DROP * size;
}

/** Lines from above, those at one height as one line. */
function rowsOf(lines: readonly TextLine[]): TextLine[] {
  const rows: TextLine[][] = [];
  for (const line of lines.toSorted((a, b) => b.baseline - a.baseline)) {
    const row = rows.at(-1);
    const isSame = row?.[0] !== undefined && row[0].baseline - line.baseline <= line.size / 2;
    if (row !== undefined && isSame) row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => {
    const [first] = row.sort((a, b) => a.left - b.left);
    if (first === undefined || row.length === 1) return row;
    const cells = row.flatMap((line) => line.cells);
    const text = row.map((line) => line.text).join(' ');
    return [{ ...first, ...commonStyle(cells), text, cells, isDivided: false }];
  });
}
