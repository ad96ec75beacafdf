// Payments beside the ledger: the finalized re-check, refunds, and the operator's lists.
import { isLeaseRunning, type PaymentKey, type PaymentState, paymentRecordIn } from '@grainline/x402';
import { type Engine, query, queryCount, type Steps, type Value } from './engine.ts';
import { type ChangePayment, findPayment } from './ledger.ts';
import { PAYMENT_COLUMNS, type PaymentColumns, paymentsIn, type StoredPayment } from './payment-rows.ts';
import type {
  PaymentBook,
  PaymentEntry,
  PaymentFilter,
  PaymentPage,
  PaymentTotal,
  Refund,
  UnsettledPayment,
} from './store.ts';

/** Creates the operator's view of the payments in an engine. */
export function createPaymentBook(engine: Engine, changePayment: ChangePayment): PaymentBook {
  const { now, quick } = engine.dialect;
  const block = `INSERT INTO grainline.blocked_payers (payer, blocked_ms) VALUES ($2, ${now}) ON CONFLICT DO NOTHING`;
  // A repeated check costs less than a sync for each.
  const markFinal = `UPDATE grainline.payments SET finality = $3, recheck_ms = ${now}
    WHERE key = $2 AND state = 'consumed' RETURNING ${quick}`;

  return {
    async blockPayer(payer) {
      await engine.change('durable', () => query(block, [engine.time(), payer]));
    },
    unblockPayer: async (payer) => (await engine.change('durable', () => queryCount(UNBLOCK, [payer]))) === 1,
    blockedPayers: async () => {
      const rows = await engine.read(() => query<BlockedColumns>(BLOCKED));
      return rows.map(({ payer, blocked_ms: ms }) => ({ payer, blockedMs: Number(ms) }));
    },
    unsettledConsumed: async (limit) =>
      paymentsIn(await engine.read(() => query<PaymentColumns>(UNSETTLED, [limit]))).flatMap(
        ({ key, changedMs, payment }): UnsettledPayment[] =>
          payment === undefined ? [] : [{ key, consumedMs: changedMs, ...payment }],
      ),
    async markFinal(key, finality) {
      await engine.change('quick', () => query(markFinal, [engine.time(), key, finality]));
    },
    listPayments: (options) => engine.read(() => listPayments(options)),
    paymentEntry: (key) =>
      engine.read(function* () {
        const row = yield* findPayment(key);
        return row === null ? null : entryIn(row);
      }),
    paymentTotals: async (filter = {}) => {
      const rows = await engine.read(() => query<TotalColumns>(TOTALS, valuesOf(filter)));
      return rows.map((row) => ({ ...row, refunded: Number(row.refunded) === 1, count: Number(row.count) }));
    },
    markRefunded: (key, note) => engine.change('durable', () => markRefunded(changePayment, key, note)),
  };
}

function* listPayments({
  limit,
  cursor,
  ...filter
}: PaymentFilter & { limit: number; cursor?: string | undefined }): Steps<PaymentPage> {
  const before = cursor === undefined ? [null, null] : positionIn(cursor);
  const rows = paymentsIn(yield* query<PaymentColumns>(LIST, [...valuesOf(filter), ...before, limit + 1]));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { payments: page.map(entryIn), next: hasMore ? `${last.createdMs} ${last.key}` : null };
}

function markRefunded(changePayment: ChangePayment, key: PaymentKey, note: string): Steps<Refund> {
  return changePayment<Refund>({
    key,
    transition: (row, { nowMs }) => {
      if (row === undefined) return { reply: 'unknown' };
      if (row.refund !== undefined) return { reply: 'already_refunded' };
      if (row.payment === undefined) return { reply: 'unverified' };
      const { lease } = row;
      if (row.state === 'processing' || (lease !== null && isLeaseRunning(lease, nowMs)))
        return { reply: 'in_use' };
      // A lease that ran out must not be renewed once the money is on its way.
      const state = lease === null ? row.state : 'released';
      return { reply: 'refunded', next: { ...row, state, lease: null, refund: { atMs: nowMs, note } } };
    },
  });
}

function entryIn(row: StoredPayment): PaymentEntry {
  const { finality, refund } = row;
  return {
    ...paymentRecordIn(row),
    ...(finality === undefined ? {} : { finality }),
    ...(refund === undefined ? {} : { refund }),
  };
}

interface BlockedColumns {
  readonly payer: string;
  readonly blocked_ms: bigint;
}

interface TotalColumns extends Omit<PaymentTotal, 'refunded' | 'count'> {
  readonly state: PaymentState;
  readonly refunded: unknown;
  readonly count: bigint;
}

function valuesOf({ state, sinceMs }: PaymentFilter): [Value, Value] {
  return [state ?? null, sinceMs ?? null];
}

/** `1795262400000 key`: the last payment of the page before. */
function positionIn(cursor: string): [number, string] {
  const gap = cursor.indexOf(' ');
  return [Number(cursor.slice(0, gap)), cursor.slice(gap + 1)];
}

/** The first two values; a null filters nothing. */
const FILTER =
  '(CAST($1 AS text) IS NULL OR state = $1) AND (CAST($2 AS bigint) IS NULL OR created_ms >= $2)';
const SOLD = `FILTER (WHERE state IN ('processing', 'consumed'))`;

const UNBLOCK = 'DELETE FROM grainline.blocked_payers WHERE payer = $1 RETURNING 1';
const BLOCKED = 'SELECT payer, blocked_ms FROM grainline.blocked_payers ORDER BY blocked_ms DESC, payer';
const UNSETTLED = `SELECT ${PAYMENT_COLUMNS} FROM grainline.payments
  WHERE finality = 'pending' ORDER BY recheck_ms LIMIT $1`;
const LIST = `SELECT ${PAYMENT_COLUMNS} FROM grainline.payments
  WHERE ${FILTER} AND (CAST($3 AS bigint) IS NULL OR (created_ms, key) < ($3, CAST($4 AS text)))
  ORDER BY created_ms DESC, key DESC LIMIT $5`;
const TOTALS = `SELECT state, refunded_ms IS NOT NULL AS refunded, product, count(*) AS count,
    coalesce(sum(credited), 0) AS credited,
    coalesce(sum(price) ${SOLD}, 0) AS price,
    coalesce(sum(credited - price) ${SOLD}, 0) AS surplus
  FROM grainline.payments WHERE ${FILTER} GROUP BY 1, 2, 3 ORDER BY 1, 3, 2`;
