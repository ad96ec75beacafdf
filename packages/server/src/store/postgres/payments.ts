// What happens to payments beside the ledger: the finalized re-check, refunds, and what the operator reads.
import type { PaymentKey, PaymentState } from '@grainline/x402';
import { entryIn, PAYMENT_COLUMNS, type PaymentRow, paymentIn } from '../rows.ts';
import type {
  BlockedPayer,
  PaymentBook,
  PaymentEntry,
  PaymentFilter,
  PaymentPage,
  PaymentTotal,
  Refund,
  UnsettledPayment,
} from '../store.ts';
import { type Clock, nowIn, QUICK } from './clock.ts';
import type { Database, Value } from './database.ts';

export function createPaymentBook({ query }: Database, { clock }: { readonly clock: Clock }): PaymentBook {
  async function find(key: PaymentKey): Promise<PaymentRow | undefined> {
    // The columns are as the table's checks say, here and below.
    const [row] = await query<PaymentRow>(SQL.find, [key]);
    return row;
  }

  async function unsettledConsumed(limit: number): Promise<UnsettledPayment[]> {
    const rows = await query<PaymentRow>(SQL.unsettled, [limit]);
    return rows.flatMap((row) => {
      const payment = paymentIn(row);
      return payment === undefined ? [] : [{ key: row.key, consumedMs: Number(row.changed_ms), ...payment }];
    });
  }

  async function listPayments({
    limit,
    cursor,
    ...filter
  }: PaymentFilter & { limit: number; cursor?: string }): Promise<PaymentPage> {
    const before = cursor === undefined ? [null, null] : positionIn(cursor);
    const rows = await query<PaymentRow>(SQL.list, [...parametersOf(filter), ...before, limit + 1]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return { payments: page.map(entryIn), next: hasMore ? `${last.created_ms} ${last.key}` : null };
  }

  async function paymentTotals(filter: PaymentFilter): Promise<PaymentTotal[]> {
    const rows = await query<TotalRow>(SQL.totals, parametersOf(filter));
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  }

  async function markRefunded(key: PaymentKey, note: string): Promise<Refund> {
    for (;;) {
      if ((await query(SQL.refund, [clock.parameter(), key, note])).length === 1) return 'refunded';
      const [row] = await query<RefusalRow>(SQL.refusal, [clock.parameter(), key]);
      if (row === undefined) return 'unknown';
      if (row.refunded) return 'already_refunded';
      if (row.unverified) return 'unverified';
      if (row.in_use) return 'in_use';
    }
  }

  return {
    blockPayer: async (payer) => {
      await query(SQL.block, [clock.parameter(), payer]);
    },
    unblockPayer: async (payer) => (await query(SQL.unblock, [payer])).length === 1,
    blockedPayers: async (): Promise<BlockedPayer[]> => {
      const rows = await query<{ payer: string; blocked_ms: bigint }>(SQL.blocked, []);
      return rows.map(({ payer, blocked_ms: ms }) => ({ payer, blockedMs: Number(ms) }));
    },
    unsettledConsumed,
    markFinal: async (key, finality) => {
      await query(SQL.markFinal, [clock.parameter(), key, finality]);
    },
    listPayments,
    paymentEntry: async (key): Promise<PaymentEntry | null> => {
      const row = await find(key);
      return row === undefined ? null : entryIn(row);
    },
    paymentTotals: (filter = {}) => paymentTotals(filter),
    markRefunded,
  };
}

interface TotalRow {
  readonly state: PaymentState;
  readonly refunded: boolean;
  readonly product: string | null;
  readonly count: bigint;
  readonly credited: bigint;
  readonly price: bigint;
  readonly surplus: bigint;
}

interface RefusalRow {
  readonly refunded: boolean;
  readonly unverified: boolean;
  readonly in_use: boolean;
}

function parametersOf({ state, sinceMs }: PaymentFilter): [Value, Value] {
  return [state ?? null, sinceMs ?? null];
}

/** `1795262400000 key`: the payment after which the next part begins. */
function positionIn(cursor: string): [number, string] {
  const gap = cursor.indexOf(' ');
  return [Number(cursor.slice(0, gap)), cursor.slice(gap + 1)];
}

/** The first two parameters; one that is null filters nothing. */
const FILTER = '($1::text IS NULL OR state = $1) AND ($2::bigint IS NULL OR created_ms >= $2)';
/** SQL condition: a request or a job works with the payment, by the clock of the first parameter. */
const IN_USE = `(state = 'processing' OR coalesce(lease_ends_ms > ${nowIn(1)}, false))`;
const SOLD = `FILTER (WHERE state IN ('processing', 'consumed'))`;

const SQL = {
  find: `SELECT ${PAYMENT_COLUMNS} FROM grainline.payments WHERE key = $1`,
  unsettled: `SELECT ${PAYMENT_COLUMNS} FROM grainline.payments
    WHERE finality = 'pending' ORDER BY recheck_ms LIMIT $1`,
  list: `SELECT ${PAYMENT_COLUMNS} FROM grainline.payments
    WHERE ${FILTER} AND ($3::bigint IS NULL OR (created_ms, key) < ($3, $4::text))
    ORDER BY created_ms DESC, key DESC LIMIT $5`,
  totals: `SELECT state, refunded_ms IS NOT NULL AS refunded, product, count(*) AS count,
      coalesce(sum(credited), 0) AS credited,
      coalesce(sum(price) ${SOLD}, 0) AS price,
      coalesce(sum(credited - price) ${SOLD}, 0) AS surplus
    FROM grainline.payments WHERE ${FILTER} GROUP BY 1, 2, 3 ORDER BY 1, 3, 2`,
  // Looked at once more costs less than a sync for each.
  markFinal: `UPDATE grainline.payments SET finality = $3, recheck_ms = ${nowIn(1)}
    WHERE key = $2 AND state = 'consumed' RETURNING ${QUICK}`,
  block: `INSERT INTO grainline.blocked_payers (payer, blocked_ms) VALUES ($2, ${nowIn(1)}) ON CONFLICT DO NOTHING`,
  unblock: 'DELETE FROM grainline.blocked_payers WHERE payer = $1 RETURNING 1',
  blocked: 'SELECT payer, blocked_ms FROM grainline.blocked_payers ORDER BY blocked_ms DESC, payer',
  // A lease that ran out may not come back to life once the money is on its way.
  refund: `UPDATE grainline.payments SET refunded_ms = ${nowIn(1)}, refund_note = $3,
      state = CASE WHEN state IN ('reserved', 'verified', 'bound') THEN 'released' ELSE state END,
      token = NULL, lease_ends_ms = NULL
    WHERE key = $2 AND refunded_ms IS NULL AND payer IS NOT NULL AND NOT ${IN_USE} RETURNING 1`,
  refusal: `SELECT refunded_ms IS NOT NULL AS refunded, payer IS NULL AS unverified, ${IN_USE} AS in_use
    FROM grainline.payments WHERE key = $2`,
} as const;
