import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock, wait } from '../src/gate/clock.ts';

describe('the clock of the machine', () => {
  it('waits, and no longer than the signal', async () => {
    const before = systemClock.now();
    await systemClock.wait(5, new AbortController().signal);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    const gone = new AbortController();
    const waiting = systemClock.wait(3_600_000, gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(systemClock.wait(3_600_000, gone.signal)).rejects.toThrow('gone');
  });

  it('leaves nothing on a signal that outlives many waits', async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 20; count++) await wait(0, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
