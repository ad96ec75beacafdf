// The port behind which payments are remembered. Every call is one atomic step, exact between processes that share
// the ledger: when its promise resolves, every process sees the change. It has no word for what payments buy.
//
//   reserved → verified → bound → consumed          the way of a payment that buys something
//       └──────────┴─────────┴──→ released          refused, failed, or a lease that ran out; may be reserved again
//   bound → processing → consumed | released        bought work that outlives its request: held by a job, not a lease
//
// Only whoever owns the store of results moves a payment to `consumed` and `processing`, in the transaction that writes
// what was bought; so the port has no call for it.

/** A payment's identity: the canonical text of its chain's transaction id (Solana: 64 bytes in base58). */
export type PaymentKey = string;

/** Where a payment stands. */
export type PaymentState = 'reserved' | 'verified' | 'bound' | 'processing' | 'consumed' | 'released';

/** The right to work with one payment until it runs out. A payment has one lease at most. */
export interface Lease {
  readonly key: PaymentKey;
  /** Random, new for every lease: tells this one from earlier ones of the same payment. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresMs: number;
}

/** What the chain says of a payment; never changes once it is known. */
export interface VerifiedPayment {
  /** Address of whoever paid the transaction's fee or gave the money: for the record and for refunds. */
  readonly payer: string;
  /** What the pay-to account gained, in the smallest unit of the asset. */
  readonly credited: bigint;
  /** Slot of the chain in which it was included. */
  readonly slot: bigint;
  /** Fingerprint that the transaction's memo names; absent when it names none. */
  readonly memo?: string;
}

/** What a payment buys: one request. */
export interface Purchase {
  /** Fingerprint of the request (`binding.ts`). */
  readonly fingerprint: string;
  /** What the request costs, in the smallest unit of the asset. */
  readonly price: bigint;
  /** Name of what is sold, for the operator's lists: `structure`. */
  readonly product: string;
}

/** The answer to {@link Ledger.reserve}. */
export type Reservation =
  /**
   * The payment is ours. `payment` is there when it was verified under an earlier lease and need not be asked for
   * again.
   */
  | { readonly kind: 'reserved'; readonly lease: Lease; readonly payment?: VerifiedPayment }
  /** Another lease holds it, until `expiresMs` at most. `fingerprint` is there when it is bound already. */
  | { readonly kind: 'held'; readonly expiresMs: number; readonly fingerprint?: string }
  /** A job works for it. */
  | { readonly kind: 'processing'; readonly fingerprint: string }
  | { readonly kind: 'consumed'; readonly fingerprint: string }
  /** It was tried too often, or its money was given back by hand. */
  | { readonly kind: 'exhausted' };

/**
 * The answer to calls under a lease: `lost` when it has run out and another one was given, or the payment is consumed.
 */
export type Held = 'held' | 'lost';

/** Why a payment that came in is not taken; it is recorded, for a refund. */
export type PaymentRefusal = 'payment_too_old';

/** Why a lease is given back. */
export interface ReleaseReason {
  /** For the operator's lists: a reason of `reasons.ts`, or a code of the seller's. */
  readonly reason: string;
  /** True for faults of the buyer's request; only those count towards {@link MAX_TRIES}. */
  readonly counts: boolean;
}

/** A payment whose settlement was asked for, before its transaction id is known. Its key is what the payer signed. */
export type IntentKey = string;

/** The answer to {@link Ledger.intend}. */
export type Intent =
  /** Nobody asked for it before: settle now. */
  | { readonly kind: 'begun'; readonly lease: Lease }
  /** Another lease is settling it now. */
  | { readonly kind: 'held'; readonly expiresMs: number }
  /** Someone began to settle and did not say how it ended: look on the chain before settling again. */
  | { readonly kind: 'unknown'; readonly lease: Lease; readonly sinceMs: number }
  | { readonly kind: 'settled'; readonly key: PaymentKey };

/** A payment as it is remembered. Times are milliseconds since 1970. */
export interface PaymentRecord {
  readonly key: PaymentKey;
  readonly state: PaymentState;
  readonly payment?: VerifiedPayment;
  readonly purchase?: Purchase;
  /** Counted tries, 0 to {@link MAX_TRIES}. */
  readonly tries: number;
  /** Why it was released the last time. */
  readonly reason?: string;
  readonly createdMs: number;
  readonly changedMs: number;
}

/** Tries that count before a payment is exhausted. */
export const MAX_TRIES = 5;

/** Remembers payments. Its methods reject only when the ledger cannot be read or written at all. */
export interface Ledger {
  /**
   * Takes the payment if nobody has it: inserts it when it is unknown, takes it over when it was released or its
   * lease has run out. The one step that decides between any number of requests with the same proof.
   *
   * @param ms how long the lease lasts
   */
  reserve(key: PaymentKey, ms: number): Promise<Reservation>;
  /**
   * Records what the chain says of a payment: reserved → verified. Answers `blocked` when its payer is blocked: it is
   * recorded for a refund, but stays reserved, and no later lease has it as verified. What was recorded first stays.
   *
   * @param refusal why it is not taken as it is; it is then recorded like that of a blocked payer, and has this reason
   * until it is taken after all
   */
  verified(lease: Lease, payment: VerifiedPayment, refusal?: PaymentRefusal): Promise<Held | 'blocked'>;
  /**
   * Records what the payment is used for: verified → bound. Also answers `lost`, and changes nothing, when it is not
   * verified.
   */
  bind(lease: Lease, purchase: Purchase): Promise<Held>;
  /** Extends the lease to `ms` from now; null when it is lost. */
  renew(lease: Lease, ms: number): Promise<Lease | null>;
  /**
   * Gives the payment back. A payment of which nothing is recorded is forgotten; one that was refused keeps that
   * reason.
   */
  release(lease: Lease, reason: ReleaseReason): Promise<Held>;
  /** Records that a settlement is going to be asked for, before it is. The lease's key is the intent's. */
  intend(key: IntentKey, ms: number): Promise<Intent>;
  /**
   * Records how a settlement ended: with the payment's key when it was settled, with null when it certainly never will
   * be.
   */
  settled(lease: Lease, key: PaymentKey | null): Promise<Held>;
  /** The payment that an intent has led to; null when it has led to none, or nobody knows yet. Changes nothing. */
  settledAs(key: IntentKey): Promise<PaymentKey | null>;
  /** The payment, or null when it is unknown. */
  get(key: PaymentKey): Promise<PaymentRecord | null>;
}
