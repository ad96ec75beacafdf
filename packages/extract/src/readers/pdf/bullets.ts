// Bullets that are drawn, not written: browsers print those of lists as small discs, rings and squares beside the text.
import { turned } from './turns.ts';
import type { Line } from './text.ts';

/** A small drawing about as high as it is wide, in the coordinates of the lines of text. */
export interface Dot {
  /** Its middle, in points from the left and from below. */
  readonly x: number;
  readonly y: number;
  /** Its width, in points. */
  readonly size: number;
}

/** Sizes of dots in points, and how much wider than high, or higher than wide, one is at most. */
const SMALLEST = 1;
const LARGEST = 16;
const ROUND = 0.2;

/** The dot that a drawing with these edges is, if it is one. */
export function dotOf(left: number, bottom: number, right: number, top: number): Dot | undefined {
  const [width, height] = [right - left, top - bottom];
  if (!(width >= SMALLEST && width <= LARGEST && Math.abs(width - height) <= ROUND * width)) return undefined;
  return { x: (left + right) / 2, y: (bottom + top) / 2, size: width };
}

/** Dots as they stand after the page was turned upright. */
export function turnDots(dots: readonly Dot[], quarterTurns: number): Dot[] {
  return dots.map(({ x, y, size }) => {
    const [across, up] = turned([x, y], quarterTurns);
    return { x: across, y: up, size };
  });
}

/** A bullet is between these shares of the font size wide, and ends before its line by at most so many font sizes. */
const LEAST_SHARE = 0.15;
const MOST_SHARE = 0.55;
const MOST_GAP = 2;
/** Its middle is between these many font sizes above the line that its text stands on. */
const LOWEST = 0.05;
const HIGHEST = 0.75;
/** Fewer dots of one size beside lines are no list. */
const LEAST = 2;

/** The lines of a page, those that a drawn bullet stands beside with a bullet. O(n log n). */
export function withBullets(lines: readonly Line[], dots: readonly Dot[]): readonly Line[] {
  if (dots.length < LEAST) return lines;
  const heights = dots.toSorted((a, b) => a.y - b.y);
  const found = new Map<Line, Dot>();
  const counts = new Map<number, number>();
  for (const line of lines) {
    const dot = line.isTurned || line.text === '' ? undefined : dotBeside(line, heights);
    if (dot === undefined) continue;
    found.set(line, dot);
    counts.set(Math.round(dot.size), (counts.get(Math.round(dot.size)) ?? 0) + 1);
  }
  return lines.map((line) => {
    const dot = found.get(line);
    const isList = dot !== undefined && (counts.get(Math.round(dot.size)) ?? 0) >= LEAST;
    return isList ? bulleted(line, dot) : line;
  });
}

/** The dot right before a line, of dots in the order of their heights. */
function dotBeside({ left, baseline, size }: Line, heights: readonly Dot[]): Dot | undefined {
  let low = 0;
  for (let high = heights.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((heights[middle]?.y ?? 0) < baseline + LOWEST * size) low = middle + 1;
    else high = middle;
  }
  for (let at = low; (heights[at]?.y ?? Infinity) <= baseline + HIGHEST * size; at++) {
    const dot = heights[at];
    if (dot === undefined || dot.size < LEAST_SHARE * size || dot.size > MOST_SHARE * size) continue;
    const gap = left - dot.x - dot.size / 2;
    if (gap > 0 && gap <= MOST_GAP * size) return dot;
  }
  return undefined;
}

function bulleted(line: Line, { x, size }: Dot): Line {
  const left = x - size / 2;
  const [first, ...others] = line.cells;
  const cells = first === undefined ? [] : [{ ...first, text: `• ${first.text}`, left }, ...others];
  return { ...line, text: `• ${line.text}`, left, cells };
}
