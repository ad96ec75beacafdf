// Search by vectors: cosine similarity, exact, with the vectors of neighbours blended in on request.
import type { Embed } from '@grainline/core';
import { blendVectors } from '@grainline/core/formats';
import type { IndexedChunk } from '../metrics.ts';
import type { Scorer } from './bm25.ts';

/** Texts in one call of the embedder. */
const BATCH = 128;

/** One vector for each text. */
export async function embedTexts(
  embed: Embed,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ArrayLike<number>[]> {
  const vectors: ArrayLike<number>[] = [];
  for (let first = 0; first < texts.length; first += BATCH) {
    signal?.throwIfAborted();
    const batch = texts.slice(first, first + BATCH);
    vectors.push(...(await embed(batch, signal === undefined ? {} : { signal })).vectors);
  }
  return vectors;
}

/**
 * Indexes the vectors of chunks.
 *
 * @param chunks in the order of their documents
 * @param blend weight of the neighbours in each vector, from 0 to 1; see `blendVectors` of `@grainline/core/formats`
 * @param queries the vector of each query
 */
export function indexVectors(
  chunks: readonly IndexedChunk[],
  vectors: readonly ArrayLike<number>[],
  blend: number,
  queries: ReadonlyMap<string, ArrayLike<number>>,
): Scorer {
  const dimensions = vectors[0]?.length ?? 0;
  const rows = new Float32Array(chunks.length * dimensions);
  let first = 0;
  for (const group of Map.groupBy(chunks, ({ document }) => document).values()) {
    const sections = group.map(({ section }) => section);
    const own = vectors.slice(first, first + group.length);
    for (const [index, vector] of blendVectors(own, blend, sections).entries())
      rows.set(vector, (first + index) * dimensions);
    first += group.length;
  }
  return (query) => {
    const target = Float32Array.from(queries.get(query) ?? []);
    const scores = new Float64Array(chunks.length);
    for (let chunk = 0, at = 0; chunk < chunks.length; chunk++) {
      let score = 0;
      for (let part = 0; part < dimensions; part++, at++) score += (rows[at] ?? 0) * (target[part] ?? 0);
      scores[chunk] = score;
    }
    return scores;
  };
}
