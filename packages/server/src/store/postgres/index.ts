// The engine of the store for many machines: one PostgreSQL, any number of servers on it.
//
// What it promises: what was told to anybody is in the log of the database, synced, as PostgreSQL is set up to:
// payments, results, pages that were taken, how far a job is. What a server does for itself, as renewing a lease, does
// not wait for that: a database that ends at once may lose the last half a second of such. Calls are one statement
// where one is enough, because each is a way to another machine and back; what is exact between machines is so by the
// row that is written, never by a row that was read before.
import { randomUUID } from 'node:crypto';
import type { Lease, PaymentKey } from '@grainline/x402';
import { type QuotaAnswer, type QuotaClaim, type Sale, type Store, StoreError } from '../store.ts';
import type { PaidResponse, StoredResult } from '../answers.ts';
import { type Clock, createClock, nowIn, QUICK } from './clock.ts';
import { type Database, openDatabase, type Query, startFault } from './database.ts';
import { createJobCalls } from './jobs.ts';
import { createLedger } from './ledger.ts';
import { createPaymentBook } from './payments.ts';
import { migrate, requireMigrated, STEP_COUNT } from './schema.ts';
import { keyText } from './text.ts';

/** Which database, and how it is used. */
export interface PostgresStoreOptions {
  /** `postgresql://user:password@host:5432/database`. Everything is kept in its schema `grainline`. */
  readonly databaseUrl: string;
  /** Most connections of this process. Default: 10. */
  readonly connections?: number;
  /** Whether tables are made and brought up to date, or have to be so. Default: `run`. */
  readonly migrations?: 'run' | 'require';
  /** Most bytes of free results, over all machines, as in the embedded engine. */
  readonly maxStoredBytes: number;
  /** Most bytes of paid results. Default as much as of free ones. */
  readonly maxPaidBytes?: number;
  /** Milliseconds since 1970, for everything. Default: the clock of the database, which all machines share. */
  readonly now?: (() => number) | undefined;
  /** A new text that nobody can guess, for every lease. Default: a random UUID. */
  readonly createToken?: () => string;
}

/** Connections of a process unless told otherwise: nine servers fit into a PostgreSQL as it comes. */
const DEFAULT_CONNECTIONS = 10;
/** Expired results dropped in one transaction. */
const SWEEP_BATCH = 32;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Connects, and makes the tables when they are missing.
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
    throw startFault(error);
  }
  return storeOn(database, options);
}

