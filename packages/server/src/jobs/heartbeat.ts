// The lease of a job that is worked on: renewed as long as the work lasts, with how far it is.
import type { Held } from '@grainline/x402';
import type { JobStep } from '../store/jobs.ts';

/** What keeps a job's lease, and says how far the job is. */
export interface Heartbeat {
  report(step: JobStep): void;
  /** Renews at once when the last renewal is longer ago than it should be; resolves when it is done. */
  catchUp(): Promise<void>;
  /** Resolves when nothing is on its way. */
  stop(): Promise<void>;
}

/** Progress is written at most this often: clients look every second or two. */
const STEP_MS = 250;

/**
 * Renews a job's lease and reports its progress, one call at a time. Of the steps reported during a call only the
 * latest goes with the next one.
 */
export function createHeartbeat(
  everyMs: number,
  renew: (step: JobStep | undefined) => Promise<Held>,
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
        // The store may be back before the lease is over; what was to be reported goes with the next.
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
