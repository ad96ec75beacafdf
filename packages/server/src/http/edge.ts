// The only file that speaks node:http: a request becomes an Intake, a Reply becomes bytes on the socket.
// Limits of time and size, framing faults, requests whose body nobody will read, and the log line are settled here.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { IdentifyClient } from '../limits/client.ts';
import type { Outcome } from '../metrics/meters.ts';
import { ClientGone, Fault, type FaultCode } from '../errors.ts';
import { type Connections, createConnections } from './connections.ts';
import type { Intake, Reply } from './intake.ts';
import type { Origin } from './origin.ts';
import { faultReply } from './respond.ts';
import { createStallWatch, type StallLimits, type StallWatch } from './stalls.ts';
import { commonHeaders } from '../routes.ts';

/** What the edge needs besides requests. */
export interface EdgeParts {
  /** Rejects with the intake's abort reason only. */
  readonly respond: (intake: Intake) => Promise<Reply>;
  readonly identify: IdentifyClient;
  /** Known once the socket listens. */
  readonly origin: Origin;
  readonly log: Logger;
  /** True once connections are no longer kept alive. */
  readonly isStopping: () => boolean;
  /** After so long without a byte in either direction a connection is ended: above any wait and work together. */
  readonly idleMs: number;
  readonly connection?: Partial<ConnectionLimits>;
  /** Called when a request is over. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Times in ms and sizes of a connection. Fixed on purpose: what an operator may want to change is a setting. */
export interface ConnectionLimits extends StallLimits {
  /** For the head of a request. */
  readonly headersTimeout: number;
  /** Between two requests: above the 60 s of usual proxies, so that they never send into a closing connection. */
  readonly keepAliveTimeout: number;
  /** How often the times above are looked at; Node's own 30 s would let them run that long. */
  readonly connectionsCheckingInterval: number;
  /** Bytes of path and headers together. */
  readonly maxHeaderSize: number;
  /** Beyond it idle ones are ended for new ones; when none is idle, a new one is told `busy`. */
  readonly maxConnections: number;
  /**
   * How long the rest of a body is read and dropped after an early answer. Closed at once, the kernel resets the
   * connection and many clients lose the answer.
   */
  readonly lingerMs: number;
  /**
   * Without a request for so long, nobody is sending any more, and the listening ends. Clients on a busy machine may
   * pause as long between an answer and their next request, and one that comes in the moment of the end is lost.
   */
  readonly quietMs: number;
}

/** How long to wait, in milliseconds; never longer than `mostMs`. */
export interface SettleTime {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The listening side. */
export interface Edge {
  /** Resolves with the address, `http://127.0.0.1:8402`; rejects with what the system says. */
  listen(host: string, port: number): Promise<string>;
  /** Waits, while everything is served as ever, for the least time, and then until no request has come for a moment. */
  settle(time: SettleTime): Promise<void>;
  /** Takes no new connections, lets running requests end within the time, and answers the rest with `shutting_down`. */
  close(graceMs: number): Promise<void>;
}

const CONNECTION: ConnectionLimits = {
  headersTimeout: 10_000,
  stallMs: 20_000,
  bytesPerS: 16 * 1024,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 4096,
  // On loopback it suffices for some gigabytes.
  lingerMs: 2_000,
  quietMs: 250,
};
/**
 * Connections that may wait to be accepted, as far as the system lets them (Linux: 4096, net.core.somaxconn). Of
 * those who come while the queue is full the system drops the last packet of the handshake: they take themselves for
 * connected, and are reset when nobody has accepted them in time. Node's own 511 fill within one busy second.
 */
const BACKLOG = 4096;
/** A client's bytes are counted at least so often. */
const MOST_BETWEEN_LOOKS_MS = 1_000;
/** Larger answers are written piece by piece, so that it is seen how fast they go. */
const PIECE_BYTES = 64 * 1024;
/** A body up to this length is dropped without ending the connection: some packets, which are on their way already. */
const MAX_DROPPED_BYTES = 64 * 1024;

/** At the end: time for the first bytes on a new connection, and for the answers of requests that were cut off. */
const LAST_WORDS_MS = 1_000;

/** For how long at most new requests wait when the listening ends. */
const HOLD_MS = 1_000;

const REQUEST_ID = /^[\w-]{1,64}$/;

/** An edge that does not listen yet. */
export function createEdge(parts: EdgeParts): Edge {
  // Node would answer a missing Host by itself, without a body; we do it in the shape of all errors.
  // A whole request may take as long as it comes fast enough, and as our own queues and look-ups hold it up.
  const limits = { ...CONNECTION, ...parts.connection };
  const server = createServer({ ...limits, requestTimeout: 0, requireHostHeader: false });
  const stalls = createStallWatch(
    limits,
    Math.min(MOST_BETWEEN_LOOKS_MS, limits.connectionsCheckingInterval),
  );
  const connections = createConnections(limits.maxConnections, () => performance.now());
  /** One controller a running request. */
  const running = new Set<AbortController>();
  /** When the latest request came. */
  let latestMs = -Infinity;
  /** What new requests wait for. */
  let hold = Promise.resolve(undefined);
  const serve = (request: IncomingMessage, response: ServerResponse, waitsForContinue: boolean): void => {
    const controller = new AbortController();
    latestMs = performance.now();
    running.add(controller);
    const exchange = {
      request,
      response,
      waitsForContinue,
      requestId: requestIdOf(request),
      controller,
      hold,
      stalls,
      lingerMs: limits.lingerMs,
    };
    const end = connections.begin(request.socket);
    response.once('close', end);
    const served = connections.isBeyond(request.socket) ? { ...parts, respond: refuseBusy } : parts;
    void serveExchange(exchange, served).finally(() => running.delete(controller));
  };
  server.on('request', (request, response) => serve(request, response, false));
  server.on('checkContinue', (request, response) => serve(request, response, true));
  // Any other expectation is ignored, as RFC 9110 section 10.1.1 allows, where Node would answer 417 without a body.
  server.on('checkExpectation', (request, response) => serve(request, response, false));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseFraming(error, socket, parts.log));
  server.on('connection', (socket) => {
    connections.add(socket, parts.identify(socket.remoteAddress, undefined));
  });
  server.setTimeout(parts.idleMs);

