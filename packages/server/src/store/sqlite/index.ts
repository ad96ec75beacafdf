// The embedded engine of the store: one SQLite file, built into Node, for one machine and any number of processes on
// it.
//
// A killed process loses nothing acknowledged. A power cut may lose the last moments of free work (quota counts, free
// results), because that is synced at checkpoints only, about nine times faster; payments and the results that they
// bought are synced before they are acknowledged (database.ts, ../ledger.ts). Calls block the event loop for as long as
// SQLite takes, 10 µs to 20 ms, and wait 5 s at most for a lock of another process.
import { statfsSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { createStore, type StoreOptions } from '../create-store.ts';
import {
  type SqlDialect,
  type Durability,
  type Engine,
  Rollback,
  type Steps,
  type Value,
} from '../engine.ts';
import { type Store, StoreError } from '../store.ts';
import { type Connections, guarded, openDatabase, transaction } from './database.ts';

/** The folder of the embedded engine's file, and its space. */
export interface SqliteStoreOptions extends StoreOptions {
  /** Folder, made when it is missing, for this user alone. Never on a network file system: its locks do not hold. */
  readonly dataDir: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The options of a store in an open database. */
export interface OpenSqliteStoreOptions extends Omit<SqliteStoreOptions, 'dataDir'> {
  /** Free bytes of the disk under the database. Default: any number. */
  readonly freeBytes?: () => number;
}

/**
 * With fewer free bytes on the disk the store counts as full: the log of writes may need so many between two
 * checkpoints.
 */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

const DIALECT: SqlDialect = {
  now: 'CAST($1 AS bigint)',
  quick: '1',
  version: `'1'`,
  hasVersions: false,
  lockFree: '',
  trySweepLock: '1',
  deleteRows: (table, key, select) =>
    `DELETE FROM grainline.${table} WHERE (${key}) IN (${select(key)}) RETURNING 1 AS count`,
  // A batch blocks the event loop for some 5 ms.
  sweepRows: 500,
  sweepPauseMs: 40,
  lock: (_, name) => name,
  wakeWorker: 'SELECT notify_jobs(), $1',
  touch: 'UPDATE grainline.stored SET bytes = bytes',
};

/**
 * Opens the store in a folder, and makes both when they are missing.
 *
 * @throws StoreError `data_dir_unusable`, `data_dir_damaged`, `data_dir_newer`, or another fault of SQLite.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const connections = openDatabase(options.dataDir);
  const freeBytes = (): number => {
    try {
      const { bavail, bsize } = statfsSync(options.dataDir);
      return bavail * bsize;
    } catch (cause) {
      // Without its folder, a write to the file would be lost.
      throw new StoreError('unavailable', { cause });
    }
  };
  return storeIn(connections, { ...options, freeBytes });
}

/** Creates the store in an open database, on two connections or twice the same. Closing the store closes them. */
export function storeIn(connections: Connections, options: OpenSqliteStoreOptions): Store {
  return createStore(createEngine(connections, options), options);
}

function createEngine(
  { quick, durable }: Connections,
  { now, freeBytes = () => Infinity }: OpenSqliteStoreOptions,
): Engine {
  const listeners = new Set<() => void>();
  // The transaction that calls this ends before the next microtask.
  const notifyJobs = (): null => {
    queueMicrotask(() => listeners.forEach((listener) => listener()));
    return null;
  };
  const runners = {
    quick: createRunner(quick, notifyJobs),
    durable: createRunner(durable, notifyJobs),
  };
  const connections = { quick, durable };

  const change = <Result>(durability: Durability, steps: () => Steps<Result>): Promise<Result> =>
    settled(() =>
      resultOf<Result>(() => transaction(connections[durability], () => runners[durability](steps()))),
    );

  return {
    dialect: DIALECT,
    now,
    time: (nowMs = now()) => nowMs,
    keyText: (text) => text,
    read: (steps) => settled(() => runners.quick(steps())),
    change,
    transaction: change,
    requireDisk() {
      if (freeBytes() < LEAST_FREE_BYTES) throw new StoreError('disk_full');
    },
    onJob(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    markIdle: () => Promise.resolve(false),
    close: () =>
      settled(() => {
        for (const database of [durable, quick]) if (database.isOpen) database.close();
      }),
  };
}

/** Creates the function that runs the statements of a call on a connection, without a pause. */
function createRunner(
  database: DatabaseSync,
  notifyJobs: () => null,
): <Result>(steps: Steps<Result>) => Result {
  const statements = new Map<string, StatementSync>();
  database.function('notify_jobs', notifyJobs);

  function prepare(text: string): StatementSync {
    const known = statements.get(text);
    if (known !== undefined) return known;
    // The file has one schema.
    const statement = database.prepare(text.replaceAll('grainline.', ''));
    // Amounts are beyond the whole numbers of a double.
    statement.setReadBigInts(true);
    statements.set(text, statement);
    return statement;
  }

  return (steps) => {
    let step = steps.next([]);
    while (step.done !== true) {
      const { text, values } = step.value;
      step = steps.next(prepare(text).all(parametersOf(values)));
    }
    return step.value;
  };
}

function resultOf<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof Rollback) return error.result as Result;
    throw error;
  }
}

/** `$1` is a name in SQLite. */
function parametersOf(values: readonly Value[]): Record<string, SQLInputValue> {
  const parameters: Record<string, SQLInputValue> = {};
  for (const [index, value] of values.entries())
    parameters[`$${index + 1}`] = typeof value === 'boolean' ? Number(value) : value;
  return parameters;
}

/** A promise of a reply that SQLite gives at once; its exceptions become the reason. */
function settled<Result>(run: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(guarded(run)));
}
