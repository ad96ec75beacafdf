// The gate between a request and paid work: the offer, the proof, its verification and its binding to the request. The
// gate has no HTTP framework, no chain and no store: headers are values, and the rest are ports.
//
//   offer ─ 402 ─▶ client pays ─▶ parse ─▶ reserve ─▶ verify ─▶ (the body is read and hashed) ─▶ bind ─▶ work
//
// The service ends a bound payment: it writes the product and `consumed` in one transaction, or releases the lease.
import type { CanonicalRequest } from './binding.ts';
import type {
  Lease,
  PaymentKey,
  PaymentRecord,
  Purchase,
  ReleaseReason,
  VerifiedPayment,
} from '../ledger/ledger.ts';

/** The price of one request. */
export interface Quote {
  /** Price in the smallest unit of the asset; above 0. */
  readonly price: bigint;
  /** Name of the product, for the operator's lists: `structure`. */
  readonly product: string;
  /** One sentence for payers that names the product. */
  readonly description: string;
}

/** The request that an offer is for. */
export interface OfferedRequest {
  /** Its absolute URL, which x402 clients require. */
  readonly resource: string;
  /** Media type of the answer. */
  readonly mimeType: string;
  /** The service for catalogs: `serviceName` and `tags` of x402's extension `bazaar`. */
  readonly service?: { readonly serviceName: string; readonly tags: readonly string[] } | undefined;
  /** Extensions of x402 version 2, by name: clients return them, and facilitators receive them. JSON values. */
  readonly extensions?: Readonly<Record<string, object>> | undefined;
  /**
   * The binding of the payment to the request: the fingerprint of a fully known request. Otherwise the known members of
   * its canonical form, which the client completes and hashes (docs/payments.md).
   */
  readonly binding:
    | { readonly fingerprint: string }
    | {
        readonly template: CanonicalRequest;
        /** Options whose defaults depend on what the client sends. */
        readonly implied?: readonly ImpliedOptions[] | undefined;
        /** Members that only some requests have, at their position in the template, each with a description. */
        readonly optional?: CanonicalRequest | undefined;
      };
}

/** Options that replace those of a template when the client sends all options of `when` and none of these itself. */
export interface ImpliedOptions {
  readonly when: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
}

/** The payment members of a 402 answer. */
export interface Offer {
  readonly headers: Readonly<Record<string, string>>;
  /** `paymentRequirements`, and with a facilitator `x402Version` and `accepts`. JSON values. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The offer of x402 version 2, which the header `PAYMENT-REQUIRED` encodes; absent without a facilitator for it. */
  readonly required?: Readonly<Record<string, unknown>> | undefined;
}

/** Header values of node:http; names in lower case. */
export type ProofHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The client's evidence of its payment. */
export type Proof =
  /** `X-PAYMENT: <transaction id>`: the payer has broadcast the transaction. */
  | {
      readonly kind: 'signature';
      readonly key: PaymentKey;
      /** Content of the header `X-PAYMENT-BINDING`. */
      readonly binding?: string | undefined;
    }
  /** x402: the payer has signed, and the facilitator completes and broadcasts. `payload` is the decoded header. */
  | {
      readonly kind: 'transaction';
      readonly version: 1 | 2;
      readonly payload: unknown;
      readonly transaction: string;
      /** The client's own name of its request, by which it finds a lost response (identifiers.ts). */
      readonly identifier?: string | undefined;
    };

/** A payment that a request has reserved, or that has already paid. */
export type ReservedPayment = (
  | {
      readonly kind: 'held';
      readonly key: PaymentKey;
      readonly lease: Lease;
      /** Present once it is verified. */
      readonly payment?: VerifiedPayment | undefined;
      /**
       * Present when a facilitator settled it. Its transaction was unreadable before, so it needs no memo. This payer
       * gives the money; the chain may name the facilitator, which pays the fee.
       */
      readonly settled?: { readonly payer: string } | undefined;
      /** The signature that stands for a memo; present only where one is required. */
      readonly binding?: string | undefined;
    }
  | { readonly kind: 'processing' | 'consumed'; readonly key: PaymentKey; readonly fingerprint: string }
) & {
  /** True for a request with an identifier. */
  readonly isIdentified?: boolean;
};

/** A payment whose lease is ours. */
export type LeasedPayment = Extract<ReservedPayment, { kind: 'held' }>;

