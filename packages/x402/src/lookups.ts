// Questions to the chain about payments that nobody has verified yet. Anybody can make up a transaction id, so
// such questions are rationed: so many at once, fewer that wait for a payment which is not there yet, and none about
// an id that was unknown a moment ago. A real payment is found at the first question and meets none of this. Those who
// have paid for something before are counted apart, so that no crowd of strangers keeps them out.
import type { Chain, Finding } from './chain.ts';
import type { Clock } from './clock.ts';
import type { PaymentKey } from './ledger.ts';
import { PaymentProblem } from './reasons.ts';

/** Limits on questions to the chain. */
export interface LookupsOptions {
  readonly chain: Pick<Chain, 'find'>;
  readonly clock: Clock;
  /** How long to wait for a payment that the chain does not know yet, in milliseconds. */
  readonly waitMs: number;
  /**
   * How many questions of payers, and how many of strangers, may be open at the same time; the next is refused with
   * `payments_busy`.
   */
  readonly maxAtOnce: number;
  /**
   * How many questions may wait. Beyond it, an unknown payment is refused without waiting; from half of it on, after a
   * short wait.
   */
  readonly maxWaiting: number;
}

/** Asks the chain about payments, within limits. */
export interface Lookups {
  /**
   * What the chain says of a payment that it knows, included or failed.
   *
   * @throws PaymentProblem `payment_not_found`, `payments_busy`, `chain_unavailable`
   */
  find(
    key: PaymentKey,
    signal: AbortSignal,
    options?: LookupOptions,
  ): Promise<Exclude<Finding, { kind: 'unknown' }>>;
}

/** What is known about a question. */
export interface LookupOptions {
  /** True when it comes from somebody who has paid before. Default false. */
  readonly isPayer?: boolean;
  /** Called before a wait, which may be long. */
  readonly beforeWait?: () => Promise<void>;
}

/** Details of the refusal for an id that was made up or miscopied: sending it again would not help. */
const NEVER_FOUND = {
  detail: 'No transaction can have this id.',
  wayOut: 'Send the signature of your transaction as the wallet shows it; do not pay again.',
};
/** How long the chain is not asked again about an id that was unknown, in milliseconds. */
const FORGET_MS = 5_000;
/** How many such ids are kept: enough for all of that time at 500 new ones a second, and more. */
const MAX_REMEMBERED = 4_096;
/** Longest wait of each when many wait, in milliseconds. A payment is confirmed after some 400 to 1000. */
const SHORT_WAIT_MS = 2_000;
/**
 * Pause between the first question and those that wait, in milliseconds: most late payments are late by less than a
 * block.
 */
const PAUSE_MS = 100;

export function createLookups(options: LookupsOptions): Lookups {
  const { chain, clock, waitMs, maxAtOnce, maxWaiting } = options;
  /** Ids that were unknown, with the time until which they are not asked about again, in the order of that time. */
  const unknown = new Map<PaymentKey, number>();
  const asking = { payers: 0, strangers: 0 };
  let waiting = 0;

  return {
    async find(key, signal, { isPayer = false, beforeWait } = {}) {
      refuseRemembered(key);
      let finding = await ask(key, isPayer, signal);
      if (finding.kind === 'unknown' && finding.forGood === true)
        throw new PaymentProblem('payment_not_found', NEVER_FOUND);
      const patience = patienceNow();
      if (finding.kind === 'unknown' && patience > 0) {
        finding = await wait(key, patience, signal, beforeWait);
      }
      if (finding.kind !== 'unknown') return finding;
      remember(key);
      throw new PaymentProblem('payment_not_found', { retryAfterS: FORGET_MS / 1000 });
    },
  };

  async function ask(key: PaymentKey, isPayer: boolean, signal: AbortSignal): Promise<Finding> {
    const who = isPayer ? 'payers' : 'strangers';
    if (asking[who] >= maxAtOnce) throw new PaymentProblem('payments_busy');
    asking[who]++;
    try {
      return await chain.find(key, { waitMs: 0, alone: isPayer, signal });
    } finally {
      asking[who]--;
    }
  }

  async function wait(
    key: PaymentKey,
    patienceMs: number,
    signal: AbortSignal,
    beforeWait: LookupOptions['beforeWait'],
  ): Promise<Finding> {
    waiting++;
    try {
      await beforeWait?.();
      await clock.wait(Math.min(PAUSE_MS, patienceMs), signal);
      return await chain.find(key, { waitMs: Math.max(0, patienceMs - PAUSE_MS), signal });
    } finally {
      waiting--;
    }
  }

  function patienceNow(): number {
    if (waiting >= maxWaiting) return 0;
    return waiting * 2 < maxWaiting ? waitMs : Math.min(waitMs, SHORT_WAIT_MS);
  }

  function refuseRemembered(key: PaymentKey): void {
    const until = unknown.get(key);
    if (until === undefined) return;
    const leftMs = until - clock.now();
    // Only when the clock was set back is more than that left.
    if (leftMs <= 0 || leftMs > FORGET_MS) unknown.delete(key);
    else throw new PaymentProblem('payment_not_found', { retryAfterS: Math.ceil(leftMs / 1000) });
  }

  function remember(key: PaymentKey): void {
    unknown.delete(key);
    unknown.set(key, clock.now() + FORGET_MS);
    for (const oldest of unknown.keys()) {
      if (unknown.size <= MAX_REMEMBERED) return;
      unknown.delete(oldest);
    }
  }
}
