// Writes an answer to the socket, as fast as its client reads.
import { Readable } from 'node:stream';
import type { HttpReply } from '../message.ts';
import type { HttpExchange } from './exchange.ts';

/** A reply in its sent form: bytes, or a stream of them. */
export interface SendableReply extends Pick<HttpReply, 'status' | 'headers' | 'error'> {
  readonly body: Uint8Array | Readable;
  /** Memory that the answer holds until its client has all of it, in bytes. */
  readonly heldBytes: number;
}

/** Options of {@link send}. */
export interface SendTerms {
  /** Time in which the rest of an unread body is dropped, in milliseconds. */
  readonly lingerMs: number;
  /** True when the answer is the last one of its connection, whatever the client requests. */
  readonly isFinal: boolean;
}

/** A body up to this length is dropped without ending the connection: some packets, which are on their way already. */
const MAX_DROPPED_BYTES = 64 * 1024;
/** The buffers of a stream and its decompression: 300 that stood still took half a MiB each. */
const STREAM_BYTES = 512 * 1024;

export function toSendable({ body = '', source, ...reply }: HttpReply): SendableReply {
  if (body instanceof Readable)
    return { ...reply, body, heldBytes: STREAM_BYTES + (source?.byteLength ?? 0) };
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { ...reply, body: bytes, heldBytes: bytes.byteLength };
}

/** Resolves when the answer is sent or the connection gone; true when all of it is sent. */
export async function send(
  exchange: HttpExchange,
  answer: SendableReply,
  { isFinal, lingerMs }: SendTerms,
): Promise<boolean> {
  const { request, response, controller, over } = exchange;
  const isUnread = !request.complete;
  // When a body has stalled or is broken, its rest may never come.
  const isLast = isFinal || (isUnread && (controller.signal.aborted || !isShortRest(exchange)));
  response.writeHead(answer.status, headersOf(answer, isLast));
  if (isUnread) request.resume();
  await write(exchange, request.method === 'HEAD' ? withoutBody(answer.body) : answer.body);
  // A client that closes the connection from now on has all of the answer.
  const isOut = isUnread && !response.destroyed;
  if (isUnread) await linger(exchange, lingerMs);
  response.end();
  // Node would wait for the rest as long as for a next request.
  if (!request.complete) request.socket.destroySoon();
  await over;
  return isOut || response.writableFinished;
}

function withoutBody(body: SendableReply['body']): Uint8Array {
  if (body instanceof Readable) body.destroy();
  return new Uint8Array();
}

function headersOf({ status, headers, body }: SendableReply, isLast: boolean): Record<string, string> {
  const hasLength = !(body instanceof Readable) && status !== 204 && status !== 304;
  return {
    ...headers,
    ...(isLast ? { Connection: 'close' } : undefined),
    ...(hasLength ? { 'Content-Length': String(body.byteLength) } : undefined),
  };
}

/**
 * True for an unread body whose rest is likely on its way: dropping it keeps the connection, and a new connection costs
 * both sides more than these bytes.
 */
function isShortRest({ request, waitsForContinue }: HttpExchange): boolean {
  const length = request.headers['content-length'];
  return !waitsForContinue && length !== undefined && Number(length) <= MAX_DROPPED_BYTES;
}

/** A stream is read as fast as the client reads, and ends with the exchange, also while it yields nothing. */
async function write(exchange: HttpExchange, body: Uint8Array | Readable): Promise<void> {
  if (body instanceof Uint8Array) return writePiece(exchange, body);
  void exchange.over.then(() => body.destroy());
  for await (const piece of body) await writePiece(exchange, piece as Uint8Array);
}

/** Resolves when the system has taken all bytes: `server.close()` cuts off a response that has ended before. */
async function writePiece({ response, over }: HttpExchange, piece: Uint8Array): Promise<void> {
  if (response.destroyed || response.write(piece)) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    void over.then(resolve);
  });
}

/** Sends what was written, and drops the rest of the request's body until it ends or its time is over. */
async function linger({ request, response, over }: HttpExchange, lingerMs: number): Promise<void> {
  response.flushHeaders();
  if (request.complete || request.socket.readableEnded) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', end);
    void over.then(end);
  });
}
