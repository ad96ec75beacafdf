// What the parser of node:http refuses is answered in the shape of all errors.
import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { FaultCode } from '../../codes.ts';
import { Fault } from '../../errors.ts';
import { commonHeaders, faultReply } from '../respond.ts';

const FRAMING_CODES: Readonly<Record<string, FaultCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what the parser refuses, in the shape of all errors, and ends the connection. */
export function refuseFraming(error: NodeJS.ErrnoException, socket: Duplex, log: Logger): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const reply = faultReply(new Fault(FRAMING_CODES[error.code ?? ''] ?? 'invalid_http'), requestId);
  const bytes = Buffer.from(reply.body as string);
  const headers = {
    ...commonHeaders(requestId, reply.headers),
    'Content-Length': String(bytes.length),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}\r\n${lines.join('')}\r\n${bytes.toString()}`,
    () => socket.destroy(),
  );
  log.info({ request_id: requestId, route: 'none', status: reply.status, code: reply.fault?.code });
}

/** True when an answer is already on its way on this socket: a second one in its middle would be garbage. */
function hasBegunAnswer(socket: Duplex): boolean {
  // Not in Node's types, and what its own answer to a client error asks before it writes.
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  return response?.headersSent ?? false;
}
