// Elasticsearch and OpenSearch, over the clients `@elastic/elasticsearch` and `@opensearch-project/opensearch`. Both
// speak one protocol; they differ in the type of the vector's field and in the query by vector. Documented bounds: a
// request has at most 100 MB, of which 10 MB are advised; a vector has at most 4,096 dimensions, 16,000 in OpenSearch.
import type { ChunkRecord, ListedChunk } from '@grainline/core';
import type { StoreAddress } from '../../address.ts';
import type { Adapter, Connection, ConnectionDeps, Note, ScoredChunk } from '../../connection.ts';

type Body = Readonly<Record<string, unknown>>;
interface Transport {
  readonly transport: { request(request: object, options?: object): Promise<unknown> };
  close(): Promise<unknown>;
}
interface Document {
  readonly _id: string;
  readonly _score?: number | null;
  readonly _source?: Body;
  readonly fields?: Readonly<Record<string, readonly unknown[]>>;
  readonly sort?: readonly unknown[];
  readonly found?: boolean;
}

/** The differences between the two databases. */
interface Dialect {
  readonly client: string;
  readonly open: (module: unknown, options: object) => Transport;
  /** Makes the client's answer the body of the server's. */
  readonly bodyOf: (answer: unknown) => unknown;
  readonly credentials: (address: StoreAddress) => object;
  readonly settings: Body;
  readonly vectorField: (dimensions: number) => Body;
  readonly byVector: (vector: readonly number[], limit: number) => Body;
}

const PAGE = 1000;
const LIMITS = { maxRecords: 1000, maxBytes: 10_000_000, maxIds: PAGE, maxNoteBytes: 2 ** 20 };
/** Longest string that is indexed for filters, in characters: a term has at most 32,766 bytes. */
const FILTERED_CHARS = 8191;

interface ClientModule {
  readonly Client: new (options: object) => Transport;
}
const openClient = (module: unknown, options: object): Transport => {
  const { Client } = module as ClientModule;
  return new Client(options);
};

const elastic: Dialect = {
  client: '@elastic/elasticsearch',
  open: openClient,
  bodyOf: (answer) => answer,
  credentials: ({ user, secret }) => {
    if (secret === undefined) return {};
    return { auth: user === undefined ? { apiKey: secret } : { username: user, password: secret } };
  },
  settings: {},
  vectorField: (dims) => ({
    type: 'dense_vector',
    dims,
    index: true,
    similarity: 'cosine',
    // Without quantization, so that scores are exact.
    index_options: { type: 'hnsw' },
  }),
  byVector: (vector, limit) => ({
    knn: {
      field: 'embedding',
      query_vector: vector,
      k: limit,
      num_candidates: Math.min(10_000, Math.max(100, 2 * limit)),
    },
  }),
};

const openSearch: Dialect = {
  client: '@opensearch-project/opensearch',
  open: openClient,
  bodyOf: (answer) => (answer as { readonly body: unknown }).body,
  credentials: ({ user, secret }) =>
    secret === undefined ? {} : { auth: { username: user ?? 'admin', password: secret } },
  settings: { 'index.knn': true },
  vectorField: (dimension) => ({
    type: 'knn_vector',
    dimension,
    method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' },
  }),
  byVector: (vector, limit) => ({ query: { knn: { embedding: { vector, k: limit } } } }),
};

/** Elasticsearch. */
export const elasticsearch: Adapter = {
  id: 'elasticsearch',
  summary: {
    database: 'Elasticsearch',
    index: 'HNSW of dense_vector, cosine',
    keywords: 'match query, BM25',
  },
  url: {
    schemes: ['elasticsearch'],
    form: 'elasticsearch://USER:PASSWORD@HOST:9200/INDEX[?tls=false]',
    kind: 'server',
    port: 9200,
    path: 'collection',
    parameters: [],
    environment: { secret: 'ELASTICSEARCH_API_KEY' },
  },
  clients: [elastic.client],
  limits: { ...LIMITS, maxDimensions: 4096 },
  connect: (deps) => connectTo(elastic, deps),
};

/** OpenSearch. */
export const opensearch: Adapter = {
  id: 'opensearch',
  summary: {
    database: 'OpenSearch',
    index: 'HNSW of knn_vector (engine lucene), cosine',
    keywords: 'match query, BM25',
  },
  url: {
    schemes: ['opensearch'],
    form: 'opensearch://USER:PASSWORD@HOST:9200/INDEX[?tls=false]',
    kind: 'server',
    port: 9200,
    path: 'collection',
    parameters: [],
    environment: { user: 'OPENSEARCH_USERNAME', secret: 'OPENSEARCH_PASSWORD' },
  },
  clients: [openSearch.client],
  limits: { ...LIMITS, maxDimensions: 16_000 },
  connect: (deps) => connectTo(openSearch, deps),
};

