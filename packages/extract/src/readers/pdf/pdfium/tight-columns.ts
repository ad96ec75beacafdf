// Columns that stand closer than the words of justified prose: programs set each cell as a text object of its own, and
// a blank stands in the file between the words of a cell but not between cells.
import { gapBetween, TIGHT_GAP, WIDE_GAP, type Blanks, type Word } from './words.ts';

/** A page whose file has at least so many blanks to one that PDFium adds writes its blanks. */
const WRITTEN = 10;
/** So many gaps below each other are the white space between two columns. */
const LEAST_ROWS = 2;
/** The rows of a table that prove each other are no further apart than this many times the font size. */
const MAX_DISTANCE = 15;
/** Gaps below each other have at least this many times the font size in common. */
const COMMON = 0.25;
/** Most other gaps that are compared with one. */
const MAX_COMPARED = 400;

/** The white space before a word. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly baseline: number;
  readonly size: number;
  readonly word: Word;
}

/** The words that begin a column next to another, on a page of lines. */
export function tightColumns(
  lines: readonly (readonly Word[])[],
  { written, added, detached }: Readonly<Blanks>,
): Set<Word> {
  const found = new Set<Word>();
  // Most pages have none.
  if (detached === 0 || written === 0 || written < WRITTEN * added) return found;
  const gaps = lines.flatMap((words) => words.flatMap((word, at) => gapBefore(words[at - 1], word) ?? []));
  if (!gaps.some(isTight)) return found;
  gaps.sort((a, b) => b.baseline - a.baseline);
  gaps.forEach((gap, at) => {
    if (isTight(gap) && 1 + countBeside(gaps, at, 1) + countBeside(gaps, at, -1) >= LEAST_ROWS)
      found.add(gap.word);
  });
  return found;
}

function isTight({ from, to, size }: Gap): boolean {
  return to - from <= WIDE_GAP * size;
}

/** The gap between two words of a line if it may part columns. */
function gapBefore(before: Word | undefined, word: Word): Gap | undefined {
  if (before === undefined) return undefined;
  const size = Math.max(before.size, word.size);
  const gap = gapBetween(before, word);
  const mayPart = gap > WIDE_GAP * size || (word.isDetached && !before.isMarker && gap > TIGHT_GAP * size);
  if (!mayPart) return undefined;
  const [from, to] = word.left > before.left ? [before.right, word.left] : [word.right, before.left];
  return { from, to, baseline: word.baseline, size, word };
}

/** Number of rows, in one direction, that have white space at the same place; no more than are needed. */
function countBeside(gaps: readonly Gap[], at: number, step: 1 | -1): number {
  const gap = gaps[at];
  if (gap === undefined) return 0;
  let rows = 0;
  let row = gap.baseline;
  for (let other = at + step, left = MAX_COMPARED; left > 0; other += step, left--) {
    const next = gaps[other];
    if (next === undefined || Math.abs(next.baseline - gap.baseline) > MAX_DISTANCE * gap.size) break;
    const common = Math.min(gap.to, next.to) - Math.max(gap.from, next.from);
    if (Math.abs(next.baseline - row) < gap.size / 2 || common < COMMON * gap.size) continue;
    row = next.baseline;
    if (++rows === LEAST_ROWS - 1) break;
  }
  return rows;
}
