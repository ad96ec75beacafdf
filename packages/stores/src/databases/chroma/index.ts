// Chroma, over the client `chromadb`. A record's metadata only grow in an upsert, so records that exist are deleted
// before they are written again. Documented quotas of Chroma Cloud: 300 records a write, 300 results a read, 16 KiB a
// document; a server of one's own takes 5,461 records a write.
import type { ChunkRecord } from '@grainline/core';
import type { Adapter, ChunkRow, Connection, ConnectionDeps, Note } from '../../connection.ts';
import { HASH_KEY, recordMetadata, storedMetadata } from '../../metadata.ts';
import { questionWords, rankByWords } from '../../words.ts';

type Values = Readonly<Record<string, string | number | boolean>>;
interface Columns {
  readonly ids: readonly string[];
  readonly documents: readonly (string | null)[];
  readonly metadatas: readonly (Values | null)[];
  readonly embeddings: readonly (readonly number[])[];
}
interface Collection {
  count(): Promise<number>;
  upsert(columns: object): Promise<void>;
  delete(options: { readonly ids: readonly string[] }): Promise<unknown>;
  get(options: object): Promise<Columns>;
  query(options: object): Promise<{
    readonly ids: readonly (readonly string[])[];
    readonly documents: readonly (readonly (string | null)[])[];
    readonly metadatas: readonly (readonly (Values | null)[])[];
    readonly distances: readonly (readonly (number | null)[])[];
  }>;
}
interface Client {
  getCollection(options: object): Promise<Collection>;
  getOrCreateCollection(options: object): Promise<Collection>;
  deleteCollection(options: { readonly name: string }): Promise<void>;
}
interface ChromaModule {
  readonly ChromaClient: new (options: object) => Client;
}

/** Records of a write, and results of a read. */
const PAGE = 300;
/** Words of a question that are searched, the longest of it. */
const SEARCHED_WORDS = 12;

/** Chroma. */
export const chroma: Adapter = {
  id: 'chroma',
  summary: {
    database: 'Chroma',
    index: 'HNSW, cosine',
    keywords: 'documents that contain a word, at most 300 for each of 12 words, ranked here by BM25',
  },
  url: {
    schemes: ['chroma'],
    form: 'chroma://HOST:8000/COLLECTION[?tenant=NAME&database=NAME&tls=false]',
    kind: 'server',
    port: 8000,
    path: 'collection',
    parameters: ['tenant', 'database'],
    environment: { secret: 'CHROMA_API_KEY' },
  },
  clients: ['chromadb'],
  limits: {
    maxRecords: PAGE,
    maxBytes: 30 * 2 ** 20,
    maxIds: PAGE,
    maxNoteBytes: 16_000,
    maxDimensions: 65_536,
  },
  classify(error) {
    const { name } = Object(error) as { readonly name?: unknown };
    if (name === 'ChromaConnectionError' || name === 'ChromaRateLimitError') return 'transient';
    if (name === 'ChromaUnauthorizedError' || name === 'ChromaForbiddenError') return 'unauthorized';
    return undefined;
  },
  connect: connectTo,
};

async function connectTo({ address, load }: ConnectionDeps): Promise<Connection> {
  const { ChromaClient } = (await load('chromadb')) as ChromaModule;
  const tenant = address.parameters.get('tenant');
  const database = address.parameters.get('database');
  const client = new ChromaClient({
    host: address.host,
    port: address.port,
    ssl: address.tls,
    ...(tenant === undefined ? undefined : { tenant }),
    ...(database === undefined ? undefined : { database }),
    ...(address.secret === undefined ? undefined : { headers: { 'x-chroma-token': address.secret } }),
  });
  return new ChromaConnection(client, address.collection);
}

class ChromaConnection implements Connection {
  readonly #client: Client;
  readonly #names: { readonly chunks: string; readonly manifest: string };
  readonly #open = new Map<string, Collection>();

  constructor(client: Client, collection: string) {
    this.#client = client;
    this.#names = { chunks: collection, manifest: `${collection}_manifest` };
  }

