// The ledger of payments in the store. The steps themselves are those of every ledger (`ledger-states.ts` of x402).
//
// Durable in SQLite (synced before the promise resolves) are the steps that record money or its use: a verified
// payment, a release that counts a try, intents and their ends. Quick are steps that a power cut may undo without harm,
// because it ends every request too: a reservation, a binding, a longer lease, and a release that counts nothing. So an
// invented key costs no sync. The sync of a result covers all earlier steps, since there is one log.
import {
  beginIntent,
  bindPayment,
  endIntent,
  identifyTransaction,
  type IntentRow,
  type Lease,
  type Ledger,
  type PaymentKey,
  paymentRecordIn,
  releasePayment,
  renewPayment,
  reservePayment,
  type PaymentStepContext,
  type Transition,
  verifyPayment,
} from '@grainline/x402';
import { type Durability, type Engine, queryRow, type Steps } from './engine.ts';
import {
  INTENTS,
  PAYMENT_COLUMNS,
  type PaymentColumns,
  paymentIn,
  PAYMENTS,
  type StoredPayment,
} from './payment-rows.ts';
import { createRowChanges, type ExpectedRow, type RowChange } from './row-table.ts';

/** The ports of the ledger besides its engine. */
export interface LedgerDeps {
  /** Returns a new unguessable text for every lease. */
  readonly createToken: () => string;
}

/** One step of a payment. */
export interface PaymentChange<HttpReply> {
  readonly key: PaymentKey;
  /** Payer of a payment of which none is recorded yet. */
  readonly payer?: string;
  readonly transition: (
    row: StoredPayment | undefined,
    context: PaymentStepContext,
  ) => Transition<StoredPayment, HttpReply>;
  readonly isQuick?: (next: StoredPayment | null) => boolean;
  readonly expected?: ExpectedRow;
}

/** Changes payments within the transaction of a call. */
export type ChangePayment = <HttpReply>(change: PaymentChange<HttpReply>) => Steps<HttpReply>;

/** Creates the function that changes payments. */
export function createPaymentChanges(engine: Engine): ChangePayment {
  const change = createRowChanges(engine, PAYMENTS);
  return ({ payer, transition, ...rest }) =>
    change({
      ...rest,
      value: payer,
      transition: (row, nowMs, isBlocked) => transition(row, { nowMs, isBlocked }),
    });
}

/** Reads one payment. */
export function* findPayment(key: PaymentKey): Steps<StoredPayment | null> {
  const columns = yield* queryRow<PaymentColumns>(
    `SELECT ${PAYMENT_COLUMNS} FROM grainline.payments WHERE key = $1`,
    [key],
  );
  return columns === undefined ? null : paymentIn(columns);
}

/** Creates the ledger of an engine. */
export function createLedger(
  engine: Engine,
  changePayment: ChangePayment,
  { createToken }: LedgerDeps,
): Ledger {
  const changeIntent = createRowChanges(engine, INTENTS);
  const isQuick = (): boolean => true;
  const leaseOf = (key: string, expiresMs: number): Lease => ({ key, token: createToken(), expiresMs });

  function* settledPayment(key: string): Steps<PaymentKey | null> {
    const text = 'SELECT settled_as FROM grainline.intents WHERE key = $1';
    return (yield* queryRow<{ settled_as: string | null }>(text, [key]))?.settled_as ?? null;
  }

  const change = <HttpReply>(durability: Durability, step: PaymentChange<HttpReply>): Promise<HttpReply> =>
    engine.change(durability, () => changePayment(step));
  const intent = <HttpReply>(step: RowChange<IntentRow, HttpReply>): Promise<HttpReply> =>
    engine.change('durable', () => changeIntent(step));

  return {
    reserve: (key, ms) =>
      change('quick', {
        key,
        isQuick,
        expected: 'none',
        transition: (row, context) => reservePayment(row, leaseOf(key, context.nowMs + ms), context),
      }),
    recordVerified: (lease, payment, refusal) =>
      change('durable', {
        key: lease.key,
        payer: payment.payer,
        expected: 'written',
        transition: (row, context) => verifyPayment(row, lease, { payment, refusal }, context),
      }),
    bind: (lease, purchase) =>
      change('quick', {
        key: lease.key,
        isQuick,
        expected: 'written',
        transition: (row, { nowMs }) => bindPayment(row, lease, purchase, nowMs),
      }),
    renew: (lease, ms) =>
      change('quick', {
        key: lease.key,
        isQuick,
        transition: (row, { nowMs }) => renewPayment(row, { ...lease, expiresMs: nowMs + ms }),
      }),
    release: (lease, reason) =>
      change(reason.counts ? 'durable' : 'quick', {
        key: lease.key,
        isQuick: (next) => next === null,
        transition: (row, { nowMs }) => releasePayment(row, lease, reason, nowMs),
      }),
    beginIntent: (key, ms) =>
      intent({
        key,
        expected: 'none',
        transition: (row, nowMs) => beginIntent(row, leaseOf(key, nowMs + ms), nowMs),
      }),
    endIntent: (lease, payment) =>
      intent({
        key: lease.key,
        expected: 'written',
        transition: (row) => endIntent(row, lease, payment),
      }),
    settledPayment: (key) => engine.read(() => settledPayment(key)),
    identified: (key) => engine.read(() => settledPayment(key)),
    identify: (key, transaction, instead) =>
      intent({
        key,
        transition: (row, nowMs) => identifyTransaction(row, { transaction, instead }, nowMs),
      }),
    get: (key) =>
      engine.read(function* () {
        const row = yield* findPayment(key);
        return row === null ? null : paymentRecordIn(row);
      }),
  };
}
