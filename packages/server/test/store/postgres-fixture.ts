// Runs a suite of the store on PostgreSQL, in a database of its own. Each suite has a file of its own, because files
// run side by side and these suites take the longest of all tests.
import { afterAll, beforeAll, describe } from 'vitest';
import type { ObjectStore } from '../../src/store/bodies.ts';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '@grainline/testing/postgres-server';
import type { StoreFixture } from './store.conformance.ts';

/** Opens the object store of a store. */
type OpenObjects = (now: () => number) => Promise<ObjectStore>;

/** Runs the suite; skips it with a message where no server answers. */
export async function testOnPostgres(
  suite: (engine: string, prepare: () => Promise<StoreFixture>) => void,
  openObjects?: OpenObjects,
): Promise<void> {
  describe.skipIf(!(await hasPostgres()))('PostgreSQL', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createDatabase();
    });
    afterAll(() => database.drop());

    suite('PostgreSQL', () => prepare(database, openObjects));
  });
}

/** Each test begins without our schema. */
async function prepare(database: TestDatabase, openObjects?: OpenObjects): Promise<StoreFixture> {
  await database.query('DROP SCHEMA IF EXISTS grainline CASCADE');
  const stores: Store[] = [];
  return {
    address: { engine: 'postgres', databaseUrl: database.url },
    open: async (options) => {
      const objects = await openObjects?.(options.now);
      const store = await openPostgresStore({ databaseUrl: database.url, ...options, objects });
      stores.push(store);
      return store;
    },
    check: async () => {
      const [sums] = await database.query('SELECT bytes, paid_bytes, unfinished FROM grainline.stored');
      const [counted] = await database.query(
        `SELECT coalesce(sum(bytes), 0)::bigint AS bytes,
           coalesce(sum(bytes) FILTER (WHERE paid), 0)::bigint AS paid_bytes,
           (SELECT count(*) FROM grainline.jobs WHERE state = 'processing') AS unfinished
         FROM (SELECT octet_length(gzip) + object_bytes AS bytes, paid FROM grainline.results
           UNION ALL SELECT octet_length(gzip), true FROM grainline.responses
           UNION ALL SELECT octet_length(bytes), true FROM grainline.job_orders) AS kept`,
      );
      return JSON.stringify(sums) === JSON.stringify(counted) ? 'ok' : 'the sums of bytes are wrong';
    },
    remove: async () => {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}
