// The port behind which money is moved: a wallet, as a paying request sees it, and who is asked before.
import type { RepeatableBody } from './request.ts';

/** What is to be paid. */
export interface PaymentOrder {
  /** Address of the wallet that is paid. */
  readonly payTo: string;
  /** In the smallest unit of the asset, above 0. */
  readonly amount: bigint;
  /** Address of the asset. */
  readonly asset: string;
  /** Digits behind the point of one whole unit: 6 for USDC. */
  readonly decimals: number;
  /** The specified name of the network: `solana-mainnet`. */
  readonly network: string;
  /** Text that the transaction must carry: what binds it to a request, or a random one that makes it unique. */
  readonly memo: string;
}

/** A payment that is about to be made: the offer is checked, and nothing is signed. */
export interface DuePayment {
  readonly order: PaymentOrder;
  /** What it is for, as it was sent. */
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
 * Looks at a payment before it is made, and may refuse it, by the value with which hooks of x402 clients
 * (`onBeforePaymentCreation`) refuse one. What it rejects with ends the request, too. It may take its time, in which
 * the server may change its mind: a price that has risen since is not paid a second time.
 *
 * @example
 * const beforePayment: BeforePayment = async ({ order }) =>
 *   (await askUser(order.amount)) ? undefined : { abort: true, reason: 'You said no.' };
 */
export type BeforePayment = (due: DuePayment) => Promise<PaymentAbort | undefined>;

/** A payment that may be under way. What is not known is absent. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly beganMs: number;
  readonly signature?: string;
  /** The signed transaction in base64, for another broadcast. Whoever has it can only make this payment. */
  readonly transaction?: string;
  /** Height, in digits, of the last block that may include it. */
  readonly lastValidBlockHeight?: string;
}

/** What {@link Pay} is given besides the order. */
export interface PayContext {
  readonly signal: AbortSignal;
  /**
   * Writes an attempt down. Must have resolved before the transaction leaves the process; when it rejects, it must not.
   */
  readonly record: (attempt: Attempt) => Promise<void>;
}

/** What became of the attempts at an order. */
export type Search =
  | { readonly kind: 'paid'; readonly signature: string }
  /** None of them paid, and none of them can any more. */
  | { readonly kind: 'unpaid' }
  /** One of them may still. */
  | { readonly kind: 'unknown'; readonly detail: string };

/** What {@link FindPayment} is given besides the order and its attempts. */
export interface FindContext {
  readonly signal: AbortSignal;
  /** Signatures of earlier payments for the same request, which are used up: never the one that is looked for. */
  readonly spent: readonly string[];
}

/** Looks for a payment that may have been made. */
export type FindPayment = (
  order: PaymentOrder,
  attempts: readonly Attempt[],
  context: FindContext,
) => Promise<Search>;

/**
 * Pays an order and resolves with the signature of the transaction, once it is confirmed.
 *
 * A rejection with a `PayingError` says that nothing was moved and nothing will be (`payment_failed` where the user
 * declined, say), save with the code `payment_unknown`, which leaves that open, as any other rejection does.
 */
export interface Pay {
  (order: PaymentOrder, context: PayContext): Promise<string>;
  /** Without it, an attempt whose end is not known blocks its request, because paying again could pay twice. */
  readonly find?: FindPayment;
  /** True when every attempt is recorded by `pay` itself. Otherwise one is recorded before `pay` is called. */
  readonly recordsAttempts?: boolean;
}
