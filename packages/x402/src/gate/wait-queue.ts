// A queue for each key, for a resource that one waiter has at a time. One waiter of a queue calls the shared ledger at
// a time, so that a thousand requests with one proof cost as much as one.
import type { Clock } from './clock.ts';

/** The result of a request for the resource: the resource, a value for all waiters, or `busy` in another process. */
export type Acquired<T> =
  { readonly kind: 'mine'; readonly value: T } | { readonly kind: 'all'; readonly value: T } | 'busy';

/** Options of {@link createWaitQueues}. */
export interface WaitQueuesOptions<T> {
  readonly clock: Clock;
  /** The longest wait of a request, in milliseconds. */
  readonly waitMs: number;
  /** Creates the error for a request that waited in vain. */
  readonly createTimeout: () => Error;
  /** Requests the resource, in a step that is atomic among all processes. */
  readonly acquire: (key: string) => Promise<Acquired<T>>;
  /** Releases a resource whose waiters have left. */
  readonly release: (value: T) => Promise<void>;
}

/** Queues of waiters, one for each key. */
export interface WaitQueues<T> {
  /** Waits for the resource. The first waiter of a queue requests it before anything else happens in this process. */
  take(key: string, signal: AbortSignal): Promise<T>;
  /** Ends the pause of a queue, after the resource was released in this process. */
  wake(key: string): void;
}

/** The pause between two requests doubles from the first to the longest, in milliseconds. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;

interface Waiter<T> {
  readonly untilMs: number;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}

interface WaitQueue<T> {
  /** In the order of arrival, which is the order of their ends, because all wait equally long. */
  readonly waiters: Set<Waiter<T>>;
  pauseMs: number;
  /** Aborted to end the present pause. */
  pause: AbortController;
}

export function createWaitQueues<T>(options: WaitQueuesOptions<T>): WaitQueues<T> {
  const { clock, waitMs } = options;
  const queues = new Map<string, WaitQueue<T>>();
  return {
    take(key, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      const existing = queues.get(key);
      const queue = existing ?? { waiters: new Set(), pauseMs: FIRST_PAUSE_MS, pause: new AbortController() };
      const served = join(queue, clock.now() + waitMs, signal);
      if (existing === undefined) {
        queues.set(key, queue);
        void serve(key, queue, options, () => queues.delete(key));
      }
      return served;
    },
    wake: (key) => queues.get(key)?.pause.abort(),
  };
}

/** Adds a waiter until it is served or rejected, or the signal is aborted. */
function join<T>({ waiters }: WaitQueue<T>, untilMs: number, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const leaving = <Result>(settle: (result: Result) => void) => {
    return (result: Result): void => {
      waiters.delete(waiter);
      signal.removeEventListener('abort', abort);
      settle(result);
    };
  };
  const waiter: Waiter<T> = { untilMs, resolve: leaving(resolve), reject: leaving(reject) };
  const abort = (): void => waiter.reject(signal.reason as Error);
  waiters.add(waiter);
  signal.addEventListener('abort', abort);
  return promise;
}

/**
 * Serves a queue until it is empty. Never rejects: errors go to the waiters.
 *
 * @param leave called in the step that finds the queue empty: a later waiter would wait for ever
 */
async function serve<T>(
  key: string,
  queue: WaitQueue<T>,
  options: WaitQueuesOptions<T>,
  leave: () => void,
): Promise<void> {
  const { clock, createTimeout, acquire } = options;
  const { waiters } = queue;
  while (waiters.size > 0) {
    queue.pause = new AbortController();
    try {
      await distribute(queue, await acquire(key), options);
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error as Error);
    }
    for (const waiter of waiters) if (waiter.untilMs <= clock.now()) waiter.reject(createTimeout());
    const [first] = waiters;
    if (first === undefined) break;
    const ms = Math.min(queue.pauseMs, first.untilMs - clock.now());
    queue.pauseMs = Math.min(queue.pauseMs * 2, LONGEST_PAUSE_MS);
    // A pause that is woken rejects.
    await clock.wait(Math.max(0, ms), queue.pause.signal).catch(() => undefined);
  }
  leave();
}

async function distribute<T>(
  queue: WaitQueue<T>,
  acquired: Acquired<T>,
  { release }: WaitQueuesOptions<T>,
): Promise<void> {
  if (acquired === 'busy') return;
  if (acquired.kind === 'all') {
    for (const waiter of queue.waiters) waiter.resolve(acquired.value);
    return;
  }
  const [first] = queue.waiters;
  if (first === undefined) await release(acquired.value);
  else first.resolve(acquired.value);
  queue.pauseMs = FIRST_PAUSE_MS;
}
