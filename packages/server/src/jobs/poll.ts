// Looks for work: when told that there may be some, and again after a while, for nothing is sure to be told.

/** Runs of one function, never two at a time. */
export interface Poll {
  /** Runs it now; once more at its end when it is running. */
  readonly wake: () => void;
  /** Runs it no more; resolves when it is not running. */
  readonly stop: () => Promise<void>;
}

/** @param look resolves with the milliseconds until it is run again unless somebody wakes it; never rejects */
export function createPoll(look: () => Promise<number>): Poll {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  /** True when somebody has woken it while it was running. */
  let isTold = false;
  let isOver = false;

  function wake(): void {
    if (isOver) return;
    isTold = true;
    // Not at once: what is run may itself wake.
    looking ??= Promise.resolve().then(run);
  }

  async function run(): Promise<void> {
    clearTimeout(timer);
    let ms = 0;
    while (isTold && !isOver) {
      isTold = false;
      ms = await look();
    }
    looking = undefined;
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
      await looking;
    },
  };
}
