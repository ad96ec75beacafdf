// LanceDB, in a folder of this machine, over its own package, which holds the database. The vector's column has a fixed
// length of 32-bit floats; metadata stand as JSON beside the columns that filters use. Searches by vector are exact up
// to INDEXED_ROWS rows; closing a larger table builds an HNSW index, whose results are compared again exactly.
import type { ChunkRecord } from '@grainline/core';
import type { Adapter, Connection, ConnectionDeps, Note } from '../../connection.ts';

type Row = Readonly<Record<string, unknown>>;
interface Query {
  where(condition: string): Query;
  select(columns: readonly string[]): Query;
  limit(count: number): Query;
  distanceType(kind: 'cosine'): Query;
  refineFactor(factor: number): Query;
  ef(size: number): Query;
  toArray(): Promise<readonly Row[]>;
}
interface Table {
  countRows(): Promise<number>;
  query(): Query;
  vectorSearch(vector: readonly number[]): Query;
  search(query: object): Query;
  delete(condition: string): Promise<unknown>;
  createIndex(column: string, options: { readonly config: unknown }): Promise<void>;
  listIndices(): Promise<readonly { readonly columns: readonly string[] }[]>;
  optimize(): Promise<unknown>;
  mergeInsert(on: string): {
    whenMatchedUpdateAll(): {
      whenNotMatchedInsertAll(): { execute(rows: readonly Row[]): Promise<unknown> };
    };
  };
}
interface Database {
  openTable(name: string): Promise<Table>;
  createEmptyTable(name: string, schema: unknown, options: { readonly existOk: boolean }): Promise<Table>;
  dropTable(name: string): Promise<void>;
  close(): void;
}
interface LanceModule {
  connect(folder: string, options: { readonly readConsistencyInterval: number }): Promise<Database>;
  readonly Index: Readonly<Record<'btree' | 'fts' | 'hnswSq', (options?: object) => unknown>>;
  readonly MatchQuery: new (text: string, column: string) => object;
}
interface ArrowModule {
  readonly Schema: new (fields: readonly unknown[]) => unknown;
  readonly Field: new (
    name: string,
    type: unknown,
    nullable: boolean,
    metadata?: ReadonlyMap<string, string>,
  ) => unknown;
  readonly Utf8: new () => unknown;
  readonly Int32: new () => unknown;
  readonly Float32: new () => unknown;
  readonly FixedSizeList: new (length: number, child: unknown) => unknown;
}

/** Rows from which an index is faster than comparing all vectors. */
const INDEXED_ROWS = 50_000;
/** With it, two writers that insert one id at the same time conflict, and one of them updates the row of the other. */
const PRIMARY_KEY: ReadonlyMap<string, string> = new Map([['lance-schema:unenforced-primary-key', 'true']]);
/** Most members of a condition `id IN (…)`. */
const IDS = 1000;

/** LanceDB. */
export const lancedb: Adapter = {
  id: 'lancedb',
  summary: {
    database: 'LanceDB',
    index: 'none up to 50,000 chunks (exact), then HNSW with scalar quantization, refined; cosine',
    keywords: 'its index for full text, BM25',
  },
  url: {
    schemes: ['lancedb'],
    form: 'lancedb:FOLDER[?collection=NAME]',
    kind: 'folder',
    path: 'none',
    parameters: [],
    environment: {},
  },
  clients: ['@lancedb/lancedb', 'apache-arrow@18.1.0'],
  limits: {
    maxRecords: 5000,
    maxBytes: 64 * 2 ** 20,
    maxIds: IDS,
    maxNoteBytes: Infinity,
    maxDimensions: 65_536,
  },
  classify: (error) =>
    error instanceof Error && /commit conflict|concurrent/i.test(error.message) ? 'transient' : undefined,
  connect: connectTo,
};

