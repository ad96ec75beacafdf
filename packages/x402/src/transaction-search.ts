// Finds a signed transaction that somebody else completes and broadcasts. Nobody knows its id beforehand, so it is
// looked for by what its payer signed.
import type { Chain, Finding, PartialPayment } from './chain.ts';
import type { Clock } from './clock.ts';
import type { SettleOutcome } from './facilitator.ts';
import type { PaymentKey } from './ledger.ts';
import { PaymentProblem } from './reasons.ts';

/** The ports and numbers that looking needs. */
export interface TransactionSearchParts {
  readonly chain: Chain;
  readonly clock: Clock;
  /** How long a transaction that a facilitator has named may take to be on the chain, in milliseconds. */
  readonly waitMs: number;
}

/** A payment that a facilitator has named, and what the chain says of it. */
export interface NamedPayment {
  readonly key: PaymentKey;
  readonly finding: Extract<Finding, { kind: 'found' }>;
}

/** Looks for signed transactions on the chain. */
export interface TransactionSearch {
  /**
   * The id of a transaction that a facilitator refused although it is on the chain, or null. Another server settled it,
   * or another request that took the lease over. Looks back only as far as a signed transaction lives.
   *
   * @throws PaymentProblem `payments_busy`, `chain_unavailable`
   */
  findRefused(partial: PartialPayment, signal: AbortSignal): Promise<PaymentKey | null>;
  /**
   * The payment that the facilitator says it made, if that is one by this payer. It is when the payer gave the money.
   * It may also be when the facilitator did, as payer of the fee; then the chain is searched, so that one payer's
   * signature is never answered with another one's payment.
   */
  findNamed(outcome: SettleOutcome): Promise<NamedPayment | null>;
  /**
   * Looks at least once, and again and again for so many milliseconds.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  findWithin(
    partial: PartialPayment,
    time: { readonly sinceMs: number; readonly forMs: number },
  ): ReturnType<Chain['findPartial']>;
}

/**
 * How many refused transactions may be looked for at the same time. Such a look may read many transactions of the
 * payer, and is meant for the few that a facilitator refuses because they have happened; further requests are told that
 * the service is busy.
 */
const MAX_DOUBTS = 8;
/** First pause between two looks, in milliseconds; it doubles each time. */
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 2_000;
/** A signal that is never aborted, because what has begun is finished. */
const NEVER = new AbortController().signal;

export function createTransactionSearch({ chain, clock, waitMs }: TransactionSearchParts): TransactionSearch {
  /** How many refused transactions are being looked for. */
  let doubts = 0;

  return {
    async findRefused(partial, signal) {
      // What its payer has not signed nobody can have settled, and naming a busy payer costs an attacker nothing.
      if (!(await chain.isSigned(partial))) return null;
      if (doubts >= MAX_DOUBTS) throw new PaymentProblem('payments_busy');
      doubts++;
      try {
        const place = await chain.findPartial(partial, { sinceMs: clock.now(), signal });
        return place.kind === 'found' ? place.key : null;
      } finally {
        doubts--;
      }
    },

    async findNamed(outcome) {
      const key = outcome.kind === 'settled' ? chain.readKey(outcome.transaction) : null;
      if (key === null) return null;
      try {
        const finding = await chain.find(key, { waitMs, alone: true, signal: NEVER });
        return finding.kind === 'found' ? { key, finding } : null;
      } catch {
        return null;
      }
    },

    async findWithin(partial, { sinceMs, forMs }) {
      const untilMs = clock.now() + forMs;
      for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS)) {
        const place = await chain.findPartial(partial, { sinceMs, signal: NEVER });
        const leftMs = untilMs - clock.now();
        if (place.kind !== 'unknown' || leftMs <= 0) return place;
        await clock.wait(Math.min(pauseMs, leftMs), NEVER);
      }
    },
  };
}
