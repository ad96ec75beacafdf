// Running text in sentences, for the packer. A range is read as if it were a text of its own; no answer parts a
// grapheme or a surrogate pair.
import { scanSentences } from './scan.ts';
import type { Boundaries } from './strengths.ts';

export type { Boundaries } from './strengths.ts';
export { STRENGTHS } from './strengths.ts';

/**
 * The sentences of [start, end): boundaries of strength `sentence`, `line` (the sentence ends its line) or `paragraph`
 * (a blank line follows), each behind the blanks that part two sentences. A blank line always parts; a line break alone
 * only behind the end of a sentence or before the next item of a list. Takes no language: scripts and word lists
 * decide.
 *
 * Linear in the length of the range. Offsets outside the text are an error of the caller's.
 *
 * @example
 * sentences('Dr. Ruiz left. It rained.').offsets; // [15, 25]
 */
export function sentences(text: string, start = 0, end = text.length): Boundaries {
  return scanSentences(text, start, end);
}
