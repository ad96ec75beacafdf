// The ports of a paying request: the wallet, and the check before the payment.

/** Bodies that can be sent again. */
export type RepeatableBody =
  string | ArrayBuffer | Uint8Array<ArrayBuffer> | Blob | FormData | URLSearchParams;

/** The recipient, the amount and the memo of a payment. */
export interface PaymentOrder {
  /** Address of the recipient's wallet. */
  readonly payTo: string;
  /** Amount in the smallest unit of the asset; above 0. */
  readonly amount: bigint;
  /** Address of the asset. */
  readonly asset: string;
  /** Decimals of the asset: 6 for USDC. */
  readonly decimals: number;
  /** Name of the network: `solana-mainnet`. */
  readonly network: string;
  /** Memo of the transaction. It binds the payment to a request, or is random and makes the payment unique. */
  readonly memo: string;
}

/** The next payment: its offer has been checked, and nothing is signed yet. */
export interface DuePayment {
  readonly order: PaymentOrder;
  /** The request of the payment. */
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly body: RepeatableBody | null;
  };
  readonly signal: AbortSignal;
}

/** Prevents a payment. The reason is a sentence that ends with a full stop. */
export interface PaymentAbort {
  readonly abort: true;
  readonly reason: string;
}

/**
 * Checks a payment before it is made. It prevents the payment with the value that hooks of x402 clients
 * (`onBeforePaymentCreation`) return. Its rejection rejects the request with the same error. It may take long; the
 * client does not pay a price that the server raised meanwhile.
 *
 * @example
 * const beforePayment: BeforePayment = async ({ order }) =>
 *   (await askUser(order.amount)) ? undefined : { abort: true, reason: 'You said no.' };
 */
export type BeforePayment = (due: DuePayment) => Promise<PaymentAbort | undefined>;

/** A payment that may be under way. Unknown members are absent. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly beganMs: number;
  readonly signature?: string;
  /** The signed transaction in base64, for another broadcast. It allows only this payment. */
  readonly transaction?: string;
  /** Height of the last block that may include it, in decimal digits. */
  readonly lastValidBlockHeight?: string;
  /** The wallet's own name for the way of paying, which its `find` may treat differently. */
  readonly way?: string;
}

/** The context of {@link Pay}. */
export interface PayContext {
  readonly signal: AbortSignal;
  /** Stores an attempt. The transaction must not leave the process before this resolves, nor when it rejects. */
  readonly record: (attempt: Attempt) => Promise<void>;
}

/** The outcome of the attempts to pay an order. */
export type FindResult =
  | { readonly kind: 'paid'; readonly signature: string }
  /** No attempt paid, and none still can. */
  | { readonly kind: 'unpaid' }
  /** An attempt may still pay. */
  | { readonly kind: 'unknown'; readonly detail: string };

/** The context of {@link FindPayment}. */
export interface FindContext {
  readonly signal: AbortSignal;
  /** Signatures of used up payments for the same request, which the search excludes. */
  readonly spent: readonly string[];
}

/** Searches for a payment that may have been made. */
export type FindPayment = (
  order: PaymentOrder,
  attempts: readonly Attempt[],
  context: FindContext,
) => Promise<FindResult>;

/**
 * Pays an order; resolves with the transaction's signature once it is confirmed. A rejection with a `PayingError` means
 * that no money has moved or will move (`payment_failed`, for example, when the user declined). The code
 * `payment_unknown`, and any other error, leave that open.
 */
export interface Pay {
  (order: PaymentOrder, context: PayContext): Promise<string>;
  /**
   * Searches for a payment that may have been made. Without it, an attempt with an unknown end blocks its request,
   * because another payment could be a second one.
   */
  readonly find?: FindPayment;
  /** True when `pay` records every attempt itself. Otherwise one is recorded before the call of `pay`. */
  readonly recordsAttempts?: boolean;
}
