// The ports by which a paying request moves money: the wallet, and whoever is asked before.
import type { RepeatableBody } from './request.ts';

/** What is to be paid. */
export interface PaymentOrder {
  /** Address of the wallet that is paid. */
  readonly payTo: string;
  /** Amount in the smallest unit of the asset; above 0. */
  readonly amount: bigint;
  /** Address of the asset. */
  readonly asset: string;
  /** Decimals of the asset: 6 for USDC. */
  readonly decimals: number;
  /** Name of the network, as `solana-mainnet`. */
  readonly network: string;
  /** Memo that the transaction must carry. It binds the payment to a request, or is random and makes it unique. */
  readonly memo: string;
}

/** A payment that is about to be made: the offer has been checked, and nothing is signed yet. */
export interface DuePayment {
  readonly order: PaymentOrder;
  /** The request that it is for, as it was sent. */
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly body: RepeatableBody | null;
  };
  readonly signal: AbortSignal;
}

/** Why a payment is not to be made, in a sentence that ends with a full stop. */
export interface PaymentAbort {
  readonly abort: true;
  readonly reason: string;
}

/**
 * Looks at a payment before it is made, and may refuse it with the value that hooks of x402 clients
 * (`onBeforePaymentCreation`) use for that. When it rejects, the request rejects with the same error. It may take its
 * time; a price that the server has raised meanwhile is not paid.
 *
 * @example
 * const beforePayment: BeforePayment = async ({ order }) =>
 *   (await askUser(order.amount)) ? undefined : { abort: true, reason: 'You said no.' };
 */
export type BeforePayment = (due: DuePayment) => Promise<PaymentAbort | undefined>;

/** A payment that may be under way. Members that are not known are absent. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly beganMs: number;
  readonly signature?: string;
  /** The signed transaction in base64, so that it can be broadcast again. Whoever has it can make only this payment. */
  readonly transaction?: string;
  /** Height of the last block that may include it, in decimal digits. */
  readonly lastValidBlockHeight?: string;
}

/** What {@link Pay} is given besides the order. */
export interface PayContext {
  readonly signal: AbortSignal;
  /**
   * Writes an attempt down. The transaction must not leave the process before this has resolved, nor when it rejects.
   */
  readonly record: (attempt: Attempt) => Promise<void>;
}

/** What became of the attempts to pay an order. */
export type Search =
  | { readonly kind: 'paid'; readonly signature: string }
  /** None of them paid, and none still can. */
  | { readonly kind: 'unpaid' }
  /** One of them may still pay. */
  | { readonly kind: 'unknown'; readonly detail: string };

/** What {@link FindPayment} is given besides the order and its attempts. */
export interface FindContext {
  readonly signal: AbortSignal;
  /** Signatures of earlier payments for the same request that are used up; none of them is the one looked for. */
  readonly spent: readonly string[];
}

/** Looks for a payment that may have been made. */
export type FindPayment = (
  order: PaymentOrder,
  attempts: readonly Attempt[],
  context: FindContext,
) => Promise<Search>;

/**
 * Pays an order; resolves with the transaction's signature once it is confirmed. When it rejects with a `PayingError`,
 * nothing was moved and nothing will be (`payment_failed`, for example, when the user declined). Only the code
 * `payment_unknown`, and any other error, leave open whether money has moved.
 */
export interface Pay {
  (order: PaymentOrder, context: PayContext): Promise<string>;
  /**
   * Looks for a payment that may have been made. Without it, an attempt whose end is not known blocks its request,
   * because paying again could pay twice.
   */
  readonly find?: FindPayment;
  /** True when `pay` records every attempt itself. Otherwise one is recorded before `pay` is called. */
  readonly recordsAttempts?: boolean;
}
