// Postgres with pgvector, for real: PGlite is Postgres itself, in this process. The rows come from the raw records.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { diff, formatChunks, toRecords } from '../../src/formats/index.ts';
import {
  HOSTILE_NAMES,
  hostileChunks,
  vectorOf,
  vectorsFor,
  versionChunks,
  VERSIONS,
} from '../formats/samples.ts';
import { describe, it, peer } from './peers.ts';

interface Postgres {
  exec(sql: string): Promise<unknown>;
  query(sql: string, values?: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  close(): Promise<void>;
}
interface PgliteModule {
  readonly PGlite: { create(options: { extensions: object }): Promise<Postgres> };
}

const DIMENSIONS = 8;
const UPSERT = `insert into chunks (id, content, metadata, embedding) values ($1, $2, $3::jsonb, $4::vector)
  on conflict (id) do update set content = excluded.content, metadata = excluded.metadata, embedding = excluded.embedding`;

describe('Postgres with pgvector', () => {
  const chunks = hostileChunks();
  const vectors = vectorsFor(chunks.length, DIMENSIONS);
  let database: Postgres;

  const write = async ({
    id,
    text,
    metadata,
    embedding,
  }: {
    id: string;
    text: string;
    metadata: object;
    embedding?: number[];
  }) => {
    await database.query(UPSERT, [
      id,
      text,
      JSON.stringify(metadata),
      embedding === undefined ? null : JSON.stringify(embedding),
    ]);
  };

  before(async () => {
    const { PGlite } = await peer<PgliteModule>('@electric-sql/pglite');
    const { vector } = await peer<{ vector: object }>('@electric-sql/pglite-pgvector');
    database = await PGlite.create({ extensions: { vector } });
    await database.exec(`create extension vector;
      create table chunks (id uuid primary key, content text not null, metadata jsonb not null, embedding vector(${DIMENSIONS}))`);
  });
  after(() => database.close());

  it('stores hostile text and metadata unchanged, and does not grow the second time', async () => {
    const { records } = formatChunks(chunks, 'raw', { documentId: 'handbook.pdf', vectors });
    for (let round = 0; round < 2; round++) for (const record of records) await write(record);
    const { rows } = await database.query('select id, content, metadata from chunks');
    assert.equal(rows.length, chunks.length);
    const byId = new Map(rows.map((row) => [row['id'], row]));
    for (const { id, text, metadata } of records)
      assert.deepEqual(byId.get(id), { id, content: text, metadata });
  });

  it('finds each chunk by its own vector', async () => {
    for (const [index, embedding] of vectors.slice(0, 20).entries()) {
      const { rows } = await database.query(
        `select (metadata->>'chunk_index')::int as index from chunks order by embedding <=> $1::vector limit 1`,
        [JSON.stringify(embedding)],
      );
      assert.equal(rows[0]?.['index'], index);
    }
  });

  it('takes the flat metadata with every file name a user can give, and filters by it', async () => {
    for (const filename of HOSTILE_NAMES) {
      const options = { documentId: filename, filename, sourceUrl: filename };
      for (const { id, payload } of formatChunks(chunks.slice(0, 3), 'qdrant', options).records) {
        const { text, ...metadata } = payload;
        await write({ id, text: String(text), metadata });
      }
    }
    const { rows } = await database.query(
      `select count(*)::int as count from chunks where metadata->>'filename' = $1 and (metadata->>'chunk_index')::int >= 1`,
      ['nul\uFFFDinside'],
    );
    assert.equal(rows[0]?.['count'], 2);
  });

  it('holds after a plan what a fresh upsert of the new version holds, and only new content was embedded', async () => {
    const [before, after] = VERSIONS.map((text) =>
      toRecords(versionChunks(text), 'raw', { documentId: 'edited.md' }),
    );
    assert.ok(before !== undefined && after !== undefined);
    const table = async () => (await database.query('select * from chunks order by id')).rows;
    const embed = <Entry extends { text: string }>(record: Entry) => ({
      ...record,
      embedding: vectorOf(record.text, DIMENSIONS),
    });
    await database.exec('truncate chunks');
    for (const record of after) await write(embed(record));
    const fresh = await table();
    await database.exec('truncate chunks');
    for (const record of before) await write(embed(record));

    const { rows } = await database.query('select id, content as text, metadata from chunks');
    const plan = diff(rows, after);
    await database.query('delete from chunks where id = any($1)', [plan.delete]);
    for (const { id, metadata } of plan.update)
      await database.query('update chunks set metadata = $2 where id = $1', [id, JSON.stringify(metadata)]);
    for (const record of plan.insert) await write(embed(record));

    assert.ok(plan.insert.length < 12 && plan.delete.length < 12 && plan.keep.length > 0);
    assert.deepEqual(await table(), fresh);
  });

  it('refuses what we promise never to send', async () => {
    const id = '123e4567-e89b-12d3-a456-426614174000';
    await assert.rejects(write({ id, text: 'nul\0', metadata: {} }), /0x00|invalid byte/i);
    await assert.rejects(
      write({ id, text: 'x', metadata: { filename: 'nul\0' } }),
      /unsupported Unicode|u0000/i,
    );
    await assert.rejects(write({ id, text: 'x', metadata: { filename: 'half \uD83D' } }), /surrogate|json/i);
    await assert.rejects(write({ id: 'chunk-1', text: 'x', metadata: {} }), /uuid/i);
    await assert.rejects(write({ id, text: 'x', metadata: {}, embedding: [1] }), /dimensions/i);
  });
});
