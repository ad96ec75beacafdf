// The port that counts lengths in tokens instead of UTF-16 units. Core contains no vocabulary: the caller brings a
// counter (`@grainline/models/tokens` has exact ones), and core counts ranges of one text.

/**
 * Counts the tokens that a language model makes of a text. A counter promises:
 *
 * - equal texts give equal counts; the empty text has none, any other text at least one;
 * - text that looks like a special token (`<|endoftext|>`) counts as ordinary text;
 * - calls are synchronous and take time linear in the text, up to a logarithm.
 *
 * Counts do not add up: the count of a whole is near the sum of its parts' but may be more or less, and a range may
 * even have fewer tokens than its own prefix (`"abc"` can be one token where `"ab"` is two).
 */
export interface TokenCounter {
  /** The encoding's name, for messages and metadata. */
  readonly name: string;
  /** Tokens of the text on its own. */
  count(text: string): number;
  /**
   * Reads the text once, at about the cost of counting it, so that its ranges can be counted cheaply afterwards. The
   * result stays valid for ever, since a string does not change, and holds memory in proportion to the text.
   */
  measure(text: string): MeasuredText;
}

/**
 * A text whose ranges can be counted. Offsets are half-open [start, end) in UTF-16 units, as everywhere. A range should
 * not begin or end inside a surrogate pair; a lone half counts as U+FFFD.
 */
export interface MeasuredText {
  /** The text itself. */
  readonly text: string;
  /**
   * Tokens of the range as a text of its own: exactly `counter.count(text.slice(start, end))` for any range. A range
   * whose ends fall on borders of the counter's own pieces (roughly: between words) takes two look-ups and a
   * subtraction; otherwise the pieces at the ends are counted again. It never costs more than counting the slice.
   *
   * @throws unless 0 <= start <= end <= text.length, in integers
   */
  count(start: number, end: number): number;
  /**
   * The end of the longest range from `start` that fits: an offset in [start, end], inside no surrogate pair, with
   * `count(start, result) <= maxTokens`. It is `end`, or one code point more would not fit; it is `start` when not even
   * one code point fits. The number of counts it takes grows with the logarithm of the answer.
   *
   * @param maxTokens an integer from 0
   * @throws as {@link MeasuredText.count} does
   */
  longestPrefix(start: number, end: number, maxTokens: number): number;
}