async function connectTo(
  dialect: Dialect,
  { address, load, timeoutMs }: ConnectionDeps,
): Promise<Connection> {
  const client = dialect.open(await load(dialect.client), {
    node: `${address.tls ? 'https' : 'http'}://${address.host}:${address.port ?? 9200}`,
    requestTimeout: timeoutMs,
    // The store repeats requests itself.
    maxRetries: 0,
    ...dialect.credentials(address),
  });
  return new SearchConnection(dialect, client, address.collection);
}

class SearchConnection implements Connection {
  readonly #dialect: Dialect;
  readonly #client: Transport;
  readonly #chunks: string;
  readonly #manifest: string;
  /** True when the index may hold writes that no search sees yet. */
  #isStale = true;

  constructor(dialect: Dialect, client: Transport, collection: string) {
    this.#dialect = dialect;
    this.#client = client;
    this.#chunks = collection;
    this.#manifest = `${collection}_manifest`;
  }

  async exists(): Promise<{ chunks: boolean; manifest: boolean }> {
    return { chunks: await this.#exists(this.#chunks), manifest: await this.#exists(this.#manifest) };
  }

  createManifest(): Promise<void> {
    const keyword = { type: 'keyword' };
    const value = { type: 'keyword', index: false, doc_values: false };
    const properties = { id: keyword, kind: keyword, scope: keyword, value };
    return this.#create(this.#manifest, { mappings: { dynamic: 'strict', properties } });
  }

  createChunks(dimensions: number): Promise<void> {
    const keyword = { type: 'keyword' };
    const mapping = { type: 'keyword', ignore_above: FILTERED_CHARS };
    return this.#create(this.#chunks, {
      settings: this.#dialect.settings,
      mappings: {
        dynamic: 'strict',
        dynamic_templates: [
          { texts: { path_match: 'metadata.*', match_mapping_type: 'string', mapping } },
          { floats: { path_match: 'metadata.*', match_mapping_type: 'double', mapping: { type: 'double' } } },
        ],
        // A string is never taken for a date, whatever the first one looks like.
        date_detection: false,
        properties: {
          id: keyword,
          document_id: keyword,
          chunk_index: { type: 'integer' },
          hash: keyword,
          text: { type: 'text' },
          metadata: { type: 'object', dynamic: true },
          embedding: this.#dialect.vectorField(dimensions),
        },
      },
    });
  }

  async drop(): Promise<void> {
    for (const index of [this.#chunks, this.#manifest])
      if (await this.#exists(index)) await this.#request('DELETE', `/${index}`);
  }

  async getNotes(ids: readonly string[]): Promise<Note[]> {
    if (ids.length === 0) return [];
    const { docs } = (await this.#request('POST', `/${this.#manifest}/_mget`, { ids })) as {
      readonly docs: readonly Document[];
    };
    return docs.filter(({ found }) => found === true).map(noteOf);
  }

  async *scanNotes(kind: Note['kind'], group: string | undefined): AsyncGenerator<Note[]> {
    // Another process may have written a moment ago.
    await this.#request('POST', `/${this.#manifest}/_refresh`);
    const filter = [{ term: { kind } }, ...(group === undefined ? [] : [{ term: { scope: group } }])];
    for await (const page of this.#pages(this.#manifest, { query: { bool: { filter } } }))
      yield page.map(noteOf);
  }

  async putNotes(notes: readonly Note[]): Promise<void> {
    await this.#bulk(
      notes.flatMap(({ id, kind, group, value }) => [
        { index: { _index: this.#manifest, _id: id } },
        { id, kind, scope: group, value },
      ]),
    );
  }

  async removeNotes(ids: readonly string[]): Promise<void> {
    await this.#bulk(ids.map((id) => ({ delete: { _index: this.#manifest, _id: id } })));
  }

  async countChunks(): Promise<number> {
    await this.#refresh();
    return ((await this.#request('POST', `/${this.#chunks}/_count`)) as { readonly count: number }).count;
  }

  async listChunks(documentId: string): Promise<ListedChunk[]> {
    await this.#refresh();
    const options = {
      query: { bool: { filter: [{ term: { document_id: documentId } }] } },
      _source: ['id', 'chunk_index', 'hash'],
    };
    const pages = await Array.fromAsync(this.#pages(this.#chunks, options));
    return pages.flat().map(({ _id: id, _source: source }) => ({
      id,
      chunkIndex: Number(source?.['chunk_index']),
      hash: String(source?.['hash']),
    }));
  }

  async vectorsOf(ids: readonly string[]): Promise<Map<string, readonly number[]>> {
    await this.#refresh();
    if (ids.length === 0) return new Map();
    // Newer servers leave vectors out of the source and give them as a field.
    const found = await this.#search(this.#chunks, {
      query: { terms: { id: ids } },
      _source: ['embedding'],
      ...(this.#dialect === elastic ? { fields: ['embedding'] } : undefined),
      size: ids.length,
    });
    return new Map(
      found.map(({ _id: id, _source: source, fields }) => [
        id,
        (source?.['embedding'] ?? fields?.['embedding'] ?? []) as readonly number[],
      ]),
    );
  }

  async writeChunks(rows: Parameters<Connection['writeChunks']>[0]): Promise<void> {
    await this.#bulk(
      rows.flatMap(({ id, document, metadata, hash, embedding }) => [
        { index: { _index: this.#chunks, _id: id } },
        {
          id,
          document_id: metadata.document_id,
          chunk_index: metadata.chunk_index,
          hash,
          text: document,
          metadata,
          embedding,
        },
      ]),
    );
  }

  async removeChunks(ids: readonly string[]): Promise<void> {
    await this.#bulk(ids.map((id) => ({ delete: { _index: this.#chunks, _id: id } })));
  }

  async searchVector(vector: readonly number[], limit: number): Promise<ScoredChunk[]> {
    await this.#refresh();
    const found = await this.#search(this.#chunks, {
      ...this.#dialect.byVector(vector, limit),
      _source: ['text', 'metadata'],
      size: limit,
    });
    // Both databases score by cosine as (1 + cosine) / 2.
    return found.map((one) => ({ ...recordOf(one), score: 2 * (one._score ?? 0) - 1 }));
  }

  async searchText(text: string, limit: number): Promise<ScoredChunk[]> {
    await this.#refresh();
    const found = await this.#search(this.#chunks, {
      query: { match: { text: { query: text } } },
      _source: ['text', 'metadata'],
      size: limit,
    });
    return found.map((one) => ({ ...recordOf(one), score: one._score ?? 0 }));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #exists(index: string): Promise<boolean> {
    const answer = await this.#client.transport.request(
      { method: 'GET', path: `/_cat/indices/${index}*`, querystring: { format: 'json', h: 'index' } },
      { headers: { accept: 'application/json' } },
    );
    const found = this.#dialect.bodyOf(answer) as readonly { readonly index: string }[];
    return found.some((one) => one.index === index);
  }

  async #create(index: string, body: Body): Promise<void> {
    if (!(await this.#exists(index))) await this.#request('PUT', `/${index}`, body);
  }

  async #request(method: string, path: string, body?: Body): Promise<unknown> {
    const answer = await this.#client.transport.request({
      method,
      path,
      ...(body === undefined ? {} : { body }),
    });
    return this.#dialect.bodyOf(answer);
  }

  async #bulk(lines: readonly object[]): Promise<void> {
    if (lines.length === 0) return;
    this.#isStale = true;
    const answer = await this.#client.transport.request({ method: 'POST', path: '/_bulk', bulkBody: lines });
    const { errors, items } = this.#dialect.bodyOf(answer) as {
      readonly errors: boolean;
      readonly items: readonly Readonly<Record<string, { readonly status: number; readonly error?: Body }>>[];
    };
    if (!errors) return;
    const failed = items.flatMap((item) => Object.values(item)).find(({ error }) => error !== undefined);
    if (failed !== undefined)
      throw Object.assign(new Error(String(failed.error?.['reason'])), { status: failed.status });
  }

  async #search(index: string, body: Body): Promise<readonly Document[]> {
    const answer = (await this.#request('POST', `/${index}/_search`, body)) as {
      readonly hits: { readonly hits: readonly Document[] };
    };
    return answer.hits.hits;
  }

  async *#pages(index: string, options: Body): AsyncGenerator<readonly Document[]> {
    for (let after: readonly unknown[] | undefined; ;) {
      const page = await this.#search(index, {
        ...options,
        size: PAGE,
        sort: [{ id: 'asc' }],
        ...(after === undefined ? undefined : { search_after: after }),
      });
      yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)?.sort;
    }
  }

  async #refresh(): Promise<void> {
    if (!this.#isStale) return;
    await this.#request('POST', `/${this.#chunks}/_refresh`);
    this.#isStale = false;
  }
}

const recordOf = ({ _id: id, _source: source }: Document): ChunkRecord => ({
  id,
  document: String(source?.['text']),
  metadata: source?.['metadata'] as ChunkRecord['metadata'],
});

const noteOf = ({ _id: id, _source: source }: Document): Note => ({
  id,
  kind: source?.['kind'] as Note['kind'],
  group: String(source?.['scope']),
  value: String(source?.['value']),
});
