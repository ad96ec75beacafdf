// Documents that a source no longer has.
import type { VectorStore } from '@grainline/core';
import { atWorkEntry, type KnownDocument } from './manifest.ts';

/**
 * What happens to vanished documents: `keep` leaves them, `few` removes them unless they are more than a fifth of the
 * source's documents, `all` removes them. Nothing is removed after an incomplete listing.
 */
export type Prune = 'keep' | 'few' | 'all';

/** More vanished documents than this share look like a wrong folder, or one that is not mounted. */
const MOST_SHARE = 0.2;

/** The vanished documents of a load. */
export interface PruneOutcome {
  /** Documents that the source no longer has; 0 after an incomplete listing, which shows nothing. */
  readonly vanished: number;
  /** Those that were removed. */
  readonly pruned: number;
  readonly prunedChunks: number;
  /** True when `few` did not remove them because they are too many. */
  readonly refused: boolean;
}

/** Dependencies of {@link pruneVanished}. */
export interface PruneDeps {
  readonly store: VectorStore;
  readonly prune: Prune;
  readonly isComplete: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** Removes vanished documents. @param own number of the source's documents in the manifest */
export async function pruneVanished(
  vanished: readonly KnownDocument[],
  own: number,
  { store, prune, isComplete, dryRun, signal }: PruneDeps,
): Promise<PruneOutcome> {
  const none = { vanished: 0, pruned: 0, prunedChunks: 0, refused: false };
  if (!isComplete || vanished.length === 0) return none;
  const count = vanished.length;
  if (prune === 'keep') return { ...none, vanished: count };
  if (prune === 'few' && count > MOST_SHARE * own) return { ...none, vanished: count, refused: true };
  let prunedChunks = 0;
  for (const { documentId, source, location } of vanished) {
    signal.throwIfAborted();
    const chunks = await store.list(documentId, { signal });
    prunedChunks += chunks.length;
    if (dryRun) continue;
    // Without the mark, a document that comes back after a kill would count as stored.
    const entry = atWorkEntry({ documentId, url: location }, source);
    await store.putEntries([entry], { signal });
    await store.remove(
      chunks.map(({ id }) => id),
      { signal },
    );
    await store.removeEntries([documentId], { signal });
  }
  return { ...none, vanished: count, pruned: count, prunedChunks };
}