  return {
    async listen(host, port) {
      server.listen({ port, host, backlog: BACKLOG });
      await once(server, 'listening');
      return addressOf(server);
    },
    settle: (time) => settle(() => latestMs, time, limits.quietMs),
    async close(graceMs) {
      // A listening socket that is closed resets the connections in its backlog, and clients that go on sending
      // always have some there. So new requests are taken in and not answered, until none comes any more.
      const held = Promise.withResolvers<undefined>();
      hold = held.promise;
      await settle(() => latestMs, { leastMs: 0, mostMs: HOLD_MS }, limits.quietMs);
      const closed = closeServer(server, connections, running, graceMs);
      held.resolve(undefined);
      await closed;
    },
  };
}

/** A request and its answer, as node:http has them. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** True when the client sends its body only after `100 Continue`. */
  readonly waitsForContinue: boolean;
  readonly requestId: string;
  /** Aborted when the client goes away, or the service stops at last. */
  readonly controller: AbortController;
  /** Resolves when the request may be answered: at once, save at the very end of the service. */
  readonly hold: Promise<unknown>;
  readonly stalls: StallWatch;
  readonly lingerMs: number;
}

/** One request from its head to its log line. Never rejects. */
async function serveExchange(exchange: Exchange, parts: EdgeParts): Promise<void> {
  const { request, response, requestId, controller } = exchange;
  const startedMs = performance.now();
  let outcome: Omit<Outcome, 'seconds'> = { route: 'none', status: 499, code: 'client_gone' };
  response.on('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
  });
  // Whatever breaks on either side ends in the response's `close`, which carries the news.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  try {
    await exchange.hold;
    const reply = await replyTo(exchange, parts);
    outcome = { route: reply.route ?? 'none', status: reply.status, code: reply.fault?.code };
    logCause(reply, requestId, parts.log);
    await send(exchange, reply, parts.isStopping());
  } catch (error) {
    if (!response.destroyed) parts.log.error({ request_id: requestId, err: error }, 'answer broke off');
    response.destroy();
  }
  const ms = performance.now() - startedMs;
  parts.onOutcome?.({ ...outcome, seconds: ms / 1000 });
  parts.log.info({ request_id: requestId, method: request.method, ...outcome, ms: Math.round(ms) });
}

/** What is ours to mend goes to the log with its cause; what is the client's is one line like any other. */
function logCause({ fault }: Reply, requestId: string, log: Logger): void {
  if (fault === undefined || fault.status < 500 || fault.cause === undefined) return;
  log[fault.status === 500 ? 'error' : 'warn'](
    { request_id: requestId, code: fault.code, err: fault.cause },
    fault.message,
  );
}

async function replyTo(exchange: Exchange, parts: EdgeParts): Promise<Reply> {
  const { request, response, waitsForContinue, requestId, controller } = exchange;
  const { headers, method = '', socket } = request;
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
    client: parts.identify(socket.remoteAddress, headers['x-forwarded-for']?.toString()),
    requestId,
    origin: parts.origin(headers.host),
    signal: controller.signal,
    openBody: () => {
      if (waitsForContinue) response.writeContinue();
      watchBody(exchange);
      return request;
    },
  });
}

/** From here on the client is expected to send its body. */
function watchBody({ request, response, controller, stalls }: Exchange): void {
  const stop = stalls.watch({
    // What lies in the buffer has come, and waits for us.
    isWaiting: () => !request.complete && request.readableLength === 0,
    bytes: () => request.socket.bytesRead,
    end: () => controller.abort(new Fault('request_timeout')),
  });
  request.once('end', stop).once('close', stop);
  response.once('close', stop);
}

