// Where a signed transaction is that somebody else completes and broadcasts: nobody knows its id before, so that it is
// looked for by what its payer signed.
import type { Chain, Finding, PartialPayment } from './chain.ts';
import type { Clock } from './clock.ts';
import type { SettleOutcome } from './facilitator.ts';
import type { PaymentKey } from './ledger.ts';
import { PaymentProblem } from './reasons.ts';

/** What looking stands on. */
export interface WhereaboutsParts {
  readonly chain: Chain;
  readonly clock: Clock;
  /** How long a transaction that was named may take to be on the chain. */
  readonly waitMs: number;
}

/** A payment that was named, and what the chain says of it. */
export interface NamedPayment {
  readonly key: PaymentKey;
  readonly finding: Extract<Finding, { kind: 'found' }>;
}

/** See the top of this file. */
export interface Whereabouts {
  /**
   * The id of one that was refused and is on the chain all the same, or null: it was settled where nothing is known of
   * it here, or another request took the lease over. Older ones than a signed transaction lives are not looked for.
   *
   * @throws PaymentProblem `payments_busy`, `chain_unavailable`
   */
  before(partial: PartialPayment, signal: AbortSignal): Promise<PaymentKey | null>;
  /**
   * The payment that the facilitator says it made, if it is one. It is the payer's when the payer gave the money; who
   * gave it may be the facilitator too, as payer of the fee, and then the chain has to be searched for it, lest one
   * payer's signature be answered with another one's payment.
   */
  named(outcome: SettleOutcome): Promise<NamedPayment | null>;
  /**
   * Looks again and again for so long; once at least.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  look(
    partial: PartialPayment,
    time: { readonly sinceMs: number; readonly forMs: number },
  ): ReturnType<Chain['findPartial']>;
}

/**
 * Refusals whose transactions are looked for at the same time. Such a look may read many transactions of the payer, and
 * is for the few whose facilitator refuses what has happened; the next one is told that the service is busy.
 */
const MAX_DOUBTS = 8;
/** Between two looks on the chain, doubled each time. */
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 2_000;
/** What has begun is brought to its end. */
const NEVER = new AbortController().signal;

export function createWhereabouts({ chain, clock, waitMs }: WhereaboutsParts): Whereabouts {
  /** Refusals that are being looked into. */
  let doubts = 0;

  return {
    async before(partial, signal) {
      // What its payer has not signed nobody can have settled; to name a payer who is busy costs nothing.
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

    async named(outcome) {
      const key = outcome.kind === 'settled' ? chain.readKey(outcome.transaction) : null;
      if (key === null) return null;
      try {
        const finding = await chain.find(key, { waitMs, alone: true, signal: NEVER });
        return finding.kind === 'found' ? { key, finding } : null;
      } catch {
        return null;
      }
    },

    async look(partial, { sinceMs, forMs }) {
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
