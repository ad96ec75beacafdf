// Timers for what runs in the background. They keep no process alive.

/** Runs something after so many milliseconds; the returned function forgets it. */
export function later(ms: number, run: () => void): () => void {
  const handle = setTimeout(run, ms);
  handle.unref();
  return () => clearTimeout(handle);
}
