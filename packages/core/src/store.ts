// The port of a vector database that holds the chunks of many documents. `@grainline/stores` implements it for each
// database, and a load needs nothing else of one. This file has the contract: the meaning of every method, its errors,
// and the guarantees that hold between methods. Core itself calls no database.
import type { EmbeddingFacts } from './embed.ts';
import type { ChromaTextRecord, ChromaVectorRecord } from './formats/chroma.ts';
import type { Diff } from './formats/diff.ts';

/**
 * A record without its vector: a record of the format `chroma`, which keeps id, text and metadata apart. `toRecords(…,
 * 'chroma', …)` makes it; every adapter turns it into the shape of its database.
 */
export type ChunkRecord = ChromaTextRecord;
/** A {@link ChunkRecord} with its vector. */
export type ChunkVectorRecord = ChromaVectorRecord;

/** The facts that all chunks of a store share. */
export interface StoreSpec {
  /** The embedder of all vectors, with their length and blend. Questions must be embedded by the same model. */
  readonly embedding: Pick<EmbeddingFacts, 'model' | 'dimensions' | 'distance' | 'blend'>;
  /**
   * Versions of the programs that made the chunks, by name: `{ cutter: 'structure-2', pdf: '4' }`. Two specs agree when
   * every name that both have has the same version.
   */
  readonly versions: Readonly<Record<string, string>>;
}

/** The contents of a prepared store. */
export interface StoreState extends StoreSpec {
  /** Number of chunks; some databases give an estimate. */
  readonly chunks: number;
}

/** A stored chunk, as {@link VectorStore.list} names it. */
export interface ListedChunk {
  /** The id of the chunk's record. */
  readonly id: string;
  /** Position among the document's chunks, from 0. */
  readonly chunkIndex: number;
  /** SHA-256 of the record's text and metadata, in hexadecimal; vector, embedder and blend play no part. */
  readonly hash: string;
}

/** The record of one loaded document. Entries stand in a table or collection of their own. */
export interface ManifestEntry {
  /** Name of the document, `document_id` of its chunks; unique in the store. */
  readonly documentId: string;
  /** The source that the document comes from: the name that {@link VectorStore.lock} takes. */
  readonly source: string;
  /** Path, key or link of the document in its source. */
  readonly location: string;
  /** Size in bytes; absent when the source does not give it. */
  readonly bytes?: number;
  /** Time of the last change in milliseconds since 1970; absent when the source does not give it. */
  readonly modifiedMs?: number;
  /** Entity tag of a link or a bucket's object. */
  readonly etag?: string;
  /** SHA-256 of the document's bytes, in hexadecimal. */
  readonly sha256: string;
  /** Ids of all chunks, in the order of the document. */
  readonly chunkIds: readonly string[];
  /** {@link StoreSpec.versions} at the time of the load: those that this document depends on. */
  readonly versions: Readonly<Record<string, string>>;
}

/** A search by vector, by keywords, or by both. At least one of them must be given. */
export interface StoreQuery {
  /** The question's vector: finite numbers, not all 0, as many as the store's dimensions. */
  readonly vector?: ArrayLike<number> | undefined;
  /** Words of the question, not blank. No syntax: every character is text. */
  readonly text?: string | undefined;
  /** Most results: an integer from 1 to 1000. Default 10. */
  readonly limit?: number | undefined;
}

/** A chunk that a search found. */
export type StoreHit = ChunkRecord & {
  /**
   * Greater is better. By vector the cosine from -1 to 1, by keywords the database's own score, by both the sum of `1 /
   * (60 + rank)` over the two rankings (reciprocal rank fusion, Cormack, Clarke and Büttcher 2009).
   */
  readonly score: number;
  /** Rank in the search by vector, from 1; absent when that search did not find the chunk. */
  readonly vectorRank?: number;
  /** Rank in the search by keywords, from 1; absent when that search did not find the chunk. */
  readonly textRank?: number;
};

