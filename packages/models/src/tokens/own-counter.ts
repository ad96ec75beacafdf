// A counter for any other tokenizer: turns a function that counts the tokens of a text into core's port `TokenCounter`.
// Ranges are sliced and counted; no relation between the counts of a part and of the whole is assumed, because no rule
// holds for all tokenizers.
import type { MeasuredText, TokenCounter } from '@grainline/core';
import { ModelError } from '../errors.ts';
import { checkMost, checkRange } from './measured-text.ts';

/**
 * A counter for the tokenizer of your own model, from a function that counts. Count the tokens of the text itself,
 * without the marks that a tokenizer adds around it, such as `[CLS]`.
 *
 * The function counts much text: about twice the document for the tier `free`, ten to fifty times for the others, and
 * more if longer texts have no more tokens. `tokenCounter` reads the text once.
 *
 * @param name the model's or the encoding's name, for messages
 * @param count returns the number of tokens synchronously; equal texts have equal counts
 * @throws ModelError `bad_count` for a `count` that is no function and, when text is counted, for an answer that is no
 * integer from 0
 * @example
 * const tokenizer = await AutoTokenizer.from_pretrained('BAAI/bge-small-en-v1.5'); // @huggingface/transformers
 * const withoutMarks = { add_special_tokens: false };
 * const measure = createTokenCounter('bge-small', (text) => tokenizer.encode(text, withoutMarks).length);
 * const chunks = await chunk(document, { tier: 'structure', measure, size: 510 });
 */
export function createTokenCounter(name: string, count: (text: string) => number): TokenCounter {
  if (typeof count !== 'function')
    throw new ModelError(
      'bad_count',
      `${name} needs a function that counts tokens, but got ${String(count)}.`,
    );
  // A tokenizer may make nothing of blanks, but a chunk of them is one all the same.
  const atLeastOne = (text: string): number => (text === '' ? 0 : Math.max(1, checked(name, count(text))));
  return { name, count: atLeastOne, measure: (text) => new SlicedText(text, atLeastOne) };
}

function checked(name: string, answer: unknown): number {
  if (Number.isSafeInteger(answer) && (answer as number) >= 0) return answer as number;
  const came = answer instanceof Promise ? 'a promise: counts are needed at once' : String(answer);
  throw new ModelError('bad_count', `${name} must count tokens as an integer from 0, but answered ${came}.`);
}

/**
 * First step of the search for the longest range that fits, in UTF-16 units for each token: about the length of a
 * token.
 */
const UNITS_PER_TOKEN = 4;

class SlicedText implements MeasuredText {
  readonly text: string;
  readonly #count: (text: string) => number;

  constructor(text: string, count: (text: string) => number) {
    this.text = text;
    this.#count = count;
  }

  count(start: number, end: number): number {
    checkRange(start, end, this.text.length);
    return this.#count(this.text.slice(start, end));
  }

  longestPrefix(start: number, end: number, maxTokens: number): number {
    checkRange(start, end, this.text.length);
    checkMost(maxTokens);
    const fits = (to: number): boolean => this.#count(this.text.slice(start, to)) <= maxTokens;
    let low = start;
    let high = start;
    for (let stride = Math.max(1, UNITS_PER_TOKEN * maxTokens); low < end; stride *= 2) {
      high = Math.min(end, this.#characterEnd(low + stride - 1));
      if (!fits(high)) break;
      low = high;
    }
    // From here on `low` fits and `high` does not, or both are equal.
    for (let next = this.#characterEnd(low); next < high; next = this.#characterEnd(low)) {
      const middle = Math.max(next, this.#characterStart((low + high) >> 1));
      if (fits(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The end of the character that begins at `at` or holds the unit there. */
  #characterEnd(at: number): number {
    return this.#characterStart(at + 1) === at ? at + 2 : at + 1;
  }

  /** `at`, or one less inside a surrogate pair. */
  #characterStart(at: number): number {
    return (this.text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
  }
}
