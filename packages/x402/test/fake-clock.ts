// A clock that only the test moves.
import type { Clock } from '../src/gate/clock.ts';

export interface FakeClock extends Clock {
  /** Moves the time; sleepers wake in order. */
  advance(ms: number): Promise<void>;
  /** Moves the time until the promise is settled, and returns its result. */
  until<T>(promise: Promise<T>): Promise<T>;
}

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createFakeClock(startMs: number): FakeClock {
  let nowMs = startMs;
  const sleepers = new Set<Sleeper>();

  /** Wakes the first sleeper that is due by `atMs`; false without one. */
  function wakeNext(atMs: number): boolean {
    let first: Sleeper | undefined;
    // Of two sleepers with one time the earlier one: sets keep the order of insertion.
    for (const sleeper of sleepers) if (first === undefined || sleeper.atMs < first.atMs) first = sleeper;
    if (first === undefined || first.atMs > atMs) return false;
    nowMs = Math.max(nowMs, first.atMs);
    first.wake();
    return true;
  }

  return {
    now: () => nowMs,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const leave = (): void => {
          sleepers.delete(sleeper);
          signal.removeEventListener('abort', abort);
        };
        const abort = (): void => {
          leave();
          reject(signal.reason as Error);
        };
        const wake = (): void => {
          leave();
          resolve();
        };
        const sleeper = { atMs: nowMs + ms, wake };
        sleepers.add(sleeper);
        signal.addEventListener('abort', abort);
      }),
    async advance(ms) {
      const untilMs = nowMs + ms;
      await turn();
      while (wakeNext(untilMs)) await turn();
      nowMs = untilMs;
    },
    async until(promise) {
      const settled = promise.then(
        () => true,
        () => true,
      );
      for (let idle = 0; idle < 1_000;) {
        if (await Promise.race([settled, turn().then(() => false)])) return promise;
        idle = wakeNext(Infinity) ? 0 : idle + 1;
      }
      throw new Error('Nobody sleeps, and the promise is not settled.');
    },
  };
}
