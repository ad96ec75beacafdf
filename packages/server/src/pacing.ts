// Keeps the event loop turning under a burst: work that blocks it runs once a turn, so that sockets, and /health
// with them, are looked at in between. 200 uploads of 100 kB at once would otherwise block it for 0.3 s and more.

/** Resolves when it is the caller's turn: one caller each turn of the event loop, in the order of the calls. */
export type NextTurn = () => Promise<void>;

export function createPacing(): NextTurn {
  const waiting: (() => void)[] = [];
  const turn = (): void => {
    waiting.shift()?.();
    // Asked for behind this one, the next immediate runs after the sockets have been looked at.
    if (waiting.length > 0) setImmediate(turn);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(turn);
    });
}
