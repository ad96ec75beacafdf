import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const none = new AbortController().signal;

/** Lets everything run that is ready to run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('are given to so many at a time, and to the others in the order in which they came', async () => {
    const turns = createTurns(2);
    const order: number[] = [];
    const ends: (() => void)[] = [];
    for (const index of [0, 1, 2, 3, 4]) {
      void turns.take(none).then((end) => {
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

  it('that end twice make room for one', async () => {
    const turns = createTurns(1);
    const end = await turns.take(none);
    end();
    end();
    await turns.take(none);
    let third = false;
    void turns.take(none).then(() => (third = true));
    await settle();
    expect(third).toBe(false);
  });

  it('are not given to one who no longer waits, and nobody loses one by it', async () => {
    const turns = createTurns(1);
    const end = await turns.take(none);
    const gone = new AbortController();
    const leaving = turns.take(gone.signal);
    const next = turns.take(none);
    gone.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    end();
    (await next)();
    await turns.take(none);
  });

  it('are refused to one who is gone already, with the reason', async () => {
    const turns = createTurns(1);
    await expect(turns.take(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    await turns.take(none);
  });

  it('that were given stay given when the signal is aborted later', async () => {
    const turns = createTurns(1);
    const first = await turns.take(none);
    const late = new AbortController();
    const second = turns.take(late.signal);
    first();
    const end = await second;
    late.abort();
    end();
    await turns.take(none);
  });
});
