// A vector store in memory: the contract of core's port with nothing behind it. Tests look into its maps, compare two
// of them, and end a load at any of its calls.
import {
  type ChunkRecord,
  type ChunkVectorRecord,
  type ListedChunk,
  type ManifestEntry,
  type StoreHit,
  type StoreSpec,
  type StoreState,
  type VectorStore,
  VectorStoreError,
} from '@grainline/core';
import { diff, hex, sha256 } from '@grainline/core/formats';

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
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const EMBEDDER_KEYS: ReadonlySet<string> = new Set([
  'embedding_model',
  'embedding_dimensions',
  'embedding_blend',
]);
/** Records of a step of `upsert`. */
const BATCH = 3;

/** An empty store. */
export function createMemoryStore({
  beforeWrite = () => undefined,
  now = Date.now,
}: MemoryStoreOptions = {}): MemoryStore {
  const records = new Map<string, ChunkVectorRecord>();
  const manifest = new Map<string, ManifestEntry>();
  const locks = new Map<string, { readonly owner: string; readonly expiresMs: number }>();
  let spec: StoreSpec | undefined;
  const prepared = (): StoreSpec => {
    if (spec !== undefined) return spec;
    throw new VectorStoreError('not_prepared', 'Nothing has been loaded into this store.');
  };
  const listed = (documentId: string): ListedChunk[] =>
    [...records.values()]
      .filter(({ metadata }) => metadata.document_id === documentId)
      .map((record) => ({ id: record.id, chunkIndex: record.metadata.chunk_index, hash: hashOf(record) }))
      .sort((one, other) => one.chunkIndex - other.chunkIndex);

  return {
    database: 'memory',
    url: 'memory:',
    collection: 'grainline',
    records,
    manifest,
    contents: () =>
      JSON.stringify([sorted(records), sorted(manifest)], (_, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
          : value,
      ),
    inspect: () => Promise.resolve(spec === undefined ? undefined : stateOf(spec, records.size)),
    async prepare(given, { acceptVersions = false } = {}) {
      assertSame(spec ?? given, given, acceptVersions);
      spec = { ...given, versions: { ...spec?.versions, ...given.versions } };
      return Promise.resolve(stateOf(spec, records.size));
    },
    async lock(source, { owner = crypto.randomUUID(), ttlMs = 60_000 } = {}) {
      prepared();
      const held = locks.get(source);
      if (held !== undefined && held.owner !== owner && held.expiresMs > now())
        throw new VectorStoreError('locked', `Another process loads ${source}.`);
      const take = (): void => void locks.set(source, { owner, expiresMs: now() + ttlMs });
      take();
      return Promise.resolve({
        owner,
        expiresMs: now() + ttlMs,
        renew() {
          if (locks.get(source)?.owner !== owner)
            return Promise.reject(new VectorStoreError('lock_lost', `The lock of ${source} has expired.`));
          take();
          return Promise.resolve();
        },
        release() {
          if (locks.get(source)?.owner === owner) locks.delete(source);
          return Promise.resolve();
        },
      });
    },
    list: (documentId) => Promise.resolve(listed(documentId)),
    plan(documentId, next) {
      const hashes = new Map(next.map((record) => [record.id, hashOf(record)]));
      const stored = listed(documentId).map(({ id, chunkIndex, hash }) => ({
        id,
        chunk_index: chunkIndex,
        hash,
      }));
      const wanted = next.map(({ id, metadata }) => ({
        id,
        chunk_index: metadata.chunk_index,
        hash: hashes.get(id),
      }));
      const byId = new Map(next.map((record) => [record.id, record]));
      const plan = diff(stored, wanted, { blend: spec?.embedding.blend ?? 0 });
      const whole = (entries: readonly { readonly id: string }[]): ChunkRecord[] =>
        entries.flatMap(({ id }) => byId.get(id) ?? []);
      return Promise.resolve({
        insert: whole(plan.insert),
        reembed: whole(plan.reembed),
        update: whole(plan.update),
        keep: whole(plan.keep),
        delete: plan.delete,
      });
    },
    async upsert(given, { onWritten } = {}) {
      const { dimensions } = prepared().embedding;
      for (const [index, record] of given.entries()) {
        if (index % BATCH === 0) beforeWrite('upsert');
        const embedding = 'embedding' in record ? record.embedding : records.get(record.id)?.embedding;
        if (embedding === undefined)
          throw new VectorStoreError('missing_vector', `The record ${record.id} has no vector.`);
        if (embedding.length !== dimensions)
          throw new VectorStoreError('other_dimensions', `The store holds vectors of ${dimensions} numbers.`);
        records.set(record.id, structuredClone({ ...record, embedding }));
      }
      onWritten?.(given.length);
      return Promise.resolve();
    },
    async remove(ids) {
      for (const id of ids) {
        beforeWrite('remove');
        records.delete(id);
      }
      return Promise.resolve();
    },
    // eslint-disable-next-line @typescript-eslint/require-await
    async *entries(source) {
      for (const entry of [...manifest.values()])
        if (source === undefined || entry.source === source) yield structuredClone(entry);
    },
    async putEntries(entries) {
      prepared();
      for (const entry of entries) {
        beforeWrite('putEntries');
        manifest.set(entry.documentId, structuredClone(entry));
      }
      return Promise.resolve();
    },
    async removeEntries(documentIds) {
      for (const documentId of documentIds) {
        beforeWrite('removeEntries');
        manifest.delete(documentId);
      }
      return Promise.resolve();
    },
    search({ vector, text, limit = 10 }) {
      prepared();
      const words = new Set((text ?? '').toLowerCase().match(/\p{L}+/gu) ?? []);
      const hits = [...records.values()].map(({ embedding, ...record }): StoreHit => {
        const found = record.document.toLowerCase().match(/\p{L}+/gu) ?? [];
        const score =
          vector === undefined ? found.filter((word) => words.has(word)).length : dot(embedding, vector);
        return { ...record, score };
      });
      return Promise.resolve(hits.sort((one, other) => other.score - one.score).slice(0, limit));
    },
    drop() {
      for (const map of [records, manifest, locks]) map.clear();
      spec = undefined;
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

function stateOf(spec: StoreSpec, chunks: number): StoreState {
  return { ...spec, chunks };
}

function assertSame(stored: StoreSpec, given: StoreSpec, acceptVersions: boolean): void {
  const { embedding: ours } = stored;
  const { embedding: theirs } = given;
  const wrong = (code: VectorStoreError['code'], what: string): VectorStoreError =>
    new VectorStoreError(code, `The store holds another ${what}.`);
  if (ours.model !== theirs.model) throw wrong('other_embedder', 'embedder');
  if (ours.dimensions !== theirs.dimensions) throw wrong('other_dimensions', 'length of vectors');
  if ((ours.blend ?? 0) !== (theirs.blend ?? 0)) throw wrong('other_blend', 'blend');
  const changed = Object.keys(given.versions).filter(
    (name) => stored.versions[name] !== undefined && stored.versions[name] !== given.versions[name],
  );
  if (changed.length > 0 && !acceptVersions) throw wrong('other_version', `version of ${changed.join(', ')}`);
}

function hashOf({ document, metadata }: ChunkRecord): string {
  const entries = Object.entries(metadata).filter(([key]) => !EMBEDDER_KEYS.has(key));
  return hex(sha256(JSON.stringify([document, entries.sort(([one], [other]) => (one < other ? -1 : 1))])));
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}

function dot(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
