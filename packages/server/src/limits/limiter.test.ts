import { describe, expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';

const none = new AbortController().signal;

/** A limiter of so many places, whose claims resolve with the function that releases their place. */
function createPlaces(places: number, freePlaces = places) {
  const limiter = createLimiter({ places, freePlaces });
  return {
    acquire: (client: string, signal: AbortSignal, isFree = false) =>
      new Promise<() => void>((resolve, reject) => {
        const work = (): Promise<void> => new Promise((release) => resolve(release));
        limiter.run({ client, isFree }, signal, work).catch(reject);
      }),
  };
}

/** Runs everything that is ready to run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('places of a limiter', () => {
  it('are given to so many at a time, and to the others in the order in which they came', async () => {
    const places = createPlaces(2);
    const order: number[] = [];
    const ends: (() => void)[] = [];
    for (const index of [0, 1, 2, 3, 4]) {
      void places.acquire('a', none).then((end) => {
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
      const places = createPlaces(count);
      const begun: string[] = [];
      const ends: (() => void)[] = [];
      for (const client of `${'a'.repeat(count)}aaabbcc`)
        void places.acquire(client, none).then((end) => {
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
    const places = createPlaces(1);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (client: string): void =>
      void places.acquire(client, none).then((end) => {
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
    const places = createPlaces(1);
    const end = await places.acquire('a', none);
    const begun: string[] = [];
    const gone = new AbortController();
    const leaving = places.acquire('b', gone.signal);
    void places.acquire('c', none).then(() => begun.push('c'));
    gone.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    void places.acquire('b', none).then(() => begun.push('b'));
    end();
    await settle();
    expect(begun).toEqual(['c']);
  });

  it('are not given to a caller that has left, and go to the next one', async () => {
    const places = createPlaces(1);
    const end = await places.acquire('a', none);
    const gone = new AbortController();
    const leaving = places.acquire('a', gone.signal);
    const next = places.acquire('a', none);
    gone.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    end();
    (await next)();
    await places.acquire('a', none);
  });

  it('are refused to one who is gone already, with the reason', async () => {
    const places = createPlaces(1);
    await expect(places.acquire('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    await places.acquire('a', none);
  });

  it('that were given stay given when the signal is aborted later', async () => {
    const places = createPlaces(1);
    const first = await places.acquire('a', none);
    const late = new AbortController();
    const second = places.acquire('a', late.signal);
    first();
    const end = await second;
    late.abort();
    const begun: string[] = [];
    void places.acquire('b', none).then(() => begun.push('b'));
    await settle();
    expect(begun).toEqual([]);
    end();
    await settle();
    expect(begun).toEqual(['b']);
  });

  it('leave one to paid work when free work may not take all of them', async () => {
    const places = createPlaces(3, 2);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (client: string, isFree: boolean): void =>
      void places.acquire(client, none, isFree).then((end) => {
        begun.push(client);
        ends.push(end);
      });
    for (const client of 'abcd') ask(client, true);
    await settle();
    expect(begun.join('')).toBe('ab');
    ask('P', false);
    await settle();
    expect(begun.join('')).toBe('abP');
    // A paid claim releases a place that free claims cannot take.
    ends[2]?.();
    await settle();
    expect(begun.join('')).toBe('abP');
    ends[0]?.();
    await settle();
    expect(begun.join('')).toBe('abPc');
    ends.forEach((end) => end());
    await settle();
    expect(begun.join('')).toBe('abPcd');
  });

  it('of one go to paid claims before free ones that have waited for longer, also of the same client', async () => {
    const places = createPlaces(1);
    const end = await places.acquire('a', none, true);
    const begun: string[] = [];
    const take = (name: string, client: string, isFree: boolean): void =>
      void places.acquire(client, none, isFree).then((release) => {
        begun.push(name);
        release();
      });
    for (const client of 'abc') take(`free ${client}`, client, true);
    for (const client of 'ad') take(`paid ${client}`, client, false);
    end();
    await settle();
    expect(begun).toEqual(['paid d', 'paid a', 'free b', 'free c', 'free a']);
  });
});
