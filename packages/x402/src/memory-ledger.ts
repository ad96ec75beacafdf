// A ledger in the memory of one process, for tests and for a service that may forget every payment when it ends. It is
// the plainest reading of the port; test/ledger.contract.ts holds every engine to what is written here.
import {
  type Held,
  type Intent,
  type IntentKey,
  type Lease,
  type Ledger,
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

/** What a ledger in memory needs from outside. */
export interface MemoryLedgerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new text that nobody can guess, for every lease. */
  readonly createToken: () => string;
}

/** A ledger, with what the seller does to it. */
export interface MemoryLedger extends Ledger {
  /** Marks a bound payment as sold: `consumed` for ever, or `processing` while a job works for it. */
  sell(lease: Lease, state: 'consumed' | 'processing'): Promise<Held>;
  /** Makes the payments of this payer unusable; they are still recorded. */
  blockPayer(payer: string): Promise<void>;
}

const TOO_OLD: PaymentRefusal = 'payment_too_old';

interface Row {
  state: PaymentState;
  /** The lease that holds it; null when it is released, sold or held by a job. */
  lease: Lease | null;
  payment: VerifiedPayment | undefined;
  purchase: Purchase | undefined;
  tries: number;
  reason: string | undefined;
  readonly createdMs: number;
  changedMs: number;
}

interface IntentRow {
  lease: Lease | null;
  readonly sinceMs: number;
  settledAs: PaymentKey | null;
}

/**
 * Creates an empty ledger. Every method finishes its work before it returns its promise, so nothing comes in between.
 */
export function createMemoryLedger({ now, createToken }: MemoryLedgerOptions): MemoryLedger {
  const rows = new Map<PaymentKey, Row>();
  const blocked = new Set<string>();

  const newLease = (key: string, ms: number): Lease => ({
    key,
    token: createToken(),
    expiresMs: now() + ms,
  });

  function reserve(key: PaymentKey, ms: number): Reservation {
    const row = rows.get(key) ?? newRow(now());
    const { lease, purchase } = row;
    if (row.state === 'processing' || row.state === 'consumed') {
      // Only a bound payment is sold, so it has a purchase.
      return { kind: row.state, fingerprint: purchase?.fingerprint ?? '' };
    }
    if (lease !== null && now() < lease.expiresMs) {
      const fingerprint = row.state === 'bound' ? purchase?.fingerprint : undefined;
      const held = { kind: 'held', expiresMs: lease.expiresMs } as const;
      return fingerprint === undefined ? held : { ...held, fingerprint };
    }
    if (row.tries >= MAX_TRIES) return { kind: 'exhausted' };
    rows.set(key, row);
    return take(row, newLease(key, ms));
  }

  /**
   * Gives a free row to a lease. A payment that was refused, or that a blocked payer made, has to be verified again.
   */
  function take(row: Row, lease: Lease): Reservation {
    const isRefused = row.reason === TOO_OLD || blocked.has(row.payment?.payer ?? '');
    const payment = isRefused ? undefined : row.payment;
    row.lease = lease;
    row.purchase = undefined;
    change(row, payment === undefined ? 'reserved' : 'verified');
    return payment === undefined ? { kind: 'reserved', lease } : { kind: 'reserved', lease, payment };
  }

  function change(row: Row, state: PaymentState): void {
    row.state = state;
    row.changedMs = now();
  }

  /**
   * The row that the lease holds; undefined when it is lost. A lease that ran out still holds until another one is
   * given.
   */
  function heldBy({ key, token }: Lease): Row | undefined {
    const row = rows.get(key);
    return row?.lease?.token === token ? row : undefined;
  }

  function verified(lease: Lease, payment: VerifiedPayment, refusal?: PaymentRefusal): Held | 'blocked' {
    const row = heldBy(lease);
    if (row === undefined) return 'lost';
    row.payment ??= payment;
    if (blocked.has(row.payment.payer)) return 'blocked';
    if (row.state !== 'reserved') return 'held';
    row.reason = refusal;
    if (refusal === undefined) change(row, 'verified');
    return 'held';
  }

  function bind(lease: Lease, purchase: Purchase): Held {
    const row = heldBy(lease);
    if (row?.state !== 'verified' && row?.state !== 'bound') return 'lost';
    row.purchase = purchase;
    change(row, 'bound');
    return 'held';
  }

  function renew(lease: Lease, ms: number): Lease | null {
    const row = heldBy(lease);
    if (row === undefined) return null;
    row.lease = { ...lease, expiresMs: now() + ms };
    return row.lease;
  }

  function release(lease: Lease, { reason, counts }: ReleaseReason): Held {
    const row = heldBy(lease);
    if (row === undefined) return 'lost';
    row.lease = null;
    if (row.state !== 'reserved' || row.reason !== TOO_OLD) row.reason = reason;
    if (counts) row.tries++;
    change(row, 'released');
    if (row.payment === undefined) rows.delete(lease.key);
    return 'held';
  }

  function sell(lease: Lease, state: 'consumed' | 'processing'): Held {
    const row = heldBy(lease);
    if (row?.state !== 'bound') return 'lost';
    row.lease = null;
    change(row, state);
    return 'held';
  }

  function get(key: PaymentKey): PaymentRecord | null {
    const row = rows.get(key);
    if (row === undefined) return null;
    const { state, payment, purchase, tries, reason, createdMs, changedMs } = row;
    return {
      key,
      state,
      ...(payment === undefined ? {} : { payment }),
      ...(purchase === undefined ? {} : { purchase }),
      tries,
      ...(reason === undefined ? {} : { reason }),
      createdMs,
      changedMs,
    };
  }

  return {
    reserve: (key, ms) => Promise.resolve(reserve(key, ms)),
    verified: (...parameters) => Promise.resolve(verified(...parameters)),
    bind: (lease, purchase) => Promise.resolve(bind(lease, purchase)),
    renew: (lease, ms) => Promise.resolve(renew(lease, ms)),
    release: (lease, reason) => Promise.resolve(release(lease, reason)),
    sell: (lease, state) => Promise.resolve(sell(lease, state)),
    ...createIntents(now, newLease),
    get: (key) => Promise.resolve(get(key)),
    blockPayer: (payer) => {
      blocked.add(payer);
      return Promise.resolve();
    },
  };
}

