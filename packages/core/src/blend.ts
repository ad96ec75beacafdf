// Vectors that know their neighbours: each chunk's vector gets a share of the vectors beside it, so that a chunk whose
// own words leave the topic out is still found by it. Across headings the topic changes, so sections share nothing.
// Blending needs vectors alone, so it works with every embedder and database, and caches keep the vectors as the
// embedder gave them.
import { type Matrix, writeUnit } from './embed.ts';
import { ChunkError, issueUnless, type OptionIssue, assertNoIssues } from './errors.ts';

/** Issues of the option `blend`. */
export function blendIssues(blend: unknown): readonly OptionIssue[] {
  const holds = typeof blend === 'number' && blend >= 0 && blend <= 1;
  return issueUnless(holds, 'blend', 'a number from 0 to 1', blend);
}

/**
 * Blends the vectors of one document's chunks with their neighbours, for the option `vectors` of `toRecords`. Vector i
 * becomes the direction of `v[i] + blend / 2 × (v[i - 1] + v[i + 1])`, where every `v` has length 1. A neighbour beyond
 * the ends of the document, or in another section, adds nothing. Linear.
 *
 * @param vectors those of all chunks of one document, in order, equally long, in any length but 0
 * @param blend weight of both neighbours together, from 0 to 1; 0 only gives the vectors length 1
 * @param sections the section of each chunk, by any name: its heading path, as `embeddings` takes it. Default: the
 * whole document is one section
 * @throws ChunkError `invalid_options` for a weight, a vector or a number of sections that cannot be used
 * @example
 * const sections = chunks.map(({ metadata }) => metadata.headingPath?.join(' > '));
 * toRecords(chunks, 'qdrant', { documentId, vectors: blendVectors(vectors, 0.4, sections) });
 */
export function blendVectors(
  vectors: readonly ArrayLike<number>[],
  blend: number,
  sections: readonly (string | undefined)[] = [],
): number[][] {
  const count = vectors.length;
  const isEach = sections.length === 0 || sections.length === count;
  assertNoIssues([
    ...blendIssues(blend),
    ...issueUnless(isEach, 'sections.length', `the number of vectors, ${count}`, sections.length),
  ]);
  const dimensions = vectors[0]?.length ?? 0;
  const rows = new Float32Array(count * dimensions);
  for (const [index, vector] of vectors.entries()) {
    const wrong =
      vector.length === dimensions
        ? writeUnit(vector, rows, index * dimensions)
        : `has ${vector.length} numbers, and the first has ${dimensions}`;
    if (wrong !== undefined) throw new ChunkError('invalid_options', `Vector ${index} ${wrong}.`);
  }
  const blended = blendRows(rows, dimensions, blend, sections);
  return vectors.map((_, index) =>
    Array.from(blended.subarray(index * dimensions, (index + 1) * dimensions)),
  );
}

/** The vectors of all chunks of one document, blended; see {@link blendVectors}. */
export function blendMatrix(
  matrix: Matrix,
  blend: number,
  sections: readonly (string | undefined)[],
): Matrix {
  const { rows, dimensions } = matrix;
  return blend === 0 ? matrix : { ...matrix, blend, rows: blendRows(rows, dimensions, blend, sections) };
}

/** Blends rows of length 1. A row that its neighbours cancel out stays as it is. */
function blendRows(
  rows: Float32Array,
  dimensions: number,
  blend: number,
  sections: readonly (string | undefined)[],
): Float32Array {
  const blended = rows.slice();
  const sum = new Float64Array(dimensions);
  for (let at = 0, row = 0; at < rows.length; at += dimensions, row++) {
    sum.set(rows.subarray(at, at + dimensions));
    for (const side of [-1, 1]) {
      if (sections[row + side] !== sections[row]) continue;
      const other = at + side * dimensions;
      for (let index = 0; index < dimensions; index++)
        sum[index] = (sum[index] ?? 0) + (blend / 2) * (rows[other + index] ?? 0);
    }
    // Writes nothing when the neighbours cancel the row out.
    writeUnit(sum, blended, at);
  }
  return blended;
}
