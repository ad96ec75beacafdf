// Finds the sentences of running text, for the packer. A range is read as if it were a text of its own, and no boundary
// parts a grapheme or a surrogate pair.
import { scanSentences } from './scan.ts';
import type { Boundaries } from './strengths.ts';

export type { Boundaries } from './strengths.ts';
export { STRENGTHS } from './strengths.ts';

/**
 * Returns the sentence boundaries of [start, end), each behind the blanks that part two sentences. Their strength is
 * `sentence`, `line` (the sentence ends its line) or `paragraph` (a blank line follows). A blank line always ends a
 * sentence; a line break alone does so only behind an end mark or before the next item of a list. No language is given:
 * scripts and word lists decide. Linear in the length of the range. `start` and `end` must lie inside the text; they
 * are not checked.
 *
 * @example
 * sentences('Dr. Ruiz left. It rained.').offsets; // [15, 25]
 */
export function sentences(text: string, start = 0, end = text.length): Boundaries {
  return scanSentences(text, start, end);
}
