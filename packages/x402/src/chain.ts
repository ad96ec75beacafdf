// The port to a blockchain: what the gate asks of it, in words that hold for any chain. One folder of chains/ each.
import type { PaymentKey, VerifiedPayment } from './ledger.ts';

/** What a payment must do to count. */
export interface PaymentRule {
  /** Address of the wallet that is paid. */
  readonly payTo: string;
  /** Address of the asset. */
  readonly asset: string;
}

/** A payment that a chain knows. */
export interface FoundPayment extends Omit<VerifiedPayment, 'memo'> {
  /** Who paid the transaction's fee, where that is not `payer`. */
  readonly feePayer?: string;
  /** Texts of all memos of the transaction, in order. */
  readonly memos: readonly string[];
  /** When it was included, in milliseconds since 1970. */
  readonly timeMs: number;
}

/** What a chain says of a key. `credited` of a found payment may be 0 or less: then it is no payment to us. */
export type Finding =
  | ({ readonly kind: 'found' } & FoundPayment)
  /** Not known as confirmed, to enough endpoints; for good where no transaction can have that key. */
  | { readonly kind: 'unknown'; readonly forGood?: true }
  /** Included, and failed. */
  | { readonly kind: 'failed' };

/** How sure a payment is: `vanished` when the chain is past it and does not have it. */
export type Finality = 'finalized' | 'pending' | 'vanished';

/** What a payer of the pull flow hands over: a transaction that somebody else completes and broadcasts. */
export interface PartialPayment {
  /** What the payer signed, as text; equal for equal payments, known before anything is broadcast. */
  readonly intent: string;
  /** What the transaction would transfer to the pay-to account, in the smallest unit. */
  readonly amount: bigint;
  /** Whoever gives the money. */
  readonly payer: string;
  /** What its life depends on (Solana: the blockhash that it names); for {@link Chain.findPartial} alone. */
  readonly lifetime: string;
  /** The payer's signature, as text; empty where there is none. For {@link Chain.isSigned} alone. */
  readonly signature: string;
}

/** How to look a payment up. */
export interface FindOptions {
  /** How long to go on asking while it is unknown, in milliseconds; 0 asks once. */
  readonly waitMs: number;
  /** True when it is asked about by itself, however many others are; false unless given. */
  readonly alone?: boolean;
  readonly signal: AbortSignal;
}

/** A blockchain, as the gate sees it. */
export interface Chain {
  /** What payments must do to count on this chain. */
  readonly rule: PaymentRule;
  /**
   * The canonical key behind a text that may be a transaction id; null when it is none. Pure.
   *
   * Texts that differ only in white space around them have the same key; no other two do.
   */
  readKey(text: string): PaymentKey | null;
  /** The partly signed transaction of a pull payment; null when the bytes are none that pays us. Pure. */
  readPartial(transaction: string): PartialPayment | null;
  /** Whether the payer's signature is one of the intent. No I/O. */
  isSigned(partial: PartialPayment): Promise<boolean>;
  /**
   * Looks a payment up, and waits for one that is not there yet.
   *
   * @throws PaymentProblem `chain_unavailable` when not enough endpoints answer, or they contradict each other
   */
  find(key: PaymentKey, options: FindOptions): Promise<Finding>;
  /**
   * The key under which a partly signed transaction was included, if it was; looks only at payments since a time.
   *
   * `expired` when it was not and no longer can be.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  findPartial(
    partial: PartialPayment,
    options: { readonly sinceMs: number; readonly signal: AbortSignal },
  ): Promise<{ readonly kind: 'found'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'expired' }>;
  /**
   * How sure a payment is that was found before.
   *
   * @param slot where it was found; without it, no payment is ever called `vanished`
   * @throws PaymentProblem `chain_unavailable`
   */
  finality(
    key: PaymentKey,
    options: { readonly slot?: bigint | undefined; readonly signal: AbortSignal },
  ): Promise<Finality>;
}