/** A signal that every call takes. An aborted call rejects with the signal's reason; batches sent before it remain. */
export interface StoreRun {
  readonly signal?: AbortSignal | undefined;
  /**
   * A lock for the writes of the call. Once it has expired no request is sent or repeated, also by a process that was
   * frozen meanwhile, and the call rejects with `lock_lost`.
   */
  readonly lock?: Pick<SourceLock, 'expiresMs'> | undefined;
}

/** The lock of one source. */
export interface SourceLock {
  readonly owner: string;
  /** Time at which another owner may take the source over, in milliseconds since 1970. */
  readonly expiresMs: number;
  /**
   * Extends the lock by its whole time from now on. Call it at least three times in that time.
   *
   * @throws VectorStoreError `lock_lost` when the lock has expired before its renewal was stored. Then stop writing:
   * another owner may have had the source.
   */
  renew(run?: StoreRun): Promise<void>;
  /** Gives the source free. A second call does nothing, and neither does one after the loss of the lock. */
  release(): Promise<void>;
}

/**
 * A collection of chunks in a vector database, and the manifest beside it. `openStore` of `@grainline/stores` connects
 * by URL; connecting writes nothing.
 *
 * Guarantees of every adapter:
 *
 * - A call that resolves is durable, and the next call of the same store sees its writes.
 * - Every write is idempotent. After a kill, repeating the call gives the state of an undisturbed run.
 * - Requests keep the database's limits of count and bytes. Transient errors are retried with growing waits.
 * - No error, message or property contains a password or a key.
 *
 * Every method rejects with a {@link VectorStoreError}: each with `unavailable`, `unauthorized` and `rejected`, and
 * with the codes named at it. Wrong arguments are `invalid_options`, before any request.
 */
export interface VectorStore {
  /** Id of the adapter: `pgvector`, `qdrant`, … */
  readonly database: string;
  /** The URL with its credentials masked, for messages. */
  readonly url: string;
  /** Name of the table or collection. */
  readonly collection: string;

  /**
   * The state of the store; undefined when nothing has been loaded. Writes nothing.
   *
   * @throws VectorStoreError `foreign_collection` when the collection exists and has no manifest; `other_layout`;
   * `missing_extension`.
   */
  inspect(run?: StoreRun): Promise<StoreState | undefined>;

  /**
   * Creates collection, index and manifest, or compares the spec with that of an existing one. Nothing is written when
   * it rejects with one of its own codes. The versions of the spec are stored.
   *
   * @param options `acceptVersions`: other versions than the stored ones replace them; default false
   * @throws VectorStoreError `other_embedder`, `other_dimensions`, `other_blend`, `other_version`, `other_layout`: the
   * store holds something else, and the message names the way out; `foreign_collection`; `missing_extension`.
   */
  prepare(
    spec: StoreSpec,
    options?: StoreRun & { readonly acceptVersions?: boolean | undefined },
  ): Promise<StoreState>;

  /**
   * Takes the lock of a source. A lock that is neither renewed nor released, because its process was killed, is free
   * after `ttlMs`. Works on a prepared store.
   *
   * @param options `owner`: name of this process, default a random UUID; `ttlMs`: default 60,000
   * @throws VectorStoreError `locked` when another owner has the source; `not_prepared`.
   */
  lock(
    source: string,
    options?: StoreRun & { readonly owner?: string | undefined; readonly ttlMs?: number | undefined },
  ): Promise<SourceLock>;

  /** The stored chunks of one document, by `chunkIndex`. Empty for an unknown document and before `prepare`. */
  list(documentId: string, run?: StoreRun): Promise<ListedChunk[]>;

  /**
   * The writes that turn the stored chunks of a document into its next version: `diff` of core against {@link list},
   * with the blend of the store. Embed `insert` and `reembed` and upsert them with vectors, upsert `update` without,
   * and remove `delete`. Writes nothing.
   *
   * @param records all records of the document, in order; an empty list removes the document
   */
  plan(documentId: string, records: readonly ChunkRecord[], run?: StoreRun): Promise<Diff<ChunkRecord>>;

