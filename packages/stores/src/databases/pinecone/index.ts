// Pinecone, over the client `@pinecone-database/pinecone`. One serverless index, two namespaces: chunks and manifest.
// The index compares by dot product, because only such an index takes sparse vectors beside dense ones; the vectors are
// scaled to length 1, so the product is the cosine. Documented bounds: 1,000 records and 2 MB a write, 40 KB of
// metadata a record, the text among them, 1,000 ids a removal. Reads follow writes within seconds, not at once.
import type { ChunkRecord, ListedChunk } from '@grainline/core';
import type { Adapter, ChunkRow, Connection, ConnectionDeps, Note, ScoredChunk } from '../../connection.ts';
import { HASH_KEY, recordMetadata, storedMetadata } from '../../metadata.ts';
import { rankByWords, sparseOf, sparseQuestion } from '../../words.ts';

type Metadata = Readonly<Record<string, unknown>>;
interface Stored {
  readonly id: string;
  readonly values?: readonly number[];
  readonly metadata?: Metadata;
  readonly score?: number;
}
interface Fetched {
  readonly records?: Readonly<Record<string, Stored>>;
  readonly pagination?: { readonly next?: string };
}
interface Index {
  upsert(options: { readonly records: readonly object[] }): Promise<void>;
  fetch(options: { readonly ids: readonly string[] }): Promise<Fetched>;
  fetchByMetadata(options: object): Promise<Fetched>;
  query(options: object): Promise<{ readonly matches: readonly Stored[] }>;
  deleteMany(options: { readonly ids: readonly string[] }): Promise<void>;
  deleteAll(): Promise<void>;
  describeIndexStats(): Promise<{
    readonly dimension?: number;
    readonly namespaces?: Readonly<Record<string, { readonly recordCount: number }>>;
  }>;
}
interface Client {
  describeIndex(name: string): Promise<{ readonly host: string }>;
  createIndex(options: object): Promise<unknown>;
  index(options: object): Index;
}
interface PineconeModule {
  readonly Pinecone: new (options: object) => Client;
}

/** Most ids of a fetch: they stand in the URL. */
const FETCHED_IDS = 100;
const PAGE = 100;
/** Candidates that are ranked by BM25; the server's product of sparse vectors knows no rare words. */
const CANDIDATES = 200;
/** The dense part of a query by words: a query has to have one, and this one decides nothing. */
const FAINT = 1e-6;
/** The note that stands for the collection, because an empty namespace does not exist. */
const MARK: Note = { id: '00000000-0000-8000-8000-000000000000', kind: 'spec', group: 'mark', value: '{}' };

/** Pinecone. */
export const pinecone: Adapter = {
  id: 'pinecone',
  summary: {
    database: 'Pinecone',
    index: "serverless, dot product of vectors of length 1; Pinecone's own",
    keywords: 'sparse vectors of words find 200 candidates, ranked here by BM25',
  },
  url: {
    schemes: ['pinecone'],
    form: 'pinecone://KEY@INDEX/NAMESPACE[?cloud=aws&region=us-east-1]',
    kind: 'server',
    path: 'collection',
    parameters: ['cloud', 'region', 'controller'],
    environment: { secret: 'PINECONE_API_KEY' },
  },
  clients: ['@pinecone-database/pinecone'],
  limits: {
    maxRecords: 1000,
    // Sparse vectors add up to twice the text to a request of 2 MB.
    maxBytes: 900_000,
    maxIds: FETCHED_IDS,
    maxNoteBytes: 30_000,
    maxDimensions: 20_000,
    // 40 KB, less the keys that the adapter adds.
    maxMetadataBytes: 39_500,
  },
  classify(error) {
    const { name } = Object(error) as { readonly name?: unknown };
    switch (name) {
      case 'PineconeAuthorizationError':
        return 'unauthorized';
      case 'PineconeConnectionError':
      case 'PineconeInternalServerError':
      case 'PineconeUnavailableError':
      case 'PineconeMaxRetriesExceededError':
      case 'PineconeTimeoutError':
        return 'transient';
      default:
        return undefined;
    }
  },
  connect: connectTo,
};

