// How many payments a client may show that nobody knows. Each one costs a question to the network: whoever invents
// signatures is slowed down, while real payments cost nothing. It also remembers which clients have bought something
// lately: they are not kept waiting by a crowd of those who have not.

/** A bucket of lookups for each client. In memory: what a restart forgets fills up in a minute or two anyway. */
export interface LookupLimit {
  /** Takes one; false when there is none left. */
  take(client: string, now: number): boolean;
  /** Gives one back: the payment was one. */
  giveBack(client: string): void;
  /** Remembers that the client has bought something. What it has only shown says nothing: anybody may show it. */
  bought(client: string, now: number): void;
  /** Forgets it again: what the client showed was no payment. */
  foundNothing(client: string): void;
  /** Whether the client has bought something lately, and shown payments alone since. */
  isPayer(client: string, now: number): boolean;
}

/** Lookups of one client that may run at the same time, or come to nothing one after the other. */
const LOOKUPS = 256;
/** Look-ups that came to nothing are forgotten at this rate. */
const FORGOTTEN_A_SECOND = 2;

/** How long a client counts as a payer after its last purchase, in milliseconds. */
const PAYER_MS = 60 * 60_000;
/** Payers that are remembered, some hundred bytes each; beyond it those go that have bought nothing for longest. */
const MAX_PAYERS = 10_000;

interface Bucket {
  used: number;
  atMs: number;
}

export function createLookupLimit(): LookupLimit {
  const buckets = new Map<string, Bucket>();
  /** Emptied buckets go, so that the map holds no more clients than showed payments in the last minutes. */
  const forget = (now: number): void => {
    for (const [client, bucket] of buckets) {
      const seconds = Math.max(0, now - bucket.atMs) / 1000;
      bucket.used = Math.max(0, bucket.used - seconds * FORGOTTEN_A_SECOND);
      bucket.atMs = now;
      if (bucket.used === 0) buckets.delete(client);
    }
  };
  let sweptMs = -Infinity;
  /** Time of each payer's last purchase, in the order of that time. */
  const payers = new Map<string, number>();

  return {
    take(client, now) {
      // Once a second for all, so that a client more costs nothing; and when the clock was set back.
      if (now - sweptMs >= 1000 || now < sweptMs) {
        forget(now);
        sweptMs = now;
      }
      const bucket = buckets.get(client) ?? { used: 0, atMs: now };
      if (bucket.used + 1 > LOOKUPS) return false;
      bucket.used += 1;
      buckets.set(client, bucket);
      return true;
    },
    giveBack(client) {
      const bucket = buckets.get(client);
      if (bucket !== undefined) bucket.used = Math.max(0, bucket.used - 1);
    },
    bought(client, now) {
      payers.delete(client);
      payers.set(client, now);
      if (payers.size <= MAX_PAYERS) return;
      const [oldest = ''] = payers.keys();
      payers.delete(oldest);
    },
    foundNothing: (client) => void payers.delete(client),
    isPayer: (client, now) => now - (payers.get(client) ?? -Infinity) < PAYER_MS,
  };
}
