// The second look: payments are taken at `confirmed`, which a fork may still undo. Each consumed one is asked about
// again until the chain calls it final. One that vanished is an alarm for the operator and the end for its payer; the
// answer that it bought stays, because it was given in good faith and cannot be taken back.
import type { Chain, Finality } from '@grainline/x402';
import type { Store, UnsettledPayment } from '../store/store.ts';

/** What a pass needs. */
export interface RecheckParts {
  readonly store: Pick<Store, 'unsettledConsumed' | 'markFinal' | 'blockPayer'>;
  readonly chain: Pick<Chain, 'finality'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes the alarm, and a warning for what could not be asked. */
  readonly log: {
    error(fields: Readonly<Record<string, unknown>>, message: string): void;
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
  /** Payments that one pass asks about at most: each costs the endpoints a call. */
  readonly limit: number;
  /** Ends the pass early; what was found until then is kept. */
  readonly signal?: AbortSignal;
}

/** The outcome of one pass over consumed payments. */
export interface RecheckOutcome {
  readonly finalized: number;
  readonly pending: number;
  readonly vanished: number;
  /** Number of payments about which the chain could not be asked. */
  readonly unasked: number;
}

/** Pending for longer than this is worth a line of the log: finality takes about 13 seconds. */
const LONG_PENDING_MS = 10 * 60 * 1000;
/** So many payments in a row that cannot be asked about end the pass: then it is the network and not the payments. */
const MOST_FAILURES = 3;

/**
 * Asks the chain about consumed payments that are not final, those that waited longest first. Never throws for the
 * chain's sake: what cannot be asked now goes to the end of the line, so that it keeps nobody else waiting.
 *
 * @throws StoreError when the store cannot do its work
 */
export async function recheckPayments(parts: RecheckParts): Promise<RecheckOutcome> {
  const { store, limit, signal = new AbortController().signal } = parts;
  const counts = { finalized: 0, pending: 0, vanished: 0, unasked: 0 };
  let failures = 0;
  // One call at a time: nobody waits for the answers, and the endpoints have better things to do.
  for (const payment of await store.unsettledConsumed(limit)) {
    if (signal.aborted || failures === MOST_FAILURES) break;
    const answer = await ask(parts, payment, signal);
    if (answer === 'stopped') break;
    failures = answer === 'unasked' ? failures + 1 : 0;
    counts[answer]++;
    await record(parts, payment, answer === 'unasked' ? 'pending' : answer);
  }
  return counts;
}

/** What the chain says, if it can be asked. */
async function ask(
  { chain, log }: RecheckParts,
  { key, slot }: UnsettledPayment,
  signal: AbortSignal,
): Promise<Finality | 'unasked' | 'stopped'> {
  try {
    return await chain.finality(key, { slot, signal });
  } catch (error) {
    if (signal.aborted) return 'stopped';
    log.warn({ err: error }, 'a payment could not be checked for finality');
    return 'unasked';
  }
}

async function record(parts: RecheckParts, payment: UnsettledPayment, finality: Finality): Promise<void> {
  const { store, log, now } = parts;
  const { key, payer, credited } = payment;
  if (finality === 'vanished') {
    // The payer first: should the process end between the two, the payment is looked at again.
    await store.blockPayer(payer);
    log.error(
      { alarm: 'payment_vanished', payment: key, payer, credited: String(credited) },
      'a payment that was used has vanished from the chain; its payer is blocked',
    );
  } else if (finality === 'pending' && now() - payment.consumedMs > LONG_PENDING_MS) {
    log.warn({ payment: key }, 'a payment that was used is not final after a long time');
  }
  await store.markFinal(key, finality);
}
