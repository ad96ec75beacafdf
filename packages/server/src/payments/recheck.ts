// Payments are accepted at `confirmed`, which a fork may still undo. The recheck repeats the lookup of consumed
// payments until they are final. A vanished payment raises an alarm and blocks its payer; its answer was given in good
// faith and stays.
import type { Chain, Finality } from '@grainline/x402';
import type { Store, UnsettledPayment } from '../store/store.ts';

/** Dependencies of {@link recheckPayments}. */
export interface RecheckDeps {
  readonly store: Pick<Store, 'unsettledConsumed' | 'markFinal' | 'blockPayer'>;
  readonly chain: Pick<Chain, 'finality'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Receives alarms, and warnings about failed lookups. */
  readonly log: {
    error(fields: Readonly<Record<string, unknown>>, message: string): void;
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
  /** Most payments of one pass. Each costs a call of the endpoints. */
  readonly limit: number;
  /** Ends the pass early. Its findings stay. */
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of one pass over consumed payments. */
export interface RecheckOutcome {
  readonly finalized: number;
  readonly pending: number;
  readonly vanished: number;
  /** Number of payments whose lookup failed. */
  readonly unchecked: number;
}

/** Payments that are pending for longer are logged: finality takes about 13 seconds. */
const LONG_PENDING_MS = 10 * 60 * 1000;
/** After this many failed lookups in a row the pass ends: the network fails, not the payments. */
const MOST_FAILURES = 3;

/**
 * Looks up consumed payments that are not final, the longest unchecked first. An error of the chain moves the payment
 * to the end of the queue.
 *
 * @throws StoreError when the store cannot do its work
 */
export async function recheckPayments(deps: RecheckDeps): Promise<RecheckOutcome> {
  const { store, limit, signal = new AbortController().signal } = deps;
  const counts = { finalized: 0, pending: 0, vanished: 0, unchecked: 0 };
  let failures = 0;
  // One call at a time: the pass is not urgent, and requests need the endpoints.
  for (const payment of await store.unsettledConsumed(limit)) {
    if (signal.aborted || failures === MOST_FAILURES) break;
    const answer = await ask(deps, payment, signal);
    if (answer === 'stopped') break;
    failures = answer === 'unchecked' ? failures + 1 : 0;
    counts[answer]++;
    await record(deps, payment, answer === 'unchecked' ? 'pending' : answer);
  }
  return counts;
}

/** The chain's report, if it is reachable. */
async function ask(
  { chain, log }: RecheckDeps,
  { key, slot }: UnsettledPayment,
  signal: AbortSignal,
): Promise<Finality | 'unchecked' | 'stopped'> {
  try {
    return await chain.finality(key, { slot, signal });
  } catch (error) {
    if (signal.aborted) return 'stopped';
    log.warn({ err: error }, 'a payment could not be checked for finality');
    return 'unchecked';
  }
}

async function record(deps: RecheckDeps, payment: UnsettledPayment, finality: Finality): Promise<void> {
  const { store, log, now } = deps;
  const { key, payer, credited } = payment;
  if (finality === 'vanished') {
    // The payer first: after a crash between the two the payment is checked again.
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
