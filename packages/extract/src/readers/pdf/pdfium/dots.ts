// Dots that are drawn on a page: small discs, rings and squares, which browsers print in place of list bullets.
import { turnPoint } from './turns.ts';

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
    const [across, up] = turnPoint([x, y], quarterTurns);
    return { x: across, y: up, size };
  });
}
