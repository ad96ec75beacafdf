// Identifiers of clients (x402 extension `payment-identifier`): a request with the identifier of an earlier one gets
// the payment of that one, also when its client has signed another transaction since.
//
// An identifier stands for one signed transaction. A transaction with an identifier is submitted only while the
// identifier stands for it and its lease is held. The identifier changes only under that lease, after the transaction
// can no longer pay, or when the answer that it bought has expired. So no two transactions of an identifier are
// settled.
import type { Chain, PartialPayment } from './chain.ts';
import type { Clock } from './clock.ts';
import type { IdentifierKey, Intent, IntentKey, Ledger, PaymentKey } from '../ledger/ledger.ts';
import type { SettledPayment, SignedProof, UnknownIntent } from './transaction-search.ts';

/** A signed transaction with the identifier of its client. */
export interface IdentifiedTransaction {
  readonly key: IdentifierKey;
  readonly partial: PartialPayment;
  /** The transaction in the form of the payload. */
  readonly transaction: string;
}

/** The dependencies of {@link createIdentifiers}. */
export interface IdentifiersDeps {
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Time for which the service keeps an answer, in milliseconds. */
  readonly answerMs: number;
  /** Takes the intent of a transaction; waits while another request settles it. */
  readonly takeIntent: (key: IntentKey, signal: AbortSignal) => Promise<Exclude<Intent, { kind: 'held' }>>;
  /** Wakes the requests that wait for the intent. */
  readonly wake: (key: IntentKey) => void;
  /**
   * Searches the chain for a transaction that was submitted; null when it can no longer be included. Its intent is then
   * still open.
   *
   * @throws PaymentProblem `settlement_unknown`
   */
  readonly search: (intent: UnknownIntent, partial: PartialPayment) => Promise<SettledPayment | null>;
}

/** The identifiers of one ledger. */
export interface Identifiers {
  /**
   * The transaction with its identifier; undefined without one. A payer has identifiers of their own, and only their
   * signature uses one.
   */
  read(proof: SignedProof, partial: PartialPayment): Promise<IdentifiedTransaction | undefined>;
  /** The payment of the identifier's other transaction; null when this transaction is to be settled. */
  find(identified: IdentifiedTransaction, signal: AbortSignal): Promise<SettledPayment | null>;
  /**
   * Lets an unused identifier stand for the transaction, whose lease the caller holds; false when it stands for another
   * one.
   */
  claim(identified: IdentifiedTransaction): Promise<boolean>;
  /** The payment that the identifier stands for, as far as it is recorded. Changes nothing. */
  findSettled(identified: IdentifiedTransaction): Promise<PaymentKey | null>;
}

export function createIdentifiers(deps: IdentifiersDeps): Identifiers {
  const { chain, ledger, clock, answerMs, takeIntent, wake, search } = deps;

  async function hasExpired(key: PaymentKey): Promise<boolean> {
    const record = await ledger.get(key);
    return record?.state === 'consumed' && record.changedMs + answerMs <= clock.now();
  }

  /** The payment of a transaction; null after the identifier was passed on, because that transaction buys nothing. */
  async function resolve(
    other: PartialPayment,
    passOn: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<SettledPayment | null> {
    const intent = await takeIntent(other.intent, signal);
    if (intent.kind === 'settled') {
      if (!(await hasExpired(intent.key))) return { key: intent.key, payer: other.payer };
      await passOn();
      return null;
    }
    try {
      const found = intent.kind === 'unknown' ? await search(intent, other) : null;
      if (found !== null) return found;
      await passOn();
      await ledger.endIntent(intent.lease, null);
      return null;
    } finally {
      wake(other.intent);
    }
  }

  return {
    async read({ identifier, transaction }, partial) {
      if (identifier === undefined || !(await chain.isSigned(partial))) return undefined;
      return { key: `id:${partial.payer}:${identifier}`, partial, transaction };
    },

    async find({ key, partial, transaction }, signal) {
      for (;;) {
        const named = await ledger.identified(key);
        if (named === null) return null;
        const other = chain.readPartial(named);
        if (other?.intent === partial.intent) return null;
        const passOn = (): Promise<string> => ledger.identify(key, transaction, named);
        // A transaction to an earlier pay-to address buys nothing here.
        const earlier =
          other === null ? await passOn().then(() => null) : await resolve(other, passOn, signal);
        if (earlier !== null) return earlier;
      }
    },

    async claim({ key, partial, transaction }) {
      const named = await ledger.identify(key, transaction);
      return chain.readPartial(named)?.intent === partial.intent;
    },

    async findSettled({ key }) {
      const named = await ledger.identified(key);
      const other = named === null ? null : chain.readPartial(named);
      const payment = other === null ? null : await ledger.settledPayment(other.intent);
      return payment === null || (await hasExpired(payment)) ? null : payment;
    },
  };
}
