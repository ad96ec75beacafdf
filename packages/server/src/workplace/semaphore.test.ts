import { describe, expect, it } from 'vitest';
import { createSemaphore } from './semaphore.ts';

const none = new AbortController().signal;

/** Lets everything run that is ready to run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('permits of a semaphore', () => {
  it('are given to so many at a time, and to the others in the order in which they came', async () => {
    const semaphore = createSemaphore(2);
    const order: number[] = [];
    const ends: (() => void)[] = [];
    for (const index of [0, 1, 2, 3, 4]) {
      void semaphore.acquire('a', none).then((end) => {
        order.push(index);
        ends.push(end);
      });
    }
    await settle();
    expect(order).toEqual([0, 1]);
    ends[1]?.();
    await settle();
    expect(order).toEqual([0, 1, 2]);
    ends[0]?.();
    ends[2]?.();
    await settle();
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([1, 2])(
    'of %i go to whoever holds least, of equals to who has waited without one for longest',
    async (count) => {
      const semaphore = createSemaphore(count);
      const begun: string[] = [];
      const ends: (() => void)[] = [];
      for (const client of `${'a'.repeat(count)}aaabbcc`)
        void semaphore.acquire(client, none).then((end) => {
          begun.push(client);
          ends.push(end);
        });
      for (let ended = 0; ended < 7; ended++) {
        await settle();
        ends[ended]?.();
      }
      await settle();
      expect(begun.slice(count).join('')).toBe('bcabcaa');
    },
  );

  it('come to a client with two documents while others come again and again with one', async () => {
    const semaphore = createSemaphore(1);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (client: string): void =>
      void semaphore.acquire(client, none).then((end) => {
        begun.push(client);
        ends.push(end);
      });
    for (const client of 'aabc') ask(client);
    for (let ended = 0; ended < 6; ended++) {
      await settle();
      ends[ended]?.();
      if (begun[ended] !== 'a') ask(begun[ended]!);
    }
    await settle();
    expect(begun.join('')).toBe('abcabcb');
  });

  it('are not given sooner to one who leaves and comes back', async () => {
    const semaphore = createSemaphore(1);
    const end = await semaphore.acquire('a', none);
    const begun: string[] = [];
    const gone = new AbortController();
    const leaving = semaphore.acquire('b', gone.signal);
    void semaphore.acquire('c', none).then(() => begun.push('c'));
    gone.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    void semaphore.acquire('b', none).then(() => begun.push('b'));
    end();
    await settle();
    expect(begun).toEqual(['c']);
  });

  it('that end twice make room for one', async () => {
    const semaphore = createSemaphore(1);
    const end = await semaphore.acquire('a', none);
    end();
    end();
    await semaphore.acquire('a', none);
    let third = false;
    void semaphore.acquire('a', none).then(() => (third = true));
    await settle();
    expect(third).toBe(false);
  });

  it('are not given to one who no longer waits, and nobody loses one by it', async () => {
    const semaphore = createSemaphore(1);
    const end = await semaphore.acquire('a', none);
    const gone = new AbortController();
    const leaving = semaphore.acquire('a', gone.signal);
    const next = semaphore.acquire('a', none);
    gone.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    end();
    (await next)();
    await semaphore.acquire('a', none);
  });

  it('are refused to one who is gone already, with the reason', async () => {
    const semaphore = createSemaphore(1);
    await expect(semaphore.acquire('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    await semaphore.acquire('a', none);
  });

  it('that were given stay given when the signal is aborted later', async () => {
    const semaphore = createSemaphore(1);
    const first = await semaphore.acquire('a', none);
    const late = new AbortController();
    const second = semaphore.acquire('a', late.signal);
    first();
    const end = await second;
    late.abort();
    end();
    await semaphore.acquire('a', none);
  });
});
