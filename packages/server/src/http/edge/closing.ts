// The end of the listening: those who still send are let finish, and nobody is cut off who could have been answered.
import type { Server } from 'node:http';
import { Fault } from '../../errors.ts';
import type { Connections } from './connections.ts';
import { breakOff, type Exchange } from './exchange.ts';

/** How long to wait, in milliseconds; never longer than `mostMs`. */
export interface QuietTime {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Time at the end for a head that is on its way, and for the answers of aborted requests, in milliseconds. */
const LAST_WORDS_MS = 1_000;

/**
 * Waits for the least time, and then until no request has come for a moment.
 *
 * @param latestMs when the latest request came
 */
export async function waitForQuiet(
  latestMs: () => number,
  { leastMs, mostMs }: QuietTime,
  quietMs: number,
): Promise<void> {
  const endMs = performance.now() + mostMs;
  // Never quiet at once: what waits in the backlog has not been seen yet.
  let calmMs = performance.now() + Math.max(leastMs, quietMs);
  while (performance.now() < Math.min(calmMs, endMs)) {
    const untilMs = Math.min(calmMs, endMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, untilMs - performance.now())));
    // On a busy machine the time may pass without a look at the sockets: one turn accepts, the next one reads.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    calmMs = Math.max(calmMs, latestMs() + quietMs);
  }
}

/**
 * Closes what listens; what has not ended within the time is answered with `shutting_down`.
 *
 * @param running exchanges that are not over, with what resolves when they are in the log
 */
export async function closeServer(
  server: Server,
  connections: Connections,
  running: ReadonlyMap<Exchange, Promise<void>>,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // Node ends connections that wait for their next request, but looks only once, and not at those that have never had
  // one, wait for the rest of a head, or for that of a body whose request is answered. Nor does it time heads any more.
  const lastHeads = setTimeout(() => connections.endIdle(), LAST_WORDS_MS);
  const polite = await settlesWithin(closed, graceMs);
  clearTimeout(lastHeads);
  if (!polite) {
    for (const { controller } of running.keys()) controller.abort(new Fault('shutting_down'));
    await settlesWithin(closed, LAST_WORDS_MS);
    for (const exchange of running.keys()) breakOff(exchange, 'shutdown');
    server.closeAllConnections();
    await closed;
  }
  await settlesWithin(Promise.all(running.values()), LAST_WORDS_MS);
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
