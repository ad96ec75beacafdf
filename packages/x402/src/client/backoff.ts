// Waits between tries, and random bytes.

/** Bytes from a cryptographic source. */
export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** The first and the longest wait of {@link backoffMs}. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The wait before a try, in milliseconds. It doubles with each try up to the longest. A random byte adds up to a
 * quarter, so that clients that failed together do not return together.
 *
 * @param tries earlier tries, from 0
 */
export function backoffMs(tries: number, { firstMs, longestMs }: Backoff, random: number): number {
  const leastMs = Math.min(longestMs, firstMs * 2 ** tries);
  return Math.round(leastMs * (1 + random / 1024));
}
