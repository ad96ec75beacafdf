import { expect, it } from 'vitest';
import { createCallQueue } from './call-queue.ts';

const never = new AbortController().signal;

/** Work that ends on a call of `end`. */
function job() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { done, end };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('so many work at once, the others in the order in which they came, and no more wait than may', async () => {
  const localQueue = createCallQueue(2, 2);
  const jobs = Array.from({ length: 4 }, job);
  const begun: number[] = [];
  const all = jobs.map(({ done }, index) =>
    localQueue(() => {
      begun.push(index);
      return done;
    }, never),
  );
  await expect(localQueue(() => Promise.resolve(), never)).rejects.toMatchObject({ code: 'busy' });
  await settled();
  expect(begun).toEqual([0, 1]);
  jobs[1]!.end();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of jobs) end();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

it('who is taken back gives up the place in the queue, and who fails gives up the place at work', async () => {
  const localQueue = createCallQueue(1, 1);
  const first = job();
  const failing = localQueue(() => first.done.then(() => Promise.reject(new Error('broken'))), never);
  const controller = new AbortController();
  const waiting = localQueue(() => Promise.resolve('never'), controller.signal);
  controller.abort(new Error('taken back'));
  await expect(waiting).rejects.toThrow('taken back');
  const next = localQueue(() => Promise.resolve('next'), never);
  first.end();
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
  await expect(localQueue(() => Promise.resolve(), controller.signal)).rejects.toThrow('taken back');
});
