// Work that was paid for outlives its client: it is finished and kept, so that the same payment fetches it later. It
// does not outlive the service: when that ends, what is left is given up, and the payment is free again.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault } from '../errors.ts';

/** The paid work that is going on. */
export interface PaidWork {
  /** Runs it; the signal is aborted with `shutting_down` when the service ends before it does. */
  run<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /**
   * Waits until the requests are over, which may still begin some, and until none is left, for so long at most; then
   * aborts it, and waits until it has given up.
   */
  end(graceMs: number, requests: Promise<unknown>): Promise<void>;
}

export function createPaidWork(): PaidWork {
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const allEnded = async (): Promise<void> => {
    while (running.size > 0) {
      await Promise.allSettled(running);
      // What failed is being refused, which is work too.
      await nextTurn();
    }
  };

  return {
    async run(work) {
      const done = work(ending.signal);
      running.add(done);
      try {
        return await done;
      } finally {
        running.delete(done);
      }
    },
    async end(graceMs, requests) {
      const timer = setTimeout(() => ending.abort(new Fault('shutting_down')), graceMs);
      await requests;
      await allEnded();
      clearTimeout(timer);
    },
  };
}
