// Payments between the rows of both engines and the values of the ports. Rows are read with integers as bigint.
import type { Finality, PaymentRecord, PaymentState, Purchase, VerifiedPayment } from '@grainline/x402';
import type { PaymentEntry } from './store.ts';

/** A row of `payments`, as {@link PAYMENT_COLUMNS} reads it. */
export interface PaymentRow {
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
  readonly refunded_ms: bigint | null;
  readonly refund_note: string | null;
}

export const PAYMENT_COLUMNS = `key, state, token, lease_ends_ms, payer, credited, slot, memo, fingerprint, price,
  product, tries, reason, created_ms, changed_ms, finality, refunded_ms, refund_note`;

/** What the chain said; undefined while nobody has asked it. */
export function paymentIn({ payer, credited, slot, memo }: PaymentRow): VerifiedPayment | undefined {
  if (payer === null || credited === null || slot === null) return undefined;
  return { payer, credited, slot, ...(memo === null ? {} : { memo }) };
}

export function recordIn(row: PaymentRow): PaymentRecord {
  const { key, state, reason } = row;
  const payment = paymentIn(row);
  const purchase = purchaseIn(row);
  return {
    key,
    state,
    ...(payment === undefined ? {} : { payment }),
    ...(purchase === undefined ? {} : { purchase }),
    tries: Number(row.tries),
    ...(reason === null ? {} : { reason }),
    createdMs: Number(row.created_ms),
    changedMs: Number(row.changed_ms),
  };
}

export function entryIn(row: PaymentRow): PaymentEntry {
  const { finality, refunded_ms: refundedMs, refund_note: note } = row;
  return {
    ...recordIn(row),
    ...(finality === null ? {} : { finality }),
    ...(refundedMs === null || note === null ? {} : { refund: { atMs: Number(refundedMs), note } }),
  };
}

function purchaseIn({ fingerprint, price, product }: PaymentRow): Purchase | undefined {
  if (fingerprint === null || price === null || product === null) return undefined;
  return { fingerprint, price, product };
}
