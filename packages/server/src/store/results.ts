// Results that wait to be fetched, responses that payments bought, and the space of both.
import type { PaymentKey } from '@grainline/x402';
import { type Engine, query, queryCount, queryOne, queryRow, type Steps } from './engine.ts';
import type { PaidResponse, PaidContent, StoredResult } from './responses.ts';
import { type Store, StoreError } from './store.ts';
import { joinRunning, type Sweeper } from './sweep.ts';

/** The limits of the space. */
export interface SpaceLimits {
  /** Most bytes of free results. */
  readonly maxStoredBytes: number;
  /** Most bytes of everything that was paid for. */
  readonly maxPaidBytes: number;
}

/** The store's calls for results, and the parts of other calls that write paid ones. */
export interface Results extends Pick<
  Store,
  'putResult' | 'getResult' | 'hasExpired' | 'deleteResult' | 'paidResponse' | 'paidRoom'
> {
  /**
   * Writes a purchase, and makes room for all that the transaction has written. `taken` when another result has the
   * result's id: the transaction must not be committed.
   *
   * @throws StoreError `storage_full`
   */
  readonly writePaid: (content: PaidContent) => Steps<'written' | 'taken'>;
}

/** Creates the results of an engine. */
export function createResults(
  engine: Engine,
  limits: SpaceLimits,
  sweeper: Pick<Sweeper, 'dropContent'>,
): Results {
  const { keyText } = engine;
  const sql = createStatements(engine);
  const space = createSpace(engine, sql, limits, sweeper);

  function* putResult(result: StoredResult): Steps<'written' | 'taken'> {
    const stored = yield* insertResult(result, false);
    if (stored === undefined) return 'taken';
    yield* space.makeRoom('free_bytes', { id: result.id }, stored);
    return 'written';
  }

  /** Writes a result unless another one has its id, and returns the sum of its kind, itself included. */
  function* insertResult(result: StoredResult, isPaid: boolean): Steps<number | undefined> {
    const { etag, createdMs, expiresMs, gzip, receipt = null, object } = result;
    const values = [keyText(result.id), etag, createdMs, expiresMs, isPaid, gzip, receipt];
    values.push(object?.name ?? null, object?.bytes ?? 0);
    const row = yield* queryRow<{ stored_bytes: bigint }>(sql.insertResult, values);
    // SQLite has counted the row already. Twice is only nearer to the last part of the space.
    return row && Number(row.stored_bytes) + gzip.length + (object?.bytes ?? 0);
  }

  function* writePaid({ result, answer }: PaidContent): Steps<'written' | 'taken'> {
    if (answer !== undefined) {
      const { status, headers, expiresMs, gzip } = answer.response;
      yield* query(sql.insertResponse, [answer.key, status, JSON.stringify(headers), expiresMs, gzip]);
    }
    const stored = result && (yield* insertResult(result, true));
    if (result !== undefined && stored === undefined) return 'taken';
    yield* space.makeRoom('paid_bytes', { id: result?.id, key: answer?.key }, stored);
    return 'written';
  }

  function* paidResponse(key: PaymentKey): Steps<PaidResponse | null> {
    const row = yield* queryRow<ResponseColumns>(sql.findResponse, [engine.time(), key]);
    if (row === undefined) return null;
    return {
      status: Number(row.status),
      headers: JSON.parse(row.headers) as PaidResponse['headers'],
      gzip: row.gzip,
      expiresMs: Number(row.expires_ms),
    };
  }

  function* getResult(id: string): Steps<StoredResult | null> {
    const row = yield* queryRow<ResultColumns>(sql.findResult, [engine.time(), keyText(id)]);
    if (row === undefined) return null;
    const { gzip, etag, created_ms: createdMs, expires_ms: expiresMs } = row;
    const receipt = row.receipt ?? undefined;
    const object = row.object === null ? undefined : { name: row.object, bytes: Number(row.object_bytes) };
    return { id, gzip, etag, receipt, object, createdMs: Number(createdMs), expiresMs: Number(expiresMs) };
  }

  function* hasExpired(id: string): Steps<boolean> {
    return (yield* queryRow(sql.findExpired, [engine.time(), keyText(id)])) !== undefined;
  }

  /** A completed job lasts as long as its result. */
  function* deleteResult(id: string): Steps<boolean> {
    yield* query(sql.dropJobOfResult, [engine.time(), keyText(id)]);
    return (yield* queryCount(sql.dropLiveResult, [engine.time(), keyText(id)])) === 1;
  }

  return {
    putResult: (result) => engine.transaction('quick', () => putResult(result)),
    getResult: (id) => engine.read(() => getResult(id)),
    hasExpired: (id) => engine.read(() => hasExpired(id)),
    deleteResult: (id) => engine.transaction('quick', () => deleteResult(id)),
    paidResponse: (key) => engine.read(() => paidResponse(key)),
    paidRoom: space.paidRoom,
    writePaid,
  };
}

/** Share of the space in which transactions wait for each other. No price is offered there (`room-check.ts`). */
const LAST_PART = 1 / 8;

