import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPoll } from './poll.ts';

/** A look that ends when the test says so. */
function heldLook() {
  const runs: PromiseWithResolvers<number>[] = [];
  const look = (): Promise<number> => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  };
  const end = async (ms: number): Promise<void> => {
    runs.at(-1)?.resolve(ms);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { look, runs, end };
}

describe('a poll', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('looks once more when it was woken while it looked, however often, and never twice at a time', async () => {
    const { look, runs, end } = heldLook();
    const poll = createPoll(look);
    poll.wake();
    await vi.advanceTimersByTimeAsync(0);
    for (let time = 0; time < 3; time++) poll.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(1);
    await end(1000);
    expect(runs).toHaveLength(2);
    await end(1000);
    expect(runs).toHaveLength(2);
    await poll.stop();
  });

  it('looks again after the time that its look names, and not twice when it was woken before', async () => {
    const { look, runs, end } = heldLook();
    const poll = createPoll(look);
    poll.wake();
    await vi.advanceTimersByTimeAsync(0);
    await end(1000);
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(1);
    poll.wake();
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
    await end(1000);
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(3);
    void poll.stop();
  });

  it('that is stopped looks no more, and has stopped when its last look has ended', async () => {
    const { look, runs, end } = heldLook();
    const poll = createPoll(look);
    poll.wake();
    await vi.advanceTimersByTimeAsync(0);
    poll.wake();
    let isStopped = false;
    const stopped = poll.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(0);
    expect(isStopped).toBe(false);
    await end(1000);
    await stopped;
    poll.wake();
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toHaveLength(1);
  });
});
