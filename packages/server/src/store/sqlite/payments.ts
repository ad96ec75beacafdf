// What happens to payments beside the ledger: the finalized re-check, refunds, and what the operator reads.
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { Finality, PaymentKey, PaymentState } from '@grainline/x402';
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
import { type Connections, settled, transaction } from './database.ts';
import { entryIn, PAYMENT_COLUMNS, type PaymentRow, paymentIn } from '../rows.ts';

export function createPaymentBook(
  { quick, durable }: Connections,
  { now }: { readonly now: () => number },
): PaymentBook {
  const statement = createStatements({ quick, durable });
  const find = (key: PaymentKey): PaymentRow | undefined =>
    // The columns are as the table's checks say, here and below.
    statement.find.get(key) as PaymentRow | undefined;

  function unsettledConsumed(limit: number): UnsettledPayment[] {
    const rows = statement.unsettled.all(limit) as unknown as PaymentRow[];
    return rows.flatMap((row) => {
      const payment = paymentIn(row);
      return payment === undefined ? [] : [{ key: row.key, consumedMs: Number(row.changed_ms), ...payment }];
    });
  }

  function listPayments({
    limit,
    cursor,
    ...filter
  }: PaymentFilter & { limit: number; cursor?: string }): PaymentPage {
    const [beforeMs, beforeKey] = cursor === undefined ? [null, null] : positionIn(cursor);
    const rows = statement.list.all({
      ...parametersOf(filter),
      beforeMs,
      beforeKey,
      limit: limit + 1,
    }) as unknown as PaymentRow[];
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return { payments: page.map(entryIn), next: hasMore ? `${last.created_ms} ${last.key}` : null };
  }

  function paymentTotals(filter: PaymentFilter): PaymentTotal[] {
    const rows = statement.totals.all(parametersOf(filter)) as unknown as TotalRow[];
    return rows.map((row) => ({ ...row, refunded: row.refunded === 1n, count: Number(row.count) }));
  }

  function markRefunded(key: PaymentKey, note: string): Refund {
    const row = find(key);
    if (row === undefined) return 'unknown';
    if (row.refunded_ms !== null) return 'already_refunded';
    if (row.payer === null) return 'unverified';
    const isHeld = row.lease_ends_ms !== null && now() < Number(row.lease_ends_ms);
    if (isHeld || row.state === 'processing') return 'in_use';
    statement.takeBack.run(key);
    statement.refund.run(now(), note, key);
    return 'refunded';
  }

  return {
    blockPayer: (payer) =>
      settled(() => transaction(durable, () => statement.block.run(payer, now()))).then(() => undefined),
    unblockPayer: (payer) =>
      settled(() => transaction(durable, () => Number(statement.unblock.run(payer).changes) === 1)),
    blockedPayers: () => settled(() => statement.blocked.all() as unknown as BlockedPayer[]),
    unsettledConsumed: (limit) => settled(() => unsettledConsumed(limit)),
    markFinal: (key: PaymentKey, finality: Finality) =>
      settled(() => transaction(quick, () => statement.markFinal.run(finality, now(), key))).then(
        () => undefined,
      ),
    listPayments: (options) => settled(() => listPayments(options)),
    paymentEntry: (key) =>
      settled((): PaymentEntry | null => {
        const row = find(key);
        return row === undefined ? null : entryIn(row);
      }),
    paymentTotals: (filter = {}) => settled(() => paymentTotals(filter)),
    markRefunded: (key, note) => settled(() => transaction(durable, () => markRefunded(key, note))),
  };
}

interface TotalRow {
  readonly state: PaymentState;
  readonly refunded: bigint;
  readonly product: string | null;
  readonly count: bigint;
  readonly credited: bigint;
  readonly price: bigint;
  readonly surplus: bigint;
}

function parametersOf({ state, sinceMs }: PaymentFilter): Record<string, SQLInputValue> {
  return { state: state ?? null, since: sinceMs ?? null };
}

/** `1795262400000 key`: the payment after which the next part begins. */
function positionIn(cursor: string): [number, string] {
  const gap = cursor.indexOf(' ');
  return [Number(cursor.slice(0, gap)), cursor.slice(gap + 1)];
}

/** The filter as SQL. Named parameters: one that is null filters nothing. */
const FILTER = '(:state IS NULL OR state = :state) AND (:since IS NULL OR created_ms >= :since)';

function createStatements({ quick, durable }: Connections) {
  const exact = (sql: string): StatementSync => {
    const statement = quick.prepare(sql);
    // Amounts are beyond what a double holds exactly.
    statement.setReadBigInts(true);
    return statement;
  };
  return {
    find: exact(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE key = ?`),
    unsettled: exact(
      `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE finality = 'pending' ORDER BY recheck_ms LIMIT ?`,
    ),
    list: exact(
      `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE ${FILTER}
       AND (:beforeMs IS NULL OR (created_ms, key) < (:beforeMs, :beforeKey))
       ORDER BY created_ms DESC, key DESC LIMIT :limit`,
    ),
    totals: exact(
      `SELECT state, refunded_ms IS NOT NULL AS refunded, product, count(*) AS count,
         coalesce(sum(credited), 0) AS credited,
         coalesce(sum(price) FILTER (WHERE state IN ('processing', 'consumed')), 0) AS price,
         coalesce(sum(credited - price) FILTER (WHERE state IN ('processing', 'consumed')), 0) AS surplus
       FROM payments WHERE ${FILTER} GROUP BY 1, 2, 3 ORDER BY 1, 3, 2`,
    ),
    // Looked at once more costs less than a sync for each.
    markFinal: quick.prepare(
      `UPDATE payments SET finality = ?, recheck_ms = ? WHERE key = ? AND state = 'consumed'`,
    ),
    block: durable.prepare(
      'INSERT INTO blocked_payers (payer, blocked_ms) VALUES (?, ?) ON CONFLICT DO NOTHING',
    ),
    unblock: durable.prepare('DELETE FROM blocked_payers WHERE payer = ?'),
    blocked: quick.prepare(
      `SELECT payer, blocked_ms AS "blockedMs" FROM blocked_payers ORDER BY blocked_ms DESC, payer`,
    ),
    // A lease that ran out may not come back to life once the money is on its way.
    takeBack: durable.prepare(
      `UPDATE payments SET state = 'released', token = NULL, lease_ends_ms = NULL
       WHERE key = ? AND state IN ('reserved', 'verified', 'bound')`,
    ),
    refund: durable.prepare('UPDATE payments SET refunded_ms = ?, refund_note = ? WHERE key = ?'),
  };
}
