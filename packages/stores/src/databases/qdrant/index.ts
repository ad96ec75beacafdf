// Qdrant, over the client `@qdrant/js-client-rest`. A point has two named vectors: `dense`, compared by cosine, and
// `words`, a sparse vector of word frequencies that the server weighs by rarity (its modifier `idf`). Documented bound:
// a request has at most 32 MB.
import type { ChunkRecord, ListedChunk } from '@grainline/core';
import type { Adapter, ChunkRow, Connection, ConnectionDeps, Note, ScoredChunk } from '../../connection.ts';
import { HASH_KEY, recordMetadata, storedMetadata } from '../../metadata.ts';
import { type SparseVector, sparseOf, sparseQuestion } from '../../words.ts';

type Payload = Readonly<Record<string, unknown>>;
interface Point {
  readonly id: string | number;
  readonly payload?: Payload | null;
  readonly score?: number;
  readonly vector?: unknown;
}
interface Client {
  collectionExists(name: string): Promise<{ readonly exists: boolean }>;
  createCollection(name: string, options: object): Promise<unknown>;
  createPayloadIndex(name: string, options: object): Promise<unknown>;
  deleteCollection(name: string): Promise<unknown>;
  upsert(name: string, options: object): Promise<unknown>;
  delete(name: string, options: object): Promise<unknown>;
  retrieve(name: string, options: object): Promise<readonly Point[]>;
  scroll(
    name: string,
    options: object,
  ): Promise<{ readonly points: readonly Point[]; readonly next_page_offset?: unknown }>;
  count(name: string, options: object): Promise<{ readonly count: number }>;
  query(name: string, options: object): Promise<{ readonly points: readonly Point[] }>;
}
interface QdrantModule {
  readonly QdrantClient: new (options: object) => Client;
}

/** Sparse vectors add up to twice the text, so a third of the documented bound is filled with records. */
const RECORD_BYTES = 10_000_000;
const PAGE = 1000;

/** Qdrant. */
export const qdrant: Adapter = {
  id: 'qdrant',
  summary: {
    database: 'Qdrant',
    index: 'HNSW, cosine',
    keywords: 'sparse vectors of words with the modifier idf',
  },
  url: {
    schemes: ['qdrant'],
    form: 'qdrant://KEY@HOST:6333/COLLECTION[?tls=false]',
    kind: 'server',
    port: 6333,
    path: 'collection',
    parameters: [],
    environment: { secret: 'QDRANT_API_KEY' },
  },
  clients: ['@qdrant/js-client-rest'],
  limits: {
    maxRecords: PAGE,
    maxBytes: RECORD_BYTES,
    maxIds: PAGE,
    maxNoteBytes: 2 ** 20,
    maxDimensions: 65_536,
  },
  classify(error) {
    const { message, retry_after: wait } = Object(error) as Readonly<Record<string, unknown>>;
    if (wait !== undefined) return 'transient';
    const status = /^Unexpected Response: (\d{3})/.exec(String(message))?.[1];
    if (status === '401' || status === '403') return 'unauthorized';
    if (status !== undefined) return /^5|408|429/.test(status) ? 'transient' : 'rejected';
    return undefined;
  },
  connect: connectTo,
};

async function connectTo({ address, load, timeoutMs }: ConnectionDeps): Promise<Connection> {
  const { QdrantClient } = (await load('@qdrant/js-client-rest')) as QdrantModule;
  const client = new QdrantClient({
    host: address.host,
    port: address.port,
    https: address.tls,
    timeout: timeoutMs,
    // It would be a request before the first one, with a warning on the console.
    checkCompatibility: false,
    // As the option `apiKey`, it would lead to a warning on the console without TLS.
    ...(address.secret === undefined ? undefined : { headers: { 'api-key': address.secret } }),
  });
  return connectionOver(client, address.collection);
}

