import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';

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
});
