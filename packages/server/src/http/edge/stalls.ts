// Clients that send their body, or take their answer, a few bytes at a time: each would hold a place for as long as it
// likes. Only the time counts in which nothing but the client is waited for, so that no queue, payment or work of ours
// is held against it, and a large document over a slow line is taken as long as it comes.

/** How slow a client may be. */
export interface StallLimits {
  /** How long it may be without a byte, in ms, when all before came fast enough. */
  readonly stallMs: number;
  /**
   * Rate at which the client must send, or take, while it is waited for. Each second at this rate buys back one second
   * of standing still.
   */
  readonly bytesPerS: number;
}

/** One direction of one exchange. */
export interface Transfer {
  /** Whether nothing but the client is waited for at this moment. */
  readonly isWaiting: () => boolean;
  /** What came, or went, so far. */
  readonly bytes: () => number;
  /** Called once, when the client has been too slow. */
  readonly end: () => void;
}

export interface StallWatch {
  /** Watches until the returned function is called. */
  watch(transfer: Transfer): () => void;
  /** Counts so many ms. Called by the timer of {@link createStallWatch}; tests call it themselves. */
  tick(ms: number): void;
}

interface Watched extends Transfer {
  /** Milliseconds that the client may still stand still. */
  creditMs: number;
  seen: number;
}

/** @param everyMs how often is looked; 0: only at {@link StallWatch.tick} */
export function createStallWatch({ stallMs, bytesPerS }: StallLimits, everyMs: number): StallWatch {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  function tick(ms: number): void {
    for (const entry of watched) {
      const bytes = entry.bytes();
      const earnedMs = ((bytes - entry.seen) / bytesPerS) * 1000;
      entry.seen = bytes;
      entry.creditMs = Math.min(stallMs, entry.creditMs + earnedMs - (entry.isWaiting() ? ms : 0));
      if (entry.creditMs >= 0) continue;
      watched.delete(entry);
      entry.end();
    }
    rest();
  }

  /** No timer runs while there is nothing to watch. */
  function rest(): void {
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(transfer) {
      const entry = { ...transfer, creditMs: stallMs, seen: transfer.bytes() };
      watched.add(entry);
      // A late tick counts as one: an event loop that is held up by our work is not the client's doing.
      if (everyMs > 0) timer ??= setInterval(() => tick(everyMs), everyMs).unref();
      return () => {
        watched.delete(entry);
        rest();
      };
    },
    tick,
  };
}
