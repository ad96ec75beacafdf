// Byte pair encoding of one piece. It starts from single bytes and merges the leftmost pair of neighbours whose token
// has the lowest rank, until no two neighbours make a token; only the number of parts is kept. Short pieces find the
// lowest rank by reading all of them. Long ones (one letter a million times) keep a heap, so that the time grows as n
// log n, where other counters of this kind take n².
import { NO_RANK, type Vocabulary } from './vocabulary.ts';

/** Longest piece, in bytes, for which reading all ranks is faster than keeping a heap. */
const SHORT_BYTES = 96;

/** Tokens of the piece `bytes[0, length)`, which is not empty. */
export function countMerged(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  if (length === 1) return 1;
  return length <= SHORT_BYTES
    ? countMergedShort(vocabulary, bytes, length)
    : countMergedLong(vocabulary, bytes, length);
}

/**
 * The start of each part, and the rank of each part with the next; one more entry marks the end. Shared by all calls.
 */
const partStarts = new Int32Array(SHORT_BYTES + 1);
const partRanks = new Int32Array(SHORT_BYTES + 1);

function countMergedShort(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  for (let at = 0; at <= length; at++) partStarts[at] = at;
  for (let at = 0; at < length - 1; at++) partRanks[at] = vocabulary.rankOf(bytes, at, at + 2);
  let parts = length;
  for (;;) {
    const lowest = indexOfLowest(parts - 1);
    if (lowest === -1) return parts;
    for (let next = lowest + 1; next < parts; next++) {
      partStarts[next] = partStarts[next + 1] ?? 0;
      partRanks[next] = partRanks[next + 1] ?? 0;
    }
    parts--;
    if (lowest + 1 < parts) partRanks[lowest] = rankOfPair(vocabulary, bytes, lowest);
    if (lowest > 0) partRanks[lowest - 1] = rankOfPair(vocabulary, bytes, lowest - 1);
  }
}

/** The index of the lowest of the first `pairs` ranks, the leftmost of equal ones; -1 when no pair is a token. */
function indexOfLowest(pairs: number): number {
  let lowest = NO_RANK;
  let index = -1;
  for (let at = 0; at < pairs; at++) {
    const rank = partRanks[at] ?? NO_RANK;
    if (rank < lowest) {
      lowest = rank;
      index = at;
    }
  }
  return index;
}

function rankOfPair(vocabulary: Vocabulary, bytes: Uint8Array, part: number): number {
  return vocabulary.rankOf(bytes, partStarts[part] ?? 0, partStarts[part + 2] ?? 0);
}

/**
 * The same for long pieces, with parts in a linked list and pairs in a heap. It takes 28 bytes of memory for each byte.
 */
function countMergedLong(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  const parts = new PartList(vocabulary, bytes, length);
  const heap = new PairHeap(2 * length);
  for (let at = 0; at < length - 1; at++) heap.push(parts.pairRank(at), at);
  let count = length;
  for (let pair = heap.pop(); pair !== undefined; pair = heap.pop()) {
    // The heap may hold pairs whose parts have changed since; their rank is then no longer that of the pair.
    if (parts.pairRank(pair.at) !== pair.rank) continue;
    const before = parts.merge(pair.at);
    count--;
    heap.push(parts.pairRank(pair.at), pair.at);
    if (before >= 0) heap.push(parts.pairRank(before), before);
  }
  return count;
}

/** The parts of a piece, each known by the byte it begins with. */
class PartList {
  readonly #vocabulary: Vocabulary;
  readonly #bytes: Uint8Array;
  readonly #length: number;
  /** The end of the part that begins at a byte, which is the start of the next part. */
  readonly #ends: Int32Array;
  /** The start of the part before, or -1. */
  readonly #befores: Int32Array;
  readonly #ranks: Int32Array;

  constructor(vocabulary: Vocabulary, bytes: Uint8Array, length: number) {
    this.#vocabulary = vocabulary;
    this.#bytes = bytes;
    this.#length = length;
    this.#ends = Int32Array.from({ length }, (_, at) => at + 1);
    this.#befores = Int32Array.from({ length }, (_, at) => at - 1);
    this.#ranks = new Int32Array(length);
    for (let at = 0; at < length; at++) this.#rank(at);
  }

  /** Rank of the token that the part at `at` makes with the next; NO_RANK when it makes none or is merged away. */
  pairRank(at: number): number {
    return this.#ranks[at] ?? NO_RANK;
  }

  /** Merges the part at `at` with the next one. Returns the start of the part before, or -1. */
  merge(at: number): number {
    const next = this.#ends[at] ?? 0;
    const end = this.#ends[next] ?? 0;
    const before = this.#befores[at] ?? -1;
    this.#ends[at] = end;
    this.#ranks[next] = NO_RANK;
    if (end < this.#length) this.#befores[end] = at;
    this.#rank(at);
    if (before >= 0) this.#rank(before);
    return before;
  }

  #rank(at: number): void {
    const next = this.#ends[at] ?? 0;
    this.#ranks[at] =
      next < this.#length ? this.#vocabulary.rankOf(this.#bytes, at, this.#ends[next] ?? 0) : NO_RANK;
  }
}

/** Pairs by rank, then by offset: a binary heap of numbers that hold both. */
class PairHeap {
  /** `rank * 2 ** 32 + at`: exact, since ranks stay below 2 ** 20. */
  readonly #keys: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
  }

  /** Adds a pair unless it is no token. */
  push(rank: number, at: number): void {
    if (rank === NO_RANK) return;
    const key = rank * PLACES + at;
    let hole = this.#size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const parentKey = this.#keys[parent] ?? 0;
      if (parentKey <= key) break;
      this.#keys[hole] = parentKey;
      hole = parent;
    }
    this.#keys[hole] = key;
  }

  pop(): { readonly rank: number; readonly at: number } | undefined {
    if (this.#size === 0) return undefined;
    const key = this.#keys[0] ?? 0;
    const last = this.#keys[--this.#size] ?? 0;
    this.#sink(last);
    const rank = Math.floor(key / PLACES);
    return { rank, at: key - rank * PLACES };
  }

  #sink(key: number): void {
    let hole = 0;
    for (let child = 1; child < this.#size; child = 2 * hole + 1) {
      if (child + 1 < this.#size && (this.#keys[child + 1] ?? 0) < (this.#keys[child] ?? 0)) child++;
      const childKey = this.#keys[child] ?? 0;
      if (childKey >= key) break;
      this.#keys[hole] = childKey;
      hole = child;
    }
    this.#keys[hole] = key;
  }
}

const PLACES = 2 ** 32;
