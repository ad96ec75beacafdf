// The port `VectorStore` over a connection: the contract of core's store.ts, the same for every database.
import {
  type ChunkRecord,
  type ChunkVectorRecord,
  type ListedChunk,
  type ManifestEntry,
  type SourceLock,
  type StoreHit,
  type StoreQuery,
  type StoreRun,
  type StoreSpec,
  type StoreState,
  type VectorStore,
  VectorStoreError,
} from '@grainline/core';
import { type Diff, diff } from '@grainline/core/formats';
import type { StoreAddress } from '../address.ts';
import type { Adapter, Connection, RequestLimits } from '../connection.ts';
import { type Call, createCall, type RetryDeps } from './calls.ts';
import { lockSource } from './lock.ts';
import { Manifest, type SpecNote } from './manifest.ts';
import { assertLock, assertPlan, assertQuery, assertSpec } from './options.ts';
import { FUSED_DEPTH, fuse, rank } from './rankings.ts';
import { assertRecords, batchesOf, hashOf, lastOfEach, partsOf, rowsOf } from './records.ts';
import { assertLayout, assertSameSpec, foreignCollection, notPrepared } from './spec.ts';

/** The parts of a store. */
export interface StoreDeps {
  readonly adapter: Adapter;
  readonly address: StoreAddress;
  readonly connection: Connection;
  readonly retry: RetryDeps;
  /** Makes the name of a lock's owner. */
  readonly newOwner: () => string;
}

const LOCK_MS = 60_000;
/** The longest delay of a timer of Node: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LIMIT = 10;

/** Creates the store of an open connection. */
export function createStore(deps: StoreDeps): VectorStore {
  return new ConnectedStore(deps);
}

/** Private members keep the credentials out of everything that prints the store. */
class ConnectedStore implements VectorStore {
  readonly database: string;
  readonly url: string;
  readonly collection: string;
  readonly #connection: Connection;
  readonly #limits: RequestLimits;
  readonly #retry: RetryDeps;
  readonly #newOwner: () => string;
  readonly #call: Call;
  readonly #callUnlimited: Call;
  readonly #manifest: Manifest;
  /** The spec of the prepared store, read once. */
  #spec: SpecNote | undefined;

  constructor({ adapter, address, connection, retry, newOwner }: StoreDeps) {
    this.database = adapter.id;
    this.url = address.masked;
    this.collection = address.collection;
    this.#connection = connection;
    this.#limits = adapter.limits;
    this.#retry = retry;
    this.#newOwner = newOwner;
    const target = { adapter, url: address.masked, secrets: address.secrets };
    this.#call = createCall(target, retry);
    this.#callUnlimited = createCall(target, { ...retry, timeoutMs: LONGEST_TIMER_MS });
    this.#manifest = new Manifest(connection, this.#call, adapter.limits);
  }

  async inspect(run?: StoreRun): Promise<StoreState | undefined> {
    const spec = await this.#readSpec(run);
    if (spec === undefined) return undefined;
    assertLayout(spec, this);
    return this.#stateOf(spec, run);
  }

