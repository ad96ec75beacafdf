// The end of a service for its clients: they notice the 503 of `/ready`, running requests end, the rest is aborted.
import type { Edge } from '../http/edge/index.ts';
import type { Phase } from '../routes/deps.ts';
import type { Settings } from '../settings/settings.ts';
import type { Dependencies } from './dependencies.ts';

/** The phases of a service, and the way through them. */
export interface Drain {
  readonly phase: () => Phase;
  /** Records a request for `/ready`: a load balancer may poll. */
  recordPoll(): void;
  /**
   * Hands over the jobs, refuses new work, and waits until running requests and paid work have ended.
   *
   * @param isNoticed true when requests are served until clients have had time to notice the end
   */
  end(edge: Pick<Edge, 'waitForQuiet' | 'close'>, work: DrainedWork, isNoticed: boolean): Promise<void>;
}

/** The work that may outlive its request. */
type DrainedWork = Pick<Dependencies, 'jobs' | 'payments'>;

/** Time at the end in which requests are served although no client polls `/ready`. */
const LEAVING_MS = 2_000;
/** A client that has requested `/ready` within this time counts as a load balancer that polls. */
const POLLED_MS = 60_000;

/** @param leavingMs default 2000; see ServiceOverrides */
export function createDrain(
  { drainMs, shutdownMs }: Pick<Settings, 'drainMs' | 'shutdownMs'>,
  leavingMs = LEAVING_MS,
): Drain {
  let phase: Phase = 'serving';
  let polledMs = -Infinity;

  return {
    phase: () => phase,
    recordPoll() {
      polledMs = performance.now();
    },
    async end(edge, { jobs, payments }, isNoticed) {
      const beganMs = performance.now();
      phase = 'leaving';
      const handedOver = jobs.close(shutdownMs / 2);
      if (isNoticed) {
        const ms = Math.min(drainMs, shutdownMs / 2);
        const isPolled = beganMs - polledMs < POLLED_MS;
        await edge.waitForQuiet(
          isPolled ? { leastMs: ms, mostMs: ms } : { leastMs: 0, mostMs: Math.min(leavingMs, shutdownMs) },
        );
      }
      phase = 'refusing';
      const leftMs = Math.max(0, shutdownMs - (performance.now() - beganMs));
      // Paid work is finished without its client.
      await Promise.all([payments.work.end(leftMs, edge.close(leftMs)), handedOver]);
    },
  };
}
