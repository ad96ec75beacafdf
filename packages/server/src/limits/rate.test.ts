import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { HttpError } from '../errors/http-error.ts';
import { createRateLimit, joinLimits, MAX_CLIENTS, type RateLimit } from './rate.ts';

const START = Date.UTC(2026, 10, 21, 18);

/** The headers, or the error. */
function take(rate: RateLimit, client: string, now: number): Readonly<Record<string, string>> | HttpError {
  try {
    return rate.take(client, now);
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

const granted = (rate: RateLimit, client: string, now: number): boolean =>
  !(take(rate, client, now) instanceof HttpError);

describe('the rate limit', () => {
  it('takes a minute’s worth at once, and then as many as a minute has', () => {
    const rate = createRateLimit(60);
    for (let count = 59; count >= 0; count--) {
      expect(rate.take('a', START)).toEqual({
        'RateLimit-Policy': '"requests";q=60;w=60',
        RateLimit: `"requests";r=${count};t=${60 - count}`,
      });
    }
    const error = take(rate, 'a', START);
    expect(error).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterS: 1,
      limit: { requests_per_minute: 60 },
      headers: { RateLimit: '"requests";r=0;t=60' },
    });
    expect(granted(rate, 'b', START)).toBe(true);
    expect(granted(rate, 'a', START + 999)).toBe(false);
    expect(granted(rate, 'a', START + 1000)).toBe(true);
    expect(granted(rate, 'a', START + 1000)).toBe(false);
  });

  it('is never more than the limit and what fills meanwhile, in any stretch of time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 120 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 200 }),
        (limit, gaps) => {
          const rate = createRateLimit(limit);
          let now = START;
          const times: number[] = [];
          for (const gap of gaps) {
            now += gap;
            if (granted(rate, 'a', now)) times.push(now);
          }
          for (const [from, first] of times.entries()) {
            for (const [to, last] of times.entries()) {
              if (to < from) continue;
              expect(to - from + 1).toBeLessThanOrEqual(limit + ((last - first) * limit) / 60_000 + 0.01);
            }
          }
        },
      ),
      cases(50),
    );
  });

  it('serves clients that wait as it says, and all that keep to the pace', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 100 }),
        (limit, gaps) => {
          const rate = createRateLimit(limit);
          let now = START;
          for (const gap of gaps) {
            now += gap;
            const said = take(rate, 'a', now);
            if (!(said instanceof HttpError)) continue;
            now += (said.retryAfterS ?? 0) * 1000;
            expect(granted(rate, 'a', now)).toBe(true);
          }
          for (let count = 0; count < 50; count++) {
            now += Math.ceil(60_000 / limit);
            expect(granted(rate, 'steady', now)).toBe(true);
          }
        },
      ),
      cases(100),
    );
  });

  it('costs no client more than a minute when the clock is set back', () => {
    const rate = createRateLimit(2);
    for (let count = 0; count < 5; count++) take(rate, 'a', START);
    const hourBefore = START - 3_600_000;
    expect(granted(rate, 'a', hourBefore)).toBe(false);
    expect(granted(rate, 'a', hourBefore + 30_000)).toBe(true);
  });

  it('remembers no more than so many clients, and forgets those whose bucket is full', () => {
    const rate = createRateLimit(60);
    for (let client = 0; client < 1_000_000; client++) rate.take(String(client), START);
    expect(rate.clients).toBeLessThanOrEqual(MAX_CLIENTS);
    expect(rate.clients).toBeGreaterThanOrEqual(MAX_CLIENTS / 2);
    for (const ms of [600_000, 1_200_000]) rate.take('later', START + ms);
    expect(rate.clients).toBe(1);
  });

  it('does not forget one who goes on asking while others come', () => {
    const rate = createRateLimit(3, 100);
    const served = Array.from({ length: 50 }, (_, round) => {
      for (let other = 0; other < 10; other++) rate.take(`${round} ${other}`, START);
      return granted(rate, 'a', START);
    });
    expect(served.filter(Boolean)).toHaveLength(3);
  });

  it('takes more units than are left, and refuses until the client no longer owes any', () => {
    const rate = createRateLimit(60);
    rate.charge('a', START, 100);
    expect(take(rate, 'a', START)).toMatchObject({
      code: 'rate_limited',
      retryAfterS: 41,
      headers: { RateLimit: '"requests";r=0;t=100' },
    });
    expect(granted(rate, 'a', START + 40_000)).toBe(false);
    expect(granted(rate, 'a', START + 41_000)).toBe(true);
    expect(granted(rate, 'b', START)).toBe(true);
  });

  it('remembers owed units while the client is silent, and ten minutes of them at most', () => {
    const rate = createRateLimit(60);
    rate.charge('a', START, 500);
    // Other clients go on, and make the limit forget those whose bucket is full.
    for (let second = 0; second < 440; second++) rate.take('b', START + second * 1000);
    expect(granted(rate, 'a', START + 440_000)).toBe(false);
    expect(granted(rate, 'a', START + 441_000)).toBe(true);
    rate.charge('c', START + 441_000, 1e9);
    expect(take(rate, 'c', START + 441_000)).toMatchObject({ retryAfterS: 541 });
  });

  it('can be off', () => {
    const rate = createRateLimit('off');
    rate.charge('a', START, 1000);
    for (let count = 0; count < 1000; count++) expect(rate.take('a', START)).toEqual({});
    expect(rate.clients).toBe(0);
  });
});

describe('headers of two policies', () => {
  it('are lists with both, in their order', () => {
    const first = { 'RateLimit-Policy': '"a";q=1;w=2', RateLimit: '"a";r=1;t=2' };
    const second = { 'RateLimit-Policy': '"b";q=3;w=4', RateLimit: '"b";r=3;t=4', ETag: '"x"' };
    expect(joinLimits(first, second)).toEqual({
      'RateLimit-Policy': '"a";q=1;w=2, "b";q=3;w=4',
      RateLimit: '"a";r=1;t=2, "b";r=3;t=4',
      ETag: '"x"',
    });
    expect(joinLimits({}, second)).toEqual(second);
    expect(joinLimits(first, { ETag: '"x"' })).toEqual({ ...first, ETag: '"x"' });
  });
});
