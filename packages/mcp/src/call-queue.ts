// A bound on the calls that run at the same time, and on the calls that wait.
import { untilAborted } from '@grainline/core';
import { McpError } from './errors.ts';

/** Runs a call in its turn. Rejects with `busy`, with the signal's reason during the wait, and as the call does. */
export type CallQueue = <T>(call: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * A queue of calls, of which `atOnce` run at the same time.
 *
 * @param waiting number of further calls that may wait, in the order of their arrival
 */
export function createCallQueue(atOnce: number, waiting: number): CallQueue {
  let running = 0;
  const queue = new Set<() => void>();
  const release = (): void => {
    const [next] = queue;
    if (next === undefined) running--;
    else {
      queue.delete(next);
      next();
    }
  };
  return async (call, signal) => {
    signal.throwIfAborted();
    if (running < atOnce) running++;
    else if (queue.size >= waiting) throw new McpError('busy', String(running + queue.size));
    else {
      let begin = (): void => undefined;
      const turn = new Promise<void>((resolve) => void queue.add((begin = resolve)));
      await untilAborted(() => turn, signal).catch((error: unknown) => {
        // An aborted call whose turn has just come passes it on.
        if (!queue.delete(begin)) release();
        throw error;
      });
    }
    return call().finally(release);
  };
}
