// How many bodies may be in memory at once. Whoever comes later waits unread, first come first served; but no client
// takes everything: else 8 connections that announce no length and send nothing would shut out all others for 60 s.
import { Fault } from '../errors.ts';

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

/** A request for a place, with the memory that it needs. */
export interface Claimant {
  /** Name of the client. One client gets at most {@link CLIENT_SHARE} of the places, of the bytes and of the queue. */
  readonly client: string;
  readonly bytes: number;
}

/** A bounded number of places with a bounded queue before them. */
export interface Admission {
  /**
   * Runs the work once there is a place for it and gives the place back when it ends, however it ends.
   * Rejects with the fault `busy` when the queue is full or the wait too long, with the signal's reason when aborted.
   */
  hold<Value>(claimant: Claimant, signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
  /** Claims that hold a place at the moment, and claims that wait for one. */
  load(): { readonly inWork: number; readonly waiting: number };
}

/** The rest is kept for others. */
const CLIENT_SHARE = 3 / 4;

interface Claim extends Claimant {
  readonly admit: () => void;
}

/** Places and bytes held, by everybody or by one client. */
interface Held {
  readonly places: number;
  readonly bytes: number;
}

const NOTHING: Held = { places: 0, bytes: 0 };

export function createAdmission(limits: AdmissionLimits): Admission {
  const share = {
    places: Math.ceil(limits.places * CLIENT_SHARE),
    bytes: limits.bytes * CLIENT_SHARE,
    queue: Math.ceil(limits.queue * CLIENT_SHARE),
  };
  // A Set keeps the order of arrival and gives up a member in constant time.
  const waiting = new Set<Claim>();
  let held = NOTHING;
  /** What each client holds; clients that hold nothing are not in it. */
  const heldBy = new Map<string, Held>();

  const heldByClient = (client: string): Held => heldBy.get(client) ?? NOTHING;
  const change = ({ client, bytes }: Claimant, places: 1 | -1): void => {
    const changed = (before: Held): Held => ({
      places: before.places + places,
      bytes: before.bytes + places * bytes,
    });
    held = changed(held);
    const after = changed(heldByClient(client));
    if (after.places === 0) heldBy.delete(client);
    else heldBy.set(client, after);
  };
  /** Lets waiting claims in, in order. A claim is overtaken only while it waits for its own client's share. */
  const admitWaiting = (): void => {
    const atShare = new Set<string>();
    for (const claim of waiting) {
      if (!fits(claim.bytes, held, limits)) return;
      if (!fits(claim.bytes, heldByClient(claim.client), share)) atShare.add(claim.client);
      if (atShare.has(claim.client)) continue;
      change(claim, 1);
      claim.admit();
    }
  };
  const isQueueFull = (client: string): boolean =>
    waiting.size > limits.queue ||
    [...waiting].filter((claim) => claim.client === client).length > share.queue;
  const enter = (claimant: Claimant, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        waiting.delete(claim);
      };
      const claim: Claim = {
        ...claimant,
        admit: () => {
          leaveQueue();
          resolve();
        },
      };
      const giveUp = (reason: unknown): void => {
        leaveQueue();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason is passed on as it is
        reject(reason);
        // Claims behind it may have waited for this one alone.
        admitWaiting();
      };
      const onAbort = (): void => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(new Fault('busy')), limits.waitMs);
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(claim);
      admitWaiting();
      if (waiting.has(claim) && isQueueFull(claim.client)) giveUp(new Fault('busy'));
    });

  return {
    async hold(claimant, signal, work) {
      signal.throwIfAborted();
      await enter(claimant, signal);
      try {
        return await work();
      } finally {
        change(claimant, -1);
        admitWaiting();
      }
    },
    load: () => ({ inWork: held.places, waiting: waiting.size }),
  };
}

/** A claim larger than everything fits as well, as long as nothing else is held. */
function fits(bytes: number, held: Held, most: Held): boolean {
  return held.places < most.places && (held.bytes + bytes <= most.bytes || held.places === 0);
}
