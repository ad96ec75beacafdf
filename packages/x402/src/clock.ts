// Time, as the gate needs it: a clock and a way to wait. The default is the machine's; tests bring their own.

/** A clock that one can wait by. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
    }),
};
