// Finds a signed transaction that a facilitator completes and broadcasts. Its id is unknown beforehand, so the search
// goes by the payer's signed message.
import type { Chain, Finding, PartialPayment } from './chain.ts';
import type { Clock } from './clock.ts';
import type { SettleOutcome } from './facilitator.ts';
import type { Proof } from './gate.ts';
import type { Intent, PaymentKey } from '../ledger/ledger.ts';
import { PaymentProblem } from './reasons.ts';

/** A signed transaction, as a proof. */
export type SignedProof = Extract<Proof, { kind: 'transaction' }>;

/** A settled payment, with the chain's finding if the chain was read. */
export interface SettledPayment {
  readonly key: PaymentKey;
  /** Address that gave the money. */
  readonly payer: string;
  readonly finding?: Extract<Finding, { kind: 'found' }> | undefined;
}

/** A settlement without a recorded end. */
export type UnknownIntent = Extract<Intent, { kind: 'unknown' }>;

/** The dependencies of {@link createTransactionSearch}. */
export interface TransactionSearchDeps {
  readonly chain: Chain;
  readonly clock: Clock;
  /** The longest wait for a transaction that a facilitator names, in milliseconds. */
  readonly waitMs: number;
}

/** A payment that a facilitator names, with the chain's finding. */
export interface NamedPayment {
  readonly key: PaymentKey;
  readonly finding: Extract<Finding, { kind: 'found' }>;
}

/** Searches the chain for signed transactions. */
export interface TransactionSearch {
  /**
   * The id of a transaction that a facilitator rejected although it is on the chain, or null. Another server settled
   * it, or another request that took the lease over. The search goes back as far as a signed transaction lives.
   *
   * @throws PaymentProblem `payments_busy`, `chain_unavailable`
   */
  findRejected(partial: PartialPayment, signal: AbortSignal): Promise<PaymentKey | null>;
  /** The payment that the facilitator says it made, if the chain has it. The caller compares the payer. */
  findNamed(outcome: SettleOutcome): Promise<NamedPayment | null>;
  /**
   * Searches at least once, and repeats it for `forMs` milliseconds.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  findWithin(
    partial: PartialPayment,
    time: { readonly sinceMs: number; readonly forMs: number },
  ): ReturnType<Chain['findPartial']>;
}

/**
 * The most searches for rejected transactions at the same time. Such a search may read many transactions of the payer.
 * Few transactions need it: those that a facilitator rejects because they are on the chain.
 */
const MAX_REJECTED_SEARCHES = 8;
/** The pause between two searches doubles from the first to the longest, in milliseconds. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** A signal that is never aborted: a settlement that has begun is finished. */
const NEVER = new AbortController().signal;

export function createTransactionSearch({ chain, clock, waitMs }: TransactionSearchDeps): TransactionSearch {
  let rejectedSearches = 0;

  return {
    async findRejected(partial, signal) {
      // A transaction without its payer's signature cannot be settled, and naming a busy payer costs an attacker
      // nothing.
      if (!(await chain.isSigned(partial))) return null;
      if (rejectedSearches >= MAX_REJECTED_SEARCHES) throw new PaymentProblem('payments_busy');
      rejectedSearches++;
      try {
        const found = await chain.findPartial(partial, { sinceMs: clock.now(), signal });
        return found.kind === 'found' ? found.key : null;
      } finally {
        rejectedSearches--;
      }
    },

    async findNamed(outcome) {
      const key = outcome.kind === 'settled' ? chain.readKey(outcome.transaction) : null;
      if (key === null) return null;
      const finding = await chain.find(key, { waitMs, signal: NEVER }).catch(() => null);
      return finding?.kind === 'found' ? { key, finding } : null;
    },

    async findWithin(partial, { sinceMs, forMs }) {
      const untilMs = clock.now() + forMs;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const found = await chain.findPartial(partial, { sinceMs, signal: NEVER });
        const leftMs = untilMs - clock.now();
        if (found.kind !== 'unknown' || leftMs <= 0) return found;
        await clock.wait(Math.min(pauseMs, leftMs), NEVER);
      }
    },
  };
}
