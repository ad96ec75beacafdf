// The file of the embedded engine: how it is opened, how its transactions run, and what its errors become.
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';
import { migrate } from './schema.ts';

/**
 * Two connections to one file, because SQLite has one rule of syncing for each. Both write the same log, and a sync of
 * it takes along whatever stands before: a change on `durable` is never there without those that it builds on.
 */
export interface Connections {
  /** synchronous NORMAL: the log is synced at checkpoints, so that a power cut may take the last moments. */
  readonly quick: DatabaseSync;
  /** synchronous FULL: synced at every commit. */
  readonly durable: DatabaseSync;
}

const FILE_NAME = 'grainline.db';
/**
 * Wait for a lock, longer than any transaction here; the longest measured, for a result of 10 MB, takes a tenth of a
 * second.
 */
const BUSY_TIMEOUT_MS = 5000;
/** Pause between two tries of a step for which SQLite does not wait itself, in milliseconds. */
const BUSY_PAUSE_MS = 5;
/** The log shrinks to this after a checkpoint, in bytes: one result of 50 MB must not leave it that large for ever. */
const LOG_BYTES = 16 * 1024 * 1024;

/** Whether a store was ever kept in the folder. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, FILE_NAME));
}

/** Opens the file in a folder, makes both when they are missing, and brings the tables up to date. */
export function openDatabase(dataDir: string): Connections {
  const path = join(dataDir, FILE_NAME);
  try {
    makeFolder(resolve(dataDir));
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a folder');
    // SQLite would make the file readable for all; the log and its index take their mode from the file.
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

function connect(path: string, synchronous: 'NORMAL' | 'FULL'): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    switchToLog(database);
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA journal_size_limit = ${LOG_BYTES};`);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Has the file written by a write-ahead log; one that is needs nothing. Processes that open a new file at once all want
 * to: each has begun to read it, one gets the lock, and SQLite refuses the others at once, because each waits for the
 * readers to go (https://sqlite.org/c3ref/busy_handler.html). A refused one reads no more, and tries again.
 */
function switchToLog(database: DatabaseSync): void {
  const endMs = performance.now() + BUSY_TIMEOUT_MS;
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

/** Stands still, as SQLite itself does while it waits for a lock. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Runs a function in a transaction that takes the write lock at once: two readers never fight over becoming writers.
 */
export function transaction<Value>(database: DatabaseSync, run: () => Value): Value {
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
export function settled<Value>(run: () => Value): Promise<Value> {
  return new Promise((resolve) => resolve(guarded(run)));
}

/** Result codes (https://sqlite.org/rescode.html). The second is also what the operating system's ENOSPC arrives as. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** What SQLite says of a file that will not get better by itself. */
const DAMAGES: readonly unknown[] = [SQLITE_CORRUPT, SQLITE_NOTADB];

/**
 * Turns what SQLite throws into a StoreError, so that no SQL and no path reaches a client. Defects pass as they are.
 */
function guarded<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    if (cause.code === 'ERR_SQLITE_ERROR')
      throw new StoreError(resultCodeOf(cause) === SQLITE_FULL ? 'disk_full' : 'unavailable', { cause });
    // What Node says of a database that has been closed.
    if (cause.code === 'ERR_INVALID_STATE') throw new StoreError('unavailable', { cause });
    throw cause;
  }
}

/** The low byte of `errcode`, the others tell more; undefined for what SQLite has not said. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

export function numberIn(row: Readonly<Record<string, unknown>> | undefined, column: string): number {
  return Number(row?.[column]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
