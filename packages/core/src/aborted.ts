// Waiting for work that may ignore its signal.

/**
 * Resolves with the result of `work`; rejects with the signal's reason as soon as the signal is aborted, even while the
 * work goes on.
 */
export async function untilAborted<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  let listener: (() => void) | undefined;
  try {
    // One promise for both. A separate promise for the signal would be an unhandled rejection when the work aborts and
    // throws.
    return await new Promise<Result>((resolve, reject) => {
      listener = () => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', listener, { once: true });
      work().then(resolve, reject);
    });
  } finally {
    if (listener !== undefined) signal.removeEventListener('abort', listener);
  }
}
