// LanceDB, for real, in this process: a table whose schema is inferred from our rows, merged by id, searched by word.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import { chunkSync } from '../../src/index.ts';
import { formatChunks } from '../../src/formats/index.ts';
import { HOSTILE_NAMES, hostileChunks, vectorsFor } from '../formats/samples.ts';
import { describe, it, peer, temporaryFolder } from './peers.ts';

type Row = Record<string, unknown>;
interface Query {
  limit(count: number): Query;
  where(condition: string): Query;
  toArray(): Promise<Row[]>;
}
interface Table {
  countRows(): Promise<number>;
  createIndex(column: string, options: object): Promise<void>;
  search(query: string | number[], kind?: string, columns?: string): Query;
  query(): Query;
  mergeInsert(on: string): {
    whenMatchedUpdateAll(): {
      whenNotMatchedInsertAll(): { execute(rows: readonly Row[]): Promise<unknown> };
    };
  };
}
interface LanceModule {
  connect(folder: string): Promise<{ createTable(name: string, rows: readonly Row[]): Promise<Table> }>;
  readonly Index: { fts(): unknown };
}

const DIMENSIONS = 8;

describe('LanceDB', () => {
  const chunks = hostileChunks();
  const vectors = vectorsFor(chunks.length, DIMENSIONS);
  const folder = temporaryFolder();
  let lance: LanceModule;
  let create: (name: string, rows: readonly Row[]) => Promise<Table>;

  /** Flat rows, as its documentation has them. */
  const rowsOf = (options: { documentId: string; filename?: string }, some = chunks): Row[] =>
    formatChunks(some, 'qdrant', { ...options, vectors: vectors.slice(0, some.length) }).records.map(
      ({ id, vector, payload }) => ({
        id,
        vector,
        ...payload,
      }),
    );
  const merge = (table: Table, rows: readonly Row[]) =>
    table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);

  before(async () => {
    lance = await peer<LanceModule>('@lancedb/lancedb');
    const database = await lance.connect(folder);
    create = (name, rows) => database.createTable(name, rows);
  });

  it('infers a table from hostile text, gives it back unchanged, and does not grow when merged again', async () => {
    const rows = rowsOf({ documentId: 'handbook.pdf', filename: HOSTILE_NAMES[1] ?? '' });
    const table = await create('hostile', rows);
    await merge(table, rows);
    assert.equal(await table.countRows(), chunks.length);
    const stored = new Map((await table.query().limit(10_000).toArray()).map((row) => [row['id'], row]));
    for (const row of rows) {
      const found = stored.get(row['id']);
      for (const key of ['text', 'filename', 'document_id', 'chunk_index', 'page_start', 'end_offset']) {
        assert.equal(found?.[key], row[key]);
      }
    }
  });

  it('finds each chunk by its own vector', async () => {
    const table = await create('vectors', rowsOf({ documentId: 'd' }));
    for (const [index, vector] of vectors.slice(0, 10).entries()) {
      const [nearest] = await table.search(vector).limit(1).toArray();
      assert.equal(nearest?.['chunk_index'], index);
    }
  });

  it('finds chunks by word', async () => {
    const table = await create('words', rowsOf({ documentId: 'd' }));
    await table.createIndex('text', { config: lance.Index.fts() });
    const found = await table.search('quotes', 'fts', 'text').limit(10).toArray();
    assert.ok(found.length > 0);
    for (const row of found) assert.match(String(row['text']), /quotes/);
  });

  it('replaces only what an edit changed', async () => {
    const text = Array.from({ length: 30 }, (_, index) => `Paragraph ${index}. ${'More words. '.repeat(20)}`);
    const before = chunkSync(text.join('\n\n'), { size: 300 });
    const after = chunkSync(text.with(0, 'New.').join('\n\n'), { size: 300 });
    const table = await create('edited', rowsOf({ documentId: 'd' }, before));
    const old = new Set(rowsOf({ documentId: 'd' }, before).map((row) => row['id']));
    const fresh = rowsOf({ documentId: 'd' }, after).filter((row) => !old.has(row['id']));
    assert.ok(fresh.length >= 1 && fresh.length <= 2, `${fresh.length} new`);
    await merge(table, rowsOf({ documentId: 'd' }, after));
    assert.equal(await table.countRows(), before.length + fresh.length);
  });

  it('refuses what we promise never to send', async () => {
    const [first, second] = rowsOf({ documentId: 'd' });
    await assert.rejects(create('null', [{ ...first, filename: null }]), /infer/);
    await assert.rejects(create('empty', [{ ...first, keywords: [] }]), /infer/);
    await assert.rejects(create('mixed', [first ?? {}, { ...second, chunk_index: 'one' }]), /infer/);
    await assert.rejects(create('ragged', [first ?? {}, { ...second, vector: [1] }]), /infer/);
  });
});
