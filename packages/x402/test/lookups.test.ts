import { describe, expect, it } from 'vitest';
import { createLookups } from '../src/gate/lookups.ts';

describe('an id that no transaction can have', () => {
  it('is not waited for, and a repetition is useless', async () => {
    let finds = 0;
    const lookups = createLookups({
      chain: {
        find: () => {
          finds++;
          return Promise.resolve({ kind: 'unknown', forGood: true });
        },
      },
      clock: { wait: () => Promise.reject(new Error('Nobody waits.')) },
      waitMs: 1000,
      maxLookups: 1,
      maxWaiting: 1,
    });
    const { signal } = new AbortController();
    for (let times = 1; times <= 2; times++) {
      await expect(lookups.find('key', signal)).rejects.toMatchObject({
        reason: 'payment_not_found',
        message:
          'No transaction can have this signature. Send the signature of your transaction as the wallet shows it; do not pay again.',
        retryAfterS: undefined,
        reusable: false,
      });
      expect(finds).toBe(times);
    }
  });
});
