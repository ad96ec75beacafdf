// The embedded engine of the store: one SQLite file, built into Node, for one machine and any number of processes on it.
//
// What it promises: a process that is killed loses nothing acknowledged. A power cut may lose the last moments,
// because the write-ahead log is synced at checkpoints only (synchronous NORMAL, about nine times faster); nothing
// kept here has been paid for: a quota count and free results. What a client has paid for needs FULL, and gets a
// connection of its own when there is such a thing. Calls block the event loop for as long as SQLite takes,
// 10 µs to 20 ms; a lock held by another process is waited for BUSY_TIMEOUT_MS at most.
import { closeSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type QuotaAnswer, type QuotaClaim, type Store, type StoredResult, StoreError } from '../store.ts';
import { migrate } from './schema.ts';

/** Where the embedded engine keeps its file, and how much. */
export interface SqliteStoreOptions {
  /** Folder, made when it is missing, for this user alone. Never on a network file system: its locks do not hold. */
  readonly dataDir: string;
  /** Most bytes that results may take together, compressed. */
  readonly maxStoredBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a store in an open database stands on. */
export interface SqliteStoreParts extends Omit<SqliteStoreOptions, 'dataDir'> {
  /** Bytes that the disk under the database still takes. Default: any number. */
  readonly freeBytes?: () => number;
}

const FILE_NAME = 'grainline.db';
/** With less the store counts as full: the log of writes alone may need this much between two checkpoints. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;
/** Longer than any transaction here; the longest measured, a 10 MB result, takes a tenth of a second. */
const BUSY_TIMEOUT_MS = 5000;
/** The log shrinks to this after a checkpoint, in bytes: one result of 50 MB must not leave it that large for ever. */
const LOG_BYTES = 16 * 1024 * 1024;
/** Expired results dropped in one transaction: with 10 MB each, it stays under the busy timeout of the others. */
const SWEEP_BATCH = 32;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Opens the store in a folder, and makes both when they are missing.
 *
 * @throws StoreError `data_dir_unusable`, `data_dir_newer`, or what else SQLite could not do.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const database = openDatabase(options.dataDir);
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(options.dataDir);
    return bavail * bsize;
  };
  return storeIn(database, { ...options, freeBytes });
}

/** A store in a database that is open already. It closes the database when it is closed. */
export function storeIn(
  database: DatabaseSync,
  { maxStoredBytes, now, freeBytes = () => Infinity }: SqliteStoreParts,
): Store {
  const statement = createStatements(database);

  function takeQuota({ client, day, pages, limit }: QuotaClaim): QuotaAnswer {
    const used = pagesUsed(client, day);
    const granted = used + pages <= limit;
    if (granted && pages > 0) statement.addPages.run(day, client, pages);
    return { granted, left: Math.max(0, limit - used - (granted ? pages : 0)) };
  }

  function pagesUsed(client: string, day: string): number {
    return numberIn(statement.pagesUsed.get(day, client), 'pages');
  }

  function putResult(result: StoredResult): void {
    statement.dropResult.run(result.id);
    if (!makeRoom(result.gzip.byteLength)) throw new StoreError('storage_full');
    statement.putResult.run(result.id, result.etag, result.createdMs, result.expiresMs, result.gzip);
  }

  /** Drops expired results, the oldest first, until there is room; false when live ones leave none. */
  function makeRoom(size: number): boolean {
    const isFull = (): boolean => numberIn(statement.bytesStored.get(), 'bytes') + size > maxStoredBytes;
    while (isFull()) {
      if (dropExpired(1) === 0) return false;
    }
    return true;
  }

  function dropExpired(most: number): number {
    return Number(statement.dropExpired.run(now(), most).changes);
  }

  function getResult(id: string): StoredResult | null {
    const row = statement.getResult.get(id, now());
    // The columns are NOT NULL and of these types: the tables are STRICT.
    return row === undefined ? null : ({ ...row } as unknown as StoredResult);
  }

  /** A write that changes nothing: reading alone would not notice a folder gone read-only or a file that cannot grow. */
  function writeNothing(): void {
    if (freeBytes() < LEAST_FREE_BYTES) throw new StoreError('disk_full');
    statement.touch.run();
  }

  async function sweep(): Promise<void> {
    // Yesterday's counts stay: a request may still hold yesterday's date when midnight has passed.
    const yesterday = new Date(now() - DAY_MS).toISOString().slice(0, 10);
    await locked(() => statement.dropQuota.run(yesterday));
    while ((await locked(() => dropExpired(SWEEP_BATCH))) === SWEEP_BATCH) await nextTurn();
  }

  function locked<Value>(run: () => Value): Promise<Value> {
    return settled(() => transaction(database, run));
  }

  return {
    takeQuota: (claim) => locked(() => takeQuota(claim)),
    quotaLeft: ({ client, day, limit }) => settled(() => Math.max(0, limit - pagesUsed(client, day))),
    putResult: (result) => locked(() => putResult(result)),
    getResult: (id) => settled(() => getResult(id)),
    deleteResult: (id) => settled(() => statement.dropLiveResult.run(id, now()).changes === 1),
    sweep,
    ping: () => locked(writeNothing),
    close: () => settled(() => database.isOpen && database.close()).then(() => undefined),
  };
}

function createStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    pagesUsed: prepare('SELECT coalesce(max(pages), 0) AS pages FROM quota WHERE day = ? AND client = ?'),
    addPages: prepare(
      'INSERT INTO quota (day, client, pages) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages',
    ),
    dropQuota: prepare('DELETE FROM quota WHERE day < ?'),
    bytesStored: prepare('SELECT bytes FROM stored'),
    touch: prepare('UPDATE stored SET bytes = bytes'),
    putResult: prepare('INSERT INTO results (id, etag, created_ms, expires_ms, gzip) VALUES (?, ?, ?, ?, ?)'),
    getResult: prepare(
      `SELECT id, etag, created_ms AS "createdMs", expires_ms AS "expiresMs", gzip
       FROM results WHERE id = ? AND expires_ms > ?`,
    ),
    dropResult: prepare('DELETE FROM results WHERE id = ?'),
    dropLiveResult: prepare('DELETE FROM results WHERE id = ? AND expires_ms > ?'),
    dropExpired: prepare(
      'DELETE FROM results WHERE id IN (SELECT id FROM results WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)',
    ),
  };
}

function openDatabase(dataDir: string): DatabaseSync {
  const path = join(dataDir, FILE_NAME);
  try {
    makeFolder(resolve(dataDir));
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a folder');
    // SQLite would make the file readable for all; the log and its index take their mode from the file.
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw new StoreError('data_dir_unusable', { detail: messageOf(cause), cause });
  }
  return guarded(() => prepareDatabase(new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })));
}

/**
 * Makes a folder and those above it. Node's own `recursive` turns for ever where a folder that is there takes no new
 * one and says ENOENT, as /proc does.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time may have been first.
    if (!existsSync(path)) throw error;
  }
}

function prepareDatabase(database: DatabaseSync): DatabaseSync {
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES};`);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs a function in a transaction that takes the write lock at once: two readers never fight over becoming writers. */
function transaction<Value>(database: DatabaseSync, run: () => Value): Value {
  return guarded(() => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const value = run();
      database.exec('COMMIT');
      return value;
    } catch (error) {
      // SQLite has ended the transaction itself after a full disk and some other faults.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}

/** A promise of what SQLite answers at once; what it throws becomes the reason. */
function settled<Value>(run: () => Value): Promise<Value> {
  return new Promise((resolve) => resolve(guarded(run)));
}

/** SQLITE_FULL, also what the operating system's ENOSPC arrives as (https://sqlite.org/rescode.html). */
const SQLITE_FULL = 13;

/** Turns what SQLite throws into a StoreError, so that no SQL and no path reaches a client. Defects pass as they are. */
function guarded<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    if (cause.code === 'ERR_SQLITE_ERROR')
      throw new StoreError(isDiskFull(cause) ? 'disk_full' : 'unavailable', { cause });
    // What Node says of a database that has been closed.
    if (cause.code === 'ERR_INVALID_STATE') throw new StoreError('unavailable', { cause });
    throw cause;
  }
}

/** The low byte of `errcode` is the result code, the others tell more. */
function isDiskFull(error: Error): boolean {
  return 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === SQLITE_FULL;
}

function numberIn(row: Readonly<Record<string, unknown>> | undefined, column: string): number {
  return Number(row?.[column]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
