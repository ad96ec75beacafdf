// How much likelier the words beside a gap are as the words of two topics than as those of one. The words of a topic
// are independent draws from a distribution that is itself unknown, with the same small prior for each word of the
// document (Eisenstein and Barzilay, Bayesian Unsupervised Topic Segmentation, 2008). They compare whole topics; two
// windows beside the gap take linear time.
import type { PieceWords } from './vocabulary.ts';

/** Occurrences that the prior adds to each word. From 0.02 to 0.5 it hardly matters. */
const PRIOR_COUNT = 0.1;
/** A product below this is replaced by its logarithm, which takes more time than the product. */
const LEAST_RATIO = 1e-280;

/**
 * Returns, for the gap before each atom, the logarithm of the ratio of the likelihoods; 0 for the first atom.
 *
 * @param rowOf for each atom the index of its piece, or -1 for none
 * @param reach atoms in a window on either side
 */
export function wordChangesOf(vocabulary: PieceWords, rowOf: Int32Array, reach: number): Float64Array {
  const changes = new Float64Array(rowOf.length);
  const before = new WordWindow(vocabulary);
  const after = new WordWindow(vocabulary);
  const both = new WordWindow(vocabulary);
  for (const row of rowOf.subarray(0, reach)) {
    after.add(row);
    both.add(row);
  }
  for (let at = 1; at < rowOf.length; at++) {
    const crossed = rowOf[at - 1] ?? -1;
    after.remove(crossed);
    before.add(crossed);
    const entered = rowOf[at + reach - 1] ?? -1;
    after.add(entered);
    both.add(entered);
    const left = rowOf[at - reach - 1] ?? -1;
    before.remove(left);
    both.remove(left);
    changes[at] = before.likelihood + after.likelihood - both.likelihood;
  }
  return changes;
}

/** The words of a run of pieces. */
class WordWindow {
  /** The logarithm of the likelihood of the words, in this order, as those of one topic. */
  likelihood = 0;
  readonly #vocabulary: PieceWords;
  readonly #counts: Uint16Array;
  readonly #priors: number;
  #total = 0;

  constructor(vocabulary: PieceWords) {
    this.#vocabulary = vocabulary;
    this.#counts = new Uint16Array(vocabulary.count);
    this.#priors = PRIOR_COUNT * vocabulary.count;
  }

  add(row: number): void {
    this.#change(row, 1);
  }

  remove(row: number): void {
    this.#change(row, -1);
  }

  /** Draws the words of a piece after all others, or takes them back, except stop words. */
  #change(row: number, sign: 1 | -1): void {
    if (row === -1) return;
    const { starts, words, weights } = this.#vocabulary;
    const counts = this.#counts;
    const taken = sign === 1 ? 0 : 1;
    let total = this.#total;
    let ratio = 1;
    for (let at = starts[row] ?? 0, end = starts[row + 1] ?? 0; at < end; at++) {
      if ((weights[at] ?? 0) === 0) continue;
      const word = words[at] ?? 0;
      const count = counts[word] ?? 0;
      ratio *= (count - taken + PRIOR_COUNT) / (total - taken + this.#priors);
      counts[word] = count + sign;
      total += sign;
      if (ratio > LEAST_RATIO) continue;
      this.likelihood += sign * Math.log(ratio);
      ratio = 1;
    }
    this.#total = total;
    this.likelihood += sign * Math.log(ratio);
  }
}
