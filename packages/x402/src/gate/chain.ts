// The port to a blockchain, in terms that hold for any chain. Each chain is a folder of chains/.
import type { PaymentKey, VerifiedPayment } from '../ledger/ledger.ts';

/** The recipient and the asset of payments. */
export interface PaymentRule {
  /** Address of the recipient's wallet. */
  readonly payTo: string;
  /** Address of the asset. */
  readonly asset: string;
}

/** A payment on the chain. */
export interface FoundPayment extends Omit<VerifiedPayment, 'memo'> {
  /** Address that paid the transaction's fee, when it is not `payer`. */
  readonly feePayer?: string | undefined;
  /** Texts of all memos of the transaction, in order. */
  readonly memos: readonly string[];
  /** Time of inclusion, in milliseconds since 1970. */
  readonly timeMs: number;
}

/** The chain's finding for a key. A `credited` amount of 0 or less is no payment to us. */
export type Finding =
  | ({ readonly kind: 'found' } & FoundPayment)
  /** Too few endpoints know it as confirmed. `forGood` when no transaction can ever have that key. */
  | { readonly kind: 'unknown'; readonly forGood?: true }
  /** Included in the chain, but failed. */
  | { readonly kind: 'failed' };

/** The certainty of a payment. `vanished`: the chain has moved past its slot and does not have it. */
export type Finality = 'finalized' | 'pending' | 'vanished';

/** A transaction that its payer has signed and a facilitator completes and broadcasts (x402's pull flow). */
export interface PartialPayment {
  /** The signed message as text: known before the broadcast, and equal for equal payments. */
  readonly intent: string;
  /** The amount for the pay-to account, in the smallest unit. */
  readonly amount: bigint;
  /** Address that gives the money. */
  readonly payer: string;
  /** Bounds the validity (on Solana the blockhash); only for {@link Chain.findPartial}. */
  readonly lifetime: string;
  /** The payer's signature as text, empty without one; only for {@link Chain.isSigned}. */
  readonly signature: string;
}

/** A message with the signature that is to be checked. */
export interface SignedMessage {
  readonly address: string;
  readonly message: string;
  readonly signature: string;
}

/** Options of {@link Chain.find}. */
export interface FindOptions {
  /** Time to repeat the lookup of an unknown payment, in milliseconds; 0 for one lookup. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** A blockchain. */
export interface Chain {
  readonly rule: PaymentRule;
  /**
   * The canonical key in a text; null when the text is not a transaction id. Pure. Texts that differ only in
   * surrounding white space have the same key; all others have different keys.
   */
  readKey(text: string): PaymentKey | null;
  /** Reads a partly signed transaction; null when it does not pay us. Pure. */
  readPartial(transaction: string): PartialPayment | null;
  /** True when the signature is the payer's over the intent. No I/O. */
  isSigned(partial: PartialPayment): Promise<boolean>;
  /** True when the signature, as text, is that of an address's key over the UTF-8 of the message. No I/O. */
  isMessageSigned(signed: SignedMessage): Promise<boolean>;
  /**
   * Looks a payment up, and waits for an unknown one.
   *
   * @throws PaymentProblem `chain_unavailable` when too few endpoints answer, or they contradict each other
   */
  find(key: PaymentKey, options: FindOptions): Promise<Finding>;
  /**
   * The key under which a partly signed transaction was included since a time. `expired` when it was not included and
   * no longer can be.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  findPartial(
    partial: PartialPayment,
    options: { readonly sinceMs: number; readonly signal: AbortSignal },
  ): Promise<{ readonly kind: 'found'; readonly key: PaymentKey } | { readonly kind: 'unknown' | 'expired' }>;
  /**
   * The certainty of a payment that was found before.
   *
   * @param options `slot`: that of the payment; without it, no payment is reported as `vanished`
   * @throws PaymentProblem `chain_unavailable`
   */
  finality(
    key: PaymentKey,
    options: { readonly slot?: bigint | undefined; readonly signal: AbortSignal },
  ): Promise<Finality>;
}