/** The space of results and responses, and the deletion of expired ones. */
function createSpace(
  engine: Engine,
  sql: Statements,
  { maxStoredBytes, maxPaidBytes }: SpaceLimits,
  { dropContent }: Pick<Sweeper, 'dropContent'>,
) {
  /**
   * Drops expired rows, the oldest first, until the written ones fit. In PostgreSQL the sum lacks the rows of other
   * transactions that have not ended. In the last part of the space transactions therefore wait for each other, so that
   * the limit is passed by those alone that began before it, and only when they write more than that part.
   *
   * @param stored the sum with the written rows, or more. Default: it is read
   * @throws StoreError `storage_full` when live rows leave no room
   */
  function* makeRoom(sum: 'free_bytes' | 'paid_bytes', written: WrittenRows, stored?: number): Steps<void> {
    const most = sum === 'free_bytes' ? maxStoredBytes : maxPaidBytes;
    if ((stored ?? (yield* bytesStored(sum))) <= most * (1 - LAST_PART)) return;
    yield* query(sql.lock[sum]);
    while ((yield* bytesStored(sum)) > most) {
      if ((yield* dropExpired(written)) === 0) throw new StoreError('storage_full');
    }
  }

  function* bytesStored(sum: keyof StoredColumns): Steps<number> {
    return Number((yield* queryOne<StoredColumns>(sql.bytesStored))[sum]);
  }

  /** Drops an expired result, or an expired response when there is no such result, and counts it. */
  function* dropExpired({ id, key }: WrittenRows): Steps<number> {
    const keptId = id === undefined ? null : engine.keyText(id);
    const dropped = yield* queryCount(sql.dropExpiredResult, [engine.time(), keptId]);
    return dropped > 0 ? dropped : yield* queryCount(sql.dropExpiredResponse, [engine.time(), key ?? null]);
  }

  async function paidBytesLeft(): Promise<number> {
    return Math.max(0, maxPaidBytes - (await engine.read(() => bytesStored('paid_bytes'))));
  }

  /** Expired rows count until they are dropped, so that a lack of room drops them until half of it is free. */
  const paidRoom = joinRunning(async () => {
    let left = await paidBytesLeft();
    while (left <= maxPaidBytes / 2 && (await dropContent()) > 0) left = await paidBytesLeft();
    return left;
  });

  return { makeRoom, paidRoom };
}

/** Rows of the current transaction: it must not drop them for want of room, although they may have expired. */
interface WrittenRows {
  readonly id?: string | undefined;
  readonly key?: PaymentKey | undefined;
}

interface StoredColumns {
  readonly free_bytes: bigint;
  readonly paid_bytes: bigint;
}

interface ResultColumns {
  readonly etag: string;
  readonly receipt: string | null;
  readonly created_ms: bigint;
  readonly expires_ms: bigint;
  readonly gzip: Uint8Array;
  readonly object: string | null;
  readonly object_bytes: bigint;
}

interface ResponseColumns {
  readonly status: number | bigint;
  readonly headers: string;
  readonly expires_ms: bigint;
  readonly gzip: Uint8Array;
}

type Statements = ReturnType<typeof createStatements>;

function createStatements({ dialect: { now, lockFree, lock } }: Engine) {
  const isLive = `id = $2 AND expires_ms > ${now}`;
  const droppingExpired = (table: string, column: string): string =>
    `DELETE FROM grainline.${table} WHERE ${column} IN (
       SELECT ${column} FROM grainline.${table}
       WHERE expires_ms <= ${now} AND (CAST($2 AS text) IS NULL OR ${column} <> $2)
       ORDER BY expires_ms LIMIT 1 ${lockFree}
     ) RETURNING 1`;
  return {
    insertResult: `INSERT INTO grainline.results
        (id, etag, created_ms, expires_ms, paid, gzip, receipt, object, object_bytes)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
      RETURNING (SELECT CASE WHEN paid THEN paid_bytes ELSE bytes - paid_bytes END FROM grainline.stored)
        AS stored_bytes`,
    findResult: `SELECT etag, receipt, created_ms, expires_ms, gzip, object, object_bytes
      FROM grainline.results WHERE ${isLive}`,
    findExpired: `SELECT id FROM grainline.results WHERE id = $2 AND expires_ms <= ${now}`,
    dropLiveResult: `DELETE FROM grainline.results WHERE ${isLive} RETURNING 1`,
    dropJobOfResult: `DELETE FROM grainline.jobs WHERE state = 'completed'
      AND id IN (SELECT id FROM grainline.results WHERE ${isLive})`,
    dropExpiredResult: droppingExpired('results', 'id'),
    dropExpiredResponse: droppingExpired('responses', 'key'),
    lock: {
      free_bytes: `SELECT ${lock('free_bytes', `''`)}`,
      paid_bytes: `SELECT ${lock('paid_bytes', `''`)}`,
    },
    bytesStored: 'SELECT bytes - paid_bytes AS free_bytes, paid_bytes FROM grainline.stored',
    insertResponse: `INSERT INTO grainline.responses (key, status, headers, expires_ms, gzip)
      VALUES ($1, $2, $3, $4, $5)`,
    findResponse: `SELECT status, headers, expires_ms, gzip FROM grainline.responses
      WHERE key = $2 AND expires_ms > ${now}`,
  } as const;
}
