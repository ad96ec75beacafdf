import { describe, expect, it } from 'vitest';
import { createWaitQueues } from '../src/gate/wait-queue.ts';
import { createFakeClock } from './fake-clock.ts';
import { NEVER } from './fixture.ts';

describe('a queue of waiters', () => {
  it('serves a waiter that comes in the moment in which the last one leaves', async () => {
    const clock = createFakeClock(0);
    const queues = createWaitQueues<string>({
      clock,
      waitMs: 1_000,
      createTimeout: () => new Error('in vain'),
      acquire: () => Promise.resolve({ kind: 'all', value: 'value' }),
      release: () => Promise.resolve(),
    });
    // One of these numbers of steps falls between the last look at the queue and its end.
    for (let steps = 0; steps < 12; steps++) {
      await queues.take('key', NEVER);
      for (let step = 0; step < steps; step++) await Promise.resolve();
      expect(await clock.until(queues.take('key', NEVER))).toBe('value');
    }
  });
});
