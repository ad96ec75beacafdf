// Paid work outlives its client: it is finished and stored, so that the same payment fetches it later. It ends with the
// service, which releases the payment.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpError } from '../errors/http-error.ts';

/** The running paid work. */
export interface PaidWork {
  /** Runs it. The signal is aborted with `shutting_down` when the service ends first. */
  run<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /**
   * Waits for the requests, which may still begin work, and for all work. Aborts the work after the time, and waits for
   * its end.
   */
  end(graceMs: number, requests: Promise<unknown>): Promise<void>;
}

export function createPaidWork(): PaidWork {
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const allEnded = async (): Promise<void> => {
    while (running.size > 0) {
      await Promise.allSettled(running);
      // The release of a failed payment is paid work too.
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
      const timer = setTimeout(() => ending.abort(new HttpError('shutting_down')), graceMs);
      await requests;
      await allEnded();
      clearTimeout(timer);
    },
  };
}
