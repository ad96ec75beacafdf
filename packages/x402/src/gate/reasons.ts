// Every reason for rejecting a payment, with the status of the answer and the way out. 402 means "nothing of yours was
// taken for this, pay"; every uncertain case is 503, so that a client never pays twice.
import { MAX_TRIES } from '../ledger/ledger.ts';

/** One reason. */
export interface ReasonEntry {
  /** Status of the answer. */
  readonly status: 402 | 409 | 410 | 503;
  /** The case, with its limit if there is one. */
  readonly meaning: string;
  /** The next step; the error's message ends with it. */
  readonly wayOut: string;
  /** Seconds after which the same proof may succeed; present exactly when it may. */
  readonly retryAfterS?: number;
}

/** All reasons. */
export const REASONS = {
  payment_required: {
    status: 402,
    meaning: 'The request has no payment.',
    wayOut: 'Pay what the offer says and send the request again with the proof.',
  },
  payment_malformed: {
    status: 402,
    meaning:
      'The header holds neither a transaction signature in base58 nor a payload of x402 version 1 or 2.',
    wayOut: 'Send one of them as it is, without quotation marks or blanks; what was paid stays usable.',
  },
  payment_not_found: {
    status: 402,
    meaning:
      'The same signature may be sent again, and nothing else must be paid: the network does not know the transaction as confirmed yet.',
    wayOut: 'Send the same request with it again.',
    retryAfterS: 2,
  },
  transaction_failed: {
    status: 402,
    meaning: 'The transaction is on the chain, and failed: no money was moved.',
    wayOut: 'Look up why it failed (often too little USDC, or too little SOL for the fee), and pay anew.',
  },
  amount_too_low: {
    status: 402,
    meaning: 'The transaction gave the pay-to account less than the price, or nothing.',
    wayOut:
      'It stays usable for a request that costs at most what it gave; for this one, pay the whole price in one transaction.',
  },
  payment_too_old: {
    status: 402,
    meaning: 'The transaction is older than payments may be at their first use.',
    wayOut: 'Pay anew, and ask the operator for the old one back.',
  },
  payment_already_used: {
    status: 402,
    meaning: 'The payment has paid for another request.',
    wayOut: 'Send that request again for its answer, or pay anew for this one.',
  },
  bound_to_another_request: {
    status: 402,
    meaning: 'The memo of the transaction names another request than this one.',
    wayOut:
      'Send the request that it was made for, with the same document, file name and options, or pay anew for this one.',
  },
  binding_required: {
    status: 402,
    meaning: 'The transaction carries no memo, and payments here must name their request in one.',
    wayOut:
      'Sign the request with the paying key, as extra.withoutMemo of the offer says, and repeat it with X-PAYMENT-BINDING. Without that key, pay anew with the memo of the offer, and ask the operator for this payment back.',
  },
  payment_refused: {
    status: 402,
    meaning: 'The facilitator refuses the payment; nothing was settled.',
    wayOut: 'Put right what it names, sign anew by the latest offer, and send that.',
  },
  payer_blocked: {
    status: 402,
    meaning: 'A payment of this payer vanished from the chain after it had been used.',
    wayOut: 'Ask the operator to lift the block or to give the money back, or pay from another wallet.',
  },
  payment_exhausted: {
    status: 409,
    meaning: `The payment was tried ${MAX_TRIES} times with requests that cannot succeed, and is kept for a refund; or it has been given back.`,
    wayOut: 'Unless you have got it back, ask the operator for it; pay anew once the request is put right.',
  },
  identifier_already_used: {
    status: 409,
    meaning: 'The payment-identifier belongs to another request; nothing was taken for this one.',
    wayOut: 'Send that request again for its answer, or use a new identifier for this one.',
  },
  result_expired: {
    status: 410,
    meaning: 'The payment bought this answer, and the answer is no longer kept.',
    wayOut: 'Pay anew to have it made again.',
  },
  payment_in_progress: {
    status: 503,
    meaning: 'Another request is using the payment at this moment.',
    wayOut: 'Send the same header again.',
    retryAfterS: 2,
  },
  chain_unavailable: {
    status: 503,
    meaning: 'The network cannot be asked about the payment at the moment.',
    wayOut: 'Send the same header again.',
    retryAfterS: 5,
  },
  facilitator_unavailable: {
    status: 503,
    meaning: 'The facilitator does not answer; nothing was settled.',
    wayOut: 'Send the same header again.',
    retryAfterS: 5,
  },
  settlement_unknown: {
    status: 503,
    meaning: 'It is not known yet whether the payment was settled.',
    wayOut: 'Send the same header again; do not pay again.',
    retryAfterS: 5,
  },
  payments_busy: {
    status: 503,
    meaning: 'Too many unknown payments are being looked up.',
    wayOut: 'Send the same header again.',
    retryAfterS: 2,
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>;

/** The code of a reason. */
export type Reason = keyof typeof REASONS;

/** Details of a {@link PaymentProblem}. */
export interface ProblemDetails {
  /** Replaces the reason's `meaning`. */
  readonly meaning?: string | undefined;
  /** A sentence about this case, between `meaning` and `wayOut`. */
  readonly detail?: string | undefined;
  /** Replaces the reason's `wayOut`. */
  readonly wayOut?: string | undefined;
  /** Replaces the reason's `retryAfterS`; null when the same proof never succeeds in this case. */
  readonly retryAfterS?: number | null | undefined;
  /** True when the proof may still pay for a request; the answer's `payment.reusable`. */
  readonly reusable?: boolean | undefined;
  readonly cause?: unknown;
}

/** The error for a rejected payment. The client sees its message, which holds nothing else. */
export class PaymentProblem extends Error {
  readonly reason: Reason;
  readonly status: ReasonEntry['status'];
  /** Seconds until the same proof may succeed; undefined when it never will for this request. */
  readonly retryAfterS: number | undefined;
  readonly reusable: boolean;

  constructor(reason: Reason, details: ProblemDetails = {}) {
    const entry: ReasonEntry = REASONS[reason];
    const { meaning = entry.meaning, detail, wayOut = entry.wayOut, reusable, cause } = details;
    const { retryAfterS = entry.retryAfterS } = details;
    const { stackTraceLimit } = Error;
    // A rejection is no defect, and a stack would cost more than the rest of the answer.
    if (entry.status < 500) Error.stackTraceLimit = 0;
    super(
      [meaning, ...(detail === undefined ? [] : [detail]), wayOut].join(' '),
      cause === undefined ? undefined : { cause },
    );
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'PaymentProblem';
    this.reason = reason;
    this.status = entry.status;
    this.retryAfterS = retryAfterS ?? undefined;
    this.reusable = reusable ?? (entry.status === 503 || this.retryAfterS !== undefined);
  }
}