/**
 * Makes the tables in a database, or brings them up to date.
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
    throw startFault(error);
  } finally {
    await database.close();
  }
}

function storeOn(
  database: Database,
  { maxStoredBytes, maxPaidBytes = maxStoredBytes, now, createToken = randomUUID }: PostgresStoreOptions,
): Store {
  const { query } = database;
  const clock: Clock = createClock(now);
  const most = { free_bytes: maxStoredBytes, paid_bytes: maxPaidBytes } as const;

  async function takeQuota({ client, day, pages, limit }: QuotaClaim): Promise<QuotaAnswer> {
    if (pages > 0) {
      const [row] = await query<{ pages: bigint }>(SQL.takePages, [day, keyText(client), pages, limit]);
      if (row !== undefined) return { granted: true, left: limit - Number(row.pages) };
    }
    const used = await pagesUsed(client, day);
    return { granted: pages === 0 && used <= limit, left: Math.max(0, limit - used) };
  }

  async function pagesUsed(client: string, day: string): Promise<number> {
    const [row] = await query<{ pages: bigint }>(SQL.pagesUsed, [day, keyText(client)]);
    return Number(row?.pages ?? 0);
  }

  function putResult(result: StoredResult): Promise<void> {
    return database.transaction(async (run) => {
      await insertResult(run, result, false);
      await makeRoom(run, 'free_bytes', { id: result.id });
    });
  }

  async function insertResult(run: Query, result: StoredResult, isPaid: boolean): Promise<void> {
    const { id, etag, createdMs, expiresMs, gzip } = result;
    await run(SQL.putResult, [keyText(id), etag, createdMs, expiresMs, isPaid, gzip]);
  }

  /**
   * Drops what has expired, the oldest first, until what was written fits. The triggers of that hold the row of sums,
   * so that no other transaction adds to them before this one ends.
   *
   * @param sum which of the sums may not exceed its limit: what was given away, or what was paid for
   * @throws StoreError `storage_full` when what lives leaves no room
   */
  async function makeRoom(run: Query, sum: keyof typeof most, kept: Kept): Promise<void> {
    for (;;) {
      const [stored] = await run<Record<typeof sum, bigint>>(SQL.bytesStored, []);
      if (Number(stored?.[sum]) <= most[sum]) return;
      if ((await dropExpired(run, 1, kept, false)) === 0) throw new StoreError('storage_full');
    }
  }

  /**
   * Drops so many expired results, expired answers when there are none; how many.
   *
   * @param isQuick whether the transaction may answer before it is on disk: never one that writes anything else
   */
  async function dropExpired(run: Query, most: number, { id, key }: Kept, isQuick: boolean): Promise<number> {
    const keptId = id === undefined ? null : keyText(id);
    const results = await run(SQL.dropExpired, [clock.parameter(), most, keptId, isQuick]);
    if (results.length > 0) return results.length;
    return (await run(SQL.dropExpiredResponses, [clock.parameter(), most, key ?? null, isQuick])).length;
  }

  function commit({ key, token }: Lease, { response, result }: Sale): Promise<'committed' | 'lost'> {
    return database.transaction(async (run) => {
      const consumed = await run(SQL.consume, [clock.parameter(), key, token]);
      if (consumed.length === 0) return 'lost';
      await putResponse(run, key, response);
      if (result !== undefined) await insertResult(run, result, true);
      const kept = { key, ...(result === undefined ? {} : { id: result.id }) };
      await makeRoom(run, 'paid_bytes', kept);
      return 'committed';
    });
  }

  async function putResponse(
    run: Query,
    key: PaymentKey,
    { status, headers, expiresMs, gzip }: PaidResponse,
  ): Promise<void> {
    await run(SQL.putResponse, [key, status, JSON.stringify(headers), expiresMs, gzip]);
  }

  const jobs = createJobCalls(database, {
    clock,
    createToken,
    makeRoom: (run) => makeRoom(run, 'paid_bytes', {}),
    async keep(run, result, sold) {
      if (sold !== undefined) await putResponse(run, sold.key, sold.response);
      await insertResult(run, result, true);
      await makeRoom(run, 'paid_bytes', {
        id: result.id,
        ...(sold === undefined ? {} : { key: sold.key }),
      });
    },
  });

  async function paidResponse(key: PaymentKey): Promise<PaidResponse | null> {
    const [row] = await query<ResponseRow>(SQL.getResponse, [clock.parameter(), key]);
    if (row === undefined) return null;
    const { status, headers, expires_ms: expiresMs, gzip } = row;
    return {
      status,
      headers: JSON.parse(headers) as PaidResponse['headers'],
      gzip,
      expiresMs: Number(expiresMs),
    };
  }

  async function getResult(id: string): Promise<StoredResult | null> {
    const [row] = await query<ResultRow>(SQL.getResult, [clock.parameter(), keyText(id)]);
    if (row === undefined) return null;
    const { gzip, etag, created_ms: createdMs, expires_ms: expiresMs } = row;
    return { id, gzip, etag, createdMs: Number(createdMs), expiresMs: Number(expiresMs) };
  }

  /** What has expired counts until somebody drops it, so that is done when it may matter. */
  async function paidRoom(): Promise<number> {
    const left = async (): Promise<number> => {
      const [stored] = await query<{ paid_bytes: bigint }>(SQL.bytesStored, []);
      return Math.max(0, maxPaidBytes - Number(stored?.paid_bytes));
    };
    const before = await left();
    if (before > maxPaidBytes / 2) return before;
    await sweep();
    return left();
  }

  async function sweep(): Promise<void> {
    await query(SQL.dropQuota, [clock.parameter(), DAY_MS]);
    while ((await dropExpired(query, SWEEP_BATCH, {}, true)) > 0);
    await query(SQL.dropExpiredJobs, [clock.parameter()]);
  }

  return {
    takeQuota,
    quotaLeft: async ({ client, day, limit }) => Math.max(0, limit - (await pagesUsed(client, day))),
    putResult,
    getResult,
    deleteResult: async (id) =>
      (await query(SQL.dropLiveResult, [clock.parameter(), keyText(id)])).length === 1,
    commit,
    paidResponse,
    paidRoom,
    sweep,
    // A write: a server that only reads, or has no room, answers every question.
    ping: async () => {
      await query(SQL.ping, [clock.parameter()]);
    },
    close: () => database.close(),
    ...createLedger(database, { clock, createToken }),
    ...createPaymentBook(database, { clock }),
    ...jobs,
  };
}

