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
  /** Price in the smallest unit of the asset, above 0. */
  readonly price: bigint;
  /** A name of what is sold, for the operator's lists: `structure`. */
  readonly product: string;
  /** One sentence for payers; names the product. */
  readonly description: string;
}

/** What an offer says about the request that it is for. */
export interface OfferedRequest {
  /** Its absolute URL, as x402 clients want it. */
  readonly resource: string;
  /** Of what media type the answer will be. */
  readonly mimeType: string;
  /**
   * How to bind the payment to the request: its fingerprint where the whole request is known; else the members of its
   * canonical form that are, for the client to complete and hash (docs/payments.md).
   */
  readonly binding:
    | { readonly fingerprint: string }
    | {
        readonly template: CanonicalRequest;
        /** Where an option of the client's changes what others are by default. */
        readonly implied?: readonly ImpliedOptions[];
        /** Members that only some requests have, where they stand in the template, with what they are. */
        readonly optional?: CanonicalRequest;
      };
}

/** Options that stand in place of a template's when the client sends all those of `when`, and none of them itself. */
export interface ImpliedOptions {
  readonly when: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
}

/** A 402 answer, but for the members that all errors of a service have. */
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

/** A payment that a request may work with, or that has paid already. */
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

/** What whoever sells knows of whoever shows a proof. */
export interface Standing {
  /**
   * Whether the client has bought something lately, and has shown nothing since that is no payment: then the chain is
   * asked for it alone, however many strangers ask at the same time. False unless given.
   */
  readonly isPayer?: boolean;
}

/** A claim that is ours. */
export type HeldClaim = Extract<Claim, { kind: 'held' }>;

/** What a bound claim asks of whoever sells. */
export type Bound =
  /** Do the work, and commit it under the claim's lease. */
  | { readonly kind: 'run'; readonly claim: HeldClaim & { readonly payment: VerifiedPayment } }
  /** The same request was paid for before: give its stored answer, or 410. */
  | { readonly kind: 'replay'; readonly key: PaymentKey }
  /** A job works for the same request: give its ticket. */
  | { readonly kind: 'job'; readonly key: PaymentKey };

/**
 * What memos are for: `offer` proposes one and honours those that are there, `require` refuses payments without one,
 * `off` neither proposes nor reads any.
 */
export type BindingPolicy = 'offer' | 'require' | 'off';

/** How a gate treats payments. Times in milliseconds. */
export interface GatePolicy {
  /** How long a request waits for a payment that the chain does not know yet, or that another request uses. */
  readonly waitMs: number;
  /** How long a payment stays with a request that says nothing: after a crash, that long until it can be used again. */
  readonly leaseMs: number;
  /** How old a payment may be at its first use. */
  readonly maxAgeMs: number;
  /** Since 1970: payments from before are not taken, such as those of another use of the same wallet. */
  readonly notBeforeMs: number;
  readonly binding: BindingPolicy;
  /** Questions to the chain about payments that nobody verified yet, at once; 256 unless told. */
  readonly maxLookups?: number;
  /** How many of those wait for a payment that is not there yet, at once; 64 unless told. */
  readonly maxWaiting?: number;
}

/** Where a gate says what an operator should know. Holds no secret, and nothing that a payer keeps private. */
export type GateLog = (message: string, facts: Readonly<Record<string, unknown>>) => void;

/**
 * See the top of this file. Methods that wait throw nothing but a `PaymentProblem`, the signal's reason, and what the
 * ledger rejects with when it cannot be read or written.
 */
export interface Gate {
  /** What a request costs and how to pay it. Pure, save that it uses what the facilitator said last. */
  offer(quote: Quote, request: OfferedRequest): Offer;
  /**
   * The proof in the headers; null when there is none. Pure, no I/O.
   *
   * @throws PaymentProblem `payment_malformed`
   */
  parse(headers: ProofHeaders): Proof | null;
  /**
   * What the ledger knows of a payment; null when it knows nothing. Asks nobody else, takes nothing, and holds nobody
   * to it: whoever shows it may not be its payer.
   */
  known(proof: Proof): Promise<PaymentRecord | null>;
  /**
   * Takes the payment. Waits, at most `waitMs` of the policy, while another request has it. One that nobody has shown
   * before is looked for on the chain first, and what is found is recorded: then it is verified already. A signed
   * transaction is verified and settled by the facilitator first, when its amount is one of `prices`.
   *
   * @param prices what can be bought here, in the smallest unit
   */
  reserve(proof: Proof, prices: readonly bigint[], signal: AbortSignal, standing?: Standing): Promise<Claim>;
  /**
   * Asks the chain about a payment that is held and not verified yet, and records what it says. Releases what it
   * refuses, also what is verified and gave too little.
   *
   * @param atLeast the cheapest that may be bought with it
   */
  verify(claim: Claim, atLeast: bigint, signal: AbortSignal): Promise<Claim>;
  /**
   * Names the request that the payment is for. Refuses, and releases, when it does not cover the price, or its memo
   * names another request; refuses when it has paid for another one.
   */
  bind(claim: Claim, purchase: Purchase): Promise<Bound>;
  /** Makes the lease last as long as the policy says, from now; null when it is lost. */
  renew(claim: HeldClaim): Promise<HeldClaim | null>;
  /** Gives the payment back, for another try. What is not held is left alone. */
  release(claim: Claim, reason: ReleaseReason): Promise<void>;
  /** Headers of an answer that a payment bought, for clients of x402. */
  receipt(key: PaymentKey, payer: string): Readonly<Record<string, string>>;
}
