// The lease of a running job: renewed during the run, with the job's progress.
import type { LeaseStatus } from '@grainline/x402';
import type { JobStep } from '../store/jobs.ts';

/** Renews a job's lease and reports its progress. */
export interface Heartbeat {
  report(step: JobStep): void;
  /** Renews at once when a renewal is late; resolves when it is done. */
  catchUp(): Promise<void>;
  /** Stops the renewal; resolves when no call is open. */
  stop(): Promise<void>;
}

/** The shortest time between two writes of progress: clients poll every second or two. */
const STEP_MS = 250;

/**
 * Renews a job's lease and reports its progress, one call at a time. The next call writes only the latest of the steps
 * that were reported during a call.
 */
export function createHeartbeat(
  everyMs: number,
  renew: (step: JobStep | undefined) => Promise<LeaseStatus>,
  lose: () => void,
): Heartbeat {
  let reported: JobStep | undefined;
  let going: Promise<void> | undefined;
  let latestMs = performance.now() - STEP_MS;
  let isOver = false;
  let timer: NodeJS.Timeout;

  function next(ms: number): void {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(go, ms);
  }

  function go(): void {
    clearTimeout(timer);
    const step = reported;
    reported = undefined;
    latestMs = performance.now();
    going = renew(step)
      .then(
        (held) => {
          if (held === 'lost') lose();
        },
        // The store may be reachable again before the lease expires. The next call writes the step.
        () => void (reported ??= step),
      )
      .finally(() => {
        going = undefined;
        next(reported === undefined ? everyMs : STEP_MS);
      });
  }

  timer = setTimeout(go, everyMs);
  return {
    report(step) {
      reported = step;
      if (going === undefined) next(Math.max(0, latestMs + STEP_MS - performance.now()));
    },
    async catchUp() {
      if (isOver) return;
      if (going === undefined && performance.now() - latestMs > everyMs) go();
      await going;
    },
    async stop() {
      isOver = true;
      clearTimeout(timer);
      await going;
    },
  };
}
