// What the parser of node:http refuses is answered in the shape of all errors, in its turn: whatever was asked before
// it on the same connection is answered first.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FaultCode } from '../../codes.ts';
import { Fault } from '../../errors.ts';
import { commonHeaders, faultReply } from '../respond.ts';
import type { Report } from './outcome.ts';
import type { Pipeline } from './pipeline.ts';

/** What a refusal needs. */
export interface FramingParts {
  readonly report: Report;
  /** How long what else comes is read and dropped before the connection is ended. */
  readonly lingerMs: number;
}

const FRAMING_CODES: Readonly<Record<string, FaultCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Connections that the parser has refused: it says so again for each piece that comes. */
const refused = new WeakSet<Duplex>();

/** @param error what the parser says; or the system, of a connection that is gone, whose requests end by themselves */
export async function refuseFraming(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  pipeline: Pick<Pipeline, 'exchanges' | 'close' | 'refuse'>,
  parts: FramingParts,
): Promise<void> {
  if (socket.destroyed) return;
  const open = [...pipeline.exchanges];
  const isAwaited = open.some(({ request, response }) => request.complete || response.headersSent);
  // A client that closes its side while it waits for an answer is gone, as node:http has it where no byte is wrong.
  if (isAwaited && socket.readableEnded) {
    socket.destroy();
    return;
  }
  if (refused.has(socket)) return;
  refused.add(socket);
  const fault = faultOf(error, socket);
  const broken = open.find(({ request }) => !request.complete);
  // It is its body that is wrong: it is answered in its place, under its route.
  if (broken !== undefined) {
    pipeline.close();
    broken.controller.abort(fault);
    return;
  }
  // A head that came too late may yet be whole.
  pipeline.refuse();
  await Promise.all(open.map(({ over }) => over));
  if (socket.writable) refuse(fault, socket, parts);
  else socket.destroy();
}

function faultOf({ code = '' }: NodeJS.ErrnoException, { readableEnded }: Duplex): Fault {
  if (readableEnded) return new Fault('invalid_http', { detail: ': it is cut short' });
  return new Fault(FRAMING_CODES[code] ?? 'invalid_http');
}

/** Answers what is no request, and ends the connection. */
function refuse(fault: Fault, socket: Duplex, { report, lingerMs }: FramingParts): void {
  const requestId = randomUUID();
  const reply = faultReply(fault, requestId);
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
  // Closed at once, while its client sends on, the kernel would reset the connection, and the client lose the answer.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  report(requestId, {
    method: undefined,
    route: 'none',
    status: reply.status,
    code: fault.code,
    brokeOff: undefined,
    seconds: undefined,
  });
}
