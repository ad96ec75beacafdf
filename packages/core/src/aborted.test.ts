import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { untilAborted } from './aborted.ts';

const GONE = new Error('gone');
const FAILED = new Error('failed');
let abort: AbortController;
const unheard = vi.fn();

beforeEach(() => {
  abort = new AbortController();
  unheard.mockClear();
  process.on('unhandledRejection', unheard);
});

afterEach(async () => {
  // Node reports unhandled rejections after the microtasks.
  await setImmediate();
  process.off('unhandledRejection', unheard);
  expect(unheard).not.toHaveBeenCalled();
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
});

it('gives what the work gives, its failure too, with a signal and without one', async () => {
  for (const signal of [abort.signal, undefined]) {
    expect(await untilAborted(() => Promise.resolve(1), signal)).toBe(1);
    await expect(untilAborted(() => Promise.reject(FAILED), signal)).rejects.toBe(FAILED);
    await expect(untilAborted(fail, signal)).rejects.toBe(FAILED);
  }
});

it('does not begin when the signal is aborted already', async () => {
  const work = vi.fn(() => Promise.resolve(1));
  await expect(untilAborted(work, AbortSignal.abort(GONE))).rejects.toBe(GONE);
  expect(work).not.toHaveBeenCalled();
});

it('waits no longer than the signal, and hears a failure that comes after it', async () => {
  const late = Promise.withResolvers<never>();
  const waiting = untilAborted(() => late.promise, abort.signal);
  abort.abort(GONE);
  await expect(waiting).rejects.toBe(GONE);
  late.reject(FAILED);
});

it('leaves no rejection unheard where the work aborts the signal and throws at once', async () => {
  const work = (): never => {
    abort.abort(GONE);
    return fail();
  };
  await expect(untilAborted(work, abort.signal)).rejects.toBe(GONE);
});

function fail(): never {
  throw FAILED;
}
