// Polls for work: on a notification, and after a pause, because a notification may be lost.

/** Runs one function, one call at a time. */
export interface Poll {
  /** Runs the function now, or once more after the current call. */
  readonly wake: () => void;
  /** Stops the calls; resolves when none is open. */
  readonly stop: () => Promise<void>;
}

/** @param poll resolves with the milliseconds until its next call, unless it is woken before; never rejects */
export function createPoll(poll: () => Promise<number>): Poll {
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  /** True after a wake that no call has answered yet. */
  let isWoken = false;
  let isOver = false;

  function wake(): void {
    if (isOver) return;
    isWoken = true;
    // In a later microtask: the function may itself wake the poll.
    polling ??= Promise.resolve().then(run);
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    let ms = 0;
    while (isWoken && !isOver) {
      isWoken = false;
      ms = await poll();
    }
    polling = undefined;
    if (isOver) return;
    timer = setTimeout(wake, ms);
    // The server that listens keeps the process alive.
    timer.unref();
  }

  return {
    wake,
    async stop() {
      isOver = true;
      clearTimeout(timer);
      await polling;
    },
  };
}
