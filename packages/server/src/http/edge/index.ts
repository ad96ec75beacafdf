// The edge: only this folder speaks node:http. It turns requests into HttpRequest values and HttpReply values into
// bytes. It bounds times, sizes and numbers, rejects broken framing and writes the log line.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { IdentifyClient } from '../../limits/client.ts';
import { createOriginResolver, type OriginResolver } from '../origin.ts';
import { closeServer, waitForQuiet, type QuietTime } from './closing.ts';
import { createConnections } from './connections.ts';
import { createExchange, type HttpExchange } from './exchange.ts';
import { isRejected, rejectFraming } from './framing.ts';
import { createOutcomeReporter, type ReporterDeps } from './outcome.ts';
import { createOutgoingReplies } from './outgoing.ts';
import { serveExchange, type ServeDeps } from './serve.ts';
import { endStalled } from './stalls.ts';

/** Dependencies of {@link createEdge}. */
export interface EdgeDeps
  extends
    Omit<ServeDeps, 'report' | 'origin' | 'outgoing' | 'lingerMs' | 'isFinal'>,
    Omit<ReporterDeps, 'log'> {
  /** The begin of links in answers. Default: the listening address. */
  readonly publicUrl: string | undefined;
  readonly identify: IdentifyClient;
  /** True once connections are no longer kept alive. */
  readonly isStopping: () => boolean;
  readonly connection: Partial<ConnectionLimits> & Pick<ConnectionLimits, 'requestTimeout'>;
}

/** Times in milliseconds and sizes of a connection. They are fixed; what an operator may change is a setting. */
export interface ConnectionLimits {
  /** Time for the head of a request, in milliseconds. */
  readonly headersTimeout: number;
  /** Time for a whole request, including its waits before its body is read, in milliseconds. */
  readonly requestTimeout: number;
  /** Time without a byte of a request's body or of its answer, in milliseconds. */
  readonly stallMs: number;
  /**
   * Time between two requests, in milliseconds: longer than the 60 s of usual proxies, so that they never send into a
   * closing connection.
   */
  readonly keepAliveTimeout: number;
  /** Interval at which node:http checks the time of heads and of whole requests; its own 30 s would add to them. */
  readonly connectionsCheckingInterval: number;
  /** Bytes of path and headers together. */
  readonly maxHeaderSize: number;
  /** Open connections; further ones are closed at once. */
  readonly maxConnections: number;
  /** Bytes of all unsent answers. Beyond it the oldest are ended. */
  readonly maxOutgoingBytes: number;
  /**
   * Time in which the rest of a body is read and dropped after an early answer. A close at once resets the connection,
   * and many clients lose the answer.
   */
  readonly lingerMs: number;
  /**
   * The server closes after this time without a request. Clients on a busy machine may pause that long between an
   * answer and their next request, and a request at the moment of the close is lost.
   */
  readonly quietMs: number;
}

/** A listening server. */
export interface Edge {
  /** Resolves with the address, `http://127.0.0.1:8402`; rejects with the system's error. */
  listen(host: string, port: number): Promise<string>;
  /** Waits for the least time, and then until requests pause. Requests are served meanwhile. */
  waitForQuiet(time: QuietTime): Promise<void>;
  /** Bytes of all unsent answers. */
  outgoingBytes(): number;
  /**
   * Accepts no more connections, lets running requests end within the time, and answers the rest with `shutting_down`.
   */
  close(graceMs: number): Promise<void>;
}

const CONNECTION: Omit<ConnectionLimits, 'requestTimeout'> = {
  headersTimeout: 10_000,
  stallMs: 20_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 4096,
  maxOutgoingBytes: 256 * 1024 * 1024,
  // On loopback it suffices for some gigabytes.
  lingerMs: 2_000,
  quietMs: 250,
};
/**
 * Connections in the backlog, as far as the system allows (Linux: 4096, net.core.somaxconn). At a full queue the system
 * drops the last packet of a handshake: the client believes to be connected and is reset later. Node's own 511 fill
 * within one busy second.
 */
