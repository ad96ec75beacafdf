// The states of a payment and of a settlement intent, as pure functions: a row and the time go in, the reply and the
// next row come out. Every ledger runs these functions; an engine only reads a row and writes the next one, atomically.
import {
  type Intent,
  type Lease,
  type LeaseStatus,
  MAX_TRIES,
  type PaymentKey,
  type PaymentRecord,
  type PaymentRefusal,
  type PaymentState,
  type Purchase,
  type ReleaseReason,
  type Reservation,
  type VerifiedPayment,
} from './ledger.ts';

/** A payment as an engine stores it. */
export interface PaymentRow extends PaymentRecord {
  /** The current lease. Null when the payment is released, consumed or held by a job. */
  readonly lease: Lease | null;
  /** The operator's note that the money was returned. Such a payment is exhausted. */
  readonly refund?: { readonly atMs: number; readonly note: string } | undefined;
}

/** An intent as an engine stores it. */
export interface IntentRow {
  readonly lease: Lease | null;
  readonly sinceMs: number;
  readonly settledAs: PaymentKey | null;
}

/** One step of a row. `next` replaces the row, null deletes it; without `next` the row stays as it is. */
export interface Transition<Row, Reply> {
  readonly reply: Reply;
  readonly next?: Row | null;
}

/** The circumstances of a step. */
export interface PaymentStepContext {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** True when the payer of the payment is blocked. */
  readonly isBlocked: boolean;
}

type PaymentStep<Reply> = Transition<PaymentRow, Reply>;

const TOO_OLD: PaymentRefusal = 'payment_too_old';

/**
 * Carries out {@link Ledger.reserve} on one row. A refused payment and one of a blocked payer have to be verified
 * again.
 */
export function reservePayment(
  row: PaymentRow | undefined,
  lease: Lease,
  { nowMs, isBlocked }: PaymentStepContext,
): PaymentStep<Reservation> {
  const { key } = lease;
  const unavailable = row === undefined ? null : unavailableReservation(row, nowMs);
  if (unavailable !== null) return { reply: unavailable };
  const payment = row?.reason === TOO_OLD || isBlocked ? undefined : row?.payment;
  const created = row ?? { key, tries: 0, createdMs: nowMs };
  const state = payment === undefined ? 'reserved' : 'verified';
  return {
    reply: { kind: 'reserved', lease, payment },
    next: { ...created, state, lease, purchase: undefined, changedMs: nowMs },
  };
}

function unavailableReservation(row: PaymentRow, nowMs: number): Reservation | null {
  const { state, lease, purchase, tries, refund } = row;
  // A consumed or processing payment was bound before, so that it has a purchase.
  if (state === 'processing' || state === 'consumed')
    return { kind: state, fingerprint: purchase?.fingerprint ?? '' };
  if (lease !== null && isLeaseRunning(lease, nowMs)) {
    const fingerprint = state === 'bound' ? purchase?.fingerprint : undefined;
    return { kind: 'held', expiresMs: lease.expiresMs, fingerprint };
  }
  return tries >= MAX_TRIES || refund !== undefined ? { kind: 'exhausted' } : null;
}

/** Carries out {@link Ledger.recordVerified} on one row. */
export function verifyPayment(
  row: PaymentRow | undefined,
  lease: Lease,
  verified: { readonly payment: VerifiedPayment; readonly refusal: PaymentRefusal | undefined },
  { nowMs, isBlocked }: PaymentStepContext,
): PaymentStep<LeaseStatus | 'blocked'> {
  if (!isHeld(row, lease)) return { reply: 'lost' };
  const known = { ...row, payment: row.payment ?? verified.payment };
  if (isBlocked) return { reply: 'blocked', next: known };
  if (row.state !== 'reserved') return { reply: 'held' };
  const { refusal: reason } = verified;
  const next = { ...known, reason };
  return { reply: 'held', next: reason === undefined ? moved(next, 'verified', nowMs) : next };
}

/** Carries out {@link Ledger.bind} on one row. */
export function bindPayment(
  row: PaymentRow | undefined,
  lease: Lease,
  purchase: Purchase,
  nowMs: number,
): PaymentStep<LeaseStatus> {
  if (!isHeld(row, lease) || (row.state !== 'verified' && row.state !== 'bound')) return { reply: 'lost' };
  return { reply: 'held', next: { ...moved(row, 'bound', nowMs), purchase } };
}

