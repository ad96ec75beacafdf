// Documents that a source no longer has.
import type { VectorStore } from '@grainline/core';
import { atWorkEntry, isInterrupted, type KnownDocument } from './manifest.ts';

/**
 * What happens to vanished documents: `keep` leaves them, `few` removes them unless they are more than a fifth of the
 * source's documents, `all` removes them. Nothing is removed after an incomplete listing.
 */
export type Prune = 'keep' | 'few' | 'all';

/** More vanished documents than this share look like a wrong folder, or one that is not mounted. */
const MOST_SHARE = 0.2;
/** Chunks of the documents that are removed together, and ids of chunks in memory: some 10 MB. */
const BATCH_CHUNKS = 1000;
const MOST_IDS = 100_000;

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

/** Removes vanished documents of one source. @param own number of the source's documents in the manifest */
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
  const left = new Map(vanished.map((document) => [document.documentId, document]));
  let prunedChunks = 0;
  while (left.size > 0)
    for (const batch of batchesOf(await takeDocuments(left, store, signal))) {
      prunedChunks += batch.reduce((sum, { ids }) => sum + ids.length, 0);
      if (!dryRun) await removeDocuments(batch, store, signal);
    }
  return { ...none, vanished: count, pruned: count, prunedChunks };
}

/** A vanished document with the ids of its chunks. */
interface VanishedDocument {
  readonly document: KnownDocument;
  readonly ids: readonly string[];
}

/** Moves documents out of `left`, as many as fit into memory, with the ids of their entries. */
async function takeDocuments(
  left: Map<string, KnownDocument>,
  store: VectorStore,
  signal: AbortSignal,
): Promise<VanishedDocument[]> {
  const taken: VanishedDocument[] = [];
  const take = (document: KnownDocument, ids: readonly string[]): void => {
    taken.push({ document, ids });
    left.delete(document.documentId);
  };
  let count = 0;
  const [first] = left.values();
  for await (const { documentId, chunkIds } of store.entries(first?.source, { signal })) {
    const document = left.get(documentId);
    if (document === undefined || isInterrupted(document)) continue;
    take(document, chunkIds);
    count += chunkIds.length;
    if (count >= MOST_IDS) return taken;
  }
  // The entry of a document at work has none of its chunks.
  for (const document of left.values()) {
    const chunks = await store.list(document.documentId, { signal });
    take(
      document,
      chunks.map(({ id }) => id),
    );
  }
  return taken;
}

function batchesOf(documents: readonly VanishedDocument[]): VanishedDocument[][] {
  const batches: VanishedDocument[][] = [];
  let room = 0;
  for (const document of documents) {
    const batch = batches.at(-1);
    if (batch === undefined || room <= 0) {
      batches.push([document]);
      room = BATCH_CHUNKS;
    } else batch.push(document);
    room -= document.ids.length + 1;
  }
  return batches;
}

async function removeDocuments(
  batch: readonly VanishedDocument[],
  store: VectorStore,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  // Without the marks, a document that comes back after a kill would count as stored.
  const marks = batch.map(({ document: { documentId, location, source } }) =>
    atWorkEntry({ documentId, url: location }, source),
  );
  await store.putEntries(marks, { signal });
  await store.remove(
    batch.flatMap(({ ids }) => ids),
    { signal },
  );
  await store.removeEntries(
    batch.map(({ document }) => document.documentId),
    { signal },
  );
}
