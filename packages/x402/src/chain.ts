// The port to a blockchain: what the gate asks of it, in words that hold for any chain. Each chain is a folder of
// chains/.
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
  /** Address of whoever paid the transaction's fee, when that is not `payer`. */
  readonly feePayer?: string;
  /** Texts of all memos of the transaction, in order. */
  readonly memos: readonly string[];
  /** When it was included, in milliseconds since 1970. */
  readonly timeMs: number;
}

/** What a chain says of a key. `credited` of a found payment may be 0 or less; it is then no payment to us. */
export type Finding =
  | ({ readonly kind: 'found' } & FoundPayment)
  /** Too few endpoints know it as confirmed. `forGood` when no transaction can ever have that key. */
  | { readonly kind: 'unknown'; readonly forGood?: true }
  /** Included in the chain, but failed. */
  | { readonly kind: 'failed' };

/** How certain a payment is: `vanished` when the chain has moved past its place and does not have it. */
export type Finality = 'finalized' | 'pending' | 'vanished';

/** A transaction that a payer has signed and that somebody else completes and broadcasts (x402's pull flow). */
export interface PartialPayment {
  /** What the payer signed, as text: known before anything is broadcast, and equal for equal payments. */
  readonly intent: string;
  /** What the transaction would transfer to the pay-to account, in the smallest unit. */
  readonly amount: bigint;
  /** Address of whoever gives the money. */
  readonly payer: string;
  /** What decides how long it is valid (on Solana the blockhash that it names); only for {@link Chain.findPartial}. */
  readonly lifetime: string;
  /** The payer's signature as text, empty when there is none; only for {@link Chain.isSigned}. */
  readonly signature: string;
}

/** How to look a payment up. */
export interface FindOptions {
  /** How long to ask again while it is unknown, in milliseconds; 0 asks once. */
  readonly waitMs: number;
  /** True to ask about it by itself, however many other questions are waiting. Default false. */
  readonly alone?: boolean;
  readonly signal: AbortSignal;
}

/** A blockchain, as the gate sees it. */
export interface Chain {
  /** What payments must do to count on this chain. */
  readonly rule: PaymentRule;
  /**
   * The canonical key in a text that may be a transaction id; null when it is none. Pure. Texts that differ only in
   * white space around them have the same key; no other two do.
   */
  readKey(text: string): PaymentKey | null;
  /** Reads a partly signed transaction; null when it is none that pays us. Pure. */
  readPartial(transaction: string): PartialPayment | null;
  /** True when the signature is the payer's over the intent. No I/O. */
  isSigned(partial: PartialPayment): Promise<boolean>;
  /**
   * Looks a payment up, and waits for one that is not there yet.
   *
   * @throws PaymentProblem `chain_unavailable` when not enough endpoints answer, or they contradict each other
   */
  find(key: PaymentKey, options: FindOptions): Promise<Finding>;
  /**
   * The key under which a partly signed transaction was included, if it was; looks only at payments since a time.
   * `expired` when it was not included and no longer can be.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  findPartial(
    partial: PartialPayment,
    options: { readonly sinceMs: number; readonly signal: AbortSignal },
  ): Promise<{ readonly kind: 'found'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'expired' }>;
  /**
   * How certain a payment is that was found before.
   *
   * @param slot the slot where it was found; without it, no payment is ever called `vanished`
   * @throws PaymentProblem `chain_unavailable`
   */
  finality(
    key: PaymentKey,
    options: { readonly slot?: bigint | undefined; readonly signal: AbortSignal },
  ): Promise<Finality>;
}
