// Whether the network knows transactions at all, asked for many of them in one call. Where made-up signatures come in
// floods, this is what stands between them and a call for each.
import type { PaymentKey } from '../../ledger.ts';
import { MalformedAnswer, readArray, readObject } from './answers.ts';
import type { Timers } from './endpoint.ts';
import type { Pool, Question } from './pool.ts';

/** See the top of this file. */
export interface Sightings {
  /**
   * False when an endpoint does not know the transaction, at any commitment. One endpoint is believed: what it does
   * not know yet may be asked about again, and what it says it knows is looked at by as many as the pool wants.
   *
   * @throws PaymentProblem `chain_unavailable`
   */
  isSeen(key: PaymentKey, signal: AbortSignal): Promise<boolean>;
}

/** How long the first of a batch waits for others. */
const GATHER_MS = 10;
/** Most that nodes take in one call of getSignatureStatuses. */
const MOST_KEYS = 256;

interface Batch {
  readonly keys: PaymentKey[];
  readonly seen: Promise<readonly boolean[]>;
}

export function createSightings(pool: Pool, timers: Timers): Sightings {
  let gathering: Batch | undefined;

  return {
    async isSeen(key, signal) {
      signal.throwIfAborted();
      if (gathering === undefined || gathering.keys.length >= MOST_KEYS) gathering = begin();
      const { keys, seen } = gathering;
      const place = keys.push(key) - 1;
      return (await seen)[place] ?? false;
    },
  };

  function begin(): Batch {
    const keys: PaymentKey[] = [];
    const ask = async (): Promise<readonly boolean[]> => {
      await timers.wait(GATHER_MS, NEVER);
      if (gathering?.keys === keys) gathering = undefined;
      return pool.ask(seenQuestion(keys), { signal: NEVER, quorum: 1 });
    };
    const seen = ask();
    // Those who wait for it are told; where nobody does any more, it is nobody's fault.
    seen.catch(() => undefined);
    return { keys, seen };
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
