// The strengths of boundaries inside running text, and their storage: two arrays of numbers side by side. A document
// has as many boundaries as words, and an object for each would cost more than finding it.

/**
 * Strengths of the gaps in running text, on the scale of `Boundary.strength`: 0 is inside a word, and 6 belongs to
 * headings. `line` is the end of a line that ends a sentence, `paragraph` a blank line.
 */
export const STRENGTHS = { word: 1, clause: 2, sentence: 3, line: 4, paragraph: 5 } as const;

/**
 * Boundaries of a range of a text, ascending. Each lies behind the blanks that part its neighbours, so that `[offsets[i
 * - 1], offsets[i])` is a sentence (clause, word) with its trailing blanks. The last offset is the end of the range; an
 * empty range has none.
 */
export interface Boundaries {
  readonly offsets: readonly number[];
  /**
   * The strength of the gap before each offset: one of {@link STRENGTHS}; the end of the range counts as `paragraph`.
   */
  readonly strengths: readonly number[];
}
