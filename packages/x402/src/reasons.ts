// Every reason for which a payment is not taken: one closed list, with the status of its answer and what to do.
// 402 means "nothing of yours was taken for this, pay"; whatever is not known is 503, so that nobody pays twice.

/** What is known of a reason. */
export interface ReasonEntry {
  /** Status of the answer. */
  readonly status: 402 | 409 | 410 | 503;
  /** What brings it about, and what to do. */
  readonly meaning: string;
  /** Seconds after which the same proof may succeed; present exactly when it may. */
  readonly retryAfterS?: number;
}

/** The closed list. */
export const REASONS = {
  payment_required: {
    status: 402,
    meaning: 'The request has no payment. Pay what the offer says and send the request again with the proof.',
  },
  payment_malformed: {
    status: 402,
    meaning:
      'The header holds neither a transaction signature in base58 nor a payload of x402 version 1 or 2.',
  },
  payment_not_found: {
    status: 402,
    meaning:
      'The network does not know the transaction as confirmed yet. Send the same signature again; do not pay again.',
    retryAfterS: 2,
  },
  transaction_failed: {
    status: 402,
    meaning: 'The transaction is on the chain, and failed: no money was moved.',
  },
  amount_too_low: {
    status: 402,
    meaning:
      'The transaction gave the pay-to account less than the price, or nothing. It stays usable for a request that costs at most that.',
  },
  payment_too_old: {
    status: 402,
    meaning: 'The transaction is older than payments may be at their first use.',
  },
  payment_already_used: { status: 402, meaning: 'The payment has paid for another request.' },
  bound_to_another_request: {
    status: 402,
    meaning: 'The memo of the transaction names another request than this one.',
  },
  binding_required: {
    status: 402,
    meaning: 'The transaction carries no memo, and payments here must name their request in one.',
  },
  payment_refused: {
    status: 402,
    meaning: 'The facilitator refuses the payment; nothing was settled.',
  },
  payer_blocked: {
    status: 402,
    meaning: 'A payment of this payer vanished from the chain after it had been used.',
  },
  payment_exhausted: {
    status: 409,
    meaning: 'The payment was tried too often with requests that cannot succeed. It is kept for a refund.',
  },
  result_expired: {
    status: 410,
    meaning: 'The payment bought this answer, and the answer is no longer kept.',
  },
  payment_in_progress: {
    status: 503,
    meaning: 'Another request is using the payment at this moment. Send the same header again.',
    retryAfterS: 2,
  },
  chain_unavailable: {
    status: 503,
    meaning: 'The network cannot be asked about the payment at the moment. Send the same header again.',
    retryAfterS: 5,
  },
  facilitator_unavailable: {
    status: 503,
    meaning: 'The facilitator does not answer; nothing was settled. Send the same header again.',
    retryAfterS: 5,
  },
  settlement_unknown: {
    status: 503,
    meaning:
      'It is not known yet whether the payment was settled. Send the same header again; do not pay again.',
    retryAfterS: 5,
  },
  payments_busy: {
    status: 503,
    meaning: 'Too many payments that nobody knows yet are being looked up. Send the same header again.',
    retryAfterS: 2,
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>;

/** Why a payment is not taken. */
export type Reason = keyof typeof REASONS;

/** What a {@link PaymentProblem} carries besides its reason. */
export interface ProblemDetails {
  /** A sentence that says what was wrong in this case; the list's meaning is said without it. */
  readonly detail?: string;
  /** Seconds, in place of the list's. */
  readonly retryAfterS?: number;
  /** Whether the proof may still pay for a request; what the answer's `payment.reusable` says. */
  readonly reusable?: boolean;
  readonly cause?: unknown;
}

/** Why a payment is not taken, as an error. Its message is for the client and holds nothing else. */
export class PaymentProblem extends Error {
  readonly reason: Reason;
  readonly status: ReasonEntry['status'];
  /** Seconds until the same proof may succeed; undefined when it never will for this request. */
  readonly retryAfterS: number | undefined;
  readonly reusable: boolean;

  constructor(reason: Reason, { detail, retryAfterS, reusable, cause }: ProblemDetails = {}) {
    const entry: ReasonEntry = REASONS[reason];
    const { stackTraceLimit } = Error;
    // An answer, and no defect: nobody asks where it was thrown, and to find out costs more than all else about it.
    if (entry.status < 500) Error.stackTraceLimit = 0;
    super(
      detail === undefined ? entry.meaning : `${entry.meaning} ${detail}`,
      cause === undefined ? undefined : { cause },
    );
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'PaymentProblem';
    this.reason = reason;
    this.status = entry.status;
    this.retryAfterS = retryAfterS ?? entry.retryAfterS;
    this.reusable = reusable ?? (entry.status === 503 || entry.retryAfterS !== undefined);
  }
}
