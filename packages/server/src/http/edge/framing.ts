// Bytes that node:http cannot parse are answered in the shape of all errors, after the answers of earlier requests on
// the connection.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../../errors/codes.ts';
import { HttpError } from '../../errors/http-error.ts';
import { commonHeaders, errorReply } from '../reply.ts';
import type { HttpExchange } from './exchange.ts';
import type { OutcomeReporter } from './outcome.ts';

/** Dependencies of {@link rejectFraming}. */
export interface FramingDeps {
  readonly report: OutcomeReporter;
  /** The client at the other end. */
  readonly client: string;
  /** Time in which further bytes are read and dropped before the close. */
  readonly lingerMs: number;
}

const FRAMING_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Rejected connections. The parser reports each further piece again. */
const rejected = new WeakSet<Duplex>();

/** True once the parser has rejected bytes of the connection. Later requests on it are not served. */
export function isRejected(socket: Duplex): boolean {
  return rejected.has(socket);
}

/**
 * @param cause from the parser, or from the system for a closed connection, whose requests end by themselves
 * @param exchanges unfinished requests of the connection
 */
export async function rejectFraming(
  cause: NodeJS.ErrnoException,
  socket: Duplex,
  exchanges: ReadonlySet<HttpExchange>,
  deps: FramingDeps,
): Promise<void> {
  if (socket.destroyed) return;
  const open = [...exchanges];
  const isAwaited = open.some(({ request, response }) => request.complete || response.headersSent);
  // A client that closes its side during the wait for an answer counts as gone, as in node:http.
  if (isAwaited && socket.readableEnded) {
    socket.destroy();
    return;
  }
  if (rejected.has(socket)) return;
  rejected.add(socket);
  const error = framingError(cause, socket);
  const broken = open.find(({ request }) => !request.complete);
  // The body is broken: the request's own answer reports it, under its route.
  if (broken !== undefined) {
    broken.controller.abort(error);
    return;
  }
  await Promise.all(open.map(({ over }) => over));
  if (socket.writable) rejectBytes(error, socket, deps);
  else socket.destroy();
}

function framingError({ code = '' }: NodeJS.ErrnoException, { readableEnded }: Duplex): HttpError {
  if (readableEnded) return new HttpError('invalid_http', { detail: ': it is cut short' });
  return new HttpError(FRAMING_CODES[code] ?? 'invalid_http');
}

/** Answers bytes that are no request, and ends the connection. */
function rejectBytes(error: HttpError, socket: Duplex, { report, client, lingerMs }: FramingDeps): void {
  const requestId = randomUUID();
  const reply = errorReply(error, requestId);
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
  );
  // A close at once resets the connection while the client still sends, and the client loses the answer.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  report(requestId, {
    method: undefined,
    route: 'none',
    status: reply.status,
    code: error.code,
    facts: {},
    client,
    brokeOff: undefined,
    seconds: undefined,
  });
}
