// A semaphore that is fair to clients: at most so many at a time, and of those who wait, whoever has least is next.
// Stands before the child processes, so that the time for a document begins when a process is free for it, and so that
// a client with many documents that take long keeps nobody else waiting for all of them.

/** Hands out permits. */
export interface Semaphore {
  /**
   * Resolves with the function that gives the permit back; rejects with the signal's reason while waiting. Next is the
   * client that holds fewest permits, of equals the one that came, or gave one back, the longest ago; its own come in
   * order.
   */
  acquire(client: string, signal: AbortSignal): Promise<() => void>;
}

/** What a client has, while it holds permits or waits. */
interface Share {
  held: number;
  /** What begins those who wait, in order. A Set forgets one in the middle at once. */
  readonly waiting: Set<() => void>;
}

/** A semaphore of `count` permits, an integer from 1. */
export function createSemaphore(count: number): Semaphore {
  let free = count;
  // In the order in which they came or gave a permit back. Whoever comes stands behind those who wait already, or
  // clients that come again and again with one document each would pass by one that waits with a second.
  const shares = new Map<string, Share>();

  function shareOf(client: string): Share {
    const share = shares.get(client) ?? { held: 0, waiting: new Set() };
    shares.set(client, share);
    return share;
  }

  /** Forgets a client that has nothing. */
  function tidy(client: string, { held, waiting }: Share): void {
    if (held === 0 && waiting.size === 0) shares.delete(client);
  }

  function permit(client: string, share: Share): () => void {
    share.held++;
    return once(() => {
      share.held--;
      shares.delete(client);
      shares.set(client, share);
      tidy(client, share);
      beginNext();
    });
  }

  function beginNext(): void {
    let next: Share | undefined;
    for (const share of shares.values())
      if (share.waiting.size > 0 && (next === undefined || share.held < next.held)) next = share;
    const [begin] = next?.waiting ?? [];
    if (begin === undefined) free++;
    else begin();
  }

  function acquire(client: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const share = shareOf(client);
    if (free > 0) {
      free--;
      return Promise.resolve(permit(client, share));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        share.waiting.delete(begin);
        signal.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        leave();
        tidy(client, share);
        // Whatever the caller gave as the reason is what the caller gets.
        reject(signal.reason as Error);
      };
      const begin = (): void => {
        leave();
        resolve(permit(client, share));
      };
      share.waiting.add(begin);
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
