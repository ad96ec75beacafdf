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
