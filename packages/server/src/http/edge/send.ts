// An answer becomes bytes on the socket, as fast as its client takes them.
import { Readable } from 'node:stream';
import type { Reply } from '../intake.ts';
import type { Exchange } from './exchange.ts';
import type { HeldMemory } from './outgoing.ts';
import type { Pipeline } from './pipeline.ts';

/** A reply as it is sent: bytes, or a stream of them. */
export interface Answer extends Pick<Reply, 'status' | 'headers' | 'fault'> {
  readonly body: Uint8Array | Readable;
  /** What lies in memory until the client has all of it. */
  readonly memory: HeldMemory;
}

/** How an answer is sent. */
export interface SendTerms {
  /** How long the rest of an unread body is dropped, in milliseconds. */
  readonly lingerMs: number;
  /** What else has come on its connection. */
  readonly pipeline: Pipeline;
  /** Whether the connection is ended when nothing more has come on it, whatever the client asks for. */
  readonly isStopping: boolean;
}

/** Answers are written piece by piece, so that it is seen how fast they go. */
const PIECE_BYTES = 64 * 1024;
/** A body up to this length is dropped without ending the connection: some packets, which are on their way already. */
const MAX_DROPPED_BYTES = 64 * 1024;
/** The buffers of a stream and its decompression: 300 that stood still took half a MiB each. */
const STREAM_BYTES = 512 * 1024;

export function answerOf({ body = '', source, ...reply }: Reply): Answer {
  if (body instanceof Readable)
    return { ...reply, body, memory: { buffer: source?.buffer, besides: STREAM_BYTES } };
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { ...reply, body: bytes, memory: { buffer: bytes.buffer, besides: 0 } };
}

/** Resolves when the answer is out or the connection gone, with whether all of the answer is out. */
export async function send(
  exchange: Exchange,
  answer: Answer,
  { pipeline, ...terms }: SendTerms,
): Promise<boolean> {
  const { request, response, controller, over } = exchange;
  const { status, body } = answer;
  // When a body has stalled or is broken, nobody knows whether its rest will ever come.
  const isUnread = !request.complete && (controller.signal.aborted || !isShortRest(exchange));
  const isLast = isUnread || (terms.isStopping && pipeline.isLast(exchange));
  if (isLast) pipeline.close();
  response.writeHead(status, headersOf(answer, isLast));
  const sent = request.method === 'HEAD' ? withoutBody(body) : body;
  if (isUnread) {
    request.resume();
    await write(exchange, sent);
    // Whoever closes the connection from now on has all of it.
    const isOut = !response.destroyed;
    await linger(exchange, terms.lingerMs);
    response.end();
    await over;
    return isOut;
  }
  if (sent instanceof Uint8Array && sent.byteLength <= PIECE_BYTES) response.end(sent);
  else {
    await write(exchange, sent);
    response.end();
  }
  await over;
  return response.writableFinished;
}

function withoutBody(body: Answer['body']): Uint8Array {
  if (body instanceof Readable) body.destroy();
  return new Uint8Array();
}

function headersOf({ status, headers, body }: Answer, isLast: boolean): Record<string, string> {
  const hasLength = !(body instanceof Readable) && status !== 204 && status !== 304;
  return {
    ...headers,
    ...(isLast ? { Connection: 'close' } : undefined),
    ...(hasLength ? { 'Content-Length': String(body.byteLength) } : undefined),
  };
}

/**
 * True for a body that nobody wants and that is as good as here: Node drops the rest of it by itself, and the
 * connection serves on. Another one costs both sides more than these bytes, and so do most refusals of a payment.
 */
function isShortRest({ request, waitsForContinue }: Exchange): boolean {
  const length = request.headers['content-length'];
  return !waitsForContinue && length !== undefined && Number(length) <= MAX_DROPPED_BYTES;
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/**
 * Writes as fast as the client reads; a stream is ended with the exchange, also while it has nothing to give. One
 * listener waits for all pieces.
 */
async function write({ response, onOver }: Exchange, body: Uint8Array | Readable): Promise<void> {
  let goOn = (): void => undefined;
  const go = (): void => goOn();
  const end = (): void => {
    go();
    if (body instanceof Readable) body.destroy();
  };
  response.on('drain', go);
  const forget = onOver(end);
  for await (const piece of body instanceof Readable ? body : pieces(body)) {
    if (response.destroyed) break;
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => (goOn = resolve));
  }
  forget();
  response.off('drain', go);
}

/** Sends what was written, and drops what still comes of the request for a while, before the connection is ended. */
async function linger({ request, response, onOver }: Exchange, lingerMs: number): Promise<void> {
  response.flushHeaders();
  if (request.complete || request.socket.readableEnded) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', end);
    onOver(end);
  });
}
