// The end of the edge: clients that still send are served, and no answerable request is cut off.
import type { Server } from 'node:http';
import { HttpError } from '../../errors/http-error.ts';
import type { HttpConnections } from './connections.ts';
import { breakOff, type HttpExchange } from './exchange.ts';

/** Bounds of a wait, in milliseconds. `mostMs` is the stronger one. */
export interface QuietTime {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Time at the end for a started head, and for the answers of aborted requests, in milliseconds. */
const LAST_WORDS_MS = 1_000;

/**
 * Waits for the least time, and then until requests pause.
 *
 * @param latestMs the time of the latest request
 */
export async function waitForQuiet(
  latestMs: () => number,
  { leastMs, mostMs }: QuietTime,
  quietMs: number,
): Promise<void> {
  const endMs = performance.now() + mostMs;
  // Not before a pause: requests in the backlog are not visible yet.
  let calmMs = performance.now() + Math.max(leastMs, quietMs);
  while (performance.now() < Math.min(calmMs, endMs)) {
    const untilMs = Math.min(calmMs, endMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, untilMs - performance.now())));
    // On a busy machine the time may pass without a read of the sockets: one turn accepts, the next one reads.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    calmMs = Math.max(calmMs, latestMs() + quietMs);
  }
}

/**
 * Closes the server. Requests that outlast the time are answered with `shutting_down`.
 *
 * @param running unfinished exchanges, with promises that resolve once they are logged
 */
export async function closeServer(
  server: Server,
  connections: HttpConnections,
  running: ReadonlyMap<HttpExchange, Promise<void>>,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // Node closes connections between two requests once. It keeps connections without a first request, with an unfinished
  // head, or with an unfinished body of an answered request. It also stops its time-outs of heads.
  const idleSweep = setInterval(() => connections.closeIdle(), LAST_WORDS_MS);
  const polite = await settlesWithin(closed, graceMs);
  clearInterval(idleSweep);
  if (!polite) {
    for (const { controller } of running.keys()) controller.abort(new HttpError('shutting_down'));
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
