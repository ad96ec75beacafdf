// A cache of vectors, so that no text is embedded twice. Keys are made of the model and the SHA-256 of the text, so
// that no text is kept; the least recently used entries are evicted.
import type { Embed } from '@grainline/core';
import { hex, sha256 } from '@grainline/core/formats';
import { ModelError } from '../errors.ts';

/**
 * Approximate bytes of an entry besides its numbers, for its key and its records in the map and in memory; measured.
 */
const ENTRY_BYTES = 256;
const NUMBER_BYTES = 4;

/** Vectors of one or more models, kept for as long as the process lives. */
export class EmbeddingCache {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #maxBytes: number;
  #bytes = 0;

  /**
   * @param options `maxBytes`: the most bytes of all entries together, an integer from 0. Default 64 MiB.
   */
  constructor({ maxBytes = 64 * 2 ** 20 }: { readonly maxBytes?: number } = {}) {
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 0)
      throw new ModelError('invalid_options', `maxBytes must be an integer from 0, but is ${maxBytes}.`);
    this.#maxBytes = maxBytes;
  }

  /** Approximate bytes of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get(model: string, text: string): Float32Array | undefined {
    const key = keyOf(model, text);
    const vector = this.#vectors.get(key);
    if (vector === undefined) return undefined;
    // Moved behind all others, because the first entry of the map is the least recently used one.
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    return vector;
  }

  set(model: string, text: string, vector: ArrayLike<number>): void {
    const key = keyOf(model, text);
    this.#drop(key);
    const kept = Float32Array.from(vector);
    this.#vectors.set(key, kept);
    this.#bytes += bytesOf(kept);
    for (const oldest of this.#vectors.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const vector = this.#vectors.get(key);
    if (vector === undefined) return;
    this.#vectors.delete(key);
    this.#bytes -= bytesOf(vector);
  }
}

function keyOf(model: string, text: string): string {
  return `${model}\n${hex(sha256(text))}`;
}

function bytesOf(vector: Float32Array): number {
  return ENTRY_BYTES + NUMBER_BYTES * vector.length;
}

/**
 * Creates an embedder that calls another one only for texts that are not in the cache. Vectors are kept at 32 bits. A
 * failed answer leaves nothing in the cache.
 *
 * @param model the model name in the answers of `embed`
 * @param cache an {@link EmbeddingCache}, or a cache of your own with its methods
 * @example
 * const embed = cachedEmbedder(openAiEmbedder({ model, apiKey }), model, new EmbeddingCache());
 */
export function cachedEmbedder(
  embed: Embed,
  model: string,
  cache: Pick<EmbeddingCache, 'get' | 'set'>,
): Embed {
  return async (texts, run) => {
    const known = texts.map((text) => cache.get(model, text));
    const missing = [...new Set(texts.filter((_, index) => known[index] === undefined))];
    const found = new Map<string, ArrayLike<number>>();
    if (missing.length > 0) {
      const answer = await embed(missing, run);
      const { vectors } = answer;
      if (answer.model !== model || vectors.length !== missing.length) {
        const got = `${vectors.length} vectors of ${answer.model}`;
        throw new ModelError('wrong_answer', `Expected ${missing.length} vectors of ${model}, got ${got}.`);
      }
      for (const [index, text] of missing.entries()) {
        const vector = vectors[index] ?? [];
        // An unsound vector is passed on unchanged, so that core rejects it: a cached null would become a 0.
        const kept = isSound(vector, answer.dimensions) ? Float32Array.from(vector) : undefined;
        if (kept !== undefined) cache.set(model, text, kept);
        found.set(text, kept ?? vector);
      }
    }
    const vectors = texts.map((text, index) => known[index] ?? found.get(text) ?? []);
    return { model, dimensions: vectors[0]?.length ?? 1, vectors };
  };
}

/** True when a vector has the right number of numbers, each of which 32 bits can hold, and not all of them 0. */
function isSound(vector: ArrayLike<unknown>, dimensions: number): boolean {
  const { length } = vector;
  let most = 0;
  for (let at = 0; at < length; at++) {
    const value = vector[at];
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) return false;
    most = Math.max(most, Math.abs(Math.fround(value)));
  }
  return length === dimensions && most > 0;
}
