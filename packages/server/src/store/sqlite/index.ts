// The embedded engine of the store: one SQLite file, built into Node, for one machine and any number of processes on
// it.
//
// What it promises: a process that is killed loses nothing acknowledged. A power cut may lose the last moments of what
// nobody paid for (quota counts, free results), because that is synced at checkpoints only, about nine times faster;
// payments and what they bought are synced before they are acknowledged (database.ts, ledger.ts). Calls block the
// event loop for as long as SQLite takes, 10 µs to 20 ms; a lock held by another process is waited for 5 s at most.
import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Lease, PaymentKey } from '@grainline/x402';
import { type QuotaAnswer, type QuotaClaim, type Sale, type Store, StoreError } from '../store.ts';
import type { PaidResponse, StoredResult } from '../answers.ts';
import { type Connections, numberIn, openDatabase, settled, transaction } from './database.ts';
import { createJobCalls } from './jobs.ts';
import { createLedger } from './ledger.ts';
import { createPaymentBook } from './payments.ts';

/** Where the embedded engine keeps its file, and how much. */
export interface SqliteStoreOptions {
  /** Folder, made when it is missing, for this user alone. Never on a network file system: its locks do not hold. */
  readonly dataDir: string;
  /** Most bytes that free results may take together, compressed. */
  readonly maxStoredBytes: number;
  /** Most that results and answers which were paid for may take, besides the free ones. Default: as much as those. */
  readonly maxPaidBytes?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new text that nobody can guess, for every lease. Default: a random UUID. */
  readonly createToken?: () => string;
}

/** The parts of a store in an open database. */
export interface SqliteStoreParts extends Omit<SqliteStoreOptions, 'dataDir'> {
  /** Bytes that the disk under the database still takes. Default: any number. */
  readonly freeBytes?: () => number;
}

/**
 * With fewer free bytes on the disk the store counts as full: the log of writes may need so many between two
 * checkpoints.
 */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;
/** Expired results dropped in one transaction: with 10 MB each, it stays under the busy timeout of the others. */
const SWEEP_BATCH = 32;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Opens the store in a folder, and makes both when they are missing.
 *
 * @throws StoreError `data_dir_unusable`, `data_dir_damaged`, `data_dir_newer`, or what else SQLite could not do.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const connections = openDatabase(options.dataDir);
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(options.dataDir);
    return bavail * bsize;
  };
  return storeIn(connections, { ...options, freeBytes });
}

/**
 * A store in a database that is open already, on two connections or twice the same. It closes them when it is closed.
 */
