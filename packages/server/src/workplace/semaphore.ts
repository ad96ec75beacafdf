// A semaphore that is fair to clients: at most so many at a time, and of those who wait, whoever has least is next.
// Stands before the child processes, so that the time for a document begins when a process is free for it, and so that
// a client with many documents that take long keeps nobody else waiting for all of them.

/** Hands out permits. */
export interface Semaphore {
  /**
   * Resolves with the function that gives the permit back; rejects with the signal's reason while waiting. Next is the
   * client that holds fewest permits, of equals the one that was given none for longest; its own come in order.
   */
  acquire(client: string, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly client: string;
  readonly start: () => void;
}

/** What a client has, while it holds permits or waits. */
interface Share {
  held: number;
  waiting: number;
  /** Place of its latest permit in the order of all; 0 before there is one. */
  latest: number;
}

/** A semaphore of `count` permits, an integer from 1. */
export function createSemaphore(count: number): Semaphore {
  let free = count;
  let given = 0;
  // A Set keeps the order and forgets one in the middle at once.
  const waiting = new Set<Waiting>();
  const shares = new Map<string, Share>();

  /** Changes what a client has; one that has nothing is forgotten. */
  function change(client: string, held: number, more: number): void {
    const before = shares.get(client) ?? { held: 0, waiting: 0, latest: 0 };
    const latest = held > 0 ? ++given : before.latest;
    const after = { held: before.held + held, waiting: before.waiting + more, latest };
    if (after.held === 0 && after.waiting === 0) shares.delete(client);
    else shares.set(client, after);
  }

  function isBefore(one: Waiting, other: Waiting): boolean {
    const [a, b] = [shares.get(one.client), shares.get(other.client)];
    if (a === undefined || b === undefined) throw new Error('Whoever waits has a share.');
    return a.held < b.held || (a.held === b.held && a.latest < b.latest);
  }

  function permit(client: string): () => void {
    change(client, 1, 0);
    return once(() => {
      change(client, -1, 0);
      let next: Waiting | undefined;
      for (const one of waiting) if (next === undefined || isBefore(one, next)) next = one;
      if (next === undefined) free++;
      else next.start();
    });
  }

  function acquire(client: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      return Promise.resolve(permit(client));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(entry);
        change(client, 0, -1);
        signal.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        leave();
        // Whatever the caller gave as the reason is what the caller gets.
        reject(signal.reason as Error);
      };
      const entry: Waiting = {
        client,
        start: () => {
          const release = permit(client);
          leave();
          resolve(release);
        },
      };
      waiting.add(entry);
      change(client, 0, 1);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  return { acquire: async (client, signal) => acquire(client, signal) };
}

/** A permit that is given back twice must not make room for two. */
function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}
