// How many bodies may be in memory at once. Whoever comes later waits unread, first come first served.
import { Fault } from './errors.ts';

/** Limits of an {@link Admission}. */
export interface AdmissionLimits {
  /** Holders at one time. */
  readonly places: number;
  /** Sum of what the holders declare, in bytes. A single claim above it is let in when nobody else is. */
  readonly bytes: number;
  /** Claims that may wait. */
  readonly queue: number;
  /** Time that a claim may wait. */
  readonly waitMs: number;
}

/** A bounded number of places with a bounded queue before them. */
export interface Admission {
  /**
   * Runs the work once there is a place for it and gives the place back when it ends, however it ends.
   * Rejects with the fault `busy` when the queue is full or the wait too long, with the signal's reason when aborted.
   */
  hold<Value>(bytes: number, signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
}

interface Claim {
  readonly bytes: number;
  readonly admit: () => void;
}

export function createAdmission(limits: AdmissionLimits): Admission {
  // A Set keeps the order of arrival and gives up a member in constant time.
  const waiting = new Set<Claim>();
  let places = limits.places;
  let bytesLeft = limits.bytes;

  const fits = (bytes: number): boolean => places > 0 && (bytes <= bytesLeft || places === limits.places);
  const take = (bytes: number): void => {
    places -= 1;
    bytesLeft -= bytes;
  };
  const giveBack = (bytes: number): void => {
    places += 1;
    bytesLeft += bytes;
    for (const claim of waiting) {
      if (!fits(claim.bytes)) return;
      waiting.delete(claim);
      take(claim.bytes);
      claim.admit();
    }
  };
  const enter = async (bytes: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (waiting.size === 0 && fits(bytes)) {
      take(bytes);
      return;
    }
    if (waiting.size >= limits.queue) throw new Fault('busy');
    await waitFor(bytes, signal);
  };
  const waitFor = (bytes: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        waiting.delete(claim);
      };
      const claim: Claim = {
        bytes,
        admit: () => {
          leaveQueue();
          resolve();
        },
      };
      const giveUp = (reason: unknown): void => {
        leaveQueue();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason is passed on as it is
        reject(reason);
      };
      const onAbort = (): void => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(new Fault('busy')), limits.waitMs);
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(claim);
    });

  return {
    async hold(bytes, signal, work) {
      await enter(bytes, signal);
      try {
        return await work();
      } finally {
        giveBack(bytes);
      }
    },
  };
}
