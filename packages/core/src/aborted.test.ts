import { expect, it } from 'vitest';
import { untilAborted } from './aborted.ts';

const stop = new Error('stop');

it('gives what the work gives, and leaves nothing behind on the signal', async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(() => Promise.resolve(7), signal)).resolves.toBe(7);
  await expect(untilAborted(() => Promise.resolve(7), undefined)).resolves.toBe(7);
});

it('rejects with the reason while the work goes on, and without any work when it comes too late', async () => {
  const controller = new AbortController();
  const result = untilAborted(() => new Promise(() => undefined), controller.signal);
  controller.abort(stop);
  await expect(result).rejects.toBe(stop);
  let isAsked = false;
  const late = untilAborted(() => Promise.resolve((isAsked = true)), controller.signal);
  await expect(late).rejects.toBe(stop);
  expect(isAsked).toBe(false);
});

it('rejects once when the work aborts the signal and throws', async () => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listen);
  try {
    const controller = new AbortController();
    const result = untilAborted(() => {
      controller.abort(stop);
      throw new Error('no work');
    }, controller.signal);
    await expect(result).rejects.toBe(stop);
    await new Promise(setImmediate);
  } finally {
    process.off('unhandledRejection', listen);
  }
  expect(unhandled).toEqual([]);
});
