// One request from its head to its log line: a request becomes an Intake, and what is replied is sent.
import type { Logger } from 'pino';
import { ClientGone, Fault } from '../../errors.ts';
import type { Intake, Reply } from '../intake.ts';
import type { Origin } from '../origin.ts';
import { commonHeaders, faultReply } from '../respond.ts';
import { type BreakCause, breakCause, breakOff, type Exchange } from './exchange.ts';
import type { Report } from './outcome.ts';
import type { Outgoing } from './outgoing.ts';
import type { Pipeline } from './pipeline.ts';
import { type Answer, answerOf, send } from './send.ts';
import type { StallWatch } from './stalls.ts';

/** What serves requests. */
export interface ServeParts {
  /** Rejects with the intake's abort reason only. */
  readonly respond: (intake: Intake) => Promise<Reply>;
  /** The template of the route that a path leads to, or `none`. */
  readonly routeOf: (path: string) => string;
  /** Known once the socket listens. */
  readonly origin: Origin;
  readonly log: Logger;
  /** True once connections are no longer kept alive. */
  readonly isStopping: () => boolean;
  readonly report: Report;
  readonly stalls: StallWatch;
  readonly outgoing: Outgoing;
  readonly lingerMs: number;
}

/**
 * Never rejects.
 *
 * @param turn resolves when those before it on its connection are over; at the very end of the service later
 */
export async function serveExchange(
  exchange: Exchange,
  pipeline: Pipeline,
  parts: ServeParts,
  turn: Promise<unknown>,
): Promise<void> {
  const { request, response, requestId } = exchange;
  const startedMs = performance.now();
  let answer: Answer | undefined;
  let isWhole = false;
  try {
    await turn;
    // Behind an answer that was the last, nothing can be told any more.
    if (response.destroyed || request.socket.writableEnded) throw new ClientGone();
    answer = await answerTo(exchange, parts);
    watchAnswer(exchange, answer, parts);
    const terms = { pipeline, lingerMs: parts.lingerMs, isStopping: parts.isStopping() };
    isWhole = await send(exchange, answer, terms);
  } catch (error) {
    if (!(error instanceof ClientGone)) {
      if (!response.destroyed) parts.log.error({ request_id: requestId, err: error }, 'answer broke off');
      breakOff(exchange, 'failed');
    }
  }
  parts.report(requestId, {
    method: request.method,
    route: parts.routeOf(placeOf(request.url ?? '')?.path ?? ''),
    status: answer?.status ?? CLIENT_GONE.status,
    code: answer === undefined ? CLIENT_GONE.code : answer.fault?.code,
    brokeOff: isWhole ? undefined : brokeOffOf(exchange, answer),
    seconds: (performance.now() - startedMs) / 1000,
  });
}

/** A client that leaves before there is an answer has not broken one off. */
function brokeOffOf(exchange: Exchange, answer: Answer | undefined): BreakCause | undefined {
  const cause = breakCause(exchange);
  return answer === undefined && cause === 'left' ? undefined : cause;
}

/** Outcome of a request whose client left before it had an answer. */
const CLIENT_GONE = { status: 499, code: 'client_gone' } as const;

/** The answer as it is sent. The text of the reply is gone when this has ended: else both would lie in memory. */
async function answerTo(exchange: Exchange, parts: ServeParts): Promise<Answer> {
  const reply = await replyTo(exchange, parts);
  logCause(reply, exchange.requestId, parts.log);
  return answerOf(reply);
}

/** Logs the cause of a fault that is ours to mend. A client's fault is one line like any other. */
function logCause({ fault }: Reply, requestId: string, log: Logger): void {
  if (fault === undefined || fault.status < 500 || fault.cause === undefined) return;
  log[fault.status === 500 ? 'error' : 'warn'](
    { request_id: requestId, code: fault.code, err: fault.cause },
    fault.message,
  );
}

async function replyTo(exchange: Exchange, parts: ServeParts): Promise<Reply> {
  const { request, response, waitsForContinue, requestId, client, controller } = exchange;
  const { headers, method = '' } = request;
  const place = placeOf(request.url ?? '');
  if (place === undefined) return refuse(requestId, ': its path cannot be read');
  const needsHost = request.httpVersion === '1.1';
  if (needsHost && headers.host === undefined) return refuse(requestId, ': it names no Host');
  // RFC 9112, section 3.2: of two hosts, a proxy in between may have gone by the other.
  if ((request.headersDistinct['host'] ?? []).length > 1)
    return refuse(requestId, ': it names more than one Host');
  // RFC 9112, section 6.1: node:http takes `gzip, chunked` too, and hands on bytes that are still compressed.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked')
    return refuse(requestId, ': its Transfer-Encoding is another one than chunked');
  return parts.respond({
    method,
    ...place,
    headers,
    client,
    requestId,
    origin: parts.origin(headers.host),
    signal: controller.signal,
    openBody: () => {
      if (waitsForContinue) response.writeContinue();
      watchBody(exchange, parts.stalls);
      return request;
    },
  });
}

/** The parts of `/path?query` and of `http://host/path?query`; undefined for what names no path. */
function placeOf(target: string): Pick<Intake, 'path' | 'query'> | undefined {
  if (target === '*') return { path: target, query: '' };
  const url = target.startsWith('/') ? undefined : URL.parse(target);
  if (url === null) return undefined;
  const [local = ''] = (url === undefined ? target : url.pathname + url.search).split('#', 1);
  const [path = ''] = local.split('?', 1);
  return { path, query: local.slice(path.length + 1) };
}

/** The answer to a request that has a form of its own; nobody knows what else comes on its connection. */
function refuse(requestId: string, detail: string): Reply {
  return lastReply(new Fault('invalid_http', { detail }), requestId);
}

/** The answer on a connection for which there was no room, and its end. */
export function refuseBusy({ requestId }: Pick<Intake, 'requestId'>): Promise<Reply> {
  return Promise.resolve(lastReply(new Fault('busy'), requestId));
}

/** A refusal after which the connection is ended. */
function lastReply(fault: Fault, requestId: string): Reply {
  const reply = faultReply(fault, requestId);
  return { ...reply, headers: { ...commonHeaders(requestId, reply.headers), Connection: 'close' } };
}

/** From here on the client is expected to send its body. */
function watchBody({ request, controller, onOver }: Exchange, stalls: StallWatch): void {
  const stop = stalls.watch({
    // What lies in the buffer has come, and waits for us.
    isWaiting: () => !request.complete && request.readableLength === 0,
    bytes: () => request.socket.bytesRead,
    end: () => controller.abort(new Fault('request_timeout')),
  });
  const forget = onOver(stop);
  request.once('end', () => {
    forget();
    stop();
  });
}

/** From here on the client is expected to take its answer, which lies in memory until then. */
function watchAnswer(exchange: Exchange, { memory }: Answer, { stalls, outgoing }: ServeParts): void {
  const { request, client, onOver } = exchange;
  const { socket } = request;
  onOver(
    stalls.watch({
      isWaiting: () => socket.writableLength > 0,
      bytes: () => socket.bytesWritten - socket.writableLength,
      end: () => breakOff(exchange, 'slow'),
    }),
  );
  onOver(outgoing.add({ client, memory, end: () => breakOff(exchange, 'memory') }));
}
