// Requests of each client, by the generic cell rate algorithm (ITU-T I.371): a bucket holds one minute of requests and
// refills evenly. One number for each client, the moment at which its bucket is full again. In memory and for each
// process; a restart forgets no more than a minute would.
import { HttpError } from '../errors/http-error.ts';
import type { Settings } from '../settings/settings.ts';

/** Counts requests by client. */
export interface RateLimit {
  /**
   * Counts a request and returns the RateLimit headers. A rejected request does not count, so a client that waits as
   * long as `Retry-After` says is served.
   *
   * @param now milliseconds since 1970
   * @throws HttpError `rate_limited`
   */
  take(client: string, now: number): Readonly<Record<string, string>>;
  /** Number of stored clients. */
  readonly clients: number;
}

const WINDOW_MS = 60_000;
const WINDOW_S = WINDOW_MS / 1000;
/** Name of the policy in RateLimit headers. */
const POLICY = '"requests"';
/**
 * Stored clients, some 10 MB. Beyond this number the clients with the longest pause are forgotten, and their buckets
 * count as full. An attacker needs half as many addresses to profit, and could send that many times the limit.
 */
export const MAX_CLIENTS = 100_000;

/** @param limit requests a minute */
export function createRateLimit(limit: Settings['rateLimit'], maxClients = MAX_CLIENTS): RateLimit {
  if (limit === 'off') return { take: () => ({}), clients: 0 };
  const buckets = createBuckets(limit, maxClients);
  return {
    take(client, now) {
      const { waitMs, untilFullMs } = buckets.take(client, now);
      const left = Math.floor(((WINDOW_MS - untilFullMs) * limit) / WINDOW_MS + ROUNDING);
      const headers = {
        'RateLimit-Policy': `${POLICY};q=${limit};w=${WINDOW_S}`,
        RateLimit: `${POLICY};r=${left};t=${Math.ceil(untilFullMs / 1000)}`,
      };
      if (waitMs === 0) return headers;
      throw new HttpError('rate_limited', {
        detail: `, more than ${limit} a minute`,
        limit: { requests_per_minute: limit },
        headers,
        retryAfterS: Math.ceil(waitMs / 1000),
      });
    },
    get clients() {
      return buckets.clients;
    },
  };
}

/** A bucket of tokens for each client. */
export interface Buckets {
  /** Takes `count` tokens, 0 or 1; `waitMs` is the time until one token is there, 0 when it is there now. */
  take(client: string, now: number, count?: 0 | 1): { readonly waitMs: number; readonly untilFullMs: number };
  /** Number of stored clients. */
  readonly clients: number;
}

/** Sums of fractions of a minute miss the minute by less than this. */
const ROUNDING = 1e-3;

/** @param limit tokens a minute */
export function createBuckets(limit: number, maxClients = MAX_CLIENTS): Buckets {
  const eachMs = WINDOW_MS / limit;
  // The moment at which each bucket is full again, in two generations: a client without a request for a whole window
  // has a full bucket. A single map in the order of use would walk over its deleted members at each request.
  let recent = new Map<string, number>();
  let previous = new Map<string, number>();
  let rotatedMs = -Infinity;

  function rotate(now: number): void {
    if (now < rotatedMs) rotatedMs = now;
    if (now - rotatedMs < WINDOW_MS && recent.size < maxClients / 2) return;
    previous = recent;
    recent = new Map();
    rotatedMs = now;
  }

  return {
    take(client, now, count = 1) {
      rotate(now);
      const stored = recent.get(client) ?? previous.get(client) ?? now;
      // A clock set back by an hour costs a client one minute at most: no bucket is more than empty.
      const fullMs = Math.min(Math.max(stored, now), now + WINDOW_MS);
      const waitMs = fullMs + eachMs - now - WINDOW_MS;
      const isEmpty = waitMs > ROUNDING;
      const nextMs = isEmpty ? fullMs : fullMs + count * eachMs;
      previous.delete(client);
      recent.set(client, nextMs);
      return { waitMs: isEmpty ? waitMs : 0, untilFullMs: nextMs - now };
    },
    get clients() {
      return recent.size + previous.size;
    },
  };
}

/** Merges the headers of two policies: each header is a list with one item for each policy. */
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
