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

/**
 * Empties the tables, as they are after their migration, which takes ten times as long. Neither triggers nor references
 * run meanwhile. TRUNCATE would be hardly faster than a migration.
 */
export async function emptyTables(database: TestDatabase): Promise<void> {
  await database.query(`DO $body$
    DECLARE name text;
    BEGIN
      IF to_regclass('grainline.stored_parts') IS NULL THEN RETURN; END IF;
      SET LOCAL session_replication_role = replica;
      FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'grainline' AND tablename NOT IN ('steps', 'stored_parts', 'pinged')
      LOOP EXECUTE format('DELETE FROM grainline.%I', name); END LOOP;
      UPDATE grainline.stored_parts SET bytes = 0, paid_bytes = 0, unfinished = 0;
      UPDATE grainline.pinged SET at_ms = 0;
    END $body$`);
}

async function prepare(database: TestDatabase, openObjects?: OpenObjects): Promise<StoreFixture> {
  await emptyTables(database);
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
