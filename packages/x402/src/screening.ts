// The first look at an id that the ledger has never seen: the chain is asked whether there is such a payment at all, so
// that made-up ids never come into the ledger. Whose the payment is, and what it is worth here, is decided only once it
// is reserved.
import type { FoundPayment } from './chain.ts';
import type { Ledger, PaymentKey } from './ledger.ts';
import type { Lookups } from './lookups.ts';
import { PaymentProblem } from './reasons.ts';

/** The ports that screening needs. */
export interface ScreeningParts {
  readonly ledger: Pick<Ledger, 'get'>;
  readonly lookups: Lookups;
  /** True when a request of this process has the payment or waits for it. */
  readonly isOpen: (key: PaymentKey) => boolean;
  /**
   * Throws for a payment that gave us nothing.
   *
   */
  readonly refuseWorthless: (found: FoundPayment) => void;
}

/**
 * Returns what the chain says of a payment that nobody has shown yet; null for any other. Requests with the same id
 * share one question.
 *
 * @throws PaymentProblem
 */
export type Screen = (key: PaymentKey, isPayer: boolean, signal: AbortSignal) => Promise<FoundPayment | null>;

export function createScreening({ ledger, lookups, isOpen, refuseWorthless }: ScreeningParts): Screen {
  /** Questions about payments that nobody has taken yet. */
  const asked = new Map<PaymentKey, Promise<FoundPayment | null>>();

  async function ask(key: PaymentKey, isPayer: boolean, signal: AbortSignal): Promise<FoundPayment | null> {
    if (isOpen(key) || (await ledger.get(key)) !== null) return null;
    const finding = await lookups.find(key, signal, { isPayer });
    if (finding.kind === 'failed') throw new PaymentProblem('transaction_failed');
    refuseWorthless(finding);
    return finding;
  }

  return async (key, isPayer, signal) => {
    for (let others = asked.get(key); others !== undefined; others = asked.get(key)) {
      try {
        return await others;
      } catch (error) {
        signal.throwIfAborted();
        // The request that asked on behalf of all may have been aborted.
        if (error instanceof PaymentProblem) throw error;
      }
    }
    const answer = ask(key, isPayer, signal).finally(() => asked.delete(key));
    asked.set(key, answer);
    return answer;
  };
}
