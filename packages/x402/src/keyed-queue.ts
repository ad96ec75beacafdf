// A queue of waiters for each key, for a thing that only one of them may have at a time. However long a line is, only
// one of its waiters asks the shared ledger at a time, so that a thousand requests with one proof cost as much as one.
import type { Clock } from './clock.ts';

/** The result of asking: the thing itself, an answer for all who wait, or that another process has it. */
export type Asked<T> =
  { readonly kind: 'mine'; readonly value: T } | { readonly kind: 'all'; readonly value: T } | 'later';

/** How to ask, and how long to wait. */
export interface KeyedQueueOptions<T> {
  readonly clock: Clock;
  /** How long a request waits, in milliseconds. */
  readonly waitMs: number;
  /** The error for a request that has waited in vain. */
  readonly inVain: () => Error;
  /** Asks for the thing, in a step that is atomic among all processes. */
  readonly ask: (key: string) => Promise<Asked<T>>;
  /** Gives back a thing that nobody waits for any more. */
  readonly giveBack: (value: T) => Promise<void>;
}

/** Lines of waiters, one for each key. */
export interface KeyedQueue<T> {
  /** Waits for a turn. The first of a line asks before anything else can happen in this process. */
  take(key: string, signal: AbortSignal): Promise<T>;
  /** Says that the thing was given back in this process, so that the line asks at once. */
  wake(key: string): void;
  /** Whether there is a line for the key. */
  isOpen(key: string): boolean;
}

/** The first and the longest pause between two questions, in milliseconds; each pause is twice the one before. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;

interface Waiter<T> {
  readonly untilMs: number;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}

interface Line<T> {
  readonly waiters: Set<Waiter<T>>;
  pauseMs: number;
  /** Aborted to end the present pause. */
  pause: AbortController;
}

export function createKeyedQueue<T>(options: KeyedQueueOptions<T>): KeyedQueue<T> {
  const { clock, waitMs, inVain, ask, giveBack } = options;
  const lines = new Map<string, Line<T>>();

  async function take(key: string, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const existing = lines.get(key);
    const line = existing ?? { waiters: new Set(), pauseMs: FIRST_PAUSE_MS, pause: new AbortController() };
    const served = stand(line, signal);
    if (existing === undefined) {
      lines.set(key, line);
      void serve(key, line);
    }
    return served;
  }

  /** Stands in a line until it is one's turn, the wait is over, or the signal is aborted. */
  function stand(line: Line<T>, signal: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const leave = (): void => {
      line.waiters.delete(waiter);
      signal.removeEventListener('abort', abort);
    };
    const abort = (): void => waiter.reject(signal.reason as Error);
    const waiter: Waiter<T> = {
      untilMs: clock.now() + waitMs,
      resolve: (value) => {
        leave();
        resolve(value);
      },
      reject: (reason) => {
        leave();
        reject(reason);
      },
    };
    line.waiters.add(waiter);
    signal.addEventListener('abort', abort);
    return promise;
  }

  /** Serves a line until it is empty. Never rejects: errors go to the waiters. */
  async function serve(key: string, line: Line<T>): Promise<void> {
    while (line.waiters.size > 0) {
      line.pause = new AbortController();
      try {
        await answer(line, await ask(key));
      } catch (error) {
        for (const waiter of line.waiters) waiter.reject(error as Error);
      }
      dismiss(line);
      if (line.waiters.size > 0) await pause(line);
    }
    lines.delete(key);
  }

  async function answer(line: Line<T>, asked: Asked<T>): Promise<void> {
    if (asked === 'later') return;
    if (asked.kind === 'all') {
      for (const waiter of line.waiters) waiter.resolve(asked.value);
      return;
    }
    const [first] = line.waiters;
    if (first === undefined) await giveBack(asked.value);
    else first.resolve(asked.value);
    line.pauseMs = FIRST_PAUSE_MS;
  }

  /** Rejects the waiters that have waited long enough. */
  function dismiss({ waiters }: Line<T>): void {
    const now = clock.now();
    for (const waiter of waiters) {
      // All wait equally long, so whoever stands behind one that may stay may stay too.
      if (waiter.untilMs > now) return;
      waiter.reject(inVain());
    }
  }

  async function pause(line: Line<T>): Promise<void> {
    const [first] = line.waiters;
    if (first === undefined) return;
    const ms = Math.min(line.pauseMs, first.untilMs - clock.now());
    line.pauseMs = Math.min(line.pauseMs * 2, LONGEST_PAUSE_MS);
    // Woken before its time, it ends all the same.
    await clock.wait(Math.max(0, ms), line.pause.signal).catch(() => undefined);
  }

  return { take, wake: (key) => lines.get(key)?.pause.abort(), isOpen: (key) => lines.has(key) };
}
