// A request and its answer as node:http has them. Whatever is to be done at the end of both is said here, once: a
// response takes ten listeners of one event, and each step on the way would add its own.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone } from '../../errors.ts';

/**
 * Why an answer did not go out whole: its client took too long, or held most of a memory that was full, or sent too
 * many requests behind it; what it is made of failed; the service ended; or its client left.
 */
export type BreakCause = 'slow' | 'memory' | 'flood' | 'failed' | 'shutdown' | 'left';

/** One request, from its head until its answer is out or its connection gone. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** True when the client sends its body only after `100 Continue`. */
  readonly waitsForContinue: boolean;
  readonly requestId: string;
  /** Whose share of all limits it takes. */
  readonly client: string;
  /** Aborted when the client goes away, its body is broken or too slow, or the service stops at last. */
  readonly controller: AbortController;
  /** Runs something once it is over, at once when it is over already; the returned function forgets it. */
  readonly onOver: (run: () => void) => () => void;
  /** Resolves when it is over. */
  readonly over: Promise<unknown>;
}

export function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  about: Pick<Exchange, 'waitsForContinue' | 'client'>,
): Exchange {
  const controller = new AbortController();
  const waiting = new Set<() => void>();
  const over = Promise.withResolvers<undefined>();
  let isOver = false;
  // Node says so of every response: a turn after its last byte, and when its connection breaks.
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
    isOver = true;
    for (const run of waiting) run();
    waiting.clear();
    over.resolve(undefined);
  });
  // Whatever breaks on either side ends in the response's `close`, which carries the news.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  return {
    ...about,
    request,
    response,
    requestId: requestIdOf(request),
    controller,
    over: over.promise,
    onOver: (run) => {
      if (isOver) run();
      else waiting.add(run);
      return () => waiting.delete(run);
    },
  };
}

/**
 * Ends an exchange that cannot go on, and with it its connection: what its client has is neither the answer nor its
 * end.
 */
export function breakOff({ request }: Exchange, cause: Exclude<BreakCause, 'left'>): void {
  request.socket.destroy(new BrokenOff(cause));
}

/** Why the connection of an exchange is gone. */
export function breakCause({ request }: Exchange): BreakCause {
  const { errored } = request.socket;
  return errored instanceof BrokenOff ? errored.why : 'left';
}

/** The error of a connection that we have ended ourselves. */
class BrokenOff extends Error {
  readonly why: BreakCause;

  constructor(why: BreakCause) {
    super(`The connection was ended: ${why}.`);
    this.name = 'BrokenOff';
    this.why = why;
  }
}

const REQUEST_ID = /^[\w-]{1,64}$/;

/** The client's id when it is harmless, so that it can find its request in the log. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
