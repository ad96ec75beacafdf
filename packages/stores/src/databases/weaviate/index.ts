// Weaviate, over the client `weaviate-client`: REST for collections, gRPC for objects and searches. A record has the
// text, the keys that filters use, and its metadata as JSON, because Weaviate fixes the type of a property by its first
// value and takes texts for dates. Documented bounds: a gRPC message has 100 MB, a query 10,000 results.
import type { ChunkRecord, ListedChunk } from '@grainline/core';
import type { StoreAddress } from '../../address.ts';
import type { Adapter, ChunkRow, Connection, ConnectionDeps, Note, ScoredChunk } from '../../connection.ts';
import { questionWords } from '../../words.ts';
import { CHUNKS, MANIFEST } from './schema.ts';

type Properties = Readonly<Record<string, unknown>>;
interface WeaviateObject {
  readonly uuid: string;
  readonly properties: Properties;
  readonly vectors?: Readonly<Record<string, readonly number[]>>;
  readonly metadata?: { readonly distance?: number; readonly score?: number };
}
interface ObjectPage {
  readonly objects: readonly WeaviateObject[];
}
interface Collection {
  readonly data: {
    insertMany(objects: readonly object[]): Promise<{
      readonly errors: Readonly<Record<number, { readonly message: string }>>;
    }>;
    deleteMany(where: Filter, options?: object): Promise<{ readonly failed: number }>;
  };
  readonly query: {
    fetchObjects(options: object): Promise<ObjectPage>;
    nearVector(vector: readonly number[], options: object): Promise<ObjectPage>;
    bm25(words: string, options: object): Promise<ObjectPage>;
  };
  readonly filter: {
    byId(): { containsAny(ids: readonly string[]): Filter };
    byProperty(name: string): {
      equal(value: string): Filter;
      greaterOrEqual(value: number): Filter;
    };
  };
  readonly sort: { byProperty(name: string): object };
  length(): Promise<number>;
}
/** A filter of the client, opaque here. */
type Filter = object;
interface Client {
  readonly collections: {
    exists(name: string): Promise<boolean>;
    createFromSchema(schema: object): Promise<unknown>;
    delete(name: string): Promise<void>;
    get(name: string): Collection;
  };
  close(): Promise<void>;
}
interface WeaviateModule {
  readonly default: {
    connectToCustom(options: object): Promise<Client>;
    connectToWeaviateCloud(host: string, options: object): Promise<Client>;
  };
  readonly Filters: { and(...filters: readonly Filter[]): Filter };
}

/** Objects of a page; far below the results of a query. */
const PAGE = 2000;
/** Objects of one `insertMany`. The client prepares some 400 objects between two looks, half a second apart. */
const INSERTED = 250;
const CLOUD = /\.weaviate\.(?:cloud|network)$/;
/** No object has this id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Weaviate. */
export const weaviate: Adapter = {
  id: 'weaviate',
  summary: { database: 'Weaviate', index: 'HNSW without quantization, cosine', keywords: 'its own BM25' },
  url: {
    schemes: ['weaviate'],
    form: 'weaviate://KEY@HOST:8080/COLLECTION[?grpc=HOST:50051&tls=false]',
    kind: 'server',
    path: 'collection',
    parameters: ['grpc'],
    environment: { secret: 'WEAVIATE_API_KEY' },
  },
  clients: ['weaviate-client'],
  limits: {
    maxRecords: 1000,
    maxBytes: 30 * 2 ** 20,
    maxIds: 1000,
    maxNoteBytes: Infinity,
    maxDimensions: 65_535,
  },
  classify(error) {
    const { name, code, message } = Object(error) as Readonly<Record<string, unknown>>;
    switch (name) {
      case 'WeaviateUnauthenticatedError':
      case 'WeaviateInsufficientPermissionsError':
        return 'unauthorized';
      case 'WeaviateUnexpectedStatusCodeError':
        return Number(code) >= 500 || code === 429 ? 'transient' : 'rejected';
      case 'WeaviateRequestTimeoutError':
        return 'unavailable';
      case 'WeaviateQueryError':
      case 'WeaviateBatchError':
        // The client has repeated these five times.
        return String(message).includes(' UNAVAILABLE: ') ? 'unavailable' : undefined;
      default:
        return undefined;
    }
  },
  connect: connectTo,
};

