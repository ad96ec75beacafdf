// Vectors that know their neighbours: each chunk's vector gets a share of the vectors beside it, so that a chunk whose
// own words leave the topic out is still found by it. Blending needs vectors alone, so it works with every embedder and
// database, and caches keep the vectors as the embedder gave them.
import { type Matrix, writeUnit } from './embed.ts';
import { ChunkError, issueUnless, type OptionIssue, assertNoIssues } from './errors.ts';

/** Issues of the option `blend`. */
export function blendIssues(blend: unknown): readonly OptionIssue[] {
  const holds = typeof blend === 'number' && blend >= 0 && blend <= 1;
  return issueUnless(holds, 'blend', 'a number from 0 to 1', blend);
}

/**
 * Blends the vectors of one document's chunks with their neighbours, for the option `vectors` of `toRecords`. Vector i
 * becomes the direction of `v[i] + blend / 2 × (v[i - 1] + v[i + 1])`, where every `v` has length 1; the first and the
 * last have one neighbour. Linear.
 *
 * @param vectors those of all chunks of one document, in order, equally long, in any length but 0
 * @param blend weight of both neighbours together, from 0 to 1; 0 only gives the vectors length 1
 * @throws ChunkError `invalid_options` for a weight or a vector that cannot be used
 * @example
 * toRecords(chunks, 'qdrant', { documentId, vectors: blendVectors(vectors, 0.4) });
 */
export function blendVectors(vectors: readonly ArrayLike<number>[], blend: number): number[][] {
  assertNoIssues(blendIssues(blend));
  const dimensions = vectors[0]?.length ?? 0;
  const rows = new Float32Array(vectors.length * dimensions);
  for (const [index, vector] of vectors.entries()) {
    const wrong =
      vector.length === dimensions
        ? writeUnit(vector, rows, index * dimensions)
        : `has ${vector.length} numbers, and the first has ${dimensions}`;
    if (wrong !== undefined) throw new ChunkError('invalid_options', `Vector ${index} ${wrong}.`);
  }
  const blended = blendRows(rows, dimensions, blend);
  return vectors.map((_, index) =>
    Array.from(blended.subarray(index * dimensions, (index + 1) * dimensions)),
  );
}

/** The vectors of all chunks of one document, blended; see {@link blendVectors}. */
export function blendMatrix(matrix: Matrix, blend: number): Matrix {
  return blend === 0 ? matrix : { ...matrix, blend, rows: blendRows(matrix.rows, matrix.dimensions, blend) };
}

/** Blends rows of length 1. A row that its neighbours cancel out stays as it is. */
function blendRows(rows: Float32Array, dimensions: number, blend: number): Float32Array {
  const share = blend / 2;
  const blended = new Float32Array(rows.length);
  const sum = new Float64Array(dimensions);
  for (let at = 0; at < rows.length; at += dimensions) {
    for (let index = 0; index < dimensions; index++) {
      const before = rows[at + index - dimensions] ?? 0;
      const after = rows[at + index + dimensions] ?? 0;
      sum[index] = (rows[at + index] ?? 0) + share * (before + after);
    }
    if (writeUnit(sum, blended, at) !== undefined) blended.set(rows.subarray(at, at + dimensions), at);
  }
  return blended;
}