/** The next step for a bound payment. */
export type BindResult =
  /** Do the work, and commit it under the lease. */
  | { readonly kind: 'run'; readonly leased: LeasedPayment & { readonly payment: VerifiedPayment } }
  /** The same request has paid before: send its stored answer, or 410. */
  | { readonly kind: 'replay'; readonly key: PaymentKey }
  /** A job works for the same request: send its ticket. */
  | { readonly kind: 'job'; readonly key: PaymentKey };

/**
 * The use of memos: `offer` proposes one and honours a given one; `require` rejects payments without one, unless their
 * payer has signed the request (`bindingMessage`); `off` neither proposes nor reads memos.
 */
export type BindingPolicy = 'offer' | 'require' | 'off';

/** The gate's rules for payments. Times are in milliseconds. */
export interface GatePolicy {
  /** The longest wait for a payment that is unknown to the chain, or in use by another request. */
  readonly waitMs: number;
  /** Time after which a payment without a renewed lease is free again, for example after a crash. */
  readonly leaseMs: number;
  /** The greatest age of a payment at its first use. */
  readonly maxAgeMs: number;
  /** Payments from before this time (since 1970) are rejected, such as those for another use of the same wallet. */
  readonly notBeforeMs: number;
  readonly binding: BindingPolicy;
  /**
   * Time for which the service keeps an answer: afterwards its client's identifier is free for another request.
   * Default: for ever.
   */
  readonly answerMs?: number | undefined;
  /** The most open lookups of unverified payments. Default 256. */
  readonly maxLookups?: number | undefined;
  /** The most lookups that wait for an unknown payment. Default 64. */
  readonly maxWaiting?: number | undefined;
}

/** Receives messages for the operator. They hold no secret and no private data of payers. */
export type GateLog = (message: string, facts: Readonly<Record<string, unknown>>) => void;

/**
 * The gate between a request and paid work; the drawing at the top of this file shows its steps. Methods that wait
 * reject only with a `PaymentProblem`, the signal's reason, or the error of a ledger that cannot be read or written.
 */
export interface Gate {
  /** Writes the price of a request and the ways to pay it. Pure, except for the facilitator's latest kinds. */
  offer(quote: Quote, request: OfferedRequest): Offer;
  /**
   * Reads the proof in the headers; null without one. Pure.
   *
   * @throws PaymentProblem `payment_malformed`
   */
  parse(headers: ProofHeaders): Proof | null;
  /**
   * The ledger's record of a payment; null without one. The gate reads nothing else and takes nothing. The sender of
   * the proof may not be the payer.
   */
  findRecord(proof: Proof): Promise<PaymentRecord | null>;
  /**
   * Reserves the payment; waits, up to the policy's `waitMs`, while another request has it. The facilitator first
   * verifies and settles a signed transaction whose amount is one of `prices`.
   *
   * @param prices all prices of the service, in the smallest unit
   */
  reserve(proof: Proof, prices: readonly bigint[], signal: AbortSignal): Promise<ReservedPayment>;
  /**
   * Reads an unverified payment from the chain, and records the finding. Releases a payment that it rejects, also a
   * verified one with too little money. May take the policy's `waitMs` and some seconds more: renew a shorter lease
   * meanwhile.
   *
   * @param atLeast the cheapest price, in the smallest unit
   */
  verify(reserved: ReservedPayment, atLeast: bigint, signal: AbortSignal): Promise<ReservedPayment>;
  /**
   * Binds the payment to its request. Rejects and releases a payment that does not cover the price, whose memo names
   * another request, or that lacks a required memo. Rejects one that has paid for another request.
   */
  bind(reserved: ReservedPayment, purchase: Purchase): Promise<BindResult>;
  /** Extends the lease by the policy's `leaseMs` from now; null when it is lost. */
  renew(leased: LeasedPayment): Promise<LeasedPayment | null>;
  /** Releases a leased payment for another try; leaves others alone. */
  release(reserved: ReservedPayment, reason: ReleaseReason): Promise<void>;
  /**
   * Response headers that name the payment to x402 clients.
   *
   * @param signed receipt of the delivery as a JWS, for clients of the extension `offer-receipt`
   */
  receipt(key: PaymentKey, payer: string, signed?: string): Readonly<Record<string, string>>;
  /** CAIP-2 name of the chain, and address of the asset on it. */
  readonly currency: { readonly network: string; readonly asset: string };
}
