// Work of the engine for many machines beside many rows: one sweep at a time, in batches, and the load of jobs from an
// index.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDatabase, hasPostgres, type TestDatabase } from '@grainline/testing/postgres-server';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import type { Store } from '../../src/store/store.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ROWS = 2_600;
const BATCH_ROWS = 250;
const TABLES = ['quota', 'results', 'responses', 'jobs'] as const;

describe.skipIf(!(await hasPostgres()))('PostgreSQL beside many rows', () => {
  let database: TestDatabase;
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore({ databaseUrl: database.url, maxStoredBytes: 1e9, now: () => NOW });
    stores.push(store);
    return store;
  };
  /** Inserts rows numbered from 1, whose columns are expressions of `n`. */
  const insert = (table: string, columns: string): Promise<unknown> =>
    database.query(`INSERT INTO grainline.${table} SELECT ${columns} FROM generate_series(1, ${ROWS}) AS n`);
  const insertJobs = (expiresMs: string): Promise<unknown> =>
    insert(
      `jobs (id, state, progress, message, ran_ms, created_ms, deadline_ms, expires_ms)`,
      `'job ' || n, 'completed', 100, 'Completed', CASE WHEN n > ${ROWS - 100} THEN 2000 ELSE 1000 END, 0, 0, ${expiresMs}`,
    );

  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.query('DROP SCHEMA IF EXISTS grainline CASCADE; DROP TABLE IF EXISTS public.deletions');
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });

  /** Fills all tables with expired rows; a trigger writes down how many rows each statement deletes. */
  async function fill(): Promise<void> {
    await insert('quota', `'2026-11-01', 'client ' || n, 1`);
    await insert(
      'payments (key, state, payer, credited, slot, created_ms, changed_ms)',
      `'key ' || n, 'released', 'payer', 1, 1, 0, 0`,
    );
    await insertJobs(`${NOW} - n`);
    // Their triggers write the row of sums once for each row.
    for (const table of ['results', 'responses'])
      await database.query(`ALTER TABLE grainline.${table} DISABLE TRIGGER USER`);
    await insert('results', `'result ' || n, '', 0, ${NOW} - n, n % 2 = 0, '\\x0102'`);
    await insert('responses', `'key ' || n, 200, '{}', ${NOW} - n, '\\x01'`);
    for (const table of ['results', 'responses'])
      await database.query(`ALTER TABLE grainline.${table} ENABLE TRIGGER USER`);
    await database.query(
      `UPDATE grainline.stored_parts SET bytes = ${3 * ROWS}, paid_bytes = ${2 * ROWS} WHERE part = 0`,
    );
    await database.query(`CREATE TABLE public.deletions (name text, rows bigint, locks bigint);
      CREATE OR REPLACE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO public.deletions SELECT TG_TABLE_NAME, count(*),
          (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) FROM dropped;
        RETURN NULL;
      END $$;`);
    for (const table of TABLES)
      await database.query(`CREATE TRIGGER noted AFTER DELETE ON grainline.${table} REFERENCING OLD TABLE AS dropped
        FOR EACH STATEMENT EXECUTE FUNCTION public.note()`);
  }

  it('is swept in batches, each under the lock of sweeps', async () => {
    const [one, other] = [await open(), await open()];
    await fill();
    // Calls of one process join; the sweep of another server ends where it finds the lock taken.
    await Promise.all([one.sweep(), one.sweep(), one.sweep(), other.sweep()]);
    await one.sweep();
    for (const table of TABLES) {
      const deletions = await database.query<{ rows: string; locks: string }>(
        'SELECT rows, locks FROM public.deletions WHERE name = $1 AND rows > 0',
        [table],
      );
      const whole = Array.from({ length: Math.floor(ROWS / BATCH_ROWS) }, () => BATCH_ROWS);
      expect(deletions.map(({ rows }) => Number(rows))).toEqual([...whole, ROWS % BATCH_ROWS]);
      expect(new Set(deletions.map(({ locks }) => locks))).toEqual(new Set(['1']));
      expect(await database.query(`SELECT 1 FROM grainline.${table}`)).toEqual([]);
    }
    expect(await database.query('SELECT * FROM grainline.stored')).toEqual([
      { bytes: '0', paid_bytes: '0', unfinished: '0' },
    ]);
  });

  it('is not swept while another server sweeps, and is afterwards', async () => {
    const store = await open();
    await insertJobs(`${NOW} - n`);
    const holding = database.query('SELECT pg_advisory_lock(4021766114), pg_sleep(1)');
    await vi.waitFor(async () => {
      const held = `SELECT 1 FROM pg_locks JOIN pg_database AS d ON d.oid = database
        WHERE locktype = 'advisory' AND granted AND datname = current_database()`;
      expect(await database.query(held)).toHaveLength(1);
    });
    await store.sweep();
    expect(await database.query('SELECT count(*) FROM grainline.jobs')).toEqual([{ count: String(ROWS) }]);
    await holding;
    await store.sweep();
    expect(await database.query('SELECT count(*) FROM grainline.jobs')).toEqual([{ count: '0' }]);
  });

  it('reads the load of the jobs from indexes, and the duration of the latest hundred', async () => {
    await open();
    await insertJobs(`${NOW} + n`);
    await database.query('ANALYZE');
    const reads = async () => {
      const [table] = await database.query<{ rows: string; scans: string }>(
        `SELECT seq_tup_read AS rows, seq_scan + idx_scan AS scans FROM pg_stat_user_tables WHERE relname = 'jobs'`,
      );
      const [index] = await database.query<{ rows: string }>(
        `SELECT sum(idx_tup_read) AS rows FROM pg_stat_user_indexes WHERE relname = 'jobs'`,
      );
      return { rows: Number(table?.rows) + Number(index?.rows), scans: Number(table?.scans) };
    };
    const store = await open();
    const before = await reads();
    expect(await store.jobLoad()).toEqual({ waiting: 0, running: 0, meanRunMs: 2000 });
    // PostgreSQL counts what a connection has read at its end.
    await store.close();
    const after = await vi.waitFor(async () => {
      const counted = await reads();
      expect(counted.scans).toBeGreaterThan(before.scans);
      return counted;
    });
    expect(after.rows - before.rows).toBeLessThanOrEqual(101);
  });
});
