// The file of the embedded engine: opening, transactions and errors.
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';
import { migrate } from './schema.ts';

/**
 * Two connections to one file, because SQLite has one rule of syncing for each. Both write the same log, and a sync
 * covers all earlier entries: a durable change never lacks those that it builds on.
 */
export interface Connections {
  /** synchronous NORMAL: the log is synced at checkpoints, so that a power cut may take the last moments. */
  readonly quick: DatabaseSync;
  /** synchronous FULL: synced at every commit. */
  readonly durable: DatabaseSync;
}

const FILE_NAME = 'grainline.db';
/**
 * Longest wait for a lock. The longest measured transaction, for a result of 10 MB, takes a tenth of a second.
 */
const BUSY_TIMEOUT_MS = 5000;
/**
 * Longest wait of a start for the lock. Another start that creates or updates the tables syncs the disk nine times; two
 * seconds a sync, as on a busy disk, are 16 s.
 */
const START_TIMEOUT_MS = 60_000;
/** Pause between two tries of a step for which SQLite itself does not wait. */
const BUSY_PAUSE_MS = 5;
/** Most bytes of the log after a checkpoint: one result of 50 MB must not leave it that large for ever. */
const LOG_BYTES = 16 * 1024 * 1024;

/** True when the folder has a store. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, FILE_NAME));
}

/** Opens the file in a folder, creates both when they are missing, and updates the tables. */
export function openDatabase(dataDir: string): Connections {
  const path = join(dataDir, FILE_NAME);
  try {
    makeFolder(resolve(dataDir));
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a folder');
    // SQLite would create the file readable for all; the log and its index take their mode from the file.
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw new StoreError('data_dir_unusable', { detail: messageOf(cause), cause });
  }
  return guarded(() => {
    try {
      return connectTwice(path);
    } catch (cause) {
      if (!DAMAGES.includes(resultCodeOf(cause))) throw cause;
      throw new StoreError('data_dir_damaged', { detail: `${resolve(path)}: ${messageOf(cause)}`, cause });
    }
  });
}

function connectTwice(path: string): Connections {
  const quick = connect(path, 'NORMAL');
  try {
    return { quick, durable: connect(path, 'FULL') };
  } catch (error) {
    quick.close();
    throw error;
  }
}

/**
 * Creates a folder and its parents. Node's own `recursive` loops for ever where an existing folder accepts no new one
 * and fails with ENOENT, as /proc does.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time may have created it.
    if (!existsSync(path)) throw error;
  }
}

function connect(path: string, synchronous: 'NORMAL' | 'FULL'): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: START_TIMEOUT_MS });
  try {
    switchToLog(database);
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA journal_size_limit = ${LOG_BYTES};`);
    migrate(database);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Switches the file to a write-ahead log. When several processes open a new file at once, each has begun to read it,
 * one gets the lock, and SQLite rejects the others without a wait, because each would wait for the readers
 * (https://sqlite.org/c3ref/busy_handler.html). A rejected process has ended its read, and tries again.
 */
function switchToLog(database: DatabaseSync): void {
  const endMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (resultCodeOf(error) !== SQLITE_BUSY || performance.now() >= endMs) throw error;
    }
    pause(BUSY_PAUSE_MS);
  }
}

/** Blocks the thread, as SQLite itself does while it waits for a lock. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Runs a function in a transaction that takes the write lock at once: two readers never compete to become writers.
 */
export function transaction<Value>(database: DatabaseSync, run: () => Value): Value {
  return guarded(() => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const value = run();
      database.exec('COMMIT');
      return value;
    } catch (error) {
      // SQLite itself ends the transaction after a full disk and some other errors.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}

/** Result codes (https://sqlite.org/rescode.html). The operating system's ENOSPC arrives as the second. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** Codes of a file that does not recover by itself. */
const DAMAGES: readonly unknown[] = [SQLITE_CORRUPT, SQLITE_NOTADB];

/**
 * Turns exceptions of SQLite into a StoreError, so that no SQL and no path reaches a client. Defects pass unchanged.
 */
export function guarded<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    if (cause.code === 'ERR_SQLITE_ERROR')
      throw new StoreError(resultCodeOf(cause) === SQLITE_FULL ? 'disk_full' : 'unavailable', { cause });
    // Node's code for a closed database.
    if (cause.code === 'ERR_INVALID_STATE') throw new StoreError('unavailable', { cause });
    throw cause;
  }
}

/** The low byte of `errcode`; the others hold details. Undefined for other errors. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
