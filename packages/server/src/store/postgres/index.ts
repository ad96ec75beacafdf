// The engine of the store for many machines: one PostgreSQL, any number of servers on it.
//
// Everything that a client sees is synced to the log of the database, as PostgreSQL is configured: payments, results,
// granted pages, progress of jobs. Steps that only a server sees, such as a renewed lease, do not wait for that: a
// crash of the database may lose the last half second of them. Calls have few statements, because each is a way to
// another machine and back. Exactness between machines rests on the written row, never on a row that was read before.
import { randomUUID } from 'node:crypto';
import { createStore, type StoreOptions } from '../create-store.ts';
import { type SqlDialect, type Engine, Rollback, type Steps } from '../engine.ts';
import type { Store } from '../store.ts';
import { type Database, openDatabase, type Query, startError } from './database.ts';
import { migrate, requireMigrated, STEP_COUNT } from './schema.ts';
import { keyText } from './text.ts';

/** The address of the database, and its use. */
export interface PostgresStoreOptions extends StoreOptions {
  /** `postgresql://user:password@host:5432/database`. Everything is kept in its schema `grainline`. */
  readonly databaseUrl: string;
  /** Most connections of this process. Default: 10. */
  readonly connections?: number;
  /** `run` creates and updates the tables; `require` expects them up to date. Default: `run`. */
  readonly migrations?: 'run' | 'require';
  /** Milliseconds since 1970, for everything. Default: the clock of the database, which all machines share. */
  readonly now?: (() => number) | undefined;
}

/** Default number of connections: nine servers, each with one more for notifications, fit into 100 connections. */
const DEFAULT_CONNECTIONS = 10;

/**
 * Connects, and creates missing tables.
 *
 * @throws StoreError `database_unusable`, `database_behind`, `database_newer`
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { databaseUrl, connections = DEFAULT_CONNECTIONS, migrations = 'run' } = options;
  const database = await openDatabase(databaseUrl, connections);
  try {
    if (migrations === 'run') await migrate(database);
    else await requireMigrated(database);
  } catch (error) {
    await database.close();
    throw startError(error);
  }
  return createStore(createEngine(database, options), options);
}

/**
 * Creates or updates the tables in a database.
 *
 * @returns the steps before and after
 * @throws StoreError `database_unusable`, `database_newer`
 */
export async function migrateDatabase(databaseUrl: string): Promise<{ before: number; after: number }> {
  const database = await openDatabase(databaseUrl, 1);
  try {
    const before = await migrate(database);
    return { before, after: STEP_COUNT };
  } catch (error) {
    throw startError(error);
  } finally {
    await database.close();
  }
}

const EPOCH_MS = 'extract(epoch FROM statement_timestamp()) * 1000';
/** Channel of NOTIFY for processes that wait for jobs. The payload is the id of one process, or empty for all. */
const CHANNEL = 'grainline_jobs';
/** A process that marked itself as idle earlier has most likely ended: it does so at every poll for jobs. */
const IDLE_MS = 10_000;
/** First keys of advisory locks with two keys. */
const LOCK_KINDS = { client: 40_217_661, jobs: 40_217_662, free_bytes: 40_217_663, paid_bytes: 40_217_664 };
const NOW = `coalesce($1::bigint, floor(${EPOCH_MS})::bigint)`;
/** Number of the advisory lock of sweeps. */
const SWEEP_LOCK = 4_021_766_114;
const QUICK = `set_config('synchronous_commit', 'off', true)`;

/**
 * Machines that share a database may disagree about the time by seconds, and a lease must end for all of them at one
 * moment. So each statement reads the database's clock, unless a value gives the time.
 */
const DIALECT: SqlDialect = {
  now: NOW,
  quick: QUICK,
  version: 'kept.xmin::text',
  hasVersions: true,
  // Another transaction drops a locked row, and to wait for it could be a deadlock.
  lockFree: 'FOR UPDATE SKIP LOCKED',
  trySweepLock: `pg_try_advisory_xact_lock(${SWEEP_LOCK})`,
  deleteRows: (table, _key, select) =>
    `WITH deleted AS (DELETE FROM grainline.${table} WHERE ctid = ANY (ARRAY(${select('ctid')})) RETURNING 1)
     SELECT count(*) AS count FROM deleted`,
  // Other transactions wait for the locks and the sums of a batch, on a busy machine some 20 ms for a thousand rows.
  sweepRows: 250,
  sweepPauseMs: 10,
  lock: (kind, name) => `pg_advisory_xact_lock(${LOCK_KINDS[kind]}, hashtext(${name}))`,
  // NOTIFY holds a lock of the whole database server during its commit, so that this commit must not wait for the disk.
  wakeWorker: `DELETE FROM grainline.idle_workers WHERE worker = (
      SELECT worker FROM grainline.idle_workers WHERE since_ms > ${NOW} - ${IDLE_MS}
      ORDER BY since_ms LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING pg_notify('${CHANNEL}', worker), ${QUICK}`,
  touch: `UPDATE grainline.pinged SET at_ms = floor(${EPOCH_MS})::bigint RETURNING ${QUICK}`,
};

const MARK_IDLE = `INSERT INTO grainline.idle_workers AS w (worker, since_ms) VALUES ($2, ${NOW})
  ON CONFLICT (worker) DO UPDATE SET since_ms = excluded.since_ms RETURNING ${QUICK}`;
const UNMARK_IDLE = `DELETE FROM grainline.idle_workers WHERE worker = $1 RETURNING ${QUICK}`;

function createEngine(database: Database, { now }: PostgresStoreOptions): Engine {
  const hereMs = now ?? Date.now;
  const time = (nowMs = hereMs()): number | null => (now === undefined ? null : nowMs);
  /** Names this process in `idle_workers` while it listens. */
  const worker = randomUUID();
  let listeners = 0;
  // A change that keeps its connection writes right after its read, so that few others come in between.
  const change = <Result>(steps: () => Steps<Result>): Promise<Result> =>
    database.session((query) => runSteps(query, steps()));
  return {
    dialect: DIALECT,
    now: hereMs,
    time,
    keyText,
    read: change,
    change: (_durability, steps) => change(steps),
    async transaction<Result>(_durability: unknown, steps: () => Steps<Result>): Promise<Result> {
      try {
        return await database.transaction((query) => runSteps(query, steps()));
      } catch (error) {
        if (error instanceof Rollback) return error.result as Result;
        throw error;
      }
    },
    requireDisk: () => undefined,
    onJob(listener) {
      listeners++;
      const end = database.listen(CHANNEL, (payload = '') => {
        if (payload === '' || payload === worker) listener();
      });
      return () => {
        listeners--;
        end();
        // Until then the mark costs a wake-up without a claim.
        database.query(UNMARK_IDLE, [worker]).catch(() => undefined);
      };
    },
    async markIdle() {
      if (listeners === 0) return false;
      await database.query(MARK_IDLE, [time(), worker]);
      return true;
    },
    close: () => database.close(),
  };
}

async function runSteps<Result>(query: Query, steps: Steps<Result>): Promise<Result> {
  let step = steps.next([]);
  while (step.done !== true) step = steps.next(await query(step.value.text, step.value.values));
  return step.value;
}
