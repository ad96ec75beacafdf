// Clients that stop sending their request or reading their answer. The timer is the socket's own: node:net restarts it
// with every byte in either direction, also while the system sends a large write in parts.
import type { Socket } from 'node:net';
import { HttpError } from '../../errors/http-error.ts';
import { breakOff, type HttpExchange } from './exchange.ts';

/**
 * Ends the request of a connection that has been silent for its timeout, unless the server is the one that works.
 *
 * @param exchange the request that the connection serves; undefined between two requests
 */
export function endStalled(socket: Socket, exchange: HttpExchange | undefined): void {
  if (exchange === undefined) socket.destroy();
  else if (socket.writableLength > 0) breakOff(exchange, 'slow');
  else if (isBodyMissing(exchange)) exchange.controller.abort(new HttpError('request_timeout'));
  // A socket's timer fires once for each silence.
  else socket.setTimeout(socket.timeout ?? 0);
}

/** True when node:http reads and no byte arrives. At a full buffer node:http stops reading; the client then waits. */
function isBodyMissing({ request, waitsForContinue }: HttpExchange): boolean {
  return !request.complete && !waitsForContinue && request.readableLength < request.readableHighWaterMark;
}