/** Carries out {@link Ledger.renew} on one row. A lease that ran out is renewed too, until another one was given. */
export function renewPayment(row: PaymentRow | undefined, renewed: Lease): PaymentStep<Lease | null> {
  if (!isHeld(row, renewed)) return { reply: null };
  return { reply: renewed, next: { ...row, lease: renewed } };
}

/** Carries out {@link Ledger.release} on one row. */
export function releasePayment(
  row: PaymentRow | undefined,
  lease: Lease,
  { reason, counts }: ReleaseReason,
  nowMs: number,
): PaymentStep<LeaseStatus> {
  if (!isHeld(row, lease)) return { reply: 'lost' };
  if (row.payment === undefined) return { reply: 'held', next: null };
  const wasRefused = row.state === 'reserved' && row.reason === TOO_OLD;
  return { reply: 'held', next: released(row, { reason: wasRefused ? TOO_OLD : reason, counts }, nowMs) };
}

/** Ends a bound payment under its lease: `consumed`, or `processing` while a job works for it. */
export function spendPayment(
  row: PaymentRow | undefined,
  lease: Lease,
  state: 'consumed' | 'processing',
  nowMs: number,
): PaymentStep<LeaseStatus> {
  if (!isHeld(row, lease) || row.state !== 'bound') return { reply: 'lost' };
  return { reply: 'held', next: { ...moved(row, state, nowMs), lease: null } };
}

/** Ends the payment of a job: `consumed`, or released for the given reason. */
export function endProcessing(
  row: PaymentRow | undefined,
  outcome: 'consumed' | ReleaseReason,
  nowMs: number,
): PaymentStep<boolean> {
  if (row?.state !== 'processing') return { reply: false };
  const next = outcome === 'consumed' ? moved(row, outcome, nowMs) : released(row, outcome, nowMs);
  return { reply: true, next };
}

/** Carries out {@link Ledger.beginIntent} on one row. */
export function beginIntent(
  row: IntentRow | undefined,
  lease: Lease,
  nowMs: number,
): Transition<IntentRow, Intent> {
  if (row === undefined)
    return { reply: { kind: 'begun', lease }, next: { lease, sinceMs: nowMs, settledAs: null } };
  if (row.settledAs !== null) return { reply: { kind: 'settled', key: row.settledAs } };
  if (row.lease !== null && isLeaseRunning(row.lease, nowMs))
    return { reply: { kind: 'held', expiresMs: row.lease.expiresMs } };
  return { reply: { kind: 'unknown', lease, sinceMs: row.sinceMs }, next: { ...row, lease } };
}

/** Carries out {@link Ledger.endIntent} on one row. */
export function endIntent(
  row: IntentRow | undefined,
  lease: Lease,
  settledAs: PaymentKey | null,
): Transition<IntentRow, LeaseStatus> {
  if (!isHeld(row, lease)) return { reply: 'lost' };
  return { reply: 'held', next: settledAs === null ? null : { ...row, lease: null, settledAs } };
}

/** Carries out {@link Ledger.identify} on one row. An identifier is an intent that became its transaction. */
export function identifyTransaction(
  row: IntentRow | undefined,
  { transaction, instead }: { readonly transaction: string; readonly instead: string | undefined },
  nowMs: number,
): Transition<IntentRow, string> {
  const named = row?.settledAs ?? instead;
  if (named !== undefined && named !== instead) return { reply: named };
  return { reply: transaction, next: { lease: null, sinceMs: nowMs, settledAs: transaction } };
}

/** The part of a row that {@link Ledger.get} shows. */
export function paymentRecordIn(row: PaymentRow): PaymentRecord {
  const { key, state, payment, purchase, tries, reason, createdMs, changedMs } = row;
  return { key, state, payment, purchase, tries, reason, createdMs, changedMs };
}

/** True while the lease lasts. */
export function isLeaseRunning(lease: Lease, nowMs: number): boolean {
  return nowMs < lease.expiresMs;
}

/** A lease that ran out holds the row until another one is given. */
function isHeld<Row extends { readonly lease: Lease | null }>(
  row: Row | undefined,
  { token }: Lease,
): row is Row {
  return row?.lease?.token === token;
}

function moved(row: PaymentRow, state: PaymentState, nowMs: number): PaymentRow {
  return { ...row, state, changedMs: nowMs };
}

function released(row: PaymentRow, { reason, counts }: ReleaseReason, nowMs: number): PaymentRow {
  const tries = row.tries + (counts ? 1 : 0);
  return { ...moved(row, 'released', nowMs), lease: null, reason, tries };
}
