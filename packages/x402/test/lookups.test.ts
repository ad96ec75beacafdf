import { describe, expect, it } from 'vitest';
import { createLookups } from '../src/lookups.ts';

describe('an id that was unknown', () => {
  it('is asked about again after five seconds, and at once when the clock was set back', async () => {
    let now = 3_600_000;
    let asked = 0;
    const lookups = createLookups({
      chain: {
        find: () => {
          asked++;
          return Promise.resolve({ kind: 'unknown' });
        },
      },
      clock: { now: () => now, wait: () => Promise.resolve() },
      waitMs: 0,
      maxAtOnce: 1,
      maxWaiting: 0,
    });
    const { signal } = new AbortController();
    const find = () => lookups.find('key', signal);
    const after = async (ms: number): Promise<number> => {
      now += ms;
      await expect(find()).rejects.toMatchObject({ reason: 'payment_not_found' });
      return asked;
    };
    expect(await after(0)).toBe(1);
    expect(await after(4_999)).toBe(1);
    expect(await after(1)).toBe(2);
    expect(await after(-3_000_000)).toBe(3);
  });
});

describe('an id that no transaction can have', () => {
  it('is not waited for, nor remembered, and the payer is told', async () => {
    let asked = 0;
    const lookups = createLookups({
      chain: {
        find: () => {
          asked++;
          return Promise.resolve({ kind: 'unknown', forGood: true });
        },
      },
      clock: { now: () => 0, wait: () => Promise.reject(new Error('Nobody waits.')) },
      waitMs: 1000,
      maxAtOnce: 1,
      maxWaiting: 1,
    });
    const { signal } = new AbortController();
    for (let times = 1; times <= 2; times++) {
      await expect(lookups.find('key', signal)).rejects.toMatchObject({
        reason: 'payment_not_found',
        message: expect.stringContaining('No transaction can have this id') as string,
      });
      expect(asked).toBe(times);
    }
  });
});
