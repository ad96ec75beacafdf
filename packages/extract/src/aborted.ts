// Work that cannot be interrupted, and a caller who does not wait for it. `untilAborted` of core does the same; it is
// not called here, because the detection of a kind loads no other package.

/** Rejects with the signal's reason at once, although the work goes on: a document that waits, a stream that stalls. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settled = (): void => {
      signal.removeEventListener('abort', abort);
    };
    work.then(resolve, reject).then(settled, settled);
  });
}
