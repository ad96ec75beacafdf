// Retries: which errors are repeated, how long the waits are, and the code of each error in the end.
import { VectorStoreError } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { memory } from '../databases/memory/index.ts';
import { createCall } from './calls.ts';

function callWith(random: number): { call: ReturnType<typeof createCall>; waits: number[] } {
  const waits: number[] = [];
  const retry = {
    now: () => 0,
    random: () => random,
    wait: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
    attempts: 5,
    timeoutMs: 60_000,
  };
  return { call: createCall({ adapter: memory, url: 'memory:x', secrets: ['hush'] }, retry), waits };
}

const error = (members: object): Error => Object.assign(new Error('hush is wrong'), members);

describe('a request', () => {
  it.each([
    [{ status: 503 }, 'unavailable', 4],
    [{ statusCode: 429 }, 'unavailable', 4],
    [{ meta: { statusCode: 502 } }, 'unavailable', 4],
    [{ code: 'ECONNREFUSED' }, 'unavailable', 4],
    [{ cause: { code: 'UND_ERR_SOCKET' } }, 'unavailable', 4],
    [{ status: 401 }, 'unauthorized', 0],
    [{ response: { status: 403 } }, 'unauthorized', 0],
    [{ status: 400 }, 'rejected', 0],
    [{}, 'rejected', 0],
  ])(
    'that fails with %o ends as %s after %d repetitions, and hides the secret',
    async (members, code, repeats) => {
      const { call, waits } = callWith(0);
      const failed = call(() => Promise.reject(error(members)));
      await expect(failed).rejects.toMatchObject({ code });
      await expect(failed).rejects.not.toHaveProperty('cause');
      await expect(failed).rejects.toThrow('*** is wrong');
      expect(waits).toEqual([200, 400, 800, 1600].slice(0, repeats));
    },
  );

  it('is repeated until it succeeds, after waits that chance halves at most', async () => {
    const { call, waits } = callWith(1);
    let left = 3;
    const answer = await call(() =>
      left-- > 0 ? Promise.reject(error({ status: 500 })) : Promise.resolve('done'),
    );
    expect(answer).toBe('done');
    expect(waits).toEqual([100, 200, 400]);
  });

  it('is not repeated once its lock has expired', async () => {
    let [now, attempts] = [0, 0];
    const wait = (ms: number): Promise<void> => Promise.resolve(void (now += ms));
    const retry = { now: () => now, random: () => 0, wait, attempts: 9, timeoutMs: 60_000 };
    const call = createCall({ adapter: memory, url: 'memory:x', secrets: [] }, retry);
    const away = (): Promise<never> => Promise.reject(error({ status: 503, attempt: ++attempts }));
    await expect(call(away, { lock: { expiresMs: 1000 } })).rejects.toMatchObject({ code: 'lock_lost' });
    expect([attempts, now]).toEqual([3, 1400]);
  });

  it('passes on the errors of the port, and the reason of an abort', async () => {
    const { call } = callWith(0);
    const own = new VectorStoreError('locked', 'Locked.');
    await expect(call(() => Promise.reject(own))).rejects.toBe(own);
    const abort = new AbortController();
    const hanging = call(() => new Promise(() => undefined), { signal: abort.signal });
    const reason = new Error('stopped');
    abort.abort(reason);
    await expect(hanging).rejects.toBe(reason);
  });
});
