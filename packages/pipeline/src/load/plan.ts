// From the records of a document and the state of the store to the writes that are due.
import type { ChunkRecord, VectorStore } from '@grainline/core';
import { isInterrupted, type KnownDocument } from './manifest.ts';

/** The writes that a document needs. */
export interface DocumentPlan {
  /** All records, in the order of the document. */
  readonly records: readonly ChunkRecord[];
  /** Indices of the records that are written with a vector, ascending. */
  readonly embed: readonly number[];
  /** Of these, the number whose content is stored already. */
  readonly reembedded: number;
  /** Records whose content and vector are stored, with another place or other metadata. */
  readonly update: readonly ChunkRecord[];
  readonly kept: number;
  /** Ids of stored chunks that the document no longer has. */
  readonly remove: readonly string[];
}

/**
 * Plans the writes of one document. After an interrupted load, and without an entry, which a kill can leave incomplete,
 * every chunk is written again.
 *
 * @param isFresh true when the store had been empty, so that nothing is looked up
 */
export async function planDocument(
  store: VectorStore,
  documentId: string,
  records: readonly ChunkRecord[],
  known: KnownDocument | undefined,
  { isFresh, signal }: { readonly isFresh: boolean; readonly signal: AbortSignal },
): Promise<DocumentPlan> {
  const all = { records, embed: [...records.keys()], reembedded: 0, update: [], kept: 0 };
  if (isFresh) return { ...all, remove: [] };
  if (known === undefined || isInterrupted(known)) {
    const ids = new Set(records.map(({ id }) => id));
    const stored = await store.list(documentId, { signal });
    return { ...all, remove: stored.flatMap(({ id }) => (ids.has(id) ? [] : [id])) };
  }
  const plan = await store.plan(documentId, records, { signal });
  const places = new Map(records.map(({ id }, index) => [id, index]));
  const embed = [...plan.insert, ...plan.reembed].map(({ id }) => places.get(id) ?? 0);
  return {
    records,
    embed: embed.sort((one, other) => one - other),
    reembedded: plan.reembed.length,
    update: plan.update,
    kept: plan.keep.length,
    remove: plan.delete,
  };
}

/** True when the store holds every chunk as it should be. */
export function isDone({ embed, update, remove }: DocumentPlan): boolean {
  return embed.length === 0 && update.length === 0 && remove.length === 0;
}
