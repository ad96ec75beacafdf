// Who may go next: at most so many at a time, the others wait in the order in which they came.
// Stands before the child processes, so that the time for a document begins when a process is free for it.

/** Hands out turns. */
export interface Semaphore {
  /** Resolves when it is one's turn, with the function that ends it; rejects with the signal's reason while waiting. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly start: () => void;
}

/** A semaphore of `count` permits, an integer from 1. */
export function createSemaphore(count: number): Semaphore {
  let free = count;
  // A Set keeps the order and forgets one in the middle at once.
  const waiting = new Set<Waiting>();

  function release(): void {
    const [next] = waiting;
    if (next === undefined) free++;
    else next.start();
  }

  function acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      return Promise.resolve(once(release));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(entry);
        // Whatever the caller gave as the reason is what the caller gets.
        reject(signal.reason as Error);
      };
      const entry: Waiting = {
        start: () => {
          waiting.delete(entry);
          signal.removeEventListener('abort', leave);
          resolve(once(release));
        },
      };
      waiting.add(entry);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  return { acquire: async (signal) => acquire(signal) };
}

/** A permit that is given back twice must not make room for two. */
function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}
