// Time and chance for the paying side, as parameters, so that tests wait for nothing.
import { systemClock, wait } from '../clock.ts';

/** A clock that one can wait by. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const machineClock: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => wait(ms, signal).catch(() => undefined),
};

/** Bytes from a cryptographic source. */
export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/**
 * The wait before a try, in milliseconds. It doubles with each try up to the longest, and up to a quarter is added at
 * random, so that clients that failed together do not come back together.
 *
 * @param tries how many were made before, from 0
 * @param random one random byte
 */
export function backoffMs(tries: number, { firstMs, longestMs }: Backoff, random: number): number {
  const leastMs = Math.min(longestMs, firstMs * 2 ** tries);
  return Math.round(leastMs * (1 + random / 1024));
}

/** The first and the longest wait of {@link backoffMs}. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}