function newRow(createdMs: number): Row {
  return {
    state: 'reserved',
    lease: null,
    payment: undefined,
    purchase: undefined,
    tries: 0,
    reason: undefined,
    createdMs,
    changedMs: createdMs,
  };
}

/** The intents of the ledger, which know nothing of its payments. */
function createIntents(
  now: () => number,
  newLease: (key: string, ms: number) => Lease,
): Pick<Ledger, 'intend' | 'settled' | 'settledAs'> {
  const intents = new Map<IntentKey, IntentRow>();

  function intend(key: IntentKey, ms: number): Intent {
    const row = intents.get(key);
    if (row === undefined) {
      const lease = newLease(key, ms);
      intents.set(key, { lease, sinceMs: now(), settledAs: null });
      return { kind: 'begun', lease };
    }
    if (row.settledAs !== null) return { kind: 'settled', key: row.settledAs };
    if (row.lease !== null && now() < row.lease.expiresMs)
      return { kind: 'held', expiresMs: row.lease.expiresMs };
    row.lease = newLease(key, ms);
    return { kind: 'unknown', lease: row.lease, sinceMs: row.sinceMs };
  }

  function settled({ key, token }: Lease, settledAs: PaymentKey | null): Held {
    const row = intents.get(key);
    if (row?.lease?.token !== token) return 'lost';
    row.lease = null;
    row.settledAs = settledAs;
    if (settledAs === null) intents.delete(key);
    return 'held';
  }

  return {
    intend: (key, ms) => Promise.resolve(intend(key, ms)),
    settled: (lease, key) => Promise.resolve(settled(lease, key)),
    settledAs: (key) => Promise.resolve(intents.get(key)?.settledAs ?? null),
  };
}
