// How long a text is, in the unit that limits are given in. The packer and the splitters of long pieces ask only
// this port, so that a token counter can take the place of the UTF-16 length.

import type { TokenCounter } from '../measure.ts';

/** Lengths of ranges of one text. A longer range is never shorter. */
export interface Measure {
  /** The length of [start, end). */
  readonly length: (start: number, end: number) => number;
  /** The largest offset up to `end` such that the range from `start` is no longer than `most`; at least `start`. */
  readonly reach: (start: number, most: number, end: number) => number;
}

/** Lengths of ranges of `text` in the tokens of a counter, or in UTF-16 units without one. Costs a count of the text. */
export function measureOf(text: string, counter: TokenCounter | undefined): Measure {
  if (counter === undefined) return UTF16;
  const measured = counter.measure(text);
  return {
    length: (start, end) => measured.count(start, end),
    reach: (start, most, end) => measured.longestPrefix(start, end, most),
  };
}

/** Lengths in UTF-16 code units. */
export const UTF16: Measure = {
  length: (start, end) => end - start,
  reach: (start, most, end) => Math.min(end, start + most),
};
