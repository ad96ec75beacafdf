// Payments for the routes: their availability, and one session for each request. The network (chain, facilitator) is
// connected in the background until it answers. Until then paid tiers are unavailable, and everything else works.
import type { Gate, Offer, OfferedRequest, PaymentRule, Quote } from '@grainline/x402';
import type { Logger } from 'pino';
import { HttpError } from '../errors/http-error.ts';
import type { HttpRequest } from '../http/message.ts';
import { createRoomCheck } from './room-check.ts';
import { unrefTimer } from '../unref-timer.ts';
import { createPaymentSession, NO_SESSION, type PaymentSession, type SessionDeps } from './session.ts';
import type { Store } from '../store/store.ts';
import type { TransferPort } from './transfers.ts';
import { createPaidWork, type PaidWork } from './work.ts';

/** The network of payments. */
export interface PaymentNetwork {
  readonly rule: PaymentRule;
  /**
   * Checks the chain and opens the gate.
   *
   * @throws PaymentsSetupError when settings and chain cannot go together
   * @throws another error when the network does not answer
   */
  readonly connect: (signal: AbortSignal) => Promise<PaymentConnection>;
}

/** The gate and its tasks, after the chain was checked. */
export interface PaymentConnection {
  readonly gate: Gate;
  readonly transfers: TransferPort;
  /** Tasks that are repeated while the service runs. They never reject. */
  readonly tasks: readonly PeriodicTask[];
}

/** A task that is repeated at an interval. */
export interface PeriodicTask {
  readonly name: string;
  readonly everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}

/** Payments can never work with these settings: the start must end. Each issue is a sentence for the operator. */
export class PaymentsSetupError extends Error {
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`Payments cannot work:\n${issues.map((error) => `  ${error}`).join('\n')}`);
    this.name = 'PaymentsSetupError';
    this.issues = issues;
  }
}

/** Payments, from the first request to the last. */
export interface Payments {
  /** The pay-to address and the asset; null without paid tiers. */
  readonly rule: PaymentRule | null;
  /**
   * Resolves after the first attempt to connect, successful or not.
   *
   * @throws PaymentsSetupError when payments can never work with these settings
   */
  readonly tried: Promise<void>;
  /** The reason that paid tiers are unavailable; null when they are available. */
  unavailable(): string | null;
  /** @throws HttpError `tier_unavailable` while payments cannot be taken */
  transfers(): TransferPort;
  /** @throws StoreError `storage_full` when no payment should be requested */
  assertRoom(): Promise<void>;
  /** The offer for a request that is not sent. @throws HttpError `tier_unavailable` while payments cannot be taken */
  offer(quote: Quote, request: OfferedRequest): Offer;
  openSession(httpRequest: Pick<HttpRequest, 'headers' | 'path' | 'origin' | 'signal'>): PaymentSession;
  readonly work: PaidWork;
  /** Ends the background tasks. Paid work ends by itself. */
  close(): Promise<void>;
}

/** Payments of a deployment without paid tiers. */
export const NO_PAYMENTS: Payments = {
  rule: null,
  tried: Promise.resolve(),
  unavailable: () => null,
  transfers: () => {
    throw new HttpError('not_found');
  },
  assertRoom: () => Promise.resolve(),
  offer: () => {
    throw new HttpError('not_found');
  },
  openSession: () => NO_SESSION,
  work: createPaidWork(),
  close: () => Promise.resolve(),
};

/** Dependencies of {@link startPayments}. */
export interface PaymentsDeps extends Omit<SessionDeps, 'gate' | 'assertRoom' | 'store'> {
  readonly store: SessionDeps['store'] & Pick<Store, 'paidRoom'>;
  readonly maxPaidBytes: number;
  readonly paymentNetwork: PaymentNetwork;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Runs a function after a pause; the returned function cancels it. Default: a timer that keeps no process alive. */
  readonly schedule?: ((ms: number, run: () => void) => () => void) | undefined;
}

/** The first and the longest pause between two attempts. Each is twice the one before. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** A silent network is tried again soon, so clients need not wait longer. */
const RETRY_AFTER_S = 15;
const NOT_TRIED = 'Payments cannot be taken yet: the service has just started and looks at the network.';
const NOT_REACHED = 'Payments cannot be taken at the moment: the network does not answer.';

/** Connects to the chain, in the background when it does not answer. */
export function startPayments(deps: PaymentsDeps): Payments {
  const { paymentNetwork, log, schedule = unrefTimer } = deps;
  const ending = new AbortController();
  const assertRoom = createRoomCheck(deps);
  let connection: PaymentConnection | undefined;
  let reason = NOT_TRIED;
  let retryMs = FIRST_RETRY_MS;
  /** Running tasks, and waiting ones. */
  const running = new Set<Promise<void>>();
  const waiting = new Set<() => void>();

  const soon = (ms: number, run: () => Promise<void>): void => {
    if (ending.signal.aborted) return;
    const cancel = schedule(ms, () => {
      waiting.delete(cancel);
      const done = run().finally(() => running.delete(done));
      running.add(done);
    });
    waiting.add(cancel);
  };

  const repeat = (task: PeriodicTask): void =>
    soon(task.everyMs, async () => {
      try {
        await task.run(ending.signal);
      } catch (err) {
        if (!ending.signal.aborted) log.warn({ task: task.name, err }, 'a periodic task of payments failed');
      }
      repeat(task);
    });

  const reach = async (): Promise<void> => {
    try {
      connection = await paymentNetwork.connect(ending.signal);
      log.info('payments are taken');
      connection.tasks.forEach(repeat);
    } catch (err) {
      if (ending.signal.aborted) return;
      reason = NOT_REACHED;
      if (err instanceof PaymentsSetupError) throw err;
      log.warn({ err, retry_ms: retryMs }, 'payments cannot be taken yet: paid tiers are unavailable');
      soon(retryMs, retry);
      retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
    }
  };
  /** A chain that turns out wrong after the start leaves the tiers unavailable, and logs an error at intervals. */
  const retry = (): Promise<void> =>
    reach().catch((err: unknown) => {
      log.error({ err }, 'payments cannot be taken: paid tiers are unavailable');
      soon(LONGEST_RETRY_MS, retry);
    });

  const tried = reach();
  // A caller that awaits it gets the error. Without a handler it would end the process.
  void tried.catch(() => undefined);
  const unavailable = (): string | null => (connection === undefined ? reason : null);
  const open = (): PaymentConnection => {
    if (connection === undefined)
      throw new HttpError('tier_unavailable', { detail: reason, retryAfterS: RETRY_AFTER_S });
    return connection;
  };
  const gate = (): Gate => open().gate;

  return {
    rule: paymentNetwork.rule,
    tried,
    unavailable,
    transfers: () => open().transfers,
    assertRoom,
    offer: (quote, request) => gate().offer(quote, request),
    openSession: (httpRequest) => createPaymentSession(httpRequest, { ...deps, gate, assertRoom }),
    work: createPaidWork(),
    async close() {
      ending.abort(new HttpError('shutting_down'));
      for (const cancel of waiting) cancel();
      await Promise.allSettled([tried, ...running]);
    },
  };
}
