// Keeps the event loop turning during a burst: blocking work runs once in several turns, so sockets and /health are
// served in between. 200 simultaneous uploads of 100 kB would otherwise block the loop for 0.3 s and more.
import { unrefTimer } from '../unref-timer.ts';
import { type Claim, createLimiter } from './limiter.ts';

/**
 * Resolves in the order of the calls: one caller every {@link TURNS_APART} turns, or {@link MOST_APART_MS} after the
 * caller before, whichever comes first.
 */
export type NextTurn = () => Promise<void>;

/**
 * Turns of the event loop from one caller to the next. Node accepts one new connection a turn. With work in each turn,
 * the last of 200 simultaneous connections waits 200 times the work, 1.2 s. A turn without work costs some 20 µs.
 */
export const TURNS_APART = 16;

/**
 * Longest time between two callers, in milliseconds. In a flood of made-up payments the turns are so long that sixteen
 * of them would pass fewer documents than arrive.
 */
export const MOST_APART_MS = 8;

/** @param now milliseconds of a monotonic clock */
export function createPacing(now: () => number = () => performance.now()): NextTurn {
  const waiting: (() => void)[] = [];
  let turnsToGo = 0;
  let latestMs = -Infinity;
  const turn = (): void => {
    if (turnsToGo === 0 || now() - latestMs >= MOST_APART_MS) {
      waiting.shift()?.();
      turnsToGo = TURNS_APART;
      latestMs = now();
    }
    turnsToGo -= 1;
    // An immediate that is scheduled inside an immediate runs after the sockets of the next turn.
    if (waiting.length > 0) setImmediate(turn);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(turn);
    });
}

/** Resolves when the document may go on to its child process. */
export type Throttle = (
  document: Required<Pick<Claim, 'client' | 'bytes'>>,
  signal: AbortSignal,
) => Promise<void>;

/**
 * The pace of free documents where tiers are for sale, in bytes a millisecond: 8 MB/s. A document of 4 MB takes 12 ms
 * of this thread on its way to a child process. 36 uploads at a time from twelve clients, 144 MB/s, made paid requests
 * five times as slow.
 */
export const FREE_BYTES_PER_MS = 8_000;
/** Smaller documents need no child process, or little of this thread. */
export const LEAST_THROTTLED_BYTES = 128 * 1024;

/**
 * Lets large documents go on one after another, each as long after the one before as the bytes of that one last.
 * Clients take turns.
 */
export function createThrottle(bytesPerMs: number, pause = pauseFor): Throttle {
  const limiter = createLimiter({ places: 1 });
  return async ({ client, bytes }, signal) => {
    if (bytes < LEAST_THROTTLED_BYTES) return;
    await new Promise<void>((resolve, reject) => {
      // The place is held after the document has gone on.
      const hold = (): Promise<void> => {
        resolve();
        return pause(bytes / bytesPerMs);
      };
      limiter.run({ client }, signal, hold).catch(reject);
    });
  };
}

function pauseFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    unrefTimer(ms, resolve);
  });
}
