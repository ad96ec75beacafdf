// Payments as the routes see them: whether they can be taken, and one sale for each request. What stands behind (the
// chain, the facilitator) is reached in the background, again and again until it answers; until then paid tiers say
// that they cannot be used, and everything else works.
import type { Gate, PaymentRule } from '@grainline/x402';
import type { Logger } from 'pino';
import { Fault } from '../errors.ts';
import type { Intake } from '../http/intake.ts';
import { later as timer } from '../later.ts';
import { createLookupLimit } from './lookup-limit.ts';
import { createRoomCheck } from './room-check.ts';
import { createSale, NO_SALE, type Sale, type SaleParts } from './sale.ts';
import type { Store } from '../store/store.ts';
import type { Transfers } from './transfers.ts';
import { createPaidWork, type PaidWork } from './work.ts';

/** Where payments are made. */
export interface PaymentNetwork {
  readonly rule: PaymentRule;
  /**
   * Looks at the chain, and takes payments from then on.
   *
   * @throws PaymentsFault when settings and chain cannot go together
   * @throws anything else when something does not answer: its message says what
   */
  readonly connect: (signal: AbortSignal) => Promise<PaymentConnection>;
}

/** What takes payments, once the chain has been reached and found to be right. */
export interface PaymentConnection {
  readonly gate: Gate;
  readonly transfers: Transfers;
  /** Work that is repeated while the service is open: looks at facilitator and chain. Never rejects. */
  readonly tasks: readonly PeriodicTask[];
}

/** Something to be done every so many milliseconds. */
export interface PeriodicTask {
  readonly name: string;
  readonly everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}

/** Payments are set up so that they can never work: the start must end. Each fault is a sentence for the operator. */
export class PaymentsFault extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Payments cannot work:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'PaymentsFault';
    this.faults = faults;
  }
}

/** Payments, from the first request to the last. */
export interface Payments {
  /** Where to pay and in which asset; null when nothing is sold. */
  readonly rule: PaymentRule | null;
  /**
   * Resolves when the network has been looked at for the first time, whether it answered or not.
   *
   * @throws PaymentsFault when payments can never work with these settings
   */
  readonly tried: Promise<void>;
  /** Why paid tiers cannot be used at the moment; null when they can. */
  unavailable(): string | null;
  /** @throws Fault `tier_unavailable` while payments cannot be taken */
  transfers(): Transfers;
  /** @throws StoreError `storage_full` when nobody should be asked to pay */
  requireRoom(): Promise<void>;
  /** Counts a question to the network of which no payment comes. @throws Fault `too_many_lookups` */
  countQuestion(client: string): void;
  createSale(intake: Pick<Intake, 'headers' | 'client' | 'path' | 'origin' | 'signal'>): Sale;
  readonly work: PaidWork;
  /** Ends what runs in the background; paid work is ended by itself. */
  close(): Promise<void>;
}

/** Stands in where nothing is sold. */
export const NO_PAYMENTS: Payments = {
  rule: null,
  tried: Promise.resolve(),
  unavailable: () => null,
  transfers: () => {
    throw new Fault('not_found');
  },
  requireRoom: () => Promise.resolve(),
  countQuestion: () => undefined,
  createSale: () => NO_SALE,
  work: createPaidWork(),
  close: () => Promise.resolve(),
};

/** What {@link startPayments} stands on. */
export interface PaymentsParts extends Omit<SaleParts, 'gate' | 'lookups' | 'requireRoom' | 'store'> {
  readonly store: SaleParts['store'] & Pick<Store, 'paidRoom'>;
  readonly maxPaidBytes: number;
  readonly paymentNetwork: PaymentNetwork;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Runs something after some time; the returned function forgets it. Default: a timer that keeps no process alive. */
  readonly later?: (ms: number, run: () => void) => () => void;
}

/** The first pause between two tries to reach the chain, and the longest; each is twice the one before. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** What does not answer is tried again soon: a client need not wait longer. */
const RETRY_AFTER_S = 15;
const NOT_TRIED = 'Payments cannot be taken yet: the service has just started and looks at the network.';
const NOT_REACHED = 'Payments cannot be taken at the moment: the network does not answer.';

/** Begins to reach the chain, and goes on in the background when it does not answer. */
export function startPayments(parts: PaymentsParts): Payments {
  const { paymentNetwork, log, later = timer } = parts;
  const ending = new AbortController();
  const lookups = createLookupLimit();
  const requireRoom = createRoomCheck(parts);
  let connection: PaymentConnection | undefined;
  let reason = NOT_TRIED;
  let retryMs = FIRST_RETRY_MS;
  /** Tasks under way, and those that wait. */
  const running = new Set<Promise<void>>();
  const waiting = new Set<() => void>();

  const soon = (ms: number, run: () => Promise<void>): void => {
    if (ending.signal.aborted) return;
    const forget = later(ms, () => {
      waiting.delete(forget);
      const done = run().finally(() => running.delete(done));
      running.add(done);
    });
    waiting.add(forget);
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
      if (err instanceof PaymentsFault) throw err;
      log.warn({ err, retry_ms: retryMs }, 'payments cannot be taken yet: paid tiers are unavailable');
      soon(retryMs, retry);
      retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
    }
  };
  /** A chain that is found to be wrong only later leaves the tiers unavailable, and the operator a line a minute. */
  const retry = (): Promise<void> =>
    reach().catch((err: unknown) => {
      log.error({ err }, 'payments cannot be taken: paid tiers are unavailable');
      soon(LONGEST_RETRY_MS, retry);
    });

  const tried = reach();
  // Whoever waits for it hears of its fault; unheard it would end the process.
  void tried.catch(() => undefined);
  const unavailable = (): string | null => (connection === undefined ? reason : null);
  const open = (): PaymentConnection => {
    if (connection === undefined)
      throw new Fault('tier_unavailable', { detail: reason, retryAfterS: RETRY_AFTER_S });
    return connection;
  };
  const gate = (): Gate => open().gate;

  return {
    rule: paymentNetwork.rule,
    tried,
    unavailable,
    transfers: () => open().transfers,
    requireRoom,
    countQuestion: (client) => {
      if (!lookups.take(client, parts.now())) throw new Fault('too_many_lookups');
    },
    createSale: (intake) => createSale(intake, { ...parts, gate, lookups, requireRoom }),
    work: createPaidWork(),
    async close() {
      ending.abort(new Fault('shutting_down'));
      for (const forget of waiting) forget();
      await Promise.allSettled([tried, ...running]);
    },
  };
}
