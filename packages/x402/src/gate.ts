// The gate between a request and paid work: what to ask for, what a proof is, whether it pays, and for what. It knows
// no HTTP framework, no chain and no store: headers come in as values, and the rest are ports.
//
//   offer ─ 402 ─▶ client pays ─▶ parse ─▶ reserve ─▶ verify ─▶ (the body is read and hashed) ─▶ bind ─▶ work
//
// Before an id that the ledger has never seen is reserved, the chain is asked whether there is such a payment at all,
// so that made-up ones write nothing. What it said is judged and recorded by whoever has the reservation, and nobody
// else.
//
// Whoever sells ends a bound claim: by writing what was bought and `consumed` in one transaction, or by release.
import type { CanonicalRequest } from './binding.ts';
import type { Lease, PaymentKey, PaymentRecord, Purchase, ReleaseReason, VerifiedPayment } from './ledger.ts';

/** What is asked for one request. */
export interface Quote {
  /** Price in the smallest unit of the asset; above 0. */
  readonly price: bigint;
  /** Name of what is sold, for the operator's lists: `structure`. */
  readonly product: string;
  /** One sentence for payers that names the product. */
  readonly description: string;
}

/** What an offer says about the request that it is for. */
export interface OfferedRequest {
  /** Its absolute URL, as x402 clients want it. */
  readonly resource: string;
  /** Media type of the answer. */
  readonly mimeType: string;
  /**
   * How to bind the payment to the request: the request's fingerprint, when all of it is known; otherwise the known
   * members of its canonical form, which the client completes and hashes (docs/payments.md).
   */
  readonly binding:
    | { readonly fingerprint: string }
    | {
        readonly template: CanonicalRequest;
        /** Options whose defaults depend on what the client sends. */
        readonly implied?: readonly ImpliedOptions[];
        /**
         * Members that only some requests have, in the place where they stand in the template, each with a description.
         */
        readonly optional?: CanonicalRequest;
      };
}

/** Options that replace those of a template when the client sends all options of `when` and none of these itself. */
export interface ImpliedOptions {
  readonly when: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
}