/** From here on the client is expected to take its answer. */
function watchAnswer({ request, response, stalls }: Exchange): void {
  const { socket } = request;
  const stop = stalls.watch({
    isWaiting: () => socket.writableLength > 0,
    bytes: () => socket.bytesWritten - socket.writableLength,
    end: () => response.destroy(),
  });
  response.once('finish', stop).once('close', stop);
}

/** The answer on a connection for which there was no room, and its end. */
function refuseBusy({ requestId }: Pick<Intake, 'requestId'>): Promise<Reply> {
  const reply = faultReply(new Fault('busy'), requestId);
  return Promise.resolve({
    ...reply,
    headers: { ...commonHeaders(requestId, reply.headers), Connection: 'close' },
  });
}

/** The answer to a request that has a form of its own; nobody knows what else comes on its connection. */
function refuse(requestId: string, detail: string): Reply {
  const reply = faultReply(new Fault('invalid_http', { detail }), requestId);
  return { ...reply, headers: { ...commonHeaders(requestId, reply.headers), Connection: 'close' } };
}

/** The client's id when it is harmless, so that it can find its request in the log. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** `/path` of `/path?query` and of `http://host/path`; undefined for what names no path. */
function pathOf(target: string): string | undefined {
  if (target === '*') return target;
  const path = target.startsWith('/') ? target : URL.parse(target)?.pathname;
  return path?.split(/[?#]/, 1)[0];
}

async function send(exchange: Exchange, reply: Reply, isStopping: boolean): Promise<void> {
  const { request, response } = exchange;
  const { body = '' } = reply;
  const isHead = request.method === 'HEAD';
  // Of a body that has stalled nobody knows whether its rest will ever come.
  const isLate = reply.status === 408;
  const unread = !request.complete && (isLate || !isShortRest(exchange));
  const headers: Record<string, string> = { ...reply.headers };
  if (unread || isStopping) headers['Connection'] = 'close';
  watchAnswer(exchange);
  if (body instanceof Readable) {
    response.writeHead(reply.status, headers);
    if (isHead) response.end();
    else await pipeline(body, response);
    body.destroy();
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (reply.status !== 204 && reply.status !== 304) headers['Content-Length'] = String(bytes.byteLength);
  response.writeHead(reply.status, headers);
  const sent = isHead ? new Uint8Array() : bytes;
  if (unread) await linger(exchange, sent);
  else if (sent.byteLength > PIECE_BYTES) await pipeline(Readable.from(pieces(sent)), response);
  else response.end(sent);
  await finished(response);
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/**
 * True for a body that nobody wants and that is as good as here: Node drops the rest of it by itself, and the connection
 * serves on. Another one costs both sides more than these bytes, and so do most refusals of a payment.
 */
function isShortRest({ request, waitsForContinue }: Exchange): boolean {
  const length = request.headers['content-length'];
  return !waitsForContinue && length !== undefined && Number(length) <= MAX_DROPPED_BYTES;
}

/** Sends the whole answer, drops what still comes of the request for a while, and only then ends the connection. */
async function linger({ request, response, lingerMs }: Exchange, bytes: Uint8Array): Promise<void> {
  if (bytes.byteLength > 0) response.write(bytes);
  else response.flushHeaders();
  request.resume();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', end).once('close', end).once('error', end);
  });
  response.end();
}

/** Resolves when the answer is out or the connection gone. */
function finished(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('finish', resolve).once('close', resolve);
  });
}

function addressOf(server: Server): string {
  // A server that listens on a host and port has an address of this form.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function settle(
  latestMs: () => number,
  { leastMs, mostMs }: SettleTime,
  quietMs: number,
): Promise<void> {
  const endMs = performance.now() + mostMs;
  // Never quiet at once: what waits in the backlog has not been seen yet.
  let calmMs = performance.now() + Math.max(leastMs, quietMs);
  while (performance.now() < Math.min(calmMs, endMs)) {
    const untilMs = Math.min(calmMs, endMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, untilMs - performance.now())));
    // On a busy machine the time may pass without a look at the sockets: one turn accepts, the next one reads.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    calmMs = Math.max(calmMs, latestMs() + quietMs);
  }
}

async function closeServer(
  server: Server,
  connections: Connections,
  running: ReadonlySet<AbortController>,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // Node ends connections that wait for their next request, but not those that have not had their first.
  const silence = setTimeout(() => connections.endSilent(), LAST_WORDS_MS);
  const polite = await settlesWithin(closed, graceMs);
  clearTimeout(silence);
  if (polite) return;
  for (const controller of running) controller.abort(new Fault('shutting_down'));
  await settlesWithin(closed, LAST_WORDS_MS);
  server.closeAllConnections();
  await closed;
}

function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

const FRAMING_CODES: Readonly<Record<string, FaultCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what the parser refuses, in the shape of all errors, and ends the connection. */
function refuseFraming(error: NodeJS.ErrnoException, socket: Duplex, log: Logger): void {
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
