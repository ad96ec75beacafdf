// The two interfaces between the store and its databases. An adapter describes a database and opens connections; a
// connection has the few calls in which databases differ. Manifest, lock, plans, batches, retries, fusion of rankings
// and error messages are the same for all and stand in store/.
import type { ChunkRecord, ListedChunk, VectorStoreErrorCode } from '@grainline/core';
import type { StoreAddress, UrlRules } from './address.ts';

/** A chunk as a connection writes it. */
export interface ChunkRow extends ChunkRecord {
  /** {@link ListedChunk.hash}, to be stored beside the record. */
  readonly hash: string;
  readonly embedding: readonly number[];
}

/** A chunk as a search of one kind returns it; a greater score is better. */
export interface ScoredChunk extends ChunkRecord {
  readonly score: number;
}

/** A small text of the manifest: the spec, an entry or a part of one, or a claim of a lock. */
export interface Note {
  /** A UUID in lower case. */
  readonly id: string;
  readonly kind: 'spec' | 'entry' | 'lock';
  /** Hash of the source that the note belongs to; empty for the spec. */
  readonly group: string;
  /** JSON. */
  readonly value: string;
}

/** An open connection to one collection and its manifest. Calls may reject with any error of the client. */
export interface Connection {
  /**
   * The existence of the collection and of the manifest. May reject with a VectorStoreError `missing_extension`.
   *
   * `foreign` is the name of a manifest that another program made, where its columns tell.
   */
  exists(): Promise<{
    readonly chunks: boolean;
    readonly manifest: boolean;
    readonly foreign?: string | undefined;
  }>;
  /** Creates the manifest, unless it exists. */
  createManifest(dimensions: number): Promise<void>;
  /** Creates the collection with its indexes, unless they exist. */
  createChunks(dimensions: number): Promise<void>;
  /** Deletes the collection, then the manifest, whichever exist. */
  drop(): Promise<void>;

  getNotes(ids: readonly string[]): Promise<Note[]>;
  /** All notes of a kind, page by page, and of a group when it is given. */
  scanNotes(kind: Note['kind'], group: string | undefined): AsyncIterable<readonly Note[]>;
  putNotes(notes: readonly Note[]): Promise<void>;
  removeNotes(ids: readonly string[]): Promise<void>;

  countChunks(): Promise<number>;
  listChunks(documentId: string): Promise<ListedChunk[]>;
  /** The stored vectors of the ids that exist. */
  vectorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Replaces or inserts one batch. */
  writeChunks(rows: readonly ChunkRow[]): Promise<void>;
  removeChunks(ids: readonly string[]): Promise<void>;
  /** The nearest chunks; the score is the cosine. */
  searchVector(vector: readonly number[], limit: number): Promise<ScoredChunk[]>;
  /** Chunks that contain at least one word of the text. */
  searchText(text: string, limit: number): Promise<ScoredChunk[]>;
  close(): Promise<void>;
}

/** The documented bounds of one request. */
export interface RequestLimits {
  /** Most records of a write. */
  readonly maxRecords: number;
  /** Most bytes of a write as JSON. */
  readonly maxBytes: number;
  /** Most ids of a read or a removal. */
  readonly maxIds: number;
  /** Most bytes of a note. */
  readonly maxNoteBytes: number;
  /** Longest vector. */
  readonly maxDimensions: number;
  /** Most bytes of the JSON of one record's text and metadata; absent without such a limit. */
  readonly maxMetadataBytes?: number;
}

/** The environment of a connection. */
export interface ConnectionDeps {
  readonly address: StoreAddress;
  /** Imports a client package. */
  readonly load: (name: string) => Promise<unknown>;
  /** Longest wait for one answer. */
  readonly timeoutMs: number;
}

/** A database. Adding one is a folder in databases/ and a line in its registry. */
export interface Adapter {
  readonly id: string;
  /** For the table of the docs. */
  readonly summary: {
    readonly database: string;
    readonly index: string;
    readonly keywords: string;
  };
  readonly url: UrlRules;
  /** The client packages, the first of which is imported; none for a database without a client. */
  readonly clients: readonly string[];
  readonly limits: RequestLimits;
  /**
   * The code of an error that only this client has, or `transient` when the request may succeed the next time;
   * undefined for every other error.
   */
  readonly classify?: (error: unknown) => VectorStoreErrorCode | 'transient' | undefined;
  readonly connect: (deps: ConnectionDeps) => Promise<Connection>;
}
