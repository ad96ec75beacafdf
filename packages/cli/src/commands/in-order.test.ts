import { describe, expect, it } from 'vitest';
import { inOrder } from './in-order.ts';

/** Work that ends on a call of `end`; it records the most work at the same time. */
function createWork() {
  const ends = new Map<number, () => void>();
  const begun: number[] = [];
  return {
    begun,
    end: (item: number) => ends.get(item)?.(),
    work: (item: number): Promise<number> => {
      begun.push(item);
      return new Promise((resolve) => ends.set(item, () => resolve(item * 10)));
    },
  };
}

describe('work on several things at once', () => {
  it('gives its results in the order of the things, not of their ends', async () => {
    const { work, end } = createWork();
    const results = inOrder([0, 1, 2], 3, work);
    const first = results.next();
    for (const item of [2, 1, 0]) end(item);
    expect((await first).value).toBe(0);
    expect((await results.next()).value).toBe(10);
    expect((await results.next()).value).toBe(20);
    expect((await results.next()).done).toBe(true);
  });

  it('begins no more than the limit before a result was taken', async () => {
    const { work, end, begun } = createWork();
    const results = inOrder([0, 1, 2, 3], 2, work);
    const first = results.next();
    end(1);
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    end(0);
    await first;
    expect(begun).toEqual([0, 1]);
    const second = results.next();
    await second;
    expect(begun).toEqual([0, 1, 2]);
  });

  it('is nothing for nothing', async () => {
    expect(await Array.fromAsync(inOrder([], 4, () => Promise.resolve(1)))).toEqual([]);
  });
});
