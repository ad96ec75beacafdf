// A store in the memory of this process: `memory:NAME`, gone at its end. For tests of programs that load, and the slow
// and obvious version that the contract suite compares the databases with.
import type { ChunkRow, Connection, Note, ScoredChunk } from '../../connection.ts';
import type { Adapter } from '../../connection.ts';
import { rankByWords } from '../../words.ts';

interface Collection {
  chunks: Map<string, ChunkRow> | undefined;
  /** The ids of the chunks by document. */
  readonly documents: Map<string, Set<string>>;
  notes: Map<string, Note> | undefined;
}

/** The collections of this process by URL and name, so that two stores of one URL share them. */
const collections = new Map<string, Collection>();

export const memory: Adapter = {
  id: 'memory',
  summary: { database: 'memory', index: 'none, exact', keywords: 'BM25, exact' },
  url: {
    schemes: ['memory'],
    form: 'memory:NAME[?collection=NAME]',
    kind: 'none',
    path: 'none',
    parameters: [],
    environment: {},
  },
  clients: [],
  limits: {
    maxRecords: 1000,
    maxBytes: 2 ** 26,
    maxIds: 1000,
    maxNoteBytes: Infinity,
    maxDimensions: 65_536,
  },
  connect({ address }) {
    const key = `${address.folder}\n${address.collection}`;
    const collection = collections.get(key) ?? { chunks: undefined, documents: new Map(), notes: undefined };
    collections.set(key, collection);
    return Promise.resolve(connectionTo(collection));
  },
};

/* eslint-disable @typescript-eslint/require-await -- the port is asynchronous, and memory is not */
function connectionTo(collection: Collection): Connection {
  const chunks = (): Map<string, ChunkRow> => collection.chunks ?? new Map<string, ChunkRow>();
  const notes = (): Map<string, Note> => collection.notes ?? new Map<string, Note>();
  const drop = (id: string): void => {
    const row = chunks().get(id);
    if (row === undefined) return;
    chunks().delete(id);
    const ids = collection.documents.get(row.metadata.document_id);
    ids?.delete(id);
    if (ids?.size === 0) collection.documents.delete(row.metadata.document_id);
  };
  return {
    exists: async () => ({
      chunks: collection.chunks !== undefined,
      manifest: collection.notes !== undefined,
    }),
    async createManifest() {
      collection.notes ??= new Map();
    },
    async createChunks() {
      collection.chunks ??= new Map();
    },
    async drop() {
      collection.chunks = undefined;
      collection.documents.clear();
      collection.notes = undefined;
    },
    getNotes: async (ids) => ids.flatMap((id) => notes().get(id) ?? []),
    async *scanNotes(kind, group) {
      yield [...notes().values()].filter(
        (note) => note.kind === kind && (group === undefined || note.group === group),
      );
    },
    async putNotes(more) {
      for (const note of more) notes().set(note.id, note);
    },
    async removeNotes(ids) {
      for (const id of ids) notes().delete(id);
    },
    countChunks: async () => chunks().size,
    listChunks: async (documentId) =>
      [...(collection.documents.get(documentId) ?? [])].flatMap((id) => {
        const row = chunks().get(id);
        return row === undefined ? [] : [{ id, hash: row.hash, chunkIndex: row.metadata.chunk_index }];
      }),
    vectorsOf: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const row = chunks().get(id);
          return row === undefined ? [] : [[id, row.embedding] as const];
        }),
      ),
    async writeChunks(rows) {
      for (const row of rows) {
        drop(row.id);
        chunks().set(row.id, row);
        const { document_id: documentId } = row.metadata;
        const ids = collection.documents.get(documentId) ?? new Set();
        collection.documents.set(documentId, ids.add(row.id));
      }
    },
    async removeChunks(ids) {
      for (const id of ids) drop(id);
    },
    searchVector: async (vector, limit) =>
      [...chunks().values()]
        .map((row): ScoredChunk => ({ ...row, score: cosine(vector, row.embedding) }))
        .sort((one, other) => other.score - one.score)
        .slice(0, limit),
    searchText: async (text, limit) => rankByWords([...chunks().values()], text, chunks().size, limit),
    close: async () => undefined,
  };
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other));
}
