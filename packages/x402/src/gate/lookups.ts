// Lookups of unverified payments on the chain. Any client can invent a transaction id, so the number of lookups is
// limited, and the number of those that wait for an unknown payment. A known payment is found by the first lookup.
import type { Chain, Finding } from './chain.ts';
import type { Clock } from './clock.ts';
import type { PaymentKey } from '../ledger/ledger.ts';
import { PaymentProblem } from './reasons.ts';

/** Options of {@link createLookups}. */
export interface LookupsOptions {
  readonly chain: Pick<Chain, 'find'>;
  readonly clock: Pick<Clock, 'wait'>;
  /** The longest wait for an unknown payment, in milliseconds. */
  readonly waitMs: number;
  /** The most open lookups. A further one is rejected with `payments_busy`. */
  readonly maxLookups: number;
  /** The most lookups that wait. Beyond it, an unknown payment is rejected without a wait. */
  readonly maxWaiting: number;
}

/** Looks payments up, within limits. */
export interface Lookups {
  /**
   * The chain's finding for a payment that it knows, included or failed.
   *
   * @throws PaymentProblem `payment_not_found`, `payments_busy`, `chain_unavailable`
   */
  find(key: PaymentKey, signal: AbortSignal): Promise<Exclude<Finding, { kind: 'unknown' }>>;
}

/** Details of the rejection of an impossible id: repeating the request is useless. */
const NEVER_FOUND = {
  meaning: 'No transaction can have this signature.',
  wayOut: 'Send the signature of your transaction as the wallet shows it; do not pay again.',
  retryAfterS: null,
} as const;
/** Pause before the second lookup, in milliseconds: most late payments are late by less than a block. */
const PAUSE_MS = 100;

export function createLookups({ chain, clock, waitMs, maxLookups, maxWaiting }: LookupsOptions): Lookups {
  let open = 0;
  let waiting = 0;

  async function lookUp(key: PaymentKey, signal: AbortSignal): Promise<Finding> {
    const first = await chain.find(key, { waitMs: 0, signal });
    const mayCome = first.kind === 'unknown' && first.forGood !== true;
    if (!mayCome || waitMs === 0 || waiting >= maxWaiting) return first;
    waiting++;
    try {
      await clock.wait(Math.min(PAUSE_MS, waitMs), signal);
      return await chain.find(key, { waitMs: Math.max(0, waitMs - PAUSE_MS), signal });
    } finally {
      waiting--;
    }
  }

  return {
    async find(key, signal) {
      if (open >= maxLookups) throw new PaymentProblem('payments_busy');
      open++;
      try {
        const finding = await lookUp(key, signal);
        if (finding.kind !== 'unknown') return finding;
        throw new PaymentProblem('payment_not_found', finding.forGood === true ? NEVER_FOUND : {});
      } finally {
        open--;
      }
    },
  };
}