async function connectTo({ address, load }: ConnectionDeps): Promise<Connection> {
  const lance = (await load('@lancedb/lancedb')) as LanceModule;
  const arrow = (await load('apache-arrow')) as ArrowModule;
  // 0: every read sees the writes of other processes.
  const database = await lance.connect(address.folder, { readConsistencyInterval: 0 });
  return new LanceConnection(lance, arrow, database, address.collection);
}

class LanceConnection implements Connection {
  readonly #lance: LanceModule;
  readonly #arrow: ArrowModule;
  readonly #database: Database;
  readonly #names: { readonly chunks: string; readonly manifest: string };
  /** True after a write, until the indexes have taken it in. */
  #isDirty = false;

  constructor(lance: LanceModule, arrow: ArrowModule, database: Database, collection: string) {
    this.#lance = lance;
    this.#arrow = arrow;
    this.#database = database;
    this.#names = { chunks: collection, manifest: `${collection}_manifest` };
  }

  async exists(): Promise<{ chunks: boolean; manifest: boolean }> {
    return {
      chunks: (await this.#find('chunks')) !== undefined,
      manifest: (await this.#find('manifest')) !== undefined,
    };
  }

  async createManifest(): Promise<void> {
    const fields = ['kind', 'scope', 'value'].map((name) => this.#text(name));
    await this.#create('manifest', [this.#text('id', PRIMARY_KEY), ...fields]);
  }

  async createChunks(dimensions: number): Promise<void> {
    const { Field, FixedSizeList, Float32, Int32 } = this.#arrow;
    const item = new Field('item', new Float32(), true);
    const table = await this.#create('chunks', [
      this.#text('id', PRIMARY_KEY),
      this.#text('document_id'),
      new Field('chunk_index', new Int32(), false),
      this.#text('hash'),
      this.#text('text'),
      this.#text('metadata'),
      new Field('vector', new FixedSizeList(dimensions, item), false),
    ]);
    const { Index } = this.#lance;
    const isIndexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
    if (!isIndexed.has('id')) await table.createIndex('id', { config: Index.btree() });
    if (!isIndexed.has('document_id')) await table.createIndex('document_id', { config: Index.btree() });
    const words = { stem: false, removeStopWords: false, asciiFolding: false, lowercase: true };
    if (!isIndexed.has('text')) await table.createIndex('text', { config: Index.fts(words) });
  }

  async drop(): Promise<void> {
    for (const name of ['chunks', 'manifest'] as const)
      if ((await this.#find(name)) !== undefined) await this.#database.dropTable(this.#names[name]);
    this.#isDirty = false;
  }

  async getNotes(ids: readonly string[]): Promise<Note[]> {
    const table = await this.#open('manifest');
    return (await table.query().where(among(ids)).toArray()).map(noteOf);
  }

  async *scanNotes(kind: Note['kind'], group: string | undefined): AsyncGenerator<Note[]> {
    const table = await this.#open('manifest');
    const condition = `kind = ${quote(kind)}${group === undefined ? '' : ` AND scope = ${quote(group)}`}`;
    yield (await table.query().where(condition).toArray()).map(noteOf);
  }

  async putNotes(notes: readonly Note[]): Promise<void> {
    const rows = notes.map(({ id, kind, group, value }) => ({ id, kind, scope: group, value }));
    await this.#merge('manifest', rows);
  }

  async removeNotes(ids: readonly string[]): Promise<void> {
    await (await this.#open('manifest')).delete(among(ids));
  }

  async countChunks(): Promise<number> {
    return (await this.#open('chunks')).countRows();
  }

  async listChunks(documentId: string): Promise<{ id: string; chunkIndex: number; hash: string }[]> {
    const table = await this.#open('chunks');
    const rows = await table
      .query()
      .where(`document_id = ${quote(documentId)}`)
      .select(['id', 'chunk_index', 'hash'])
      .toArray();
    return rows.map((row) => ({
      id: String(row['id']),
      chunkIndex: Number(row['chunk_index']),
      hash: String(row['hash']),
    }));
  }

  async vectorsOf(ids: readonly string[]): Promise<Map<string, number[]>> {
    const table = await this.#open('chunks');
    const rows = await table.query().where(among(ids)).select(['id', 'vector']).toArray();
    return new Map(rows.map(({ id, vector }) => [String(id), Array.from(vector as Iterable<number>)]));
  }

  async writeChunks(rows: Parameters<Connection['writeChunks']>[0]): Promise<void> {
    this.#isDirty = true;
    await this.#merge(
      'chunks',
      rows.map(({ id, document, metadata, hash, embedding }) => ({
        id,
        document_id: metadata.document_id,
        chunk_index: metadata.chunk_index,
        hash,
        text: document,
        metadata: JSON.stringify(metadata),
        vector: embedding,
      })),
    );
  }

  async removeChunks(ids: readonly string[]): Promise<void> {
    this.#isDirty = true;
    await (await this.#open('chunks')).delete(among(ids));
  }

  async searchVector(vector: readonly number[], limit: number): Promise<(ChunkRecord & { score: number })[]> {
    const table = await this.#open('chunks');
    const rows = await table
      .vectorSearch(vector)
      .distanceType('cosine')
      // Both have an effect on a table with an index only.
      .refineFactor(4)
      .ef(Math.max(200, 2 * limit))
      .select(['id', 'text', 'metadata', '_distance'])
      .limit(limit)
      .toArray();
    return rows.map((row) => ({ ...recordOf(row), score: 1 - Number(row['_distance']) }));
  }

  async searchText(text: string, limit: number): Promise<(ChunkRecord & { score: number })[]> {
    const table = await this.#open('chunks');
    const rows = await table
      .search(new this.#lance.MatchQuery(text, 'text'))
      .select(['id', 'text', 'metadata', '_score'])
      .limit(limit)
      .toArray();
    return rows.map((row) => ({ ...recordOf(row), score: Number(row['_score']) }));
  }

  async close(): Promise<void> {
    const table = this.#isDirty ? await this.#find('chunks') : undefined;
    if (table !== undefined) await this.#index(table);
    this.#database.close();
  }

  /** Takes new rows into the indexes, and builds the one of the vectors when the table has become large. */
  async #index(table: Table): Promise<void> {
    await table.optimize();
    await (await this.#find('manifest'))?.optimize();
    if ((await table.countRows()) < INDEXED_ROWS) return;
    const isIndexed = (await table.listIndices()).some(({ columns }) => columns.includes('vector'));
    if (!isIndexed)
      await table.createIndex('vector', { config: this.#lance.Index.hnswSq({ distanceType: 'cosine' }) });
  }

  async #find(name: 'chunks' | 'manifest'): Promise<Table | undefined> {
    try {
      return await this.#open(name);
    } catch (error) {
      if (error instanceof Error && /not found/i.test(error.message)) return undefined;
      throw error;
    }
  }

  #open(name: 'chunks' | 'manifest'): Promise<Table> {
    return this.#database.openTable(this.#names[name]);
  }

  #create(name: 'chunks' | 'manifest', fields: readonly unknown[]): Promise<Table> {
    const schema = new this.#arrow.Schema(fields);
    return this.#database.createEmptyTable(this.#names[name], schema, { existOk: true });
  }

  #text(name: string, metadata?: ReadonlyMap<string, string>): unknown {
    return new this.#arrow.Field(name, new this.#arrow.Utf8(), false, metadata);
  }

  async #merge(name: 'chunks' | 'manifest', rows: readonly Row[]): Promise<void> {
    const table = await this.#open(name);
    await table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
  }
}

/** A string of SQL. */
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const among = (ids: readonly string[]): string => `id IN (${ids.map(quote).join(', ')})`;

const noteOf = ({ id, kind, scope, value }: Row): Note => ({
  id: String(id),
  kind: kind as Note['kind'],
  group: String(scope),
  value: String(value),
});

const recordOf = ({ id, text, metadata }: Row): ChunkRecord => ({
  id: String(id),
  document: String(text),
  metadata: JSON.parse(String(metadata)) as ChunkRecord['metadata'],
});
