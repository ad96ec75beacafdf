// The clock of a document in a thread, with a thread that does as the test says.
import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createThreadPool } from './pool.ts';
import type { ThreadMessage } from './tasks.ts';

class SilentThread extends EventEmitter<{ message: [ThreadMessage]; exit: [] }> {
  readonly postMessage = vi.fn();
  readonly terminate = (): Promise<number> => Promise.resolve(0);
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('a document has all of its time when a thread takes long to start', async () => {
  const thread = new SilentThread();
  const startThread = vi.fn(() => thread as unknown as Worker);
  const pool = createThreadPool({ most: 1, stallMs: 1000, startThread });
  const read = pool.read({ bytes: new Uint8Array() }, {});
  const end = vi.fn();
  void read.then(end, end);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(end).not.toHaveBeenCalled();
  expect(startThread).toHaveBeenCalledOnce();
  thread.emit('message', { isReady: true });
  await vi.advanceTimersByTimeAsync(999);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await expect(read).rejects.toMatchObject({ code: 'too_complex' });
});
