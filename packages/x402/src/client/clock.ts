// Time and chance, as the paying side needs them: parameters, so that tests wait for nothing.
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
 * The wait before a try: doubled each time up to the longest, and up to a quarter longer by chance, so that clients
 * that failed together do not come back together.
 *
 * @param tries that were made before, from 0
 * @param random one byte
 */
export function backoffMs(tries: number, { firstMs, longestMs }: Backoff, random: number): number {
  const leastMs = Math.min(longestMs, firstMs * 2 ** tries);
  return Math.round(leastMs * (1 + random / 1024));
}

/** See {@link backoffMs}. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}
