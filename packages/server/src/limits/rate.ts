// How many requests a client may make: a bucket that holds a minute's worth and fills evenly (the generic cell rate
// algorithm, ITU-T I.371: one number a client, the moment at which its bucket would be full again). In memory and by
// process: what a restart forgets, a minute would too.
import { Fault } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';

/** Counts requests by client. */
export interface RateLimit {
  /**
   * Counts a request and returns the headers that say what is left. One that is refused is not counted, so a
   * client that waits as long as `Retry-After` says is served.
   *
   * @param now milliseconds since 1970
   * @throws Fault `rate_limited`
   */
  take(client: string, now: number): Readonly<Record<string, string>>;
  /** Clients that are remembered. */
  readonly clients: number;
}

const WINDOW_MS = 60_000;
const WINDOW_S = WINDOW_MS / 1000;
/** Name of the policy in RateLimit headers. */
const POLICY = '"requests"';
/**
 * Clients that are remembered at a time, some 10 MB. Beyond it those that were silent longest are forgotten, that is,
 * their buckets are full: to gain by that one needs half as many addresses, and could send that many times the limit.
 */
export const MAX_CLIENTS = 100_000;

/** @param limit requests a minute */
export function createRateLimit(limit: Settings['rateLimit'], maxClients = MAX_CLIENTS): RateLimit {
  if (limit === 'off') return { take: () => ({}), clients: 0 };
  const eachMs = WINDOW_MS / limit;
  /**
   * The moment at which each client's bucket is full again: of clients seen lately, and of those seen in the period
   * before.
   */
  let lately = new Map<string, number>();
  let before = new Map<string, number>();
  let turnedMs = -Infinity;

  const headersFor = (untilFullMs: number): Readonly<Record<string, string>> => ({
    'RateLimit-Policy': `${POLICY};q=${limit};w=${WINDOW_S}`,
    RateLimit: `${POLICY};r=${Math.floor((WINDOW_MS - untilFullMs) / eachMs + ROUNDING)};t=${Math.ceil(untilFullMs / 1000)}`,
  });

  /**
   * Forgets clients by the generation: one that was silent for a whole window has a full bucket. (A single map in the
   * order of use costs a walk over all that was deleted from its front, each time.)
   */
  function turn(now: number): void {
    if (now < turnedMs) turnedMs = now;
    if (now - turnedMs < WINDOW_MS && lately.size < maxClients / 2) return;
    before = lately;
    lately = new Map();
    turnedMs = now;
  }

  function remember(client: string, full: number): void {
    before.delete(client);
    lately.set(client, full);
  }

  return {
    take(client, now) {
      turn(now);
      const known = lately.get(client) ?? before.get(client) ?? now;
      // No bucket is more than empty, whatever the clock did: set back by an hour, it must not cost one.
      const full = Math.min(Math.max(known, now), now + WINDOW_MS);
      const tooSoonMs = full + eachMs - now - WINDOW_MS;
      if (tooSoonMs > ROUNDING) {
        remember(client, full);
        throw new Fault('rate_limited', {
          detail: `, more than ${limit} a minute`,
          limit: { requests_per_minute: limit },
          headers: headersFor(full - now),
          retryAfterS: Math.max(1, Math.ceil(tooSoonMs / 1000)),
        });
      }
      remember(client, full + eachMs);
      return headersFor(full + eachMs - now);
    },
    get clients() {
      return lately.size + before.size;
    },
  };
}

/** Sums of fractions of a minute miss the minute by less than this. */
const ROUNDING = 1e-3;

/** Headers of two policies in one: each is a list, in which every policy has its item. */
export function joinLimits(
  first: Readonly<Record<string, string>>,
  second: Readonly<Record<string, string>>,
): Record<string, string> {
  const joined: Record<string, string> = { ...first, ...second };
  for (const name of ['RateLimit-Policy', 'RateLimit']) {
    const items = [first[name], second[name]].filter((item) => item !== undefined);
    if (items.length > 0) joined[name] = items.join(', ');
  }
  return joined;
}