  async exists(): Promise<{ chunks: boolean; manifest: boolean }> {
    this.#open.clear();
    return {
      chunks: (await this.#find('chunks')) !== undefined,
      manifest: (await this.#find('manifest')) !== undefined,
    };
  }

  async createManifest(): Promise<void> {
    await this.#create('manifest');
  }

  async createChunks(): Promise<void> {
    await this.#create('chunks');
  }

  async drop(): Promise<void> {
    this.#open.clear();
    for (const name of ['chunks', 'manifest'] as const)
      if ((await this.#find(name)) !== undefined)
        await this.#client.deleteCollection({ name: this.#names[name] });
    this.#open.clear();
  }

  async getNotes(ids: readonly string[]): Promise<Note[]> {
    if (ids.length === 0) return [];
    const manifest = await this.#get('manifest');
    return notesOf(await manifest.get({ ids, include: ['documents', 'metadatas'], limit: ids.length }));
  }

  async *scanNotes(kind: Note['kind'], group: string | undefined): AsyncGenerator<Note[]> {
    const manifest = await this.#get('manifest');
    const where = group === undefined ? { kind } : { $and: [{ kind }, { scope: group }] };
    for await (const page of pagesOf(manifest, { where, include: ['documents', 'metadatas'] }))
      yield notesOf(page);
  }

  async putNotes(notes: readonly Note[]): Promise<void> {
    await (
      await this.#get('manifest')
    ).upsert({
      ids: notes.map(({ id }) => id),
      documents: notes.map(({ value }) => value),
      metadatas: notes.map(({ kind, group }) => ({ kind, scope: group })),
      // Every record has a vector, and nothing searches these.
      embeddings: notes.map(() => [1]),
    });
  }

  async removeNotes(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await (await this.#get('manifest')).delete({ ids });
  }

  async countChunks(): Promise<number> {
    return (await this.#get('chunks')).count();
  }

  async listChunks(documentId: string): Promise<{ id: string; chunkIndex: number; hash: string }[]> {
    const options = { where: { document_id: documentId }, include: ['metadatas'] };
    const pages = await Array.fromAsync(pagesOf(await this.#get('chunks'), options));
    return pages.flatMap(({ ids, metadatas }) =>
      ids.map((id, at) => ({
        id,
        chunkIndex: Number(metadatas[at]?.['chunk_index']),
        hash: String(metadatas[at]?.[HASH_KEY]),
      })),
    );
  }

  async vectorsOf(ids: readonly string[]): Promise<Map<string, readonly number[]>> {
    if (ids.length === 0) return new Map();
    const chunks = await this.#get('chunks');
    const found = await chunks.get({ ids, include: ['embeddings'], limit: ids.length });
    return new Map(found.ids.map((id, at) => [id, found.embeddings[at] ?? []]));
  }

  async writeChunks(rows: readonly ChunkRow[]): Promise<void> {
    const chunks = await this.#get('chunks');
    const ids = rows.map(({ id }) => id);
    const stored = await chunks.get({ ids, include: [], limit: ids.length });
    if (stored.ids.length > 0) await chunks.delete({ ids: stored.ids });
    await chunks.upsert({
      ids,
      documents: rows.map(({ document }) => document),
      metadatas: rows.map(storedMetadata),
      embeddings: rows.map(({ embedding }) => embedding),
    });
  }

  async removeChunks(ids: readonly string[]): Promise<void> {
    await (await this.#get('chunks')).delete({ ids });
  }

  async searchVector(vector: readonly number[], limit: number): Promise<(ChunkRecord & { score: number })[]> {
    const chunks = await this.#get('chunks');
    const found = await chunks.query({
      queryEmbeddings: [vector],
      // A small collection is shorter than the limit, which some versions of the server refuse.
      nResults: Math.min(limit, Math.max(1, await chunks.count())),
      include: ['documents', 'metadatas', 'distances'],
    });
    const [ids = [], documents = [], metadatas = [], distances = []] = [
      found.ids[0],
      found.documents[0],
      found.metadatas[0],
      found.distances[0],
    ];
    return ids.map((id, at) => ({
      id,
      document: documents[at] ?? '',
      metadata: recordMetadata(metadatas[at] ?? {}),
      score: 1 - (distances[at] ?? 2),
    }));
  }

  async searchText(text: string, limit: number): Promise<(ChunkRecord & { score: number })[]> {
    const chunks = await this.#get('chunks');
    const words = questionWords(text)
      .toSorted((one, other) => other.length - one.length)
      .slice(0, SEARCHED_WORDS);
    const candidates = new Map<string, ChunkRecord>();
    for (const word of words) {
      const options = { whereDocument: containsAny(spellingsOf(word, text)), limit: PAGE };
      const found = await chunks.get({ ...options, include: ['documents', 'metadatas'] });
      for (const record of recordsOf(found)) candidates.set(record.id, record);
    }
    return rankByWords([...candidates.values()], text, await chunks.count(), limit);
  }

  close(): Promise<void> {
    this.#open.clear();
    return Promise.resolve();
  }

  async #find(name: 'chunks' | 'manifest'): Promise<Collection | undefined> {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    try {
      const found = await this.#client.getCollection({ name: this.#names[name], embeddingFunction: EMBEDS });
      this.#open.set(name, found);
      return found;
    } catch (error) {
      if (/NotFound|InvalidCollection/.test((error as Error).name)) return undefined;
      throw error;
    }
  }

  async #get(name: 'chunks' | 'manifest'): Promise<Collection> {
    const found = await this.#find(name);
    if (found === undefined) throw new Error(`the collection ${this.#names[name]} does not exist`);
    return found;
  }

  async #create(name: 'chunks' | 'manifest'): Promise<void> {
    const created = await this.#client.getOrCreateCollection({
      name: this.#names[name],
      configuration: { hnsw: { space: 'cosine' } },
      embeddingFunction: null,
    });
    this.#open.set(name, created);
  }
}

/** Stands for an embedder, without which the client warns; every write and search brings its vectors. */
const EMBEDS = {
  name: 'grainline',
  generate: (): Promise<never> => Promise.reject(new Error('every record has its vector')),
};

async function* pagesOf(collection: Collection, options: object): AsyncGenerator<Columns> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await collection.get({ ...options, limit: PAGE, offset });
    yield page;
    if (page.ids.length < PAGE) return;
  }
}

function notesOf({ ids, documents, metadatas }: Columns): Note[] {
  return ids.map((id, at) => ({
    id,
    kind: metadatas[at]?.['kind'] as Note['kind'],
    group: String(metadatas[at]?.['scope'] ?? ''),
    value: documents[at] ?? '',
  }));
}

const recordsOf = ({ ids, documents, metadatas }: Columns): ChunkRecord[] =>
  ids.map((id, at) => ({
    id,
    document: documents[at] ?? '',
    metadata: recordMetadata(metadatas[at] ?? {}),
  }));

/** The filter of Chroma knows large and small letters, so a word is searched in the usual spellings. */
function spellingsOf(word: string, question: string): string[] {
  const asGiven = question.match(/[\p{L}\p{M}\p{N}]+/gu)?.filter((one) => one.toLowerCase() === word) ?? [];
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  return [...new Set([word, capital, word.toUpperCase(), ...asGiven])];
}

function containsAny(words: readonly string[]): object {
  const conditions = words.map((word) => ({ $contains: word }));
  return conditions.length === 1 ? { ...conditions[0] } : { $or: conditions };
}
