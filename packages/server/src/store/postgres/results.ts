// Results that wait to be fetched, answers that were paid for, and the room that both take.
import type { PaymentKey } from '@grainline/x402';
import type { Bought, PaidResponse, StoredResult } from '../answers.ts';
import { type Store, StoreError } from '../store.ts';
import { type Clock, nowIn, QUICK } from './clock.ts';
import type { Database, Query } from './database.ts';
import { keyText } from './text.ts';

/** What results need besides their database. */
export interface ResultParts {
  readonly clock: Clock;
  /** Most bytes of results that nobody paid for. */
  readonly maxStoredBytes: number;
  /** Most bytes of everything that was paid for. */
  readonly maxPaidBytes: number;
}

/** The calls of the store, and what transactions are made of that keep what was paid for. */
export interface Results extends Pick<
  Store,
  'putResult' | 'getResult' | 'deleteResult' | 'paidResponse' | 'paidRoom'
> {
  /** Keeps what was bought, with room for all that the transaction has written. @throws StoreError `storage_full` */
  readonly keepPaid: (run: Query, bought: Bought) => Promise<void>;
  /** Drops everything that has expired, some at a time. */
  readonly dropAllExpired: () => Promise<void>;
}

/** Expired results dropped in one transaction. */
const SWEEP_BATCH = 32;

export function createResults(
  database: Database,
  { clock, maxStoredBytes, maxPaidBytes }: ResultParts,
): Results {
  const { query } = database;
  const most = { free_bytes: maxStoredBytes, paid_bytes: maxPaidBytes } as const;

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
  async function dropExpired(
    run: Query,
    count: number,
    { id, key }: Kept,
    isQuick: boolean,
  ): Promise<number> {
    const keptId = id === undefined ? null : keyText(id);
    const results = await run(SQL.dropExpired, [clock.parameter(), count, keptId, isQuick]);
    if (results.length > 0) return results.length;
    return (await run(SQL.dropExpiredResponses, [clock.parameter(), count, key ?? null, isQuick])).length;
  }

  async function keepPaid(run: Query, { result, answer }: Bought): Promise<void> {
    if (answer !== undefined) {
      const { status, headers, expiresMs, gzip } = answer.response;
      await run(SQL.putResponse, [answer.key, status, JSON.stringify(headers), expiresMs, gzip]);
    }
    if (result !== undefined) await insertResult(run, result, true);
    await makeRoom(run, 'paid_bytes', { id: result?.id, key: answer?.key });
  }

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
    await dropAllExpired();
    return left();
  }

  async function dropAllExpired(): Promise<void> {
    while ((await dropExpired(query, SWEEP_BATCH, {}, true)) > 0);
  }

  return {
    putResult,
    getResult,
    deleteResult: async (id) =>
      (await query(SQL.dropLiveResult, [clock.parameter(), keyText(id)])).length === 1,
    paidResponse,
    paidRoom,
    keepPaid,
    dropAllExpired,
  };
}

/** What a transaction has just written, which it must not drop for want of room although it may have expired. */
interface Kept {
  readonly id?: string | undefined;
  readonly key?: PaymentKey | undefined;
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
  dropExpired: dropExpiredFrom('results', 'id'),
  dropExpiredResponses: dropExpiredFrom('responses', 'key'),
  bytesStored: 'SELECT bytes - paid_bytes AS free_bytes, paid_bytes FROM grainline.stored',
  putResponse: `INSERT INTO grainline.responses (key, status, headers, expires_ms, gzip)
    VALUES ($1, $2, $3, $4, $5)`,
  getResponse: `SELECT status, headers, expires_ms, gzip FROM grainline.responses
    WHERE key = $2 AND expires_ms > ${nowIn(1)}`,
} as const;
