// Whether the network knows transactions at all, asked for many of them in one call. Where made-up signatures come in
// floods, this is what stands between them and a call for each.
import type { PaymentKey } from '../../ledger.ts';
import { MalformedAnswer, readArray, readObject } from './answers.ts';
import type { RpcEnvironment } from './endpoint.ts';
import type { Pool, Question } from './pool.ts';

/** Asks whether the network knows transactions, many in one call. */
export interface SignatureStatuses {
  /**
   * False when an endpoint does not know the transaction, at any commitment, and still does not after the wait. One
   * endpoint is believed: what it does not know yet may be asked about again, and what it says it knows is looked at
   * by as many as the pool wants.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  isKnown(
    key: PaymentKey,
    options: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<boolean>;
}

/**
 * From one call to the next: this part of what the last one took, within the bounds below. A node that answers fast
 * bears many calls, and a request that waits long for its answer hardly feels a little more. Requests that come in
 * between are gathered for the next call; one that comes after the pause does not wait.
 */
const APART_PART = 0.5;
const LEAST_APART_MS = 5;
const MOST_APART_MS = 25;
/** All who wait look together, so often; the last time at the end of their wait or up to so much later. */
const LOOK_AGAIN_MS = 250;
/** Most that nodes take in one call of getSignatureStatuses. */
const MOST_KEYS = 256;

interface Batch {
  readonly keys: PaymentKey[];
  /** How often the most patient of them has looked before. */
  turn: number;
  readonly seen: Promise<readonly boolean[]>;
}

export function createSignatureStatuses(
  pool: Pool,
  { timers, now }: Pick<RpcEnvironment, 'timers' | 'now'>,
): SignatureStatuses {
  let gathering: Batch | undefined;
  let lastCallMs = Infinity;
  let calledMs = -Infinity;

  return {
    async isKnown(key, { waitMs, signal }) {
      const untilMs = now() + waitMs;
      for (let turn = 0; ; turn++) {
        // Whoever waits has asked a moment ago, and looks when all do.
        if (waitMs > 0) await timers.wait(LOOK_AGAIN_MS - (now() % LOOK_AGAIN_MS), signal);
        signal.throwIfAborted();
        if (await look(key, turn)) return true;
        if (now() >= untilMs) return false;
      }
    },
  };

  async function look(key: PaymentKey, turn: number): Promise<boolean> {
    if (gathering === undefined || gathering.keys.length >= MOST_KEYS) gathering = begin();
    const { keys, seen } = gathering;
    gathering.turn = Math.max(gathering.turn, turn);
    const place = keys.push(key) - 1;
    return (await seen)[place] ?? false;
  }

  function begin(): Batch {
    const batch: Batch = { keys: [], turn: 0, seen: gather().then(() => ask(batch)) };
    // Those who wait for it are told; where nobody does any more, it is nobody's fault.
    batch.seen.catch(() => undefined);
    return batch;
  }

  async function gather(): Promise<void> {
    const apartMs = Math.min(Math.max(lastCallMs * APART_PART, LEAST_APART_MS), MOST_APART_MS);
    // Never longer than that, also when the clock was set back.
    const leftMs = Math.min(calledMs + apartMs - now(), apartMs);
    if (leftMs > 0) await timers.wait(leftMs, NEVER);
  }

  async function ask(batch: Batch): Promise<readonly boolean[]> {
    if (gathering === batch) gathering = undefined;
    const { keys, turn } = batch;
    const beganMs = now();
    calledMs = beganMs;
    const seen = await pool.ask(seenQuestion(keys), { signal: NEVER, quorum: 1, turn });
    // Less than nothing where the clock was set back.
    lastCallMs = Math.max(0, now() - beganMs);
    return seen;
  }
}

/** What many wait for does not end with one of them. */
const NEVER = new AbortController().signal;

function seenQuestion(keys: readonly PaymentKey[]): Question<readonly boolean[]> {
  return async (call, signal) => {
    const answer = await call('getSignatureStatuses', [keys, { searchTransactionHistory: true }], signal);
    const seen = readArray(readObject(answer, 'answer')['value'], 'value', (status) => status !== null);
    if (seen.length !== keys.length) throw new MalformedAnswer('value', `${keys.length} statuses`);
    return seen;
  };
}