const BACKLOG = 4096;
/** Longest wait of new requests during the close, in milliseconds. */
const HOLD_MS = 1_000;

/** Creates an edge that does not listen yet. */
export function createEdge(edgeDeps: EdgeDeps): Edge {
  const { identify, isStopping, publicUrl, connection, ...deps } = edgeDeps;
  const limits = { ...CONNECTION, ...connection };
  // Node answers a missing Host without a body; the edge answers it in the shape of all errors.
  const server = createServer({ ...limits, requireHostHeader: false });
  server.maxConnections = limits.maxConnections;
  const connections = createConnections();
  const { lingerMs } = limits;
  const report = createOutcomeReporter(deps);
  const outgoing = createOutgoingReplies(limits.maxOutgoingBytes, () => performance.now());
  /** During the stop an answer without a successor closes its connection. */
  const isFinal = ({ request: { socket } }: HttpExchange): boolean =>
    isStopping() && connections.exchangesOf(socket).size === 1 && !isRejected(socket);
  /** Known once the socket listens. */
  let origin: OriginResolver = () => '';
  const serving: ServeDeps = {
    ...{ ...deps, report, outgoing, lingerMs, isFinal },
    origin: (hostHeader) => origin(hostHeader),
  };
  /** Running exchanges, each with a promise that resolves at its end. */
  const running = new Map<HttpExchange, Promise<void>>();
  /** The time of the latest request. */
  let latestMs = -Infinity;
  /** New requests wait for this promise. */
  let admitted = Promise.resolve(undefined);
  const serve = (request: IncomingMessage, response: ServerResponse, waitsForContinue: boolean): void => {
    latestMs = performance.now();
    const { headers, socket } = request;
    if (socket.destroyed || isRejected(socket)) return;
    const client = identify(socket.remoteAddress, headers['x-forwarded-for']?.toString());
    const exchange = createExchange(request, response, { waitsForContinue, client });
    const turn = connections.begin(exchange).then(() => admitted);
    running.set(
      exchange,
      serveExchange(exchange, serving, turn).finally(() => running.delete(exchange)),
    );
  };
  server.on('request', (request, response) => serve(request, response, false));
  server.on('checkContinue', (request, response) => serve(request, response, true));
  // Other expectations are ignored, as RFC 9110 section 10.1.1 allows. Node would answer 417 without a body.
  server.on('checkExpectation', (request, response) => serve(request, response, false));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const client = identify(socket instanceof Socket ? socket.remoteAddress : undefined, undefined);
    void rejectFraming(error, socket, connections.exchangesOf(socket), { report, client, lingerMs });
  });
  server.on('connection', (socket) => connections.add(socket));
  server.setTimeout(limits.stallMs, (socket: Socket) => {
    const [exchange] = connections.exchangesOf(socket);
    endStalled(socket, exchange);
  });

  return {
    async listen(host, port) {
      server.listen({ port, host, backlog: BACKLOG });
      await once(server, 'listening');
      const url = addressOf(server);
      origin = createOriginResolver(publicUrl, url);
      return url;
    },
    outgoingBytes: () => outgoing.heldBytes(),
    waitForQuiet: (time) => waitForQuiet(() => latestMs, time, limits.quietMs),
    async close(graceMs) {
      // A closed listening socket resets the connections in its backlog, which busy clients always fill. New requests
      // are accepted and not answered until requests pause.
      const held = Promise.withResolvers<undefined>();
      admitted = held.promise;
      await waitForQuiet(() => latestMs, { leastMs: 0, mostMs: HOLD_MS }, limits.quietMs);
      const closed = closeServer(server, connections, running, graceMs);
      held.resolve(undefined);
      await closed;
    },
  };
}

function addressOf(server: Server): string {
  // A server on a host and port has an address of this form.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
