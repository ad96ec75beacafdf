// The edge: only this folder speaks node:http. A request becomes an Intake, a Reply becomes bytes on the socket; limits
// of time, size and number, framing faults, requests whose body nobody will read, and the log line are settled here.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { IdentifyClient } from '../../limits/client.ts';
import { closeServer, waitForQuiet, type QuietTime } from './closing.ts';
import { createConnections } from './connections.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { refuseFraming } from './framing.ts';
import { createReport, type Outcome } from './outcome.ts';
import { createOutgoing } from './outgoing.ts';
import { createPipelines } from './pipeline.ts';
import { refuseBusy, serveExchange, type ServeParts } from './serve.ts';
import { createStallWatch, type StallLimits } from './stalls.ts';

/** What the edge needs besides requests. */
export interface EdgeParts extends Omit<ServeParts, 'report' | 'stalls' | 'outgoing' | 'lingerMs'> {
  readonly identify: IdentifyClient;
  /** Called when a request is over. */
  readonly onOutcome?: (outcome: Outcome) => void;
  /**
   * A connection is ended after so many milliseconds without a byte in either direction: longer than any wait and work
   * together.
   */
  readonly idleMs: number;
  readonly connection?: Partial<ConnectionLimits>;
}

/** Times in ms and sizes of a connection. Fixed on purpose: what an operator may want to change is a setting. */
export interface ConnectionLimits extends StallLimits {
  /** Time for the head of a request, in milliseconds. */
  readonly headersTimeout: number;
  /**
   * Time between two requests, in milliseconds: longer than the 60 s of usual proxies, so that they never send into a
   * closing connection.
   */
  readonly keepAliveTimeout: number;
  /** How often the times above are looked at; Node's own 30 s would let them run that long. */
  readonly connectionsCheckingInterval: number;
  /** Bytes of path and headers together. */
  readonly maxHeaderSize: number;
  /** Most open connections. Beyond it idle ones are ended for new ones; when none is idle, a new one is told `busy`. */
  readonly maxConnections: number;
  /** Most bytes of all answers on their way together; beyond it slow ones are ended. */
  readonly maxOutgoingBytes: number;
  /**
   * How long the rest of a body is read and dropped after an early answer. Closed at once, the kernel resets the
   * connection and many clients lose the answer.
   */
  readonly lingerMs: number;
  /**
   * Listening ends after so many milliseconds without a request. Clients on a busy machine may pause that long between
   * an answer and their next request, and a request that comes at the moment of the end is lost.
   */
  readonly quietMs: number;
}

/** The listening side. */
export interface Edge {
  /** Resolves with the address, `http://127.0.0.1:8402`; rejects with what the system says. */
  listen(host: string, port: number): Promise<string>;
  /** Waits, while everything is served as ever, for the least time, and then until no request has come for a moment. */
  waitForQuiet(time: QuietTime): Promise<void>;
  /** What answers on their way hold together. */
  outgoingBytes(): number;
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
  maxOutgoingBytes: 256 * 1024 * 1024,
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
/** Longest wait of new requests while the listening ends, in milliseconds. */
const HOLD_MS = 1_000;

/** An edge that does not listen yet. */
export function createEdge({ identify, idleMs, connection, onOutcome, ...parts }: EdgeParts): Edge {
  const limits = { ...CONNECTION, ...connection };
  // Node would answer a missing Host by itself, without a body; we do it in the shape of all errors.
  // A whole request may take as long as it comes fast enough, and as our own queues and look-ups hold it up.
  const server = createServer({ ...limits, requestTimeout: 0, requireHostHeader: false });
  const connections = createConnections(limits.maxConnections, () => performance.now());
  const { lingerMs } = limits;
  const report = createReport(parts.log, onOutcome);
  const outgoing = createOutgoing(limits.maxOutgoingBytes, () => performance.now());
  const stalls = createStallWatch(
    limits,
    Math.min(MOST_BETWEEN_LOOKS_MS, limits.connectionsCheckingInterval),
  );
  const serving: ServeParts = { ...parts, report, stalls, outgoing, lingerMs };
  /** Exchanges under way, each with a promise that resolves at its end. */
  const running = new Map<Exchange, Promise<void>>();
  const pipelineOf = createPipelines();
  /** When the latest request came. */
  let latestMs = -Infinity;
  /** What new requests wait for. */
  let hold = Promise.resolve(undefined);
  const serve = (request: IncomingMessage, response: ServerResponse, waitsForContinue: boolean): void => {
    latestMs = performance.now();
    const { headers, socket } = request;
    const pipeline = pipelineOf(socket);
    if (pipeline.isClosed()) return;
    const client = identify(socket.remoteAddress, headers['x-forwarded-for']?.toString());
    const exchange = createExchange(request, response, { waitsForContinue, client });
    exchange.onOver(connections.begin(socket));
    const turn = pipeline.add(exchange).then(() => hold);
    const served = connections.isBeyond(socket) ? { ...serving, respond: refuseBusy } : serving;
    const over = serveExchange(exchange, pipeline, served, turn).finally(() => running.delete(exchange));
    running.set(exchange, over);
  };
  server.on('request', (request, response) => serve(request, response, false));
  server.on('checkContinue', (request, response) => serve(request, response, true));
  // Any other expectation is ignored, as RFC 9110 section 10.1.1 allows, where Node would answer 417 without a body.
  server.on('checkExpectation', (request, response) => serve(request, response, false));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Node's type allows for other streams, which come only where a server is handed its connections.
    const over = socket instanceof Socket ? connections.begin(socket) : () => undefined;
    void refuseFraming(error, socket, pipelineOf(socket), { report, lingerMs }).finally(over);
  });
  server.on('connection', (socket) => connections.add(socket, identify(socket.remoteAddress, undefined)));
  server.setTimeout(idleMs);

  return {
    async listen(host, port) {
      server.listen({ port, host, backlog: BACKLOG });
      await once(server, 'listening');
      return addressOf(server);
    },
    outgoingBytes: () => outgoing.heldBytes(),
    waitForQuiet: (time) => waitForQuiet(() => latestMs, time, limits.quietMs),
    async close(graceMs) {
      // A listening socket that is closed resets the connections in its backlog, and clients that go on sending
      // always have some there. So new requests are taken in and not answered, until none comes any more.
      const held = Promise.withResolvers<undefined>();
      hold = held.promise;
      await waitForQuiet(() => latestMs, { leastMs: 0, mostMs: HOLD_MS }, limits.quietMs);
      const closed = closeServer(server, connections, running, graceMs);
      held.resolve(undefined);
      await closed;
    },
  };
}

function addressOf(server: Server): string {
  // A server that listens on a host and port has an address of this form.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
