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
  /** Takes the units of work that had no answer, also more than are left; a client owes ten minutes of them at most. */
  charge(client: string, now: number, units: number): void;
  /** Number of stored clients. */
  readonly clients: number;
}

const WINDOW_MS = 60_000;
const WINDOW_S = WINDOW_MS / 1000;
/** Longest time until a bucket is full again. A shorter one would forgive most of the work of concurrent documents. */
const LONGEST_MS = 10 * WINDOW_MS;
/** Name of the policy in RateLimit headers. */
const POLICY = '"requests"';
/**
 * Stored clients, some 10 MB. Beyond this number the clients with the longest pause are forgotten, and their buckets
 * count as full. An attacker needs half as many addresses to profit, and could send that many times the limit.
 */
export const MAX_CLIENTS = 100_000;

/** @param limit requests a minute */
export function createRateLimit(limit: Settings['rateLimit'], maxClients = MAX_CLIENTS): RateLimit {
  if (limit === 'off') return { take: () => ({}), charge: () => undefined, clients: 0 };
  const buckets = createBuckets(limit, maxClients);
  return {
    take(client, now) {
      const { waitMs, untilFullMs } = buckets.take(client, now);
      const left = Math.max(0, Math.floor(((WINDOW_MS - untilFullMs) * limit) / WINDOW_MS + ROUNDING));
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
    charge: (client, now, units) => buckets.charge(client, now, units),
    get clients() {
      return buckets.clients;
    },
  };
}

/** A bucket of tokens for each client. */
export interface Buckets {
  /** Takes `count` tokens, 0 or 1; `waitMs` is the time until one token is there, 0 when it is there now. */
  take(client: string, now: number, count?: 0 | 1): { readonly waitMs: number; readonly untilFullMs: number };
  /** Takes tokens, also more than are there. */
  charge(client: string, now: number, tokens: number): void;
  /** Number of stored clients. */
  readonly clients: number;
}

/** Sums of fractions of a minute miss the minute by less than this. */
const ROUNDING = 1e-3;

/** @param limit tokens a minute */
export function createBuckets(limit: number, maxClients = MAX_CLIENTS): Buckets {
  const eachMs = WINDOW_MS / limit;
  // The moment at which each bucket is full again, in two generations: a client that is in neither has a full bucket.
  // A single map in the order of use would walk over its deleted members at each request.
  let recent = new Map<string, number>();
  let previous = new Map<string, number>();
  let rotatedMs = -Infinity;
  let latestMs = -Infinity;
  let setBackMs = 0;

  /** A clock that is set back stands still here, so it costs no client anything. */
  function steady(now: number): number {
    setBackMs = Math.max(setBackMs, latestMs - now);
    latestMs = now + setBackMs;
    return latestMs;
  }

  function rotate(now: number): void {
    if (now - rotatedMs < LONGEST_MS && recent.size < maxClients / 2) return;
    previous = recent;
    recent = new Map();
    rotatedMs = now;
  }

  const fullMsOf = (client: string, now: number): number =>
    Math.max(recent.get(client) ?? previous.get(client) ?? now, now);

  function store(client: string, fullMs: number): void {
    previous.delete(client);
    recent.set(client, fullMs);
  }

  return {
    take(client, clockMs, count = 1) {
      const now = steady(clockMs);
      rotate(now);
      const fullMs = fullMsOf(client, now);
      const waitMs = fullMs + eachMs - now - WINDOW_MS;
      const isEmpty = waitMs > ROUNDING;
      const nextMs = isEmpty ? fullMs : fullMs + count * eachMs;
      store(client, nextMs);
      return { waitMs: isEmpty ? waitMs : 0, untilFullMs: nextMs - now };
    },
    charge(client, clockMs, tokens) {
      const now = steady(clockMs);
      store(client, Math.min(fullMsOf(client, now) + tokens * eachMs, now + LONGEST_MS));
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
