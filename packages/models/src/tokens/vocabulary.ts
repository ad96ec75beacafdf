// The tokens of one encoding, found by their bytes: a hash table of ranks over one array of all tokens' bytes, built in
// some milliseconds from the packed modules beside it. Byte pair encoding needs nothing else of a vocabulary.
import { unpack, unpackNow } from '../packed.ts';
import { ModelError } from '../errors.ts';

/** The rank of bytes that are no token; it is greater than every other rank. */
export const NO_RANK = 0x7fffffff;

/** The tokens of one encoding. */
export interface Vocabulary {
  /** Rank of the token whose bytes are exactly `bytes[start, end)`, for `start < end`; {@link NO_RANK} if none is. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
}

/** A module that scripts/pack-ranks.mjs wrote. */
export interface PackedVocabulary {
  readonly TOKENS: number;
  /** Lengths of all tokens, a byte each, then their bytes, in order of rank; raw deflate; base64. */
  readonly PACKED: string;
}

/**
 * Unpacks a vocabulary and makes it searchable.
 *
 * @throws ModelError `damaged_vocabulary`
 */
export async function unpackVocabulary({ TOKENS, PACKED }: PackedVocabulary): Promise<Vocabulary> {
  return new TokenTable(TOKENS, await unpack(PACKED));
}

/** Does the same at once, in Node; undefined elsewhere. */
export function unpackVocabularyNow({ TOKENS, PACKED }: PackedVocabulary): Vocabulary | undefined {
  const bytes = unpackNow(PACKED);
  return bytes && new TokenTable(TOKENS, bytes);
}

/** Bits of a slot that hold the rank + 1; the others hold the top of the hash. */
const RANK_BITS = 18;
const RANK_MASK = 2 ** RANK_BITS - 1;

/**
 * Open addressing with a part of the hash beside each rank, so that nearly every miss is recognised without reading
 * bytes.
 */
class TokenTable implements Vocabulary {
  readonly #bytes: Uint8Array;
  /** Where the token of each rank begins in `#bytes`; one more entry marks the end of the last. */
  readonly #starts: Int32Array;
  /** The top bits of the hash and the rank + 1; 0 marks a free slot. */
  readonly #slots: Int32Array;
  readonly #mask: number;
  /** Ranks of all two-byte tokens by their bytes: a piece's first pairs, the most frequent lookup by far. */
  readonly #pairs = new Int32Array(0x10000).fill(NO_RANK);
  readonly #longest: number;

  constructor(tokens: number, packed: Uint8Array) {
    const lengths = packed.subarray(0, tokens);
    this.#bytes = packed.subarray(tokens);
    this.#starts = startsOf(lengths);
    if (this.#starts[tokens] !== this.#bytes.length) {
      const expected = `${tokens} tokens of ${this.#starts[tokens] ?? 0} bytes`;
      throw new ModelError('damaged_vocabulary', `Expected ${expected}, found ${this.#bytes.length} bytes.`);
    }
    this.#longest = lengths.reduce((longest, length) => Math.max(longest, length), 0);
    const size = 2 ** Math.ceil(Math.log2(2 * tokens));
    this.#mask = size - 1;
    this.#slots = new Int32Array(size);
    for (let rank = 0; rank < tokens; rank++) this.#insert(rank);
  }

  rankOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 2) return this.#pairs[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] ?? NO_RANK;
    if (length > this.#longest) return NO_RANK;
    const hash = hashOf(bytes, start, end);
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const taken = this.#slots[slot] ?? 0;
      if (taken === 0) return NO_RANK;
      if ((taken ^ hash) >>> RANK_BITS !== 0) continue;
      const rank = (taken & RANK_MASK) - 1;
      if (this.#isToken(rank, bytes, start, length)) return rank;
    }
  }

  #isToken(rank: number, bytes: Uint8Array, start: number, length: number): boolean {
    const from = this.#starts[rank] ?? 0;
    if ((this.#starts[rank + 1] ?? 0) - from !== length) return false;
    for (let at = 0; at < length; at++) if (this.#bytes[from + at] !== bytes[start + at]) return false;
    return true;
  }

  #insert(rank: number): void {
    const start = this.#starts[rank] ?? 0;
    const end = this.#starts[rank + 1] ?? 0;
    if (end - start === 2) {
      this.#pairs[((this.#bytes[start] ?? 0) << 8) | (this.#bytes[start + 1] ?? 0)] = rank;
      return;
    }
    const hash = hashOf(this.#bytes, start, end);
    let slot = hash & this.#mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = (hash & ~RANK_MASK) | (rank + 1);
  }
}

function startsOf(lengths: Uint8Array): Int32Array {
  const starts = new Int32Array(lengths.length + 1);
  let at = 0;
  for (let rank = 0; rank < lengths.length; rank++) {
    starts[rank] = at;
    at += lengths[rank] ?? 0;
  }
  starts[lengths.length] = at;
  return starts;
}

/** FNV-1a, folded once so that the low bits, which choose the slot, depend on all of it. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
