// One request from its head to its log line.
import type { Logger } from 'pino';
import { ClientGone, HttpError } from '../../errors/http-error.ts';
import type { HttpRequest, HttpReply, LoggedFacts } from '../message.ts';
import type { OriginResolver } from '../origin.ts';
import { commonHeaders, errorReply } from '../reply.ts';
import { type BreakCause, breakCause, breakOff, type HttpExchange } from './exchange.ts';
import { CLIENT_GONE, type OutcomeReporter } from './outcome.ts';
import type { OutgoingReplies } from './outgoing.ts';
import { type SendableReply, toSendable, send } from './send.ts';

/** Dependencies of {@link serveExchange}. */
export interface ServeDeps {
  /** Rejects with the abort reason of the request only. */
  readonly respond: (httpRequest: HttpRequest) => Promise<HttpReply>;
  /** The template of a path's route, or `none`. */
  readonly routeOf: (path: string) => string;
  readonly origin: OriginResolver;
  readonly log: Logger;
  readonly report: OutcomeReporter;
  readonly outgoing: OutgoingReplies;
  /** True when the answer to this request is the last one of its connection. */
  readonly isFinal: (exchange: HttpExchange) => boolean;
  readonly lingerMs: number;
}

/**
 * Never rejects.
 *
 * @param turn resolves after the earlier requests of its connection; later at the end of the service
 */
export async function serveExchange(
  exchange: HttpExchange,
  deps: ServeDeps,
  turn: Promise<unknown>,
): Promise<void> {
  const { request, response, requestId } = exchange;
  const startedMs = performance.now();
  let answer: SendableReply | undefined;
  let facts: LoggedFacts = {};
  const note = (added: LoggedFacts): void => void (facts = { ...facts, ...added });
  let isWhole = false;
  try {
    await turn;
    // No answer can follow the last one of a connection.
    if (response.destroyed || request.socket.writableEnded) throw new ClientGone();
    answer = await answerTo(exchange, deps, note);
    const forget = deps.outgoing.add(answer.heldBytes, () => breakOff(exchange, 'memory'));
    void exchange.over.then(forget);
    isWhole = await send(exchange, answer, { lingerMs: deps.lingerMs, isFinal: deps.isFinal(exchange) });
  } catch (error) {
    if (!(error instanceof ClientGone)) {
      if (!response.destroyed) deps.log.error({ request_id: requestId, err: error }, 'answer broke off');
      breakOff(exchange, 'failed');
    }
  }
  deps.report(requestId, {
    method: request.method,
    route: deps.routeOf(parseTarget(request.url ?? '')?.path ?? ''),
    status: answer?.status ?? CLIENT_GONE.status,
    code: answer === undefined ? CLIENT_GONE.code : answer.error?.code,
    facts,
    client: exchange.client,
    brokeOff: isWhole ? undefined : brokeOffOf(exchange, answer),
    seconds: (performance.now() - startedMs) / 1000,
  });
}

/** A client that leaves before the answer has not broken one off. */
function brokeOffOf(exchange: HttpExchange, answer: SendableReply | undefined): BreakCause | undefined {
  const cause = breakCause(exchange);
  return answer === undefined && cause === 'left' ? undefined : cause;
}

/** The answer in its sent form. The reply's text is released at the end: both would fill the memory. */
async function answerTo(
  exchange: HttpExchange,
  deps: ServeDeps,
  note: HttpRequest['note'],
): Promise<SendableReply> {
  const reply = await replyTo(exchange, deps, note);
  logCause(reply, exchange.requestId, deps.log);
  return toSendable(reply);
}

/** Logs the cause of an error of the service. A client's error is one line like any other. */
function logCause({ error }: HttpReply, requestId: string, log: Logger): void {
  if (error === undefined || error.status < 500 || error.cause === undefined) return;
  log[error.status === 500 ? 'error' : 'warn'](
    { request_id: requestId, code: error.code, err: error.cause },
    error.message,
  );
}

async function replyTo(
  exchange: HttpExchange,
  deps: ServeDeps,
  note: HttpRequest['note'],
): Promise<HttpReply> {
  const { request, response, requestId, client, controller } = exchange;
  const { headers, method = '' } = request;
  const target = parseTarget(request.url ?? '');
  if (target === undefined) return invalidHttp(requestId, ': its path cannot be read');
  const needsHost = request.httpVersion === '1.1';
  if (needsHost && headers.host === undefined) return invalidHttp(requestId, ': it names no Host');
  // RFC 9112, section 3.2: a proxy may have used the other one of two hosts.
  if ((request.headersDistinct['host'] ?? []).length > 1)
    return invalidHttp(requestId, ': it names more than one Host');
  // RFC 9112, section 6.1: node:http also accepts `gzip, chunked` and passes on compressed bytes.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked')
    return invalidHttp(requestId, ': its Transfer-Encoding is another one than chunked');
  return deps.respond({
    method,
    ...target,
    headers,
    client,
    requestId,
    origin: deps.origin(headers.host),
    signal: controller.signal,
    note,
    openBody: () => {
      if (exchange.waitsForContinue) response.writeContinue();
      exchange.waitsForContinue = false;
      return request;
    },
  });
}

/** The parts of `/path?query` and of `http://host/path?query`; undefined for a target without a path. */
function parseTarget(target: string): Pick<HttpRequest, 'path' | 'query'> | undefined {
  if (target === '*') return { path: target, query: '' };
  const url = target.startsWith('/') ? undefined : URL.parse(target);
  if (url === null) return undefined;
  const [local = ''] = (url === undefined ? target : url.pathname + url.search).split('#', 1);
  const [path = ''] = local.split('?', 1);
  return { path, query: local.slice(path.length + 1) };
}

/** The answer to a request that breaks the rules of HTTP. The bytes after it may be no request either. */
function invalidHttp(requestId: string, detail: string): HttpReply {
  const reply = errorReply(new HttpError('invalid_http', { detail }), requestId);
  return { ...reply, headers: { ...commonHeaders(requestId, reply.headers), Connection: 'close' } };
}
