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
    const aborted = new Promise<never>((_, reject) => {
      listener = () => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', listener, { once: true });
    });
    // Work that throws at once must not leave the other promise to nobody.
    return await Promise.race([aborted, (async () => work())()]);
  } finally {
    if (listener !== undefined) signal.removeEventListener('abort', listener);
  }
}
