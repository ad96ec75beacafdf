// Waiting for work that may not look at the signal it was given.

/**
 * Resolves with what `work` resolves with; rejects with the signal's reason as soon as that is aborted, whatever the
 * work does.
 */
export async function untilAborted<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  let listener: (() => void) | undefined;
  try {
    // One promise for both: of two, the signal's would be a rejection that nobody hears where work aborts and throws.
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
