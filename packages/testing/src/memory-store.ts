// The vector store in memory of `@grainline/stores`, for tests of loads: it records what is written, so that tests can
// look into it and compare two of them, and it may end a load at any step of a write.
import type { ChunkVectorRecord, ManifestEntry, VectorStore } from '@grainline/core';
import { openStore } from '@grainline/stores';

/** A store whose contents tests can see. */
export interface MemoryStore extends VectorStore {
  readonly records: ReadonlyMap<string, ChunkVectorRecord>;
  readonly manifest: ReadonlyMap<string, ManifestEntry>;
  /** Everything that is stored, as one text: equal stores have equal texts. */
  readonly contents: () => string;
}

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /**
   * Called before each step of a write, of which a call with several records has several. It may throw, as if the
   * process had been killed there.
   */
  readonly beforeWrite?: ((call: string) => void) | undefined;
  /** Milliseconds since 1970, for the locks. Default: the clock's. */
  readonly now?: (() => number) | undefined;
}

/** Records of a step of `upsert`. */
const BATCH = 3;

/** An empty store. */
export async function createMemoryStore({
  beforeWrite = () => undefined,
  now,
}: MemoryStoreOptions = {}): Promise<MemoryStore> {
  const store = await openStore(`memory:${crypto.randomUUID()}`, { wait: () => Promise.resolve(), now });
  const records = new Map<string, ChunkVectorRecord>();
  const manifest = new Map<string, ManifestEntry>();
  return {
    database: store.database,
    url: store.url,
    collection: store.collection,
    records,
    manifest,
    contents: () => JSON.stringify([sorted(records), sorted(manifest)], withSortedKeys),
    inspect: (run) => store.inspect(run),
    prepare: (spec, options) => store.prepare(spec, options),
    lock: (source, options) => store.lock(source, options),
    list: (documentId, run) => store.list(documentId, run),
    plan: (documentId, next, run) => store.plan(documentId, next, run),
    entries: (source, run) => store.entries(source, run),
    search: (query, run) => store.search(query, run),
    async upsert(given, options) {
      for (let first = 0; first < given.length; first += BATCH) {
        beforeWrite('upsert');
        const batch = given.slice(first, first + BATCH);
        await store.upsert(batch, options);
        for (const record of batch) {
          const embedding = 'embedding' in record ? record.embedding : records.get(record.id)?.embedding;
          records.set(record.id, { ...record, embedding: embedding ?? [] });
        }
      }
    },
    async remove(ids, run) {
      for (const id of ids) {
        beforeWrite('remove');
        await store.remove([id], run);
        records.delete(id);
      }
    },
    async putEntries(entries, run) {
      for (const entry of entries) {
        beforeWrite('putEntries');
        await store.putEntries([entry], run);
        manifest.set(entry.documentId, entry);
      }
    },
    async removeEntries(documentIds, run) {
      for (const documentId of documentIds) {
        beforeWrite('removeEntries');
        await store.removeEntries([documentId], run);
        manifest.delete(documentId);
      }
    },
    async drop(run) {
      await store.drop(run);
      for (const map of [records, manifest]) map.clear();
    },
    close: () => store.close(),
  };
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

function withSortedKeys(_: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
}