/** A 402 answer, without the members that all errors of a service have. */
export interface Offer {
  readonly headers: Readonly<Record<string, string>>;
  /** `paymentRequirements`, and with a facilitator `x402Version` and `accepts`. JSON values. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Header values as node:http has them; names in lower case. */
export type ProofHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a client shows as its payment. */
export type Proof =
  /** `X-PAYMENT: <transaction id>`: the payer has broadcast the transaction. */
  | { readonly kind: 'signature'; readonly key: PaymentKey }
  /** x402: the payer has signed, and the facilitator completes and broadcasts. `payload` is what the header held. */
  | {
      readonly kind: 'transaction';
      readonly version: 1 | 2;
      readonly payload: unknown;
      readonly transaction: string;
    };

/** A payment that a request has taken, or one that has already paid. */
export type Claim =
  | {
      readonly kind: 'held';
      readonly key: PaymentKey;
      readonly lease: Lease;
      /** Present once it is verified. */
      readonly payment?: VerifiedPayment;
      /**
       * Present when a facilitator settled it: nobody could read its transaction before, so it needs no memo. The
       * payer is who gives the money, where the chain may name the facilitator, who pays the fee.
       */
      readonly settled?: { readonly payer: string };
    }
  | { readonly kind: 'processing' | 'consumed'; readonly key: PaymentKey; readonly fingerprint: string };

/** What the seller knows about the client that shows a proof. */
export interface ReserveOptions {
  /**
   * True when the client has bought something lately and has since shown nothing but payments. The chain is then asked
   * for its payment alone, however many strangers ask at the same time. Default false.
   */
  readonly isPayer?: boolean;
}

/** A claim whose lease is ours. */
export type HeldClaim = Extract<Claim, { kind: 'held' }>;

/** What the seller has to do for a bound claim. */
export type Bound =
  /** Do the work, and commit it under the claim's lease. */
  | { readonly kind: 'run'; readonly claim: HeldClaim & { readonly payment: VerifiedPayment } }
  /** The same request was paid for before: give its stored answer, or 410. */
  | { readonly kind: 'replay'; readonly key: PaymentKey }
  /** A job works for the same request: give its ticket. */
  | { readonly kind: 'job'; readonly key: PaymentKey };

/**
 * The use of memos: `offer` proposes one and honours those that are there, `require` refuses payments without one,
 * `off` neither proposes nor reads any.
 */
export type BindingPolicy = 'offer' | 'require' | 'off';

/** How a gate treats payments. Times are in milliseconds. */
export interface GatePolicy {
  /** How long a request waits for a payment that the chain does not know yet, or that another request uses. */
  readonly waitMs: number;
  /**
   * How long a payment stays with a request that does not renew its lease; after a crash it can be used again after so
   * long.
   */
  readonly leaseMs: number;
  /** How old a payment may be at its first use. */
  readonly maxAgeMs: number;
  /** Payments from before this time (since 1970) are not taken, such as those for another use of the same wallet. */
  readonly notBeforeMs: number;
  readonly binding: BindingPolicy;
  /** How many questions about unverified payments the chain may be asked at the same time. Default 256. */
  readonly maxLookups?: number;
  /** How many of those may wait for a payment that is not there yet. Default 64. */
  readonly maxWaiting?: number;
}

/** Receives what an operator should know. Messages hold no secret, and nothing that a payer keeps private. */
export type GateLog = (message: string, facts: Readonly<Record<string, unknown>>) => void;

/**
 * The gate between a request and paid work; its steps are drawn at the top of this file. Methods that wait reject only
 * with a `PaymentProblem`, the signal's reason, or the error of a ledger that cannot be read or written.
 */
export interface Gate {
  /** Says what a request costs and how to pay it. Pure, except that it uses what the facilitator said last. */
  offer(quote: Quote, request: OfferedRequest): Offer;
  /**
   * Reads the proof in the headers; null when there is none. Pure.
   *
   * @throws PaymentProblem `payment_malformed`
   */
  parse(headers: ProofHeaders): Proof | null;
  /**
   * What the ledger knows of a payment; null when it knows nothing. It asks nobody else and takes nothing. The answer
   * proves nothing about whoever shows the payment, who may not be its payer.
   */
  known(proof: Proof): Promise<PaymentRecord | null>;
  /**
   * Takes the payment; waits, up to the policy's `waitMs`, while another request has it. A payment that nobody has
   * shown before is first looked for on the chain, and what is found is recorded, so that it is verified already. A
   * signed transaction is first verified and settled by the facilitator, if its amount is one of `prices`.
   *
   * @param prices all prices that can be bought here, in the smallest unit
   */
  reserve(
    proof: Proof,
    prices: readonly bigint[],
    signal: AbortSignal,
    options?: ReserveOptions,
  ): Promise<Claim>;
  /**
   * Asks the chain about a payment that is held and not verified yet, and records the answer. Releases what it refuses,
   * also a verified payment that gave too little.
   *
   * @param atLeast the cheapest price that may be bought with it, in the smallest unit
   */
  verify(claim: Claim, atLeast: bigint, signal: AbortSignal): Promise<Claim>;
  /**
   * Names the request that the payment is for. Refuses, and releases, a payment that does not cover the price or whose
   * memo names another request; refuses one that has paid for another request.
   */
  bind(claim: Claim, purchase: Purchase): Promise<Bound>;
  /** Extends the lease by the policy's `leaseMs` from now; null when it is lost. */
  renew(claim: HeldClaim): Promise<HeldClaim | null>;
  /** Gives the payment back for another try. A claim that is not held is left alone. */
  release(claim: Claim, reason: ReleaseReason): Promise<void>;
  /** Response headers that tell clients of x402 which payment bought the answer. */
  receipt(key: PaymentKey, payer: string): Readonly<Record<string, string>>;
}
