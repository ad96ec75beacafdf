// Bullets that are drawn, not written: browsers print those of lists as small discs, rings and squares beside the text.
import type { Dot } from '../pdfium/dots.ts';
import { firstIndex } from '../../../search.ts';
import type { TextLine } from './text.ts';

/** A bullet is between these shares of the font size wide, and ends before its line by at most so many font sizes. */
const LEAST_SHARE = 0.15;
const MOST_SHARE = 0.55;
const MOST_GAP = 2;
/** Its middle is within these many font sizes above the baseline. */
const LOWEST = 0.05;
const HIGHEST = 0.75;
/** Fewer dots of one size beside lines are no list. */
const LEAST = 2;

/** The lines of a page, with bullets for those beside a drawn bullet. O(n log n). */
export function withBullets(lines: readonly TextLine[], dots: readonly Dot[]): readonly TextLine[] {
  if (dots.length < LEAST) return lines;
  const heights = dots.toSorted((a, b) => a.y - b.y);
  const found = new Map<TextLine, Dot>();
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
function dotBeside({ left, baseline, size }: TextLine, heights: readonly Dot[]): Dot | undefined {
  const lowest = firstIndex(heights, ({ y }) => !(y < baseline + LOWEST * size));
  for (let at = lowest; (heights[at]?.y ?? NaN) <= baseline + HIGHEST * size; at++) {
    const dot = heights[at];
    if (dot === undefined || dot.size < LEAST_SHARE * size || dot.size > MOST_SHARE * size) continue;
    const gap = left - dot.x - dot.size / 2;
    if (gap > 0 && gap <= MOST_GAP * size) return dot;
  }
  return undefined;
}

function bulleted(line: TextLine, { x, size }: Dot): TextLine {
  const left = x - size / 2;
  const [first, ...others] = line.cells;
  const cells = first === undefined ? [] : [{ ...first, text: `• ${first.text}`, left }, ...others];
  return { ...line, text: `• ${line.text}`, left, cells };
}
