// Work of the embedded engine beside many rows: sweeps in batches, and the load of jobs from an index.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storeIn } from '../../src/store/sqlite/index.ts';
import { migrate } from '../../src/store/sqlite/schema.ts';
import type { Store } from '../../src/store/store.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ROWS = 1_200;
/** Rows that a batch deletes, and the updates of the sums by their triggers. */
const MOST_CHANGES = 2 * 500;

describe('the embedded engine beside many rows', () => {
  let folder: string;
  let database: DatabaseSync;
  let store: Store;
  const changes = (): number =>
    Number(database.prepare('SELECT total_changes() AS changes').get()?.['changes']);
  const countOf = (table: string): unknown =>
    database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'];
  /** Inserts rows numbered from 1, whose columns are expressions of `n`. */
  const insert = (table: string, columns: string): void =>
    database.exec(`INSERT INTO ${table} WITH RECURSIVE numbers (n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS}) SELECT ${columns} FROM numbers`);
  const insertJobs = (expiresMs: string): void =>
    insert(
      `jobs (id, state, progress, message, ran_ms, created_ms, deadline_ms, expires_ms)`,
      `'job ' || n, 'completed', 100, 'Completed', CASE WHEN n > ${ROWS - 100} THEN 2000 ELSE 1000 END, 0, 0, ${expiresMs}`,
    );

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'grainline-sweeps-'));
    database = new DatabaseSync(join(folder, 'grainline.db'));
    migrate(database);
    store = storeIn({ quick: database, durable: database }, { maxStoredBytes: 1e9, now: () => NOW });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('deletes one batch in a turn of the event loop, until no expired row is left', async () => {
    insert('quota', `'2026-11-01', 'client ' || n, 1`);
    insert(
      'results (id, etag, created_ms, expires_ms, gzip)',
      `'result ' || n, '', 0, ${NOW} - n, zeroblob(9)`,
    );
    insert(
      `payments (key, state, payer, credited, slot, created_ms, changed_ms)`,
      `'key ' || n, 'released', 'payer', 1, 1, 0, 0`,
    );
    insert('responses', `'key ' || n, 200, '{}', ${NOW} - n, zeroblob(9)`);
    insertJobs(`${NOW} - n`);
    let [before, most, isOver] = [changes(), 0, false];
    const watch = (): void => {
      if (isOver) return;
      const after = changes();
      most = Math.max(most, after - before);
      before = after;
      setImmediate(watch);
    };
    setImmediate(watch);
    // The second call joins the first.
    await Promise.all([store.sweep(), store.sweep()]);
    isOver = true;
    expect(most).toBeLessThanOrEqual(MOST_CHANGES);
    for (const table of ['quota', 'results', 'responses', 'jobs'])
      expect([table, countOf(table)]).toEqual([table, 0]);
    expect(database.prepare('SELECT * FROM stored').get()).toEqual({
      bytes: 0,
      paid_bytes: 0,
      unfinished: 0,
    });
  });

  it('deletes few results in one batch when they are large', async () => {
    const gzip = new Uint8Array(10 * 1024 * 1024);
    for (const id of ['a', 'b', 'c'])
      await store.putResult({ id, gzip, etag: '""', createdMs: 0, expiresMs: NOW + 1 });
    database.exec('UPDATE results SET expires_ms = 0');
    const counts: unknown[] = [];
    let isOver = false;
    const watch = (): void => {
      if (isOver) return;
      counts.push(countOf('results'));
      setImmediate(watch);
    };
    setImmediate(watch);
    await store.sweep();
    isOver = true;
    expect([...new Set(counts)]).toEqual([1, 0]);
  });

  it('reads the load of the jobs from indexes, and the duration of the latest hundred', async () => {
    insertJobs(`${NOW} + n`);
    const prepared = vi.spyOn(database, 'prepare');
    expect(await store.jobLoad()).toEqual({ waiting: 0, running: 0, meanRunMs: 2000 });
    const [text] = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('jobs'));
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all({ $1: 0 });
    const scans = plan.map(({ detail }) => String(detail)).filter((detail) => detail.includes('jobs'));
    expect(scans).toEqual([
      'SCAN jobs USING INDEX jobs_leased',
      'SEARCH jobs USING COVERING INDEX jobs_timed (expires_ms>?)',
    ]);
  });
});