async function connectTo({ address, load, timeoutMs }: ConnectionDeps): Promise<Connection> {
  const { default: module, Filters } = (await load('weaviate-client')) as WeaviateModule;
  const seconds = timeoutMs / 1000;
  const options = {
    // The checks of the client call the server, and print to the console when gRPC does not answer.
    skipInitChecks: true,
    timeout: { init: seconds, query: seconds, insert: seconds },
    ...(address.secret === undefined ? undefined : { authCredentials: address.secret }),
  };
  const client = CLOUD.test(address.host)
    ? await module.connectToWeaviateCloud(address.host, options)
    : await module.connectToCustom({ ...hostsOf(address), ...options });
  return new WeaviateConnection(client, (...filters) => Filters.and(...filters), address.collection);
}

function hostsOf({ host, port, tls, parameters }: StoreAddress): object {
  const [, grpcHost = host, grpcPort = '50051'] =
    /^(.*?)(?::(\d+))?$/.exec(parameters.get('grpc') ?? '') ?? [];
  return {
    httpHost: host,
    httpPort: port ?? 8080,
    httpSecure: tls,
    grpcHost: grpcHost === '' ? host : grpcHost,
    grpcPort: Number(grpcPort),
    grpcSecure: tls,
  };
}

class WeaviateConnection implements Connection {
  readonly #client: Client;
  readonly #and: (...filters: readonly Filter[]) => Filter;
  readonly #names: { readonly chunks: string; readonly manifest: string };
  #isProven = false;

  constructor(client: Client, and: (...filters: readonly Filter[]) => Filter, collection: string) {
    this.#client = client;
    this.#and = and;
    // The name of a collection begins with a capital letter.
    const name = collection.charAt(0).toUpperCase() + collection.slice(1);
    this.#names = { chunks: name, manifest: `${name}_manifest` };
  }

