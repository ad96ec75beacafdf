// The queue of calls that wait for a free slot, or for money that another call gives back.

/** Calls that wait, in order. */
export class Waiters {
  #waiting: (() => void)[] = [];

  /** Resolves when the call is woken; rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== wake);
        reject(signal.reason as Error);
      };
      const wake = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      if (signal.aborted) {
        leave();
        return;
      }
      this.#waiting.push(wake);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Wakes up to `count` calls, the longest waiting first. */
  wake(count: number): void {
    for (const wake of this.#waiting.splice(0, count)) wake();
  }
}
