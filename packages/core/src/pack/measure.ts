// The length of a text in the unit of the limits. The packer and the splitters of long pieces use only this port, so
// that a token counter can replace the UTF-16 length.
import type { TokenCounter } from '../measure.ts';

/**
 * Lengths of ranges of one text. Only in UTF-16 units do lengths add up, and only there is a longer range never
 * shorter.
 */
export interface Measure {
  readonly unit: 'utf16' | 'token';
  /** The length of [start, end). */
  readonly length: (start: number, end: number) => number;
  /**
   * The largest offset up to `end` such that the range from `start` to the offset is no longer than `most`; at least
   * `start`.
   */
  readonly reach: (start: number, most: number, end: number) => number;
  /** The length of [start, end) with the string `prefix` before it, which is not part of the text. */
  readonly withPrefix: (prefix: string, start: number, end: number) => number;
}

/** Lengths in UTF-16 code units. */
export const UTF16: Measure = {
  unit: 'utf16',
  length: (start, end) => end - start,
  reach: (start, most, end) => Math.min(end, start + most),
  withPrefix: (prefix, start, end) => prefix.length + end - start,
};

/**
 * A range of at most so many units for each allowed token mostly fits: one count of it is cheaper than searching for
 * its reach.
 */
const UNITS_PER_TOKEN = 8;

/**
 * A measure in the tokens of a counter, at the cost of counting the text once; in UTF-16 units when there is no
 * counter.
 */
export function measureOf(text: string, counter: TokenCounter | undefined): Measure {
  if (counter === undefined) return UTF16;
  const measured = counter.measure(text);
  return {
    unit: 'token',
    length: (start, end) => measured.count(start, end),
    reach: (start, most, end) =>
      end - start <= UNITS_PER_TOKEN * most && measured.count(start, end) <= most
        ? end
        : measured.longestPrefix(start, end, most),
    withPrefix: (prefix, start, end) =>
      prefix === '' ? measured.count(start, end) : counter.count(prefix + text.slice(start, end)),
  };
}
