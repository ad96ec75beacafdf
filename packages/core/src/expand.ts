// Small chunks find, larger passages answer: found chunks grow by their neighbours until a budget of tokens is full.
import type { Chunk } from './chunk.ts';
import type { Span } from './document.ts';
import {
  issueUnless,
  type OptionIssue,
  assertNoIssues,
  assertObject,
  unknownOptionIssues,
} from './errors.ts';
import { isCounter, isIntegerWithin } from './limits.ts';
import type { TokenCounter } from './measure.ts';

/** Options of {@link expand}; all are required. */
export interface ExpandOptions {
  /** The text of the document whose chunks they are. */
  readonly text: string;
  /** Indexes of the found chunks (`chunk_index` in records), best first. */
  readonly found: readonly number[];
  /** The most tokens of all passages together: an integer from 1. */
  readonly tokens: number;
  /** The token counter. */
  readonly measure: TokenCounter;
}

/** A run of neighbouring chunks: `text` is the slice of the document from `start` to `end`. No two passages meet. */
export interface Passage extends Span {
  readonly text: string;
  /** Indexes of its first and last chunk. */
  readonly first: number;
  readonly last: number;
}

/**
 * Joins found chunks with their neighbours into passages, up to a budget of tokens. First every found chunk that fits
 * is taken, best first; then the passages grow in turn, all by one chunk behind them, then all by one before them,
 * until nothing more fits. Passages that meet become one. Takes time in proportion to the budget, not to the document.
 *
 * @param chunks all chunks of one document, in order
 * @returns the passages, that of the best chunk first
 * @throws ChunkError `invalid_options` with every issue
 * @example
 * const passages = expand(chunks, { text, found: [17, 4], tokens: 2000, measure: await tokenCounter('o200k') });
 */
export function expand(chunks: readonly Chunk[], options: ExpandOptions): Passage[] {
  assertObject(options);
  assertNoIssues(expandIssues(chunks, options));
  const growing = new Passages(chunks, options);
  for (const index of options.found) growing.take(index);
  while (growing.growAll());
  return growing.passages();
}

interface Run {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** Passages under construction, best first. */
class Passages {
  readonly #chunks: readonly Chunk[];
  readonly #options: ExpandOptions;
  #runs: readonly Run[] = [];
  #left: number;

  constructor(chunks: readonly Chunk[], options: ExpandOptions) {
    this.#chunks = chunks;
    this.#options = options;
    this.#left = options.tokens;
  }

  /** Adds a chunk, with the passages that it meets; false when it does not fit or is taken. */
  take(index: number): boolean {
    if (index < 0 || index >= this.#chunks.length) return false;
    const met = this.#runs.filter(({ first, last }) => first <= index + 1 && last >= index - 1);
    if (met.some(({ first, last }) => first <= index && last >= index)) return false;
    const from = Math.min(index, ...met.map(({ first }) => first));
    const to = Math.max(index, ...met.map(({ last }) => last));
    const count = this.#options.measure.count(this.#textOf(from, to));
    const freed = met.reduce((sum, run) => sum + run.count, 0);
    if (count > this.#left + freed) return false;
    const joined = { first: from, last: to, count };
    const [best] = met;
    this.#runs =
      best === undefined
        ? [...this.#runs, joined]
        : this.#runs.flatMap((run) => (run === best ? [joined] : met.includes(run) ? [] : [run]));
    this.#left += freed - count;
    return true;
  }

  /** Grows each passage by a chunk on both sides; false when no chunk fits. */
  growAll(): boolean {
    // A run that another one has met meanwhile is no longer beside a free chunk, which `take` finds.
    const behind = this.#runs.map(({ last }) => this.take(last + 1));
    const before = this.#runs.map(({ first }) => this.take(first - 1));
    return [...behind, ...before].includes(true);
  }

  passages(): Passage[] {
    return this.#runs.map(({ first, last }) => {
      const text = this.#textOf(first, last);
      const start = this.#chunks[first]?.start ?? 0;
      return { start, end: start + text.length, text, first, last };
    });
  }

  #textOf(first: number, last: number): string {
    return this.#options.text.slice(this.#chunks[first]?.start, this.#chunks[last]?.end);
  }
}

function expandIssues(chunks: unknown, options: ExpandOptions): OptionIssue[] {
  const { text, found, tokens, measure } = options as Readonly<Record<keyof ExpandOptions, unknown>>;
  const most = Array.isArray(chunks) ? chunks.length - 1 : -1;
  const areFound = Array.isArray(found) && found.every((index) => isIntegerWithin(0, most, index));
  return [
    ...issueUnless(Array.isArray(chunks), 'chunks', 'an array of chunks', chunks),
    ...issueUnless(typeof text === 'string', 'text', 'the text of the document', text),
    ...issueUnless(areFound, 'found', `an array of indexes from 0 to ${most}`, found),
    ...issueUnless(isIntegerWithin(1, Infinity, tokens), 'tokens', 'an integer from 1', tokens),
    ...issueUnless(isCounter(measure), 'measure', "a token counter: await tokenCounter('o200k')", measure),
    ...unknownOptionIssues(options, ['text', 'found', 'tokens', 'measure'], 'expand'),
  ];
}
