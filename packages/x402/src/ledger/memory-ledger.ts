// A ledger in the memory of one process, for tests and for a service that may forget every payment when it ends.
import type { IntentKey, Lease, LeaseStatus, Ledger, PaymentKey } from './ledger.ts';
import {
  beginIntent,
  bindPayment,
  endIntent,
  identifyTransaction,
  type IntentRow,
  type PaymentRow,
  paymentRecordIn,
  releasePayment,
  renewPayment,
  reservePayment,
  spendPayment,
  type Transition,
  verifyPayment,
} from './ledger-states.ts';

/** The ports of a ledger in memory. */
export interface MemoryLedgerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a new unguessable text for every lease. */
  readonly createToken: () => string;
}

/** A ledger, with the steps that only a store of results takes. */
export interface MemoryLedger extends Ledger {
  /** Ends a bound payment: `consumed` for ever, or `processing` while a job works for it. */
  spend(lease: Lease, state: 'consumed' | 'processing'): Promise<LeaseStatus>;
  /** Makes the payments of this payer unusable; they are still recorded. */
  blockPayer(payer: string): Promise<void>;
}

/**
 * Creates an empty ledger. Every method finishes its work before it returns its promise, so that its steps are atomic.
 */
export function createMemoryLedger({ now, createToken }: MemoryLedgerOptions): MemoryLedger {
  const payments = new Map<PaymentKey, PaymentRow>();
  const intents = new Map<IntentKey, IntentRow>();
  const blocked = new Set<string>();

  const newLease = (key: string, ms: number): Lease => ({ key, token: createToken(), expiresMs: now() + ms });
  const contextOf = (payer: string | undefined) => ({
    nowMs: now(),
    isBlocked: payer !== undefined && blocked.has(payer),
  });

  return {
    reserve: (key, ms) =>
      step(payments, key, (row) => reservePayment(row, newLease(key, ms), contextOf(row?.payment?.payer))),
    recordVerified: (lease, payment, refusal) =>
      step(payments, lease.key, (row) =>
        verifyPayment(row, lease, { payment, refusal }, contextOf((row?.payment ?? payment).payer)),
      ),
    bind: (lease, purchase) => step(payments, lease.key, (row) => bindPayment(row, lease, purchase, now())),
    renew: (lease, ms) =>
      step(payments, lease.key, (row) => renewPayment(row, { ...lease, expiresMs: now() + ms })),
    release: (lease, reason) => step(payments, lease.key, (row) => releasePayment(row, lease, reason, now())),
    spend: (lease, state) => step(payments, lease.key, (row) => spendPayment(row, lease, state, now())),
    beginIntent: (key, ms) => step(intents, key, (row) => beginIntent(row, newLease(key, ms), now())),
    endIntent: (lease, settledAs) => step(intents, lease.key, (row) => endIntent(row, lease, settledAs)),
    settledPayment: (key) => Promise.resolve(intents.get(key)?.settledAs ?? null),
    identified: (key) => Promise.resolve(intents.get(key)?.settledAs ?? null),
    identify: (key, transaction, instead) =>
      step(intents, key, (row) => identifyTransaction(row, { transaction, instead }, now())),
    get: (key) => {
      const row = payments.get(key);
      return Promise.resolve(row === undefined ? null : paymentRecordIn(row));
    },
    blockPayer: (payer) => {
      blocked.add(payer);
      return Promise.resolve();
    },
  };
}

function step<Row, Reply>(
  rows: Map<string, Row>,
  key: string,
  transition: (row: Row | undefined) => Transition<Row, Reply>,
): Promise<Reply> {
  const { reply, next } = transition(rows.get(key));
  if (next === null) rows.delete(key);
  else if (next !== undefined) rows.set(key, next);
  return Promise.resolve(reply);
}