  /**
   * Writes records. A record replaces the one with its id as a whole. A record without a vector keeps the stored one.
   * Of two records with one id the later counts.
   *
   * @param options `onWritten`: called after each batch with the number of records written so far
   * @throws VectorStoreError `not_prepared`; before any write `other_dimensions` and `other_embedder` for a record that
   * does not match the store, and `record_too_large` for one that no request can hold; `missing_vector` for a record
   * without a vector whose id is not stored.
   */
  upsert(
    records: readonly (ChunkRecord | ChunkVectorRecord)[],
    options?: StoreRun & { readonly onWritten?: ((count: number) => void) | undefined },
  ): Promise<void>;

  /** Removes the records with these ids. Unknown ids are ignored. */
  remove(ids: readonly string[], run?: StoreRun): Promise<void>;

  /** The manifest's entries of one source, or of all, in no particular order. Empty before `prepare`. */
  entries(source?: string, run?: StoreRun): AsyncIterable<ManifestEntry>;

  /**
   * Writes entries; each replaces the one with its `documentId`. A load writes the entry of a document after its
   * chunks, so that a kill between the two leads to a second reading and no lost chunk.
   *
   * @throws VectorStoreError `not_prepared`.
   */
  putEntries(entries: readonly ManifestEntry[], run?: StoreRun): Promise<void>;

  /** Removes the entries of these documents, and no chunk. Unknown names are ignored. */
  removeEntries(documentIds: readonly string[], run?: StoreRun): Promise<void>;

  /**
   * Searches chunks, best first. Equal scores are ordered by id.
   *
   * @throws VectorStoreError `not_prepared`; `other_dimensions` for a vector of another length.
   */
  search(query: StoreQuery, run?: StoreRun): Promise<StoreHit[]>;

  /** Deletes collection and manifest with everything in them. Does nothing before `prepare`. */
  drop(run?: StoreRun): Promise<void>;

  /** Ends the connections. No other method may be called afterwards. */
  close(): Promise<void>;
}

/** The kind of an error. A released code keeps its meaning. */
export type VectorStoreErrorCode =
  /** Arguments are wrong; the message names them all. */
  | 'invalid_options'
  /** The URL is not one of a store: its form, its scheme, or a parameter. */
  | 'invalid_url'
  /** The database's client is not installed; the message has the command. */
  | 'client_missing'
  /** The database does not answer, or answers that it is unavailable, after all retries. */
  | 'unavailable'
  /** The database refuses the credentials, or there are none. */
  | 'unauthorized'
  /** PostgreSQL lacks the extension `vector`, or the role may not create it. */
  | 'missing_extension'
  /** Nothing has been loaded into the collection. */
  | 'not_prepared'
  /** A collection of this name exists, and grainline did not make it. */
  | 'foreign_collection'
  /** The store was written by a version with another layout of manifest or records. */
  | 'other_layout'
  /** The store holds vectors of another embedder. */
  | 'other_embedder'
  /** The store holds vectors of another length. */
  | 'other_dimensions'
  /** The store holds vectors with another weight of neighbours. */
  | 'other_blend'
  /** The chunks come from another version of a reader or the cutter. */
  | 'other_version'
  /** Another process loads the source. */
  | 'locked'
  /** The lock has expired, and another process may have the source. */
  | 'lock_lost'
  /** A single record is larger than the database accepts. */
  | 'record_too_large'
  /** A record came without a vector, and the store has none of its id. */
  | 'missing_vector'
  /** The database rejects a request for another reason, which the message quotes. */
  | 'rejected';

/** The error of every {@link VectorStore}. Its message is one sentence or two: the reason and the way out. */
export class VectorStoreError extends Error {
  readonly code: VectorStoreErrorCode;

  constructor(code: VectorStoreErrorCode, message: string, details: { readonly cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'VectorStoreError';
    this.code = code;
  }
}