  async exists(): Promise<{ chunks: boolean; manifest: boolean }> {
    const { collections } = this.#client;
    const found = {
      chunks: await collections.exists(this.#names.chunks),
      manifest: await collections.exists(this.#names.manifest),
    };
    await this.#prove();
    return found;
  }

  createManifest(): Promise<void> {
    return this.#create('manifest', MANIFEST);
  }

  createChunks(): Promise<void> {
    return this.#create('chunks', CHUNKS);
  }

  async drop(): Promise<void> {
    for (const name of [this.#names.chunks, this.#names.manifest])
      if (await this.#client.collections.exists(name)) await this.#client.collections.delete(name);
  }

  async getNotes(ids: readonly string[]): Promise<Note[]> {
    return (await this.#fetchByIds('manifest', ids, {})).map(noteOf);
  }

  async *scanNotes(kind: Note['kind'], group: string | undefined): AsyncGenerator<Note[]> {
    const { filter, query } = this.#get('manifest');
    const isWanted = (note: Note): boolean =>
      note.kind === kind && (group === undefined || note.group === group);
    // A cursor takes no filter, and a filter gives at most 10,000 results; claims of locks are few.
    if (kind === 'lock') {
      const filters = filter.byProperty('kind').equal(kind);
      yield (await query.fetchObjects({ filters, limit: PAGE })).objects.map(noteOf).filter(isWanted);
      return;
    }
    for (let after: string | undefined; ;) {
      const { objects } = await query.fetchObjects({
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      yield objects.map(noteOf).filter(isWanted);
      if (objects.length < PAGE) return;
      after = objects.at(-1)?.uuid;
    }
  }

  putNotes(notes: readonly Note[]): Promise<void> {
    return this.#insert(
      'manifest',
      notes.map(({ id, kind, group, value }) => ({ id, properties: { kind, scope: group, value } })),
    );
  }

  removeNotes(ids: readonly string[]): Promise<void> {
    return this.#remove('manifest', ids);
  }

  countChunks(): Promise<number> {
    return this.#get('chunks').length();
  }

  async listChunks(documentId: string): Promise<ListedChunk[]> {
    const { filter, sort, query } = this.#get('chunks');
    const listed = new Map<string, ListedChunk>();
    for (let first = 0; ;) {
      const { objects } = await query.fetchObjects({
        filters: this.#and(
          filter.byProperty('document_id').equal(documentId),
          filter.byProperty('chunk_index').greaterOrEqual(first),
        ),
        sort: sort.byProperty('chunk_index'),
        limit: PAGE,
        returnProperties: ['document_id', 'chunk_index', 'hash'],
      });
      // An index by whole values trims blanks.
      for (const { uuid: id, properties } of objects)
        if (properties['document_id'] === documentId)
          listed.set(id, {
            id,
            chunkIndex: Number(properties['chunk_index']),
            hash: String(properties['hash']),
          });
      if (objects.length < PAGE) return [...listed.values()];
      first = Math.max(first + 1, Number(objects.at(-1)?.properties['chunk_index']));
    }
  }

  async vectorsOf(ids: readonly string[]): Promise<Map<string, readonly number[]>> {
    const options = { includeVector: ['default'], returnProperties: ['chunk_index'] };
    const found = await this.#fetchByIds('chunks', ids, options);
    return new Map(found.map(({ uuid, vectors }) => [uuid, vectors?.['default'] ?? []]));
  }

  writeChunks(rows: readonly ChunkRow[]): Promise<void> {
    return this.#insert(
      'chunks',
      rows.map(({ id, document, metadata, hash, embedding }) => ({
        id,
        properties: {
          text: document,
          document_id: metadata.document_id,
          chunk_index: metadata.chunk_index,
          hash,
          metadata: JSON.stringify(metadata),
        },
        vectors: { default: embedding },
      })),
    );
  }

  removeChunks(ids: readonly string[]): Promise<void> {
    return this.#remove('chunks', ids);
  }

  async searchVector(vector: readonly number[], limit: number): Promise<ScoredChunk[]> {
    const { objects } = await this.#get('chunks').query.nearVector(vector, {
      limit,
      returnMetadata: ['distance'],
      returnProperties: ['text', 'metadata'],
    });
    return objects.map((found) => ({ ...recordOf(found), score: 1 - (found.metadata?.distance ?? 2) }));
  }

  async searchText(text: string, limit: number): Promise<ScoredChunk[]> {
    const words = questionWords(text);
    if (words.length === 0) return [];
    const { objects } = await this.#get('chunks').query.bm25(words.join(' '), {
      queryProperties: ['text'],
      limit,
      returnMetadata: ['score'],
      returnProperties: ['text', 'metadata'],
    });
    return objects.map((found) => ({ ...recordOf(found), score: found.metadata?.score ?? 0 }));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #get(name: 'chunks' | 'manifest'): Collection {
    return this.#client.collections.get(this.#names[name]);
  }

  /**
   * Rejects unless gRPC answers, before anything is written over REST. A removal that does nothing is the only call
   * that the client does not repeat with messages to the console; any answer to it will do.
   */
  async #prove(): Promise<void> {
    if (this.#isProven) return;
    const { data, filter } = this.#get('manifest');
    await data.deleteMany(filter.byId().containsAny([NO_ID]), { dryRun: true }).catch((error: unknown) => {
      const { message } = error as Error;
      if (/UNAVAILABLE|timed out/.test(message))
        throw new Error(`UNAVAILABLE: its port for gRPC, which ?grpc=HOST:50051 names, does not answer`);
    });
    this.#isProven = true;
  }

  async #create(name: 'chunks' | 'manifest', schema: object): Promise<void> {
    const { collections } = this.#client;
    if (await collections.exists(this.#names[name])) return;
    await collections
      .createFromSchema({ class: this.#names[name], ...schema })
      .catch(async (error: unknown) => {
        // Another process was faster.
        if (!(await collections.exists(this.#names[name]))) throw error;
      });
  }

  async #fetchByIds(
    name: 'chunks' | 'manifest',
    ids: readonly string[],
    options: object,
  ): Promise<readonly WeaviateObject[]> {
    if (ids.length === 0) return [];
    const { filter, query } = this.#get(name);
    const filters = filter.byId().containsAny(ids);
    return (await query.fetchObjects({ filters, limit: ids.length, ...options })).objects;
  }

  async #insert(name: 'chunks' | 'manifest', objects: readonly object[]): Promise<void> {
    const { data } = this.#get(name);
    const parts = Array.from({ length: Math.ceil(objects.length / INSERTED) }, (_, at) =>
      objects.slice(at * INSERTED, (at + 1) * INSERTED),
    );
    await Promise.all(
      parts.map(async (part) => {
        const [issue] = Object.values((await data.insertMany(part)).errors);
        if (issue !== undefined) throw new Error(issue.message);
      }),
    );
  }

  async #remove(name: 'chunks' | 'manifest', ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { data, filter } = this.#get(name);
    const { failed } = await data.deleteMany(filter.byId().containsAny(ids));
    if (failed > 0) throw new Error(`UNAVAILABLE: ${failed} of ${ids.length} objects were not removed`);
  }
}

const recordOf = ({ uuid, properties }: WeaviateObject): ChunkRecord => ({
  id: uuid,
  document: String(properties['text']),
  metadata: JSON.parse(String(properties['metadata'])) as ChunkRecord['metadata'],
});

const noteOf = ({ uuid, properties }: WeaviateObject): Note => ({
  id: uuid,
  kind: properties['kind'] as Note['kind'],
  group: String(properties['scope']),
  value: String(properties['value']),
});
