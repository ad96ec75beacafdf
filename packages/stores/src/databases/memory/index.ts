// A store in the memory of this process: `memory:NAME`, gone at its end. For tests of programs that load, and the slow
// and obvious version that the contract suite compares the databases with.
import type { ChunkRow, Connection, Note, ScoredChunk } from '../../connection.ts';
import type { Adapter } from '../../connection.ts';
import { rankByWords } from '../../words.ts';

interface Collection {
  chunks: Map<string, ChunkRow> | undefined;
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
    const collection = collections.get(key) ?? { chunks: undefined, notes: undefined };
    collections.set(key, collection);
    return Promise.resolve(connectionTo(collection));
  },
};

/* eslint-disable @typescript-eslint/require-await -- the port is asynchronous, and memory is not */
function connectionTo(collection: Collection): Connection {
  const chunks = (): Map<string, ChunkRow> => collection.chunks ?? new Map<string, ChunkRow>();
  const notes = (): Map<string, Note> => collection.notes ?? new Map<string, Note>();
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
      [...chunks().values()]
        .filter(({ metadata }) => metadata.document_id === documentId)
        .map(({ id, hash, metadata }) => ({ id, hash, chunkIndex: metadata.chunk_index })),
    vectorsOf: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const row = chunks().get(id);
          return row === undefined ? [] : [[id, row.embedding] as const];
        }),
      ),
    async writeChunks(rows) {
      for (const row of rows) chunks().set(row.id, row);
    },
    async removeChunks(ids) {
      for (const id of ids) chunks().delete(id);
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
