// A timer for background tasks. It keeps no process alive.

/** Runs a function after a pause in milliseconds; the returned function cancels it. */
export function unrefTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}