async function connectTo({ address, load }: ConnectionDeps): Promise<Connection> {
  const { Pinecone } = (await load('@pinecone-database/pinecone')) as PineconeModule;
  const controller = address.parameters.get('controller');
  const client = new Pinecone({
    // Without a key the server answers 401, which has its own message.
    apiKey: address.secret ?? 'none',
    maxRetries: 0,
    ...(controller === undefined ? undefined : { controllerHostUrl: controller }),
  });
  return new PineconeConnection(client, address.host, address.collection, {
    cloud: address.parameters.get('cloud') ?? 'aws',
    region: address.parameters.get('region') ?? 'us-east-1',
  });
}

class PineconeConnection implements Connection {
  readonly #client: Client;
  readonly #name: string;
  readonly #collection: string;
  readonly #serverless: { readonly cloud: string; readonly region: string };
  #host: string | undefined;
  #dimension = 1;

  constructor(
    client: Client,
    name: string,
    collection: string,
    serverless: { readonly cloud: string; readonly region: string },
  ) {
    this.#client = client;
    this.#name = name;
    this.#collection = collection;
    this.#serverless = serverless;
  }

  async exists(): Promise<{ chunks: boolean; manifest: boolean }> {
    if (!(await this.#find())) return { chunks: false, manifest: false };
    const { dimension = 1, namespaces = {} } = await this.#chunks().describeIndexStats();
    this.#dimension = dimension;
    const manifest = (namespaces[`${this.#collection}_manifest`]?.recordCount ?? 0) > 0;
    const chunks = (namespaces[this.#collection]?.recordCount ?? 0) > 0;
    const [mark] = chunks || !manifest ? [] : await this.getNotes([MARK.id]);
    return { chunks: chunks || mark !== undefined, manifest };
  }

  async createManifest(dimensions: number): Promise<void> {
    if (!(await this.#find())) {
      await this.#client.createIndex({
        name: this.#name,
        dimension: dimensions,
        metric: 'dotproduct',
        spec: { serverless: this.#serverless },
        waitUntilReady: true,
        suppressConflicts: true,
      });
      await this.#find();
    }
    this.#dimension = dimensions;
  }

  createChunks(): Promise<void> {
    return this.putNotes([MARK]);
  }

  async drop(): Promise<void> {
    const { namespaces = {} } = await this.#chunks().describeIndexStats();
    if (namespaces[this.#collection] !== undefined) await this.#chunks().deleteAll();
    if (namespaces[`${this.#collection}_manifest`] !== undefined) await this.#manifest().deleteAll();
  }

  async getNotes(ids: readonly string[]): Promise<Note[]> {
    return (await fetchAll(this.#manifest(), ids)).map(noteOf);
  }

  async *scanNotes(kind: Note['kind'], group: string | undefined): AsyncGenerator<Note[]> {
    const scope = group === undefined ? {} : { scope: { $eq: group } };
    for await (const page of pagesOf(this.#manifest(), { kind: { $eq: kind }, ...scope }))
      yield page.map(noteOf);
  }

  async putNotes(notes: readonly Note[]): Promise<void> {
    // Every record has a vector, and nothing searches these.
    const values = Array.from({ length: this.#dimension }, (_, at) => (at === 0 ? 1 : 0));
    const records = notes.map(({ id, kind, group, value }) => ({
      id,
      values,
      metadata: { kind, scope: group, value },
    }));
    const bytes = 32_000 + 4 * this.#dimension;
    const count = Math.max(1, Math.floor(1_900_000 / bytes));
    for (let first = 0; first < records.length; first += count)
      await this.#manifest().upsert({ records: records.slice(first, first + count) });
  }

  async removeNotes(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#manifest().deleteMany({ ids });
  }

  async countChunks(): Promise<number> {
    const { namespaces = {} } = await this.#chunks().describeIndexStats();
    return namespaces[this.#collection]?.recordCount ?? 0;
  }

  async listChunks(documentId: string): Promise<ListedChunk[]> {
    const pages = await Array.fromAsync(pagesOf(this.#chunks(), { document_id: { $eq: documentId } }));
    return pages.flat().map(({ id, metadata }) => ({
      id,
      chunkIndex: Number(metadata?.['chunk_index']),
      hash: String(metadata?.[HASH_KEY]),
    }));
  }

  async vectorsOf(ids: readonly string[]): Promise<Map<string, readonly number[]>> {
    const found = await fetchAll(this.#chunks(), ids);
    return new Map(found.map(({ id, values = [] }) => [id, values]));
  }

  async writeChunks(rows: readonly ChunkRow[]): Promise<void> {
    await this.#chunks().upsert({ records: rows.map(recordFor) });
  }

  async removeChunks(ids: readonly string[]): Promise<void> {
    await this.#chunks().deleteMany({ ids });
  }

  async searchVector(vector: readonly number[], limit: number): Promise<ScoredChunk[]> {
    const { matches } = await this.#chunks().query({
      vector: unit(vector),
      topK: limit,
      includeMetadata: true,
    });
    return matches.map((match) => ({ ...recordOf(match), score: match.score ?? 0 }));
  }

  async searchText(text: string, limit: number): Promise<ScoredChunk[]> {
    const sparseVector = sparseQuestion(text);
    if (sparseVector.indices.length === 0) return [];
    const vector = Array.from({ length: this.#dimension }, (_, at) => (at === 0 ? FAINT : 0));
    const topK = Math.max(limit, CANDIDATES);
    const { matches } = await this.#chunks().query({ vector, sparseVector, topK, includeMetadata: true });
    return rankByWords(matches.map(recordOf), text, await this.countChunks(), limit);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Finds the host of the index; false when there is no such index. */
  async #find(): Promise<boolean> {
    if (this.#host !== undefined) return true;
    try {
      this.#host = (await this.#client.describeIndex(this.#name)).host;
      return true;
    } catch (error) {
      if ((error as Error).name === 'PineconeNotFoundError') return false;
      throw error;
    }
  }

  #chunks(): Index {
    return this.#client.index({ host: this.#host, namespace: this.#collection });
  }

  #manifest(): Index {
    return this.#client.index({ host: this.#host, namespace: `${this.#collection}_manifest` });
  }
}

async function fetchAll(index: Index, ids: readonly string[]): Promise<Stored[]> {
  const found: Stored[] = [];
  for (let first = 0; first < ids.length; first += FETCHED_IDS) {
    const { records = {} } = await index.fetch({ ids: ids.slice(first, first + FETCHED_IDS) });
    found.push(...Object.values(records));
  }
  return found;
}

async function* pagesOf(index: Index, filter: object): AsyncGenerator<Stored[]> {
  for (let token: string | undefined; ;) {
    const at = token === undefined ? {} : { paginationToken: token };
    const { records = {}, pagination } = await index.fetchByMetadata({ filter, limit: PAGE, ...at });
    yield Object.values(records);
    token = pagination?.next;
    if (token === undefined || token === '') return;
  }
}

function recordFor(row: ChunkRow): object {
  const sparseValues = sparseOf(row.document);
  return {
    id: row.id,
    values: unit(row.embedding),
    // A sparse vector without numbers is refused.
    ...(sparseValues.indices.length > 0 ? { sparseValues } : undefined),
    metadata: { text: row.document, ...storedMetadata(row) },
  };
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const recordOf = ({ id, metadata = {} }: Stored): ChunkRecord => ({
  id,
  document: String(metadata['text']),
  metadata: recordMetadata(metadata, 'text'),
});

const noteOf = ({ id, metadata = {} }: Stored): Note => ({
  id,
  kind: metadata['kind'] as Note['kind'],
  group: String(metadata['scope']),
  value: String(metadata['value']),
});
