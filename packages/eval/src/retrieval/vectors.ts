// Search by vectors: cosine similarity, exact, with the vectors of neighbours blended in on request.
import type { Embed } from '@grainline/core';
import { blendVectors } from '@grainline/core/formats';
import type { IndexedChunk } from '../metrics.ts';
import type { Scorer } from './bm25.ts';

/** Texts in one call of the embedder. */
const BATCH = 128;
/** Dimensions of one pass over all scores. The sum of one vector alone waits for each addition, twice as long. */
const STEP = 4;

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
  const dimensions = Math.ceil((vectors[0]?.length ?? 0) / STEP) * STEP;
  const count = chunks.length;
  const columns = new Float32Array(count * dimensions);
  let first = 0;
  for (const group of Map.groupBy(chunks, ({ document }) => document).values()) {
    const sections = group.map(({ section }) => section);
    const own = vectors.slice(first, first + group.length);
    for (const [index, vector] of blendVectors(own, blend, sections).entries())
      for (const [part, value] of vector.entries()) columns[part * count + first + index] = value;
    first += group.length;
  }
  return (query) => {
    const target = new Float32Array(dimensions);
    target.set(queries.get(query) ?? []);
    const scores = new Float64Array(count);
    for (let part = 0; part < dimensions; part += STEP) addProducts(scores, columns, target, part);
    return scores;
  };
}

/** Adds to the score of each chunk the products of `STEP` dimensions, in their order. */
function addProducts(scores: Float64Array, columns: Float32Array, target: Float32Array, part: number): void {
  const count = scores.length;
  const [a = 0, b = 0, c = 0, d = 0] = target.subarray(part, part + STEP);
  for (let chunk = 0, at = part * count; chunk < count; chunk++, at++)
    scores[chunk] =
      (scores[chunk] ?? 0) +
      a * (columns[at] ?? 0) +
      b * (columns[at + count] ?? 0) +
      c * (columns[at + 2 * count] ?? 0) +
      d * (columns[at + 3 * count] ?? 0);
}