/** What a transaction has just written, which it must not drop for want of room although it may have expired. */
interface Kept {
  readonly id?: string;
  readonly key?: PaymentKey;
}

interface ResultRow {
  readonly etag: string;
  readonly created_ms: bigint;
  readonly expires_ms: bigint;
  readonly gzip: Uint8Array;
}

interface ResponseRow {
  readonly status: number;
  readonly headers: string;
  readonly expires_ms: bigint;
  readonly gzip: Uint8Array;
}

/** What another transaction is dropping is passed by: it would be gone, and to wait for it could be a deadlock. */
const dropExpiredFrom = (table: string, column: string): string =>
  `DELETE FROM grainline.${table} WHERE ${column} IN (
     SELECT ${column} FROM grainline.${table}
     WHERE expires_ms <= ${nowIn(1)} AND ($3::text IS NULL OR ${column} <> $3)
     ORDER BY expires_ms LIMIT $2 FOR UPDATE SKIP LOCKED
   ) RETURNING CASE WHEN $4::boolean THEN ${QUICK} END`;

const SQL = {
  takePages: `INSERT INTO grainline.quota AS q (day, client, pages)
    SELECT $1, $2, $3::bigint WHERE $3::bigint <= $4::bigint
    ON CONFLICT (day, client) DO UPDATE SET pages = q.pages + excluded.pages
      WHERE q.pages + excluded.pages <= $4::bigint
    RETURNING pages`,
  pagesUsed: 'SELECT pages FROM grainline.quota WHERE day = $1 AND client = $2',
  // Yesterday's counts stay: a request may still hold yesterday's date when midnight has passed.
  dropQuota: `DELETE FROM grainline.quota
    WHERE day < to_char(to_timestamp((${nowIn(1)} - $2::bigint) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
    RETURNING ${QUICK}`,
  putResult: `INSERT INTO grainline.results (id, etag, created_ms, expires_ms, paid, gzip)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO UPDATE SET etag = excluded.etag, created_ms = excluded.created_ms,
      expires_ms = excluded.expires_ms, paid = excluded.paid, gzip = excluded.gzip`,
  getResult: `SELECT etag, created_ms, expires_ms, gzip FROM grainline.results
    WHERE id = $2 AND expires_ms > ${nowIn(1)}`,
  // A job that is completed is there as long as its result.
  dropLiveResult: `WITH dropped AS (
      DELETE FROM grainline.results WHERE id = $2 AND expires_ms > ${nowIn(1)} RETURNING id
    ), job AS (
      DELETE FROM grainline.jobs AS j USING dropped WHERE j.id = dropped.id AND j.state = 'completed'
    ) SELECT 1 FROM dropped`,
  dropExpiredJobs: `DELETE FROM grainline.jobs WHERE state <> 'processing' AND expires_ms <= ${nowIn(1)} RETURNING ${QUICK}`,
  dropExpired: dropExpiredFrom('results', 'id'),
  dropExpiredResponses: dropExpiredFrom('responses', 'key'),
  bytesStored: 'SELECT bytes - paid_bytes AS free_bytes, paid_bytes FROM grainline.stored',
  consume: `UPDATE grainline.payments SET state = 'consumed', token = NULL, lease_ends_ms = NULL,
      changed_ms = ${nowIn(1)}, finality = 'pending', recheck_ms = ${nowIn(1)}
    WHERE key = $2 AND token = $3 AND state = 'bound' RETURNING 1`,
  putResponse: `INSERT INTO grainline.responses (key, status, headers, expires_ms, gzip)
    VALUES ($1, $2, $3, $4, $5)`,
  getResponse: `SELECT status, headers, expires_ms, gzip FROM grainline.responses
    WHERE key = $2 AND expires_ms > ${nowIn(1)}`,
  ping: `UPDATE grainline.pinged SET at_ms = ${nowIn(1)} RETURNING ${QUICK}`,
} as const;