export function storeIn(
  connections: Connections,
  {
    maxStoredBytes,
    maxPaidBytes = maxStoredBytes,
    now,
    createToken = randomUUID,
    freeBytes = () => Infinity,
  }: SqliteStoreParts,
): Store {
  const { quick, durable } = connections;
  const statement = createStatements(quick);
  const paid = createStatements(durable);
  const most = { free_bytes: maxStoredBytes, paid_bytes: maxPaidBytes } as const;

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
    makeRoom(statement, result.gzip.byteLength, 'free_bytes');
    insertResult(statement, result, 0);
  }

  function insertResult({ putResult: put }: Statements, result: StoredResult, isPaid: 0 | 1): void {
    put.run(result.id, result.etag, result.createdMs, result.expiresMs, result.gzip, isPaid);
  }

  /**
   * Drops what has expired, the oldest first, until there is room.
   *
   * @param sum which of the sums may not exceed its limit: what was given away, or what was paid for
   * @throws StoreError `storage_full` when what lives leaves none
   */
  function makeRoom(on: Statements, size: number, sum: keyof typeof most): void {
    while (numberIn(on.bytesStored.get(), sum) + size > most[sum]) {
      if (dropExpired(on, 1) === 0) throw new StoreError('storage_full');
    }
  }

  /** Drops so many expired results; expired answers when there are none. */
  function dropExpired(on: Statements, most: number): number {
    const results = Number(on.dropExpired.run(now(), most).changes);
    return results > 0 ? results : Number(on.dropExpiredResponses.run(now(), most).changes);
  }

  function commit(lease: Lease, { response, result }: Sale): 'committed' | 'lost' {
    const { changes } = paid.consume.run(now(), now(), lease.key, lease.token);
    if (Number(changes) === 0) return 'lost';
    if (result !== undefined) paid.dropResult.run(result.id);
    makeRoom(paid, response.gzip.byteLength + (result?.gzip.byteLength ?? 0), 'paid_bytes');
    putResponse(lease.key, response);
    if (result !== undefined) insertResult(paid, result, 1);
    return 'committed';
  }

  function putResponse(key: PaymentKey, { status, headers, expiresMs, gzip }: PaidResponse): void {
    paid.putResponse.run(key, status, JSON.stringify(headers), expiresMs, gzip);
  }

  const jobs = createJobCalls(connections, {
    now,
    createToken,
    makeRoom: (bytes) => makeRoom(paid, bytes, 'paid_bytes'),
    keep(result, sold) {
      paid.dropResult.run(result.id);
      makeRoom(paid, result.gzip.byteLength + (sold?.response.gzip.byteLength ?? 0), 'paid_bytes');
      if (sold !== undefined) putResponse(sold.key, sold.response);
      insertResult(paid, result, 1);
    },
  });

  /** A job that is completed is there as long as its result. */
  function deleteResult(id: string): boolean {
    if (statement.dropLiveResult.run(id, now()).changes === 0) return false;
    statement.dropCompletedJob.run(id);
    return true;
  }

  function paidResponse(key: PaymentKey): PaidResponse | null {
    const row = statement.getResponse.get(key, now());
    if (row === undefined) return null;
    // The columns are NOT NULL and of these types: the tables are STRICT, and only `commit` writes here.
    const { headers, ...rest } = { ...row } as unknown as Omit<PaidResponse, 'headers'> & { headers: string };
    return { ...rest, headers: JSON.parse(headers) as PaidResponse['headers'] };
  }

  function getResult(id: string): StoredResult | null {
    const row = statement.getResult.get(id, now());
    // The columns are NOT NULL and of these types: the tables are STRICT.
    return row === undefined ? null : ({ ...row } as unknown as StoredResult);
  }

  /** What has expired counts until somebody drops it, so that is done when it may matter. */
  async function paidRoom(): Promise<number> {
    const left = (): number => maxPaidBytes - numberIn(statement.bytesStored.get(), 'paid_bytes');
    const before = await settled(left);
    if (before > maxPaidBytes / 2) return before;
    await sweep();
    return settled(() => Math.max(0, left()));
  }

  /**
   * A write that changes nothing: reading alone would not notice a folder gone read-only or a file that cannot grow.
   */
  function writeNothing(): void {
    if (freeBytes() < LEAST_FREE_BYTES) throw new StoreError('disk_full');
    statement.touch.run();
  }

  async function sweep(): Promise<void> {
    // Yesterday's counts stay: a request may still hold yesterday's date when midnight has passed.
    const yesterday = new Date(now() - DAY_MS).toISOString().slice(0, 10);
    await locked(() => statement.dropQuota.run(yesterday));
    while ((await locked(() => dropExpired(statement, SWEEP_BATCH))) > 0) await nextTurn();
    await locked(() => statement.dropExpiredJobs.run(now()));
  }

  function locked<Value>(run: () => Value): Promise<Value> {
    return settled(() => transaction(quick, run));
  }

  return {
    takeQuota: (claim) => locked(() => takeQuota(claim)),
    quotaLeft: ({ client, day, limit }) => settled(() => Math.max(0, limit - pagesUsed(client, day))),
    putResult: (result) => locked(() => putResult(result)),
    getResult: (id) => settled(() => getResult(id)),
    deleteResult: (id) => locked(() => deleteResult(id)),
    sweep,
    commit: (lease, sale) => settled(() => transaction(durable, () => commit(lease, sale))),
    paidResponse: (key) => settled(() => paidResponse(key)),
    paidRoom,
    ping: () => locked(writeNothing),
    close: () =>
      settled(() => {
        for (const database of [durable, quick]) if (database.isOpen) database.close();
      }),
    ...createLedger(connections, { now, createToken }),
    ...createPaymentBook(connections, { now }),
    ...jobs,
  };
}

type Statements = ReturnType<typeof createStatements>;

function createStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    pagesUsed: prepare('SELECT coalesce(max(pages), 0) AS pages FROM quota WHERE day = ? AND client = ?'),
    addPages: prepare(
      'INSERT INTO quota (day, client, pages) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages',
    ),
    dropQuota: prepare('DELETE FROM quota WHERE day < ?'),
    bytesStored: prepare('SELECT bytes - paid_bytes AS free_bytes, paid_bytes FROM stored'),
    touch: prepare('UPDATE stored SET bytes = bytes'),
    putResult: prepare(
      'INSERT INTO results (id, etag, created_ms, expires_ms, gzip, paid) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    getResult: prepare(
      `SELECT id, etag, created_ms AS "createdMs", expires_ms AS "expiresMs", gzip
       FROM results WHERE id = ? AND expires_ms > ?`,
    ),
    dropResult: prepare('DELETE FROM results WHERE id = ?'),
    dropLiveResult: prepare('DELETE FROM results WHERE id = ? AND expires_ms > ?'),
    dropCompletedJob: prepare(`DELETE FROM jobs WHERE id = ? AND state = 'completed'`),
    dropExpiredJobs: prepare(`DELETE FROM jobs WHERE state <> 'processing' AND expires_ms <= ?`),
    dropExpired: prepare(
      'DELETE FROM results WHERE id IN (SELECT id FROM results WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)',
    ),
    dropExpiredResponses: prepare(
      'DELETE FROM responses WHERE key IN (SELECT key FROM responses WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)',
    ),
    consume: prepare(
      `UPDATE payments SET state = 'consumed', token = NULL, lease_ends_ms = NULL, changed_ms = ?,
       finality = 'pending', recheck_ms = ? WHERE key = ? AND token = ? AND state = 'bound'`,
    ),
    putResponse: prepare(
      'INSERT INTO responses (key, status, headers, expires_ms, gzip) VALUES (?, ?, ?, ?, ?)',
    ),
    getResponse: prepare(
      `SELECT status, headers, expires_ms AS "expiresMs", gzip FROM responses WHERE key = ? AND expires_ms > ?`,
    ),
  };
}
