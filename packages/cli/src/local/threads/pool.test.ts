// The clock of a document in a thread, with a worker that does as the test says.
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createThreadPool } from './pool.ts';
import type { ThreadMessage } from './tasks.ts';

const started = vi.hoisted((): { emit: (event: 'message', message: ThreadMessage) => boolean }[] => []);

vi.mock('node:worker_threads', () => ({
  Worker: class extends EventEmitter {
    constructor() {
      super();
      started.push(this);
    }
    readonly postMessage = vi.fn();
    terminate(): Promise<number> {
      return Promise.resolve(0);
    }
  },
}));

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('a document has all of its time when a thread takes long to start', async () => {
  const pool = createThreadPool({ most: 1, stallMs: 1000 });
  const read = pool.read({ bytes: new Uint8Array() }, {});
  const end = vi.fn();
  void read.then(end, end);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(end).not.toHaveBeenCalled();
  expect(started).toHaveLength(1);
  started[0]?.emit('message', { isReady: true });
  await vi.advanceTimersByTimeAsync(999);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await expect(read).rejects.toMatchObject({ code: 'too_complex' });
});
