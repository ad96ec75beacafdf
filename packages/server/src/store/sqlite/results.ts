// Results that wait to be fetched, answers that were paid for, and the room that both take.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PaymentKey } from '@grainline/x402';
import type { Bought, PaidResponse, StoredResult } from '../answers.ts';
import { type Store, StoreError } from '../store.ts';
import { type Connections, numberIn, settled, transaction } from './database.ts';

/** What results need besides their connections. */
export interface ResultParts {
  /** Most bytes of results that nobody paid for. */
  readonly maxStoredBytes: number;
  /** Most bytes of everything that was paid for. */
  readonly maxPaidBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The calls of the store, and what its transactions on the durable connection are made of. */
export interface Results extends Pick<
  Store,
  'putResult' | 'getResult' | 'deleteResult' | 'paidResponse' | 'paidRoom'
> {
  /** Makes room among what was paid for. @throws StoreError `storage_full` when what lives leaves none */
  readonly makePaidRoom: (bytes: number) => void;
  /** Keeps what was bought. @throws StoreError `storage_full` */
  readonly keepPaid: (bought: Bought) => void;
  /** Drops everything that has expired, some at a time. */
  readonly dropAllExpired: () => Promise<void>;
}

/** Expired results dropped in one transaction: with 10 MB each, it stays under the busy timeout of the others. */
const SWEEP_BATCH = 32;

export function createResults(
  { quick, durable }: Connections,
  { maxStoredBytes, maxPaidBytes, now }: ResultParts,
): Results {
  const free = createStatements(quick);
  const paid = createStatements(durable);
  const most = { free_bytes: maxStoredBytes, paid_bytes: maxPaidBytes } as const;
  const onQuick = <Value>(run: () => Value): Promise<Value> => settled(() => transaction(quick, run));
  const makePaidRoom = (bytes: number): void => makeRoom(paid, bytes, 'paid_bytes');

  function putResult(result: StoredResult): void {
    free.dropResult.run(result.id);
    makeRoom(free, result.gzip.byteLength, 'free_bytes');
    insertResult(free, result, 0);
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
  function dropExpired(on: Statements, count: number): number {
    const results = Number(on.dropExpired.run(now(), count).changes);
    return results > 0 ? results : Number(on.dropExpiredResponses.run(now(), count).changes);
  }

  function insertResult({ putResult: put }: Statements, result: StoredResult, isPaid: 0 | 1): void {
    put.run(result.id, result.etag, result.createdMs, result.expiresMs, result.gzip, isPaid);
  }

  function keepPaid({ result, answer }: Bought): void {
    if (result !== undefined) paid.dropResult.run(result.id);
    makePaidRoom((answer?.response.gzip.byteLength ?? 0) + (result?.gzip.byteLength ?? 0));
    if (answer !== undefined) {
      const { status, headers, expiresMs, gzip } = answer.response;
      paid.putResponse.run(answer.key, status, JSON.stringify(headers), expiresMs, gzip);
    }
    if (result !== undefined) insertResult(paid, result, 1);
  }

  /** A job that is completed is there as long as its result. */
  function deleteResult(id: string): boolean {
    if (free.dropLiveResult.run(id, now()).changes === 0) return false;
    free.dropCompletedJob.run(id);
    return true;
  }

  function getResult(id: string): StoredResult | null {
    const row = free.getResult.get(id, now());
    // The columns are NOT NULL and of these types: the tables are STRICT.
    return row === undefined ? null : ({ ...row } as unknown as StoredResult);
  }

  function paidResponse(key: PaymentKey): PaidResponse | null {
    const row = free.getResponse.get(key, now());
    if (row === undefined) return null;
    // The columns are NOT NULL and of these types: the tables are STRICT, and only `keepPaid` writes here.
    const { headers, ...rest } = { ...row } as unknown as Omit<PaidResponse, 'headers'> & { headers: string };
    return { ...rest, headers: JSON.parse(headers) as PaidResponse['headers'] };
  }

  /** What has expired counts until somebody drops it, so that is done when it may matter. */
  async function paidRoom(): Promise<number> {
    const left = (): number => maxPaidBytes - numberIn(free.bytesStored.get(), 'paid_bytes');
    const before = await settled(left);
    if (before > maxPaidBytes / 2) return before;
    await dropAllExpired();
    return settled(() => Math.max(0, left()));
  }

  async function dropAllExpired(): Promise<void> {
    while ((await onQuick(() => dropExpired(free, SWEEP_BATCH))) > 0) await nextTurn();
  }

  return {
    putResult: (result) => onQuick(() => putResult(result)),
    getResult: (id) => settled(() => getResult(id)),
    deleteResult: (id) => onQuick(() => deleteResult(id)),
    paidResponse: (key) => settled(() => paidResponse(key)),
    paidRoom,
    makePaidRoom,
    keepPaid,
    dropAllExpired,
  };
}

type Statements = ReturnType<typeof createStatements>;

function createStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    bytesStored: prepare('SELECT bytes - paid_bytes AS free_bytes, paid_bytes FROM stored'),
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
    dropExpired: prepare(
      'DELETE FROM results WHERE id IN (SELECT id FROM results WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)',
    ),
    dropExpiredResponses: prepare(
      'DELETE FROM responses WHERE key IN (SELECT key FROM responses WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)',
    ),
    putResponse: prepare(
      'INSERT INTO responses (key, status, headers, expires_ms, gzip) VALUES (?, ?, ?, ?, ?)',
    ),
    getResponse: prepare(
      `SELECT status, headers, expires_ms AS "expiresMs", gzip FROM responses WHERE key = ? AND expires_ms > ?`,
    ),
  };
}
