import { expect, it } from 'vitest';
import { DrawingQueue, type DrawnSheet } from './drawing-queue.ts';

/** Pages that are wanted, and drawings that the test completes. */
function queueOf(wanted: number[]) {
  const shown: number[] = [];
  const failed: number[] = [];
  const requests: { readonly page: number; readonly drawing: PromiseWithResolvers<DrawnSheet> }[] = [];
  const queue = new DrawingQueue(
    (page) => {
      const drawing = Promise.withResolvers<DrawnSheet>();
      requests.push({ page, drawing });
      return drawing.promise;
    },
    () => {
      const page = wanted.shift();
      if (page === undefined) return undefined;
      return { page, scale: 1, show: () => shown.push(page), fail: () => failed.push(page) };
    },
  );
  let closed = 0;
  const picture = { image: { close: () => closed++ } as unknown as ImageBitmap, isDark: false };
  return { queue, wanted, shown, failed, requests, picture, closed: () => closed };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('draws one page at a time, and asks only then which one is next', async () => {
  const { queue, wanted, shown, requests, picture } = queueOf([1, 2, 3]);
  queue.wake();
  queue.wake();
  expect(requests.map(({ page }) => page)).toEqual([1]);
  // The visitor has scrolled on.
  wanted.splice(0, 2, 40);
  requests[0]!.drawing.resolve(picture);
  await turn();
  expect(requests.map(({ page }) => page)).toEqual([1, 40]);
  requests[1]!.drawing.resolve(picture);
  await turn();
  expect(shown).toEqual([1, 40]);
  wanted.push(41);
  queue.wake();
  expect(requests.at(-1)?.page).toBe(41);
});

it('goes on after a page that cannot be drawn', async () => {
  const { queue, shown, failed, requests, picture } = queueOf([1, 2]);
  queue.wake();
  requests[0]!.drawing.reject(new Error('damaged'));
  await turn();
  requests[1]!.drawing.resolve(picture);
  await turn();
  expect([failed, shown]).toEqual([[1], [2]]);
});

it('frees a picture that comes after its end, and draws no further one', async () => {
  const { queue, shown, requests, picture, closed } = queueOf([1, 2]);
  queue.wake();
  queue.close();
  requests[0]!.drawing.resolve(picture);
  await turn();
  expect([shown, requests.length, closed()]).toEqual([[], 1, 1]);
});
