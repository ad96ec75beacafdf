// Columns that stand closer than the words of justified prose: programs set each cell as a text object of its own, and
// a blank stands in the file between the words of a cell but not between cells.
import type { ReadLine } from './initials.ts';
import { gapBetween, NARROW_GAP, TIGHT_GAP, WIDE_GAP, type Blanks, type Word } from './words.ts';

/** A page whose file has at least so many blanks to one that PDFium adds writes its blanks. */
const WRITTEN = 10;
/** So many gaps below each other are the white space between two columns. */
const LEAST_ROWS = 2;
/** The rows of a table that prove each other are no further apart than this many times the font size. */
const MAX_DISTANCE = 15;
/**
 * So many narrow gaps with the same two edges are the white space between a column of figures, which ends there, and a
 * column of texts, which begins there.
 */
const ALIGNED_ROWS = 3;
/** Gaps below each other have at least this many times the font size in common. */
const COMMON = 0.25;
/** The ink of words below each other begins at one place to within this many times the font size. */
const SAME_EDGE = 0.12;
/** Most other gaps that are compared with one. */
const MAX_COMPARED = 400;

/** The white space before a word. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly baseline: number;
  readonly size: number;
  readonly word: Word;
  /** The left edge of the text before it. */
  readonly begin: number;
  /** True if it is not behind the first word of its line, which may be the number of an item. */
  readonly isInner: boolean;
}

/** The signs of columns on a page. */
export interface Columns {
  /** The words that begin a column at a narrow gap. */
  readonly tight: ReadonlySet<Word>;
  /** True if the page writes its blanks, so that one which PDFium adds between text objects parts more than words. */
  readonly hasBlanks: boolean;
}

export const NO_COLUMNS: Columns = { tight: new Set(), hasBlanks: false };

/** The signs of columns on a page of lines. */
export function columnsOf(lines: readonly ReadLine[], blanks: Readonly<Blanks>): Columns {
  const { written, added, detached } = blanks;
  // Most pages have none.
  if (detached === 0 || written === 0 || written < WRITTEN * added) return NO_COLUMNS;
  return { tight: tightColumns(lines, blanks), hasBlanks: true };
}

/** The words that begin a column next to another. */
function tightColumns(lines: readonly ReadLine[], { single }: Readonly<Blanks>): Set<Word> {
  const found = new Set<Word>();
  const isSame = single === 0 ? isInColumn : isInWideColumn;
  const gaps = lines.flatMap(({ words }) => gapsIn(words));
  if (!gaps.some(isTight)) return found;
  gaps.sort((a, b) => b.baseline - a.baseline);
  const isColumn = (at: number, is: typeof isSame, rows: number): boolean =>
    1 + countBeside(gaps, at, 1, is, rows) + countBeside(gaps, at, -1, is, rows) >= rows;
  gaps.forEach((gap, at) => {
    if (!isTight(gap)) return;
    const isEnd = single === 0 && gap.isInner ? isAligned : isRagged;
    if (isColumn(at, isSame, LEAST_ROWS) || isColumn(at, isEnd, ALIGNED_ROWS)) found.add(gap.word);
  });
  return found;
}

function isTight({ from, to, size }: Gap): boolean {
  return to - from <= WIDE_GAP * size;
}

/** The gaps of a line that may part columns. */
function gapsIn(words: readonly Word[]): Gap[] {
  const gaps: Gap[] = [];
  let begin = words[0]?.left ?? 0;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const gap = before && gapBefore(before, word);
    if (gap === undefined) continue;
    gaps.push({ ...gap, begin, isInner: at > 1 });
    begin = word.left;
  }
  return gaps;
}

/** The gap between two words of a line if it may part columns. */
function gapBefore(before: Word, word: Word): Omit<Gap, 'begin' | 'isInner'> | undefined {
  const size = Math.max(before.size, word.size);
  const gap = gapBetween(before, word);
  const isRight = word.left > before.left;
  const mayBegin = word.isDetached && isRight && !before.isMarker && gap > NARROW_GAP * size;
  if (gap <= WIDE_GAP * size && !mayBegin) return undefined;
  const [from, to] = isRight ? [before.right, word.left] : [word.right, before.left];
  return { from, to, baseline: word.baseline, size, word };
}

/** Number of rows, in one direction, that have white space at the same place; no more than are needed. */
function countBeside(
  gaps: readonly Gap[],
  at: number,
  step: 1 | -1,
  isSame: (gap: Gap, next: Gap) => boolean,
  needed: number,
): number {
  const gap = gaps[at];
  if (gap === undefined) return 0;
  let rows = 0;
  let row = gap.baseline;
  for (let other = at + step, left = MAX_COMPARED; left > 0; other += step, left--) {
    const next = gaps[other];
    if (next === undefined || Math.abs(next.baseline - gap.baseline) > MAX_DISTANCE * gap.size) break;
    if (Math.abs(next.baseline - row) < gap.size / 2 || !isSame(gap, next)) continue;
    row = next.baseline;
    if (++rows === needed - 1) break;
  }
  return rows;
}

/** True if two narrow gaps have the same edges. */
function isAligned(gap: Gap, next: Gap): boolean {
  const isSame = (edge: 'from' | 'to'): boolean => Math.abs(gap[edge] - next[edge]) <= SAME_EDGE * gap.size;
  return isSame('from') && isSame('to');
}

/** True if two narrow gaps have the same edges, and the texts before them are not as long. */
function isRagged(gap: Gap, next: Gap): boolean {
  return isAligned(gap, next) && Math.abs(gap.begin - next.begin) > SAME_EDGE * gap.size;
}

/** True if two gaps part the same columns. */
function isInColumn(gap: Gap, next: Gap): boolean {
  if (gap.to - gap.from <= TIGHT_GAP * gap.size) return isInWideColumn(gap, next);
  return isBelow(gap, next);
}

function isBelow(gap: Gap, next: Gap): boolean {
  return Math.min(gap.to, next.to) - Math.max(gap.from, next.from) >= COMMON * gap.size;
}

/**
 * True if a wide gap has the white space of a tight one, and the right edge of a narrow one: the blanks between words
 * in other type or another script are as narrow, and may stand below each other.
 */
function isInWideColumn(gap: Gap, next: Gap): boolean {
  if (isTight(next)) return false;
  if (gap.to - gap.from > TIGHT_GAP * gap.size) return isBelow(gap, next);
  return Math.abs(gap.to - next.to) <= SAME_EDGE * gap.size;
}
