// A bound on what is at work at the same time, and on what waits for it.
import { McpError } from './errors.ts';

/**
 * Runs work in its turn. Rejects with `busy`, with the signal's reason while it waits, and with what the work rejects
 * with.
 */
export type Limiter = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * A limiter for up to `atOnce` pieces of work.
 *
 * @param waiting how many more may wait, in the order in which they came
 */
export function createLimiter(atOnce: number, waiting: number): Limiter {
  let working = 0;
  const queue = new Set<() => void>();

  const free = (): void => {
    working--;
    const [next] = queue;
    if (next === undefined) return;
    queue.delete(next);
    next();
  };

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        working++;
        resolve();
      };
      const leave = (): void => {
        queue.delete(begin);
        reject(signal.reason as Error);
      };
      signal.throwIfAborted();
      if (working < atOnce) begin();
      else if (queue.size >= waiting) reject(new McpError('busy', String(working + queue.size)));
      else {
        queue.add(begin);
        signal.addEventListener('abort', leave, { once: true });
      }
    });

  return async (work, signal) => {
    await turn(signal);
    try {
      return await work();
    } finally {
      free();
    }
  };
}
