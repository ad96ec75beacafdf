// The last step of a search: hits of one ranking, or of two that are fused.
import type { ChunkRecord, StoreHit } from '@grainline/core';
import type { ScoredChunk } from '../connection.ts';

/** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). */
const RRF = 60;

/** Depth of each ranking that is fused, at least. */
export const FUSED_DEPTH = 100;

/** Hits of a single ranking, by score and id. */
export function rank(
  chunks: readonly ScoredChunk[],
  by: 'vectorRank' | 'textRank',
  limit: number,
): StoreHit[] {
  return sorted(chunks)
    .slice(0, limit)
    .map((chunk, index) => ({ ...recordOf(chunk), score: chunk.score, [by]: index + 1 }));
}

/** Reciprocal rank fusion: the score is the sum of `1 / (60 + rank)` over the rankings that have the chunk. */
export function fuse(byVector: readonly StoreHit[], byText: readonly StoreHit[], limit: number): StoreHit[] {
  const fused = new Map<string, StoreHit>();
  for (const hit of [...byVector, ...byText]) {
    const before = fused.get(hit.id);
    const share = 1 / (RRF + (hit.vectorRank ?? hit.textRank ?? 0));
    fused.set(hit.id, { ...before, ...hit, score: (before?.score ?? 0) + share });
  }
  return sorted([...fused.values()]).slice(0, limit);
}

function sorted<Hit extends ScoredChunk>(hits: readonly Hit[]): Hit[] {
  return hits.toSorted((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
}

const recordOf = ({ id, document, metadata }: ChunkRecord): ChunkRecord => ({ id, document, metadata });
