// The port of the ledger, which records payments. Every call is one atomic step, exact between processes that share the
// ledger: when its promise resolves, every process sees the change. ledger-states.ts has the steps as pure functions.
//
//   reserved → verified → bound → consumed          the way of a payment that buys something
//       └──────────┴─────────┴──→ released          refused, failed, or a lease that ran out; may be reserved again
//   bound → processing → consumed | released        work that outlives its request: held by a job, not by a lease
//
// The store of results moves a payment to `consumed` and `processing`, in the transaction that writes the result or the
// job; so the port has no call for either.

/** A payment's identity: the canonical text of its chain's transaction id (Solana: 64 bytes in base58). */
export type PaymentKey = string;

/** The state of a payment. */
export type PaymentState = 'reserved' | 'verified' | 'bound' | 'processing' | 'consumed' | 'released';

/** The right to work with one payment until it runs out. A payment has one lease at most. */
export interface Lease {
  readonly key: PaymentKey;
  /** Random and new for every lease: distinguishes it from earlier ones of the same payment. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresMs: number;
}

/** The chain's facts about a payment. They never change. */
export interface VerifiedPayment {
  /** Address that paid the transaction's fee or gave the money: for the record and for refunds. */
  readonly payer: string;
  /** Gain of the pay-to account, in the smallest unit of the asset. */
  readonly credited: bigint;
  /** Slot of the chain in which it was included. */
  readonly slot: bigint;
  /** Fingerprint in the transaction's memo; absent without one. */
  readonly memo?: string | undefined;
}

/** The request that a payment buys. */
export interface Purchase {
  /** Fingerprint of the request (`binding.ts`). */
  readonly fingerprint: string;
  /** Price of the request, in the smallest unit of the asset. */
  readonly price: bigint;
  /** Name of the product, for the operator's lists: `structure`. */
  readonly product: string;
}

/** The reply of {@link Ledger.reserve}. */
export type Reservation =
  /** The caller has the lease. `payment` is present when an earlier lease verified it; the chain is not read again. */
  | { readonly kind: 'reserved'; readonly lease: Lease; readonly payment?: VerifiedPayment | undefined }
  /** Another lease holds it, until `expiresMs` at most. `fingerprint` is present when it is bound already. */
  | { readonly kind: 'held'; readonly expiresMs: number; readonly fingerprint?: string | undefined }
  /** A job works for it. */
  | { readonly kind: 'processing'; readonly fingerprint: string }
  | { readonly kind: 'consumed'; readonly fingerprint: string }
  /** It had too many tries, or the operator returned its money. */
  | { readonly kind: 'exhausted' };

/** The reply to a step under a lease: `lost` after another lease was given, or after the payment was consumed. */
export type LeaseStatus = 'held' | 'lost';

/** The reason to refuse a payment that came in; recorded for a refund. */
export type PaymentRefusal = 'payment_too_old';

/** The reason to release a lease. */
export interface ReleaseReason {
  /** For the operator's lists: a reason of `reasons.ts`, or an error code of the service. */
  readonly reason: string;
  /** True for faults of the buyer's request; only those count towards {@link MAX_TRIES}. */
  readonly counts: boolean;
}

/** A settlement before its transaction id is known. The key is the message that the payer signed. */
export type IntentKey = string;

/** A payer with an identifier of theirs. No intent has this form. */
export type IdentifierKey = `id:${string}:${string}`;

/** The reply of {@link Ledger.beginIntent}. */
export type Intent =
  /** The intent is new: settle now. */
  | { readonly kind: 'begun'; readonly lease: Lease }
  /** Another lease is settling it now. */
  | { readonly kind: 'held'; readonly expiresMs: number }
  /** An earlier settlement has no recorded end: search the chain before settling again. */
  | { readonly kind: 'unknown'; readonly lease: Lease; readonly sinceMs: number }
  | { readonly kind: 'settled'; readonly key: PaymentKey };

/** A recorded payment. Times are milliseconds since 1970. */
export interface PaymentRecord {
  readonly key: PaymentKey;
  readonly state: PaymentState;
  readonly payment?: VerifiedPayment | undefined;
  readonly purchase?: Purchase | undefined;
  /** Counted tries, 0 to {@link MAX_TRIES}. */
  readonly tries: number;
  /** Reason of the last release. */
  readonly reason?: string | undefined;
  readonly createdMs: number;
  readonly changedMs: number;
}

/** Counted tries after which a payment is exhausted. */
export const MAX_TRIES = 5;

/** Records payments. Its methods reject only when the ledger cannot be read or written at all. */
export interface Ledger {
  /**
   * Takes a free payment: inserts an unknown one, takes over one that was released or whose lease ran out. The one step
   * that decides between any number of requests with the same proof.
   *
   * @param ms duration of the lease
   */
  reserve(key: PaymentKey, ms: number): Promise<Reservation>;
  /**
   * Records the chain's facts: reserved → verified. Replies `blocked` when the payer is blocked: the facts are recorded
   * for a refund, but the payment stays reserved, and later leases have to verify it again. The first facts stay.
   *
   * @param refusal reason to refuse the payment; it is then recorded like that of a blocked payer, and keeps this
   * reason until it is accepted after all
   */
  recordVerified(
    lease: Lease,
    payment: VerifiedPayment,
    refusal?: PaymentRefusal,
  ): Promise<LeaseStatus | 'blocked'>;
  /** Records the purchase: verified → bound. Also replies `lost`, and changes nothing, for an unverified payment. */
  bind(lease: Lease, purchase: Purchase): Promise<LeaseStatus>;
  /** Extends the lease to `ms` from now; null when it is lost. */
  renew(lease: Lease, ms: number): Promise<Lease | null>;
  /** Releases the payment. An unverified payment is deleted; a refused one keeps the reason of the refusal. */
  release(lease: Lease, reason: ReleaseReason): Promise<LeaseStatus>;
  /** Records a settlement before it is requested. The lease's key is the intent's. */
  beginIntent(key: IntentKey, ms: number): Promise<Intent>;
  /** Records the end of a settlement: the payment's key, or null when it certainly never settles. */
  endIntent(lease: Lease, key: PaymentKey | null): Promise<LeaseStatus>;
  /** The payment of a settled intent; null when it is unknown. Changes nothing. */
  settledPayment(key: IntentKey): Promise<PaymentKey | null>;
  /** The signed transaction that an identifier stands for; null for an unused one. Changes nothing. */
  identified(key: IdentifierKey): Promise<string | null>;
  /**
   * Lets an identifier stand for a signed transaction, when it is unused or stands for `instead`. Replies the
   * transaction that it stands for afterwards.
   */
  identify(key: IdentifierKey, transaction: string, instead?: string): Promise<string>;
  /** The payment, or null when it is unknown. */
  get(key: PaymentKey): Promise<PaymentRecord | null>;
}