  async prepare(
    spec: StoreSpec,
    { acceptVersions = false, signal }: StoreRun & { readonly acceptVersions?: boolean | undefined } = {},
  ): Promise<StoreState> {
    assertSpec(spec, this.#limits);
    const run = { signal };
    const stored = await this.#readSpec(run);
    if (stored !== undefined) assertSameSpec(stored, spec, { place: this, acceptVersions });
    const { dimensions } = spec.embedding;
    const versions = { ...stored?.versions, ...spec.versions };
    const next: StoreSpec = { embedding: stored?.embedding ?? spec.embedding, versions };
    if (stored === undefined) await this.#call(() => this.#connection.createManifest(dimensions), run);
    if (
      Object.entries(versions).some(([name, one]) => stored?.versions[name] !== one) ||
      stored === undefined
    )
      await this.#manifest.writeSpec(next, run);
    // Last, because a store is prepared from the moment at which its collection exists.
    if (stored === undefined) await this.#call(() => this.#connection.createChunks(dimensions), run);
    await this.#readSpec(run);
    return this.#stateOf(next, run);
  }

  async lock(
    source: string,
    {
      owner = this.#newOwner(),
      ttlMs = LOCK_MS,
      signal,
    }: StoreRun & { readonly owner?: string | undefined; readonly ttlMs?: number | undefined } = {},
  ): Promise<SourceLock> {
    assertLock(source, owner, ttlMs);
    const run = { signal };
    await this.#requireSpec(run);
    const deps = { connection: this.#connection, call: this.#call, retry: this.#retry };
    return lockSource(deps, { source, owner, ttlMs, run });
  }

  async list(documentId: string, run?: StoreRun): Promise<ListedChunk[]> {
    if ((await this.#knownSpec(run)) === undefined) return [];
    const chunks = await this.#call(() => this.#connection.listChunks(documentId), run);
    return chunks.sort((one, other) => one.chunkIndex - other.chunkIndex || (one.id < other.id ? -1 : 1));
  }

  async plan(
    documentId: string,
    records: readonly ChunkRecord[],
    run?: StoreRun,
  ): Promise<Diff<ChunkRecord>> {
    assertPlan(documentId, records);
    const spec = await this.#knownSpec(run);
    const listed = await this.list(documentId, run);
    const previous = listed.map(({ id, chunkIndex }) => ({ id, chunk_index: chunkIndex }));
    const hashes = new Map(listed.map(({ id, hash }) => [id, hash]));
    const found = diff(previous, records, { blend: spec?.embedding.blend ?? 0 });
    // The list has hashes in place of the records that `diff` compares.
    const isKept = (record: ChunkRecord): boolean => hashes.get(record.id) === hashOf(record);
    return {
      ...found,
      update: found.update.filter((record) => !isKept(record)),
      keep: [...found.keep, ...found.update.filter(isKept)],
    };
  }

  async upsert(
    records: readonly (ChunkRecord | ChunkVectorRecord)[],
    { onWritten, ...run }: StoreRun & { readonly onWritten?: ((count: number) => void) | undefined } = {},
  ): Promise<void> {
    run.signal?.throwIfAborted();
    if (records.length === 0) return;
    const spec = await this.#requireSpec(run);
    assertRecords(records, spec);
    const last = lastOfEach(records);
    const bare = last.filter((record) => !('embedding' in record)).map(({ id }) => id);
    const rows = rowsOf(last, spec, await this.#vectorsOf(bare, run));
    let written = 0;
    for (const batch of batchesOf(rows, this.#limits)) {
      await this.#call(() => this.#connection.writeChunks(batch), run);
      written += batch.length;
      onWritten?.(written);
    }
  }

  async remove(ids: readonly string[], run?: StoreRun): Promise<void> {
    if (ids.length === 0 || (await this.#knownSpec(run)) === undefined) return;
    for (const part of partsOf([...new Set(ids)], this.#limits.maxIds))
      await this.#call(() => this.#connection.removeChunks(part), run);
  }

  async *entries(source?: string, run?: StoreRun): AsyncGenerator<ManifestEntry> {
    if ((await this.#knownSpec(run)) !== undefined) yield* this.#manifest.entries(source, run);
  }

  async putEntries(entries: readonly ManifestEntry[], run?: StoreRun): Promise<void> {
    if (entries.length === 0) return;
    await this.#requireSpec(run);
    await this.#manifest.putEntries(entries, run);
  }

  async removeEntries(documentIds: readonly string[], run?: StoreRun): Promise<void> {
    if (documentIds.length === 0 || (await this.#knownSpec(run)) === undefined) return;
    await this.#manifest.removeEntries(documentIds, run);
  }

  async search(query: StoreQuery, run?: StoreRun): Promise<StoreHit[]> {
    assertQuery(query);
    return searchIn(this.#connection, this.#call, await this.#requireSpec(run), query, run);
  }

  async drop(run?: StoreRun): Promise<void> {
    await this.#readSpec(run);
    const exists = await this.#call(() => this.#connection.exists(), run);
    if (exists.chunks || exists.manifest) await this.#call(() => this.#connection.drop(), run);
    this.#spec = undefined;
  }

  close(): Promise<void> {
    // A database in this process may build its indexes here.
    return this.#callUnlimited(() => this.#connection.close());
  }

  async #readSpec(run?: StoreRun): Promise<SpecNote | undefined> {
    const exists = await this.#call(() => this.#connection.exists(), run);
    if (exists.foreign !== undefined) throw foreignCollection({ url: this.url, collection: exists.foreign });
    const spec = exists.manifest ? await this.#manifest.readSpec(run) : undefined;
    if (exists.chunks && spec === undefined) throw foreignCollection(this);
    // A spec without a collection is that of a `prepare` or a `drop` that was killed.
    this.#spec = exists.chunks ? spec : undefined;
    return this.#spec;
  }

  async #knownSpec(run?: StoreRun): Promise<SpecNote | undefined> {
    const spec = this.#spec ?? (await this.#readSpec(run));
    if (spec !== undefined) assertLayout(spec, this);
    return spec;
  }

  async #requireSpec(run?: StoreRun): Promise<SpecNote> {
    const spec = await this.#knownSpec(run);
    if (spec === undefined) throw notPrepared(this);
    return spec;
  }

  async #stateOf({ embedding, versions }: StoreSpec, run?: StoreRun): Promise<StoreState> {
    return { embedding, versions, chunks: await this.#call(() => this.#connection.countChunks(), run) };
  }

  async #vectorsOf(ids: readonly string[], run: StoreRun): Promise<Map<string, readonly number[]>> {
    const vectors = new Map<string, readonly number[]>();
    for (const part of partsOf(ids, this.#limits.maxIds)) {
      const found = await this.#call(() => this.#connection.vectorsOf(part), run);
      for (const [id, vector] of found) vectors.set(id, vector);
    }
    return vectors;
  }
}

async function searchIn(
  connection: Connection,
  call: Call,
  { embedding: { model, dimensions } }: StoreSpec,
  { vector, text, limit = LIMIT }: StoreQuery,
  run: StoreRun | undefined,
): Promise<StoreHit[]> {
  if (vector !== undefined && vector.length !== dimensions)
    throw new VectorStoreError(
      'other_dimensions',
      `The vector of the question has ${vector.length} numbers, and the store has vectors of ${dimensions}; embed the question with ${model}.`,
    );
  const depth = vector !== undefined && text !== undefined ? Math.max(limit, FUSED_DEPTH) : limit;
  const byVector =
    vector === undefined
      ? undefined
      : rank(await call(() => connection.searchVector(Array.from(vector), depth), run), 'vectorRank', depth);
  const byText =
    text === undefined
      ? undefined
      : rank(await call(() => connection.searchText(text, depth), run), 'textRank', depth);
  if (byVector === undefined || byText === undefined) return byVector ?? byText ?? [];
  return fuse(byVector, byText, limit);
}
