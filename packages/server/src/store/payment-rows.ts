// Rows of the tables of payments and intents, in both directions. Both engines read whole numbers as bigint.
import type { Finality, IntentRow, Lease, PaymentRow, PaymentState } from '@grainline/x402';
import type { Value } from './engine.ts';
import type { RowTable } from './row-table.ts';

/** A payment as the store keeps it: the ledger's row, and the certainty of a consumed payment. */
export interface StoredPayment extends PaymentRow {
  readonly finality?: Finality | undefined;
  /** Moment of the last check of a consumed payment. */
  readonly recheckMs?: number | undefined;
}

/** A row of `payments`. */
export interface PaymentColumns {
  readonly key: string;
  readonly state: PaymentState;
  readonly token: string | null;
  readonly lease_ends_ms: bigint | null;
  readonly payer: string | null;
  readonly credited: bigint | null;
  readonly slot: bigint | null;
  readonly memo: string | null;
  readonly fingerprint: string | null;
  readonly price: bigint | null;
  readonly product: string | null;
  readonly tries: bigint;
  readonly reason: string | null;
  readonly created_ms: bigint;
  readonly changed_ms: bigint;
  readonly finality: Finality | null;
  readonly recheck_ms: bigint | null;
  readonly refunded_ms: bigint | null;
  readonly refund_note: string | null;
}

/**
 * Reads a payment.
 *
 * @param aheadMs lead of this machine's clock over the database's: it is added to all moments
 */
export function paymentIn(columns: PaymentColumns, aheadMs = 0): StoredPayment {
  const { key, state, payer, credited, slot, memo, fingerprint, price, product } = columns;
  const msOf = (ms: bigint): number => Number(ms) + aheadMs;
  return {
    key,
    state,
    lease: leaseIn(columns, aheadMs),
    payment:
      payer === null || credited === null || slot === null
        ? undefined
        : { payer, credited, slot, ...(memo === null ? {} : { memo }) },
    purchase:
      fingerprint === null || price === null || product === null
        ? undefined
        : { fingerprint, price, product },
    tries: Number(columns.tries),
    reason: columns.reason ?? undefined,
    createdMs: msOf(columns.created_ms),
    changedMs: msOf(columns.changed_ms),
    finality: columns.finality ?? undefined,
    recheckMs: columns.recheck_ms === null ? undefined : msOf(columns.recheck_ms),
    refund:
      columns.refunded_ms === null || columns.refund_note === null
        ? undefined
        : { atMs: msOf(columns.refunded_ms), note: columns.refund_note },
  };
}

/** Reads the payments of a list. */
export function paymentsIn(rows: readonly PaymentColumns[]): StoredPayment[] {
  return rows.map((columns) => paymentIn(columns));
}

/** A payment that was just consumed is `pending`. */
function paymentValues(row: StoredPayment): Value[] {
  const { state, lease, payment, purchase, changedMs, refund } = row;
  const isConsumed = state === 'consumed';
  const recheckMs = isConsumed ? (row.recheckMs ?? changedMs) : null;
  return [
    ...[state, lease?.token ?? null, lease?.expiresMs ?? null],
    ...[payment?.payer ?? null, payment?.credited ?? null, payment?.slot ?? null, payment?.memo ?? null],
    ...[purchase?.fingerprint ?? null, purchase?.price ?? null, purchase?.product ?? null],
    ...[row.tries, row.reason ?? null, row.createdMs, changedMs],
    ...[isConsumed ? (row.finality ?? 'pending') : null, recheckMs],
    ...[refund?.atMs ?? null, refund?.note ?? null],
  ];
}

/** The table of payments. The flag is true when the payer of the row is blocked, or without one the given payer. */
export const PAYMENTS: RowTable<PaymentColumns, StoredPayment> = {
  name: 'payments',
  columns: [
    ...[
      'state',
      'token',
      'lease_ends_ms',
      'payer',
      'credited',
      'slot',
      'memo',
      'fingerprint',
      'price',
      'product',
    ],
    ...[
      'tries',
      'reason',
      'created_ms',
      'changed_ms',
      'finality',
      'recheck_ms',
      'refunded_ms',
      'refund_note',
    ],
  ],
  flag: (payer) =>
    `EXISTS (SELECT 1 FROM grainline.blocked_payers AS b WHERE b.payer = coalesce(kept.payer, ${payer}))`,
  rowOf: paymentIn,
  valuesOf: paymentValues,
};

/** The columns of {@link PaymentColumns}. */
export const PAYMENT_COLUMNS = ['key', ...PAYMENTS.columns].join(', ');

/** A row of `intents`. */
export interface IntentColumns {
  readonly key: string;
  readonly token: string | null;
  readonly lease_ends_ms: bigint | null;
  readonly since_ms: bigint;
  readonly settled_as: string | null;
}

/** The table of intents. */
export const INTENTS: RowTable<IntentColumns, IntentRow> = {
  name: 'intents',
  columns: ['token', 'lease_ends_ms', 'since_ms', 'settled_as'],
  // The parameter has a type only where it is used.
  flag: (parameter) => `CAST(${parameter} AS text) IS NOT NULL`,
  rowOf: (columns, aheadMs) => ({
    lease: leaseIn(columns, aheadMs),
    sinceMs: Number(columns.since_ms) + aheadMs,
    settledAs: columns.settled_as,
  }),
  valuesOf: ({ lease, sinceMs, settledAs }) => [
    lease?.token ?? null,
    lease?.expiresMs ?? null,
    sinceMs,
    settledAs,
  ],
};

function leaseIn(
  { key, token, lease_ends_ms: endsMs }: Pick<PaymentColumns, 'key' | 'token' | 'lease_ends_ms'>,
  aheadMs: number,
): Lease | null {
  return token === null || endsMs === null ? null : { key, token, expiresMs: Number(endsMs) + aheadMs };
}