function connectionOver(client: Client, collection: string): Connection {
  const manifest = `${collection}_manifest`;
  const exists = async (name: string): Promise<boolean> => (await client.collectionExists(name)).exists;
  const create = async (name: string, options: object, keywords: readonly string[]): Promise<void> => {
    if (!(await exists(name))) await client.createCollection(name, options);
    for (const field of keywords)
      await client.createPayloadIndex(name, { wait: true, field_name: field, field_schema: 'keyword' });
  };
  return {
    exists: async () => ({ chunks: await exists(collection), manifest: await exists(manifest) }),
    createManifest: () => create(manifest, { vectors: {} }, ['kind', 'scope']),
    createChunks: (dimensions) =>
      create(
        collection,
        {
          vectors: { dense: { size: dimensions, distance: 'Cosine' } },
          sparse_vectors: { words: { modifier: 'idf' } },
        },
        ['document_id'],
      ),
    async drop() {
      for (const name of [collection, manifest]) if (await exists(name)) await client.deleteCollection(name);
    },
    async getNotes(ids) {
      if (ids.length === 0) return [];
      return (await client.retrieve(manifest, { ids, with_payload: true, with_vector: false })).map(noteOf);
    },
    async *scanNotes(kind, group) {
      const must = [matches('kind', kind), ...(group === undefined ? [] : [matches('scope', group)])];
      for await (const page of pagesOf(client, manifest, { filter: { must }, with_payload: true }))
        yield page.map(noteOf);
    },
    async putNotes(notes) {
      const points = notes.map(({ id, kind, group, value }) => ({
        id,
        vector: {},
        payload: { kind, scope: group, value },
      }));
      await client.upsert(manifest, { wait: true, points });
    },
    async removeNotes(ids) {
      if (ids.length > 0) await client.delete(manifest, { wait: true, points: ids });
    },
    countChunks: async () => (await client.count(collection, { exact: true })).count,
    async listChunks(documentId) {
      const pages = await Array.fromAsync(
        pagesOf(client, collection, {
          filter: { must: [matches('document_id', documentId)] },
          with_payload: ['chunk_index', HASH_KEY],
        }),
      );
      return pages.flat().map(listedOf);
    },
    async vectorsOf(ids) {
      if (ids.length === 0) return new Map();
      const points = await client.retrieve(collection, { ids, with_payload: false, with_vector: ['dense'] });
      return new Map(
        points.map(({ id, vector }) => [String(id), (vector as { readonly dense: readonly number[] }).dense]),
      );
    },
    async writeChunks(rows) {
      await client.upsert(collection, { wait: true, points: rows.map(pointOf) });
    },
    async removeChunks(ids) {
      await client.delete(collection, { wait: true, points: ids });
    },
    async searchVector(vector, limit) {
      const options = { query: vector, using: 'dense', limit, with_payload: true };
      return (await client.query(collection, options)).points.map(scoredOf);
    },
    async searchText(text, limit) {
      const query: SparseVector = sparseQuestion(text);
      if (query.indices.length === 0) return [];
      const options = { query, using: 'words', limit, with_payload: true };
      return (await client.query(collection, options)).points.map(scoredOf);
    },
    close: () => Promise.resolve(),
  };
}

const matches = (key: string, value: string): object => ({ key, match: { value } });

async function* pagesOf(client: Client, name: string, options: object): AsyncGenerator<readonly Point[]> {
  for (let offset: unknown; ;) {
    const at = offset === undefined ? {} : { offset };
    const page = await client.scroll(name, { ...options, ...at, limit: PAGE, with_vector: false });
    yield page.points;
    offset = page.next_page_offset ?? undefined;
    if (offset === undefined) return;
  }
}

const pointOf = (row: ChunkRow): object => ({
  id: row.id,
  vector: { dense: row.embedding, words: sparseOf(row.document) },
  payload: { text: row.document, ...storedMetadata(row) },
});

const listedOf = ({ id, payload }: Point): ListedChunk => ({
  id: String(id),
  chunkIndex: Number(payload?.['chunk_index']),
  hash: String(payload?.[HASH_KEY]),
});

const scoredOf = ({ id, payload, score }: Point): ScoredChunk => ({
  ...recordOf(String(id), payload ?? {}),
  score: score ?? 0,
});

const recordOf = (id: string, payload: Payload): ChunkRecord => ({
  id,
  document: String(payload['text']),
  metadata: recordMetadata(payload, 'text'),
});

const noteOf = ({ id, payload }: Point): Note => ({
  id: String(id),
  kind: payload?.['kind'] as Note['kind'],
  group: String(payload?.['scope']),
  value: String(payload?.['value']),
});
