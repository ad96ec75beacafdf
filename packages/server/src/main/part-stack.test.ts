import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { openInOrder, type PartStack } from './part-stack.ts';

/** Adds one part for each member; those of `false` cannot be closed. Returns the parts that are closed, in order. */
function addEach(stack: PartStack, closes: readonly boolean[]): number[] {
  const closed: number[] = [];
  closes.forEach((canClose, index) =>
    stack.add({
      async close() {
        await Promise.resolve();
        closed.push(index);
        if (!canClose) throw new Error(`part ${index} is stuck`);
      },
    }),
  );
  return closed;
}

const reversed = (closes: readonly boolean[]): number[] => [...closes.keys()].reverse();

describe('parts that are opened in order', () => {
  it('are all closed in the reverse order, and the first error is passed on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), async (closes) => {
        const { stack, closed } = await openInOrder((opened) =>
          Promise.resolve({ stack: opened, closed: addEach(opened, closes) }),
        );
        expect(closed).toEqual([]);
        const error = await stack.close().then(
          () => undefined,
          (thrown: unknown) => String(thrown),
        );
        expect(closed).toEqual(reversed(closes));
        const stuck = closes.lastIndexOf(false);
        expect(error).toBe(stuck === -1 ? undefined : `Error: part ${stuck} is stuck`);
      }),
      cases(50),
    );
  });

  it('are closed when a later one cannot be opened, whose error is the one that counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), async (closes) => {
        let closed: number[] = [];
        const opened = openInOrder((stack) => {
          closed = addEach(stack, closes);
          return Promise.reject(new Error('no next part'));
        });
        await expect(opened).rejects.toThrow('no next part');
        expect(closed).toEqual(reversed(closes));
      }),
      cases(50),
    );
  });

  it('may be missing', async () => {
    const stack = await openInOrder((opened) => Promise.resolve(opened));
    stack.add(undefined);
    await expect(stack.close()).resolves.toBeUndefined();
  });
});
