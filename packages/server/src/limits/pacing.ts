// Keeps the event loop turning under a burst: work that blocks it runs once in several turns, so that sockets, and
// /health with them, are looked at in between. 200 uploads of 100 kB at once would otherwise block it for 0.3 s and
// more.

/**
 * Resolves when it is the caller's turn, in the order of the calls: one caller every {@link TURNS_APART} turns, or
 * {@link MOST_APART_MS} after the one before, whichever comes first.
 */
export type NextTurn = () => Promise<void>;

/**
 * Turns of the event loop from one caller to the next. Node takes one new connection a turn: with work in each of
 * them, the last of 200 that come together waits 200 times the work, 1.2 s. A turn without work costs some 20 µs.
 */
export const TURNS_APART = 16;

/**
 * The longest that callers are kept apart, in milliseconds. Turns that are full of other requests, as in a flood of
 * made-up payments, are so long that sixteen of them would let fewer documents through than come in.
 */
export const MOST_APART_MS = 8;

/** @param now milliseconds of a clock that only goes forward */
export function createPacing(now: () => number = () => performance.now()): NextTurn {
  const waiting: (() => void)[] = [];
  let turnsToGo = 0;
  let latestMs = -Infinity;
  const turn = (): void => {
    if (turnsToGo === 0 || now() - latestMs >= MOST_APART_MS) {
      waiting.shift()?.();
      turnsToGo = TURNS_APART;
      latestMs = now();
    }
    turnsToGo -= 1;
    // Asked for behind this one, the next immediate runs after the sockets have been looked at.
    if (waiting.length > 0) setImmediate(turn);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(turn);
    });
}
