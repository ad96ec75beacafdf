// The engine of the store for many machines: one PostgreSQL, any number of servers on it.
//
// Everything that a client sees is synced to the log of the database, as PostgreSQL is configured: payments, results,
// granted pages, progress of jobs. Steps that only a server sees, such as a renewed lease, do not wait for that: a
// crash of the database may lose the last half second of them. Calls have few statements, because each is a way to
// another machine and back. Exactness between machines rests on the written row, never on a row that was read before.
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

/** Default number of connections: nine servers fit into an unconfigured PostgreSQL. */
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
/** Channel of NOTIFY for processes that wait for jobs. */
const CHANNEL = 'grainline_jobs';
/** Number of the advisory lock of sweeps. */
const SWEEP_LOCK = 4_021_766_114;
const QUICK = `set_config('synchronous_commit', 'off', true)`;

/**
 * Machines that share a database may disagree about the time by seconds, and a lease must end for all of them at one
 * moment. So each statement reads the database's clock, unless a value gives the time.
 */
const DIALECT: SqlDialect = {
  now: `coalesce($1::bigint, floor(${EPOCH_MS})::bigint)`,
  quick: QUICK,
  version: 'kept.xmin::text',
  // Another transaction drops a locked row, and to wait for it could be a deadlock.
  lockFree: 'FOR UPDATE SKIP LOCKED',
  trySweepLock: `pg_try_advisory_xact_lock(${SWEEP_LOCK})`,
  deleteRows: (table, _key, select) =>
    `WITH deleted AS (DELETE FROM grainline.${table} WHERE ctid = ANY (ARRAY(${select('ctid')})) RETURNING 1)
     SELECT count(*) AS count FROM deleted`,
  sweepRows: 5_000,
  notifyJobs: `pg_notify('${CHANNEL}', '')`,
  touch: `UPDATE grainline.pinged SET at_ms = floor(${EPOCH_MS})::bigint RETURNING ${QUICK}`,
};

function createEngine(database: Database, { now }: PostgresStoreOptions): Engine {
  const hereMs = now ?? Date.now;
  // A change that keeps its connection writes right after its read, so that few others come in between.
  const change = <Result>(steps: () => Steps<Result>): Promise<Result> =>
    database.session((query) => runSteps(query, steps()));
  return {
    dialect: DIALECT,
    now: hereMs,
    time: (nowMs = hereMs()) => (now === undefined ? null : nowMs),
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
    onJob: (listener) => database.listen(CHANNEL, listener),
    close: () => database.close(),
  };
}

async function runSteps<Result>(query: Query, steps: Steps<Result>): Promise<Result> {
  let step = steps.next([]);
  while (step.done !== true) step = steps.next(await query(step.value.text, step.value.values));
  return step.value;
}
