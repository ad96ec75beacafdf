// The port through which a size can be counted in tokens instead of UTF-16 units. Core holds no vocabulary: whoever
// calls brings a counter (`@grainline/models/tokens` has exact ones), and core asks it about ranges of one text.

/**
 * Counts the tokens a language model makes of a text.
 *
 * Promises: equal texts give equal counts; the empty text has none, any other text at least one; what looks like a
 * special token (`<|endoftext|>`) is counted as the ordinary text it is. Synchronous, and linear in the text up to
 * a logarithm.
 *
 * A count is no sum: that of a whole is near the sum of its parts', but may be more or less, and a longer range may
 * even have fewer tokens than a shorter one it begins with (`"abc"` can be one token where `"ab"` is two).
 */
export interface TokenCounter {
  /** The encoding's name, for messages and metadata. */
  readonly name: string;
  /** Tokens of the text as it stands alone. */
  count(text: string): number;
  /**
   * Reads the text once, at about the cost of counting it, so that its ranges can be asked about cheaply.
   * Answers stay true for ever: a string does not change. Holds memory in proportion to the text while it is held.
   */
  measure(text: string): MeasuredText;
}

/**
 * A text whose ranges can be counted. Offsets are half-open [start, end) in UTF-16 units, as everywhere; a range
 * is expected not to begin or end inside a surrogate pair (each lone half then counts as U+FFFD).
 */
export interface MeasuredText {
  /** The text that was read. */
  readonly text: string;
  /**
   * Tokens of the range as a text of its own: exactly `counter.count(text.slice(start, end))`, wherever it begins
   * and ends. Where both ends fall on borders of the counter's own pieces (about: between words) it is two look-ups
   * and a subtraction; elsewhere the pieces cut at the ends are counted again. Never dearer than counting the slice.
   *
   * @throws unless 0 <= start <= end <= text.length, in integers
   */
  count(start: number, end: number): number;
  /**
   * The end of a range from `start` that fits: the result is an offset in [start, end], inside no surrogate pair,
   * with `count(start, result) <= maxTokens`, and either it is `end` or one code point more would not fit. Costs a
   * number of counts that grows with the logarithm of the answer. `start` itself when not even one code point fits.
   *
   * @param maxTokens an integer from 0
   * @throws as {@link MeasuredText.count} does
   */
  longestPrefix(start: number, end: number, maxTokens: number): number;
}
