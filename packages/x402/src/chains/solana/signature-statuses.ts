// Statuses of many transactions in one call, so that a flood of made-up signatures does not cost a call each.
import type { PaymentKey } from '../../ledger/ledger.ts';
import { MalformedAnswer, readArray, readObject } from './answers.ts';
import type { RpcEnvironment } from './endpoint.ts';
import type { RpcPool, RpcQuery } from './pool.ts';

/** Checks whether the network knows transactions. */
export interface SignatureStatuses {
  /**
   * False when an endpoint does not know the transaction at any commitment, also after the wait. One endpoint suffices:
   * the client may present an unknown transaction again, and a quorum reads a known one.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  isKnown(
    key: PaymentKey,
    options: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<boolean>;
}

/** Time to gather signatures for one call, in milliseconds: short beside the call itself. */
const GATHER_MS = 20;
/** Interval of the calls for all waiting lookups. The last call follows the end of the wait by at most one interval. */
const ASK_AGAIN_MS = 250;
/** The most keys that nodes take in one call of getSignatureStatuses. */
const MOST_KEYS = 256;

interface Batch {
  readonly keys: PaymentKey[];
  /** Earlier calls for the lookup that waits longest. */
  turn: number;
  readonly seen: Promise<readonly boolean[]>;
}

export function createSignatureStatuses(
  pool: RpcPool,
  { timers, now }: Pick<RpcEnvironment, 'timers' | 'now'>,
): SignatureStatuses {
  let gathering: Batch | undefined;

  return {
    async isKnown(key, { waitMs, signal }) {
      const untilMs = now() + waitMs;
      for (let turn = 0; ; turn++) {
        // A waiting lookup had a call a moment ago, and shares the next one.
        if (waitMs > 0) await timers.wait(ASK_AGAIN_MS - (now() % ASK_AGAIN_MS), signal);
        signal.throwIfAborted();
        if (await askWithOthers(key, turn)) return true;
        if (now() >= untilMs) return false;
      }
    },
  };

  async function askWithOthers(key: PaymentKey, turn: number): Promise<boolean> {
    if (gathering === undefined || gathering.keys.length >= MOST_KEYS) gathering = begin();
    const { keys, seen } = gathering;
    gathering.turn = Math.max(gathering.turn, turn);
    const place = keys.push(key) - 1;
    return (await seen)[place] ?? false;
  }

  function begin(): Batch {
    const seen = timers.wait(GATHER_MS, NEVER).then(() => {
      if (gathering === batch) gathering = undefined;
      return pool.query(seenQuery(batch.keys), { signal: NEVER, quorum: 1, turn: batch.turn });
    });
    // The lookups reject with the error. Without lookups an unhandled rejection would end the process.
    seen.catch(() => undefined);
    const batch: Batch = { keys: [], turn: 0, seen };
    return batch;
  }
}

/** A batch outlives its single lookups. */
const NEVER = new AbortController().signal;

function seenQuery(keys: readonly PaymentKey[]): RpcQuery<readonly boolean[]> {
  return async (call, signal) => {
    const answer = await call('getSignatureStatuses', [keys, { searchTransactionHistory: true }], signal);
    const seen = readArray(readObject(answer, 'answer')['value'], 'value', (status) => status !== null);
    if (seen.length !== keys.length) throw new MalformedAnswer('value', `${keys.length} statuses`);
    return seen;
  };
}
