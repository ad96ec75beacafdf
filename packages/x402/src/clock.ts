// Time, as the gate needs it: a clock and a way to wait. The default is the machine's; tests bring their own.

/** A clock that one can wait by. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted, and then leaves
 * nothing behind.
 */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), wait };
