// PostgreSQL with pgvector, for real, and the client `pg` against a server that refuses it.
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/index.ts';
import { describeContract } from '../contract.ts';
import { SPEC } from '../samples.ts';
import { load } from './peers.ts';
import { startPglite, startRefusingPostgres } from './pglite.ts';
import { describeRefusals } from './refusals.ts';

/** One server for the whole file: it takes seconds to start. */
const running = startPglite(true);
afterAll(async () => (await running).close());

describeContract('PostgreSQL with pgvector', async () => {
  const { port, db } = await running;
  return {
    url: (collection) =>
      `postgres://postgres:secret-of-the-test@127.0.0.1:${port}/postgres?collection=${collection}`,
    options: { load },
    makeForeign: async (collection) => {
      await db.exec(`create table ${collection} (id integer)`);
    },
  };
});

describeRefusals('PostgreSQL', {
  start: startRefusingPostgres,
  url: (port, secret) => `postgres://postgres:${secret}@127.0.0.1:${port}/postgres?collection=refused`,
});

describe('PostgreSQL', () => {
  it('without the extension is refused before anything is written, with the way out', async () => {
    const { port, close } = await startPglite(false);
    const store = await openStore(`postgres://postgres:secret@127.0.0.1:${port}/postgres`, { load });
    await expect(store.prepare(SPEC)).rejects.toMatchObject({
      code: 'missing_extension',
      message: expect.stringContaining('create extension vector') as string,
    });
    // A dry run inspects alone.
    await expect(store.inspect()).rejects.toMatchObject({ code: 'missing_extension' });
    await store.close();
    await close();
  }, 300_000);

  it.each([
    ['another key', '(id integer)'],
    ['another column', '(id uuid, kind text, scope text)'],
  ])('leaves alone the table of another program in place of the manifest: %s', async (_, columns) => {
    const { port, db } = await running;
    await db.exec(`drop table if exists taken_manifest; create table taken_manifest ${columns}`);
    const store = await openStore(`postgres://postgres@127.0.0.1:${port}/postgres?collection=taken`, {
      load,
    });
    for (const call of [() => store.inspect(), () => store.prepare(SPEC), () => store.drop()])
      await expect(call()).rejects.toMatchObject({
        code: 'foreign_collection',
        message: expect.stringContaining('The collection taken_manifest of') as string,
      });
    expect(await db.exec('select * from taken_manifest')).toMatchObject([{ rows: [] }]);
    await store.close();
  });

  it('takes the vectors of large models, under the index that their length allows', async () => {
    const { port, db } = await running;
    for (const [dimensions, index] of [
      [1536, 'vector_cosine_ops'],
      [3072, 'halfvec_cosine_ops'],
      [4096, undefined],
    ] as const) {
      const collection = `wide_${dimensions}`;
      const url = `postgres://postgres@127.0.0.1:${port}/postgres?collection=${collection}`;
      const store = await openStore(url, { load });
      await store.prepare({ ...SPEC, embedding: { ...SPEC.embedding, dimensions } });
      const vector = Array.from({ length: dimensions }, (_, at) => Math.sin(at));
      await store.upsert([
        {
          id: '00000000-0000-5000-8000-000000000001',
          document: 'Wide.',
          metadata: {
            document_id: 'w',
            chunk_index: 0,
            total_chunks: 1,
            char_count: 5,
            start_offset: 0,
            end_offset: 5,
          },
          embedding: vector,
        },
      ]);
      expect((await store.search({ vector }))[0]?.score).toBeCloseTo(1, 3);
      const [result] = (await db.exec(
        `select indexdef from pg_indexes where indexname = '${collection}_embedding'`,
      )) as { rows: { indexdef: string }[] }[];
      if (index === undefined) expect(result!.rows).toEqual([]);
      else expect(result!.rows[0]!.indexdef).toContain(index);
      await store.close();
    }
  });
});
