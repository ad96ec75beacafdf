// A request and its answer in node:http, with one promise for the end of both.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone } from '../../errors/http-error.ts';

/**
 * The reason of an incomplete answer: the client was too slow, held most of a full memory, or sent too many requests;
 * the body's source failed; the service ended; or the client left.
 */
export type BreakCause = 'slow' | 'memory' | 'flood' | 'failed' | 'shutdown' | 'left';

/** One request from its head to the end of its answer or of its connection. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** True while the client withholds its body until `100 Continue`. */
  waitsForContinue: boolean;
  readonly requestId: string;
  /** The client, for all limits. */
  readonly client: string;
  /** Aborted when the client leaves, its body is broken or too slow, or the service stops. */
  readonly controller: AbortController;
  /** Resolves at its end. */
  readonly over: Promise<undefined>;
}

export function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  about: Pick<HttpExchange, 'waitsForContinue' | 'client'>,
): HttpExchange {
  const controller = new AbortController();
  const over = Promise.withResolvers<undefined>();
  // Node emits `close` for every response: one turn after its last byte, or when its connection breaks.
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
    over.resolve(undefined);
  });
  // The response's `close` covers all errors of both sides.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  return {
    ...about,
    request,
    response,
    requestId: requestIdOf(request),
    controller,
    over: over.promise,
  };
}

/** Ends a failed exchange and its connection: its client has an incomplete answer. */
export function breakOff({ request }: HttpExchange, cause: Exclude<BreakCause, 'left'>): void {
  request.socket.destroy(new BrokenOff(cause));
}

/** The reason of a closed connection. */
export function breakCause({ request }: HttpExchange): BreakCause {
  const { errored } = request.socket;
  return errored instanceof BrokenOff ? errored.why : 'left';
}

/** The error of a connection that the edge has closed. */
class BrokenOff extends Error {
  readonly why: BreakCause;

  constructor(why: BreakCause) {
    super(`The connection was ended: ${why}.`);
    this.name = 'BrokenOff';
    this.why = why;
  }
}

const REQUEST_ID = /^[\w-]{1,64}$/;

/** The client's id when it is harmless. Clients find their requests in the log by it. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
