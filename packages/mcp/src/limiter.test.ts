import { expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';

const never = new AbortController().signal;

/** Work that ends when it is told to. */
function job() {
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { done, end };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('so many work at once, the others in the order in which they came, and no more wait than may', async () => {
  const inTurn = createLimiter(2, 2);
  const jobs = Array.from({ length: 4 }, job);
  const begun: number[] = [];
  const all = jobs.map(({ done }, index) =>
    inTurn(() => {
      begun.push(index);
      return done;
    }, never),
  );
  await expect(inTurn(() => Promise.resolve(), never)).rejects.toMatchObject({ code: 'busy' });
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
  const inTurn = createLimiter(1, 1);
  const first = job();
  const failing = inTurn(() => first.done.then(() => Promise.reject(new Error('broken'))), never);
  const controller = new AbortController();
  const waiting = inTurn(() => Promise.resolve('never'), controller.signal);
  controller.abort(new Error('taken back'));
  await expect(waiting).rejects.toThrow('taken back');
  const next = inTurn(() => Promise.resolve('next'), never);
  first.end();
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
  await expect(inTurn(() => Promise.resolve(), controller.signal)).rejects.toThrow('taken back');
});
