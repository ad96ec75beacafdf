// One request from its head to its log line: a request becomes an Intake, and what is replied is sent.
import type { Logger } from 'pino';
import { Fault } from '../../errors.ts';
import type { Outcome } from '../../metrics/meters.ts';
import type { Intake, Reply } from '../intake.ts';
import type { Origin } from '../origin.ts';
import { commonHeaders, faultReply } from '../respond.ts';
import type { Exchange } from './exchange.ts';
import type { Outgoing } from './outgoing.ts';
import { type Answer, answerOf, send } from './send.ts';
import type { StallWatch } from './stalls.ts';

/** What serves requests. */
export interface ServeParts {
  /** Rejects with the intake's abort reason only. */
  readonly respond: (intake: Intake) => Promise<Reply>;
  /** Known once the socket listens. */
  readonly origin: Origin;
  readonly log: Logger;
  /** True once connections are no longer kept alive. */
  readonly isStopping: () => boolean;
  /** Called when a request is over. */
  readonly onOutcome?: (outcome: Outcome) => void;
  readonly stalls: StallWatch;
  readonly outgoing: Outgoing;
  readonly lingerMs: number;
}

/**
 * Never rejects.
 *
 * @param hold resolves when the request may be answered: at once, save at the very end of the service
 */
export async function serveExchange(
  exchange: Exchange,
  parts: ServeParts,
  hold: Promise<unknown>,
): Promise<void> {
  const { request, response, requestId } = exchange;
  const startedMs = performance.now();
  let outcome: Omit<Outcome, 'seconds'> = { route: 'none', status: 499, code: 'client_gone' };
  try {
    await hold;
    const answer = await answerTo(exchange, parts);
    outcome = { route: answer.route ?? 'none', status: answer.status, code: answer.fault?.code };
    watchAnswer(exchange, answer, parts);
    await send(exchange, answer, { lingerMs: parts.lingerMs, isLast: parts.isStopping() });
  } catch (error) {
    if (!response.destroyed) parts.log.error({ request_id: requestId, err: error }, 'answer broke off');
    endConnection(exchange);
  }
  const ms = performance.now() - startedMs;
  parts.onOutcome?.({ ...outcome, seconds: ms / 1000 });
  parts.log.info({ request_id: requestId, method: request.method, ...outcome, ms: Math.round(ms) });
}

/** The answer as it is sent. The text of the reply is gone when this has ended: else both would lie in memory. */
async function answerTo(exchange: Exchange, parts: ServeParts): Promise<Answer> {
  const reply = await replyTo(exchange, parts);
  logCause(reply, exchange.requestId, parts.log);
  return answerOf(reply);
}

/** What is ours to mend goes to the log with its cause; what is the client's is one line like any other. */
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
  const path = pathOf(request.url ?? '');
  if (path === undefined) return refuse(requestId, ': its path cannot be read');
  const needsHost = request.httpVersion === '1.1';
  if (needsHost && headers.host === undefined) return refuse(requestId, ': it names no Host');
  // RFC 9112, section 3.2: of two hosts, who stands in between may have gone by the other.
  if ((request.headersDistinct['host'] ?? []).length > 1)
    return refuse(requestId, ': it names more than one Host');
  return parts.respond({
    method,
    path,
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

/** `/path` of `/path?query` and of `http://host/path`; undefined for what names no path. */
function pathOf(target: string): string | undefined {
  if (target === '*') return target;
  const path = target.startsWith('/') ? target : URL.parse(target)?.pathname;
  return path?.split(/[?#]/, 1)[0];
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
  const end = (): void => endConnection(exchange);
  onOver(
    stalls.watch({
      isWaiting: () => socket.writableLength > 0,
      bytes: () => socket.bytesWritten - socket.writableLength,
      end,
    }),
  );
  onOver(outgoing.add({ client, memory, end }));
}

/** Not the response alone: one that waits for another on its connection would leave what comes after it without an end. */
function endConnection({ request }: Exchange): void {
  request.socket.destroy();
}
