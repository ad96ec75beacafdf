// The play chain on loopback: JSON-RPC over HTTP and WebSocket.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import type { PlayChain } from '../chain/chain.ts';
import { bodyOf, close, listen, LOOPBACK } from '@grainline/testing/loopback';
import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, MethodError } from './errors.ts';
import type { RpcFailures } from './failures.ts';
import { stringify } from './json.ts';
import type { RpcMethod } from './methods.ts';
import { transactionAt, optionsAt } from './params.ts';
import { openSubscriptions, readCall } from './subscriptions.ts';

/** A running endpoint of a chain. */
export interface RpcServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `ws://127.0.0.1:<port>`; the port after it answers WebSockets too, because @solana/web3.js 1.x looks there. */
  readonly webSocketUrl: string;
  /** Replaces the failures from now on. */
  fail(failures: RpcFailures): void;
  /** HTTP calls of each method. */
  readonly calls: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const MOST_BODY_BYTES = 1 << 20;
const MOST_BATCH = 100;
/** Tries to find two free consecutive ports. */
const PORT_TRIES = 50;
/** The longest wait of a stop for open answers. */
const DRAIN_MS = 100;

/** CORS headers that let pages of any origin call the endpoint. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
};

/**
 * Opens an endpoint on loopback. Several may serve one chain, each with its own failures.
 *
 * @param port 0 takes any two free ports
 * @throws Error when the port, or the one after it, is taken
 */
export async function serveChain(chain: PlayChain, call: RpcMethod, port = 0): Promise<RpcServer> {
  let failures: RpcFailures = {};
  const calls = new Map<string, number>();
  const http = createServer((request, response) => {
    void respond(request, response).catch(() => response.destroy());
  });
  const beside = createServer((_, response) => void response.writeHead(405).end());
  const sockets = [http, beside].map((server) => serveSockets(server));
  const taken = await listenOnTwo(http, beside, port);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'OPTIONS') return void response.writeHead(204, CORS).end();
    if (request.method === 'GET' && request.url === '/health')
      return void response.writeHead(200, CORS).end('ok');
    if (request.method !== 'POST') return void response.writeHead(405, CORS).end();
    const body = await bodyOf(request, MOST_BODY_BYTES);
    if (body === undefined) return void response.writeHead(413, CORS).end();
    const parsed = parse(body);
    const methods = methodsIn(parsed);
    for (const method of methods) calls.set(method, (calls.get(method) ?? 0) + 1);
    const active = methods.some((method) => failures.methods?.includes(method) ?? true) ? failures : {};
    if (active.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, active.delayMs));
    if (active.kind === undefined) {
      const answer = await answerTo(parsed, (method, params) => faulty(active, method, params));
      response.writeHead(200, { ...CORS, 'content-type': 'application/json' }).end(stringify(answer));
    } else misbehave(active.kind, response);
  }

  async function faulty(active: RpcFailures, method: string, params: readonly unknown[]): Promise<unknown> {
    if (active.swallows === true && method === 'sendTransaction')
      return transactionAt(params, 0, optionsAt(params, 1)).signature;
    const result = await call(method, params);
    return active.rewrite === undefined ? result : active.rewrite(result, method);
  }

  function serveSockets(server: Server): WebSocketServer {
    const sockets = new WebSocketServer({ server, maxPayload: MOST_BODY_BYTES });
    // The listening code receives the server's own error. Without this handler it would end the process.
    sockets.on('error', () => undefined);
    sockets.on('connection', (socket) => {
      if (failures.kind === 'down') {
        socket.terminate();
        return;
      }
      const subscribe = openSubscriptions(chain, socket);
      socket.on('error', () => socket.terminate());
      socket.on('message', (data: Buffer) => {
        void answerTo(parse(data), async (method, params) =>
          method.endsWith('ubscribe') ? subscribe(method, params) : await call(method, params),
        ).then((answer) => socket.send(stringify(answer)));
      });
    });
    return sockets;
  }

  return {
    url: `http://${LOOPBACK}:${taken}`,
    webSocketUrl: `ws://${LOOPBACK}:${taken}`,
    fail: (next) => {
      failures = next;
    },
    calls,
    stop: async () => {
      for (const each of sockets) for (const socket of each.clients) socket.terminate();
      await Promise.all([http, beside].map((server) => close(server, DRAIN_MS)));
    },
  };
}

function misbehave(kind: NonNullable<RpcFailures['kind']>, response: ServerResponse): void {
  switch (kind) {
    case 'down':
      response.destroy();
      return;
    case 'hang':
      return;
    case 'limited':
      response.writeHead(429, { ...CORS, 'retry-after': '1', 'content-type': 'application/json' });
      response.end(
        '{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":null}',
      );
      return;
    case 'broken':
      response.writeHead(500, CORS).end('Internal Server Error');
      return;
    case 'garbage':
      response.writeHead(200, { ...CORS, 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","resu');
  }
}

const NOT_JSON = Symbol('not JSON');

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return NOT_JSON;
  }
}

function methodsIn(request: unknown): readonly string[] {
  return (Array.isArray(request) ? request : [request]).map((each: unknown) => readCall(each)?.method ?? '?');
}

type Answered = (method: string, params: readonly unknown[]) => Promise<unknown>;

async function answerTo(request: unknown, call: Answered): Promise<unknown> {
  if (request === NOT_JSON) return failure(null, new MethodError(PARSE_ERROR, 'Parse error'));
  if (!Array.isArray(request)) return await answerOne(request, call);
  if (request.length === 0 || request.length > MOST_BATCH)
    return failure(null, new MethodError(INVALID_REQUEST, 'Invalid request'));
  return await Promise.all(request.map((each) => answerOne(each, call)));
}

async function answerOne(request: unknown, call: Answered): Promise<unknown> {
  const read = readCall(request);
  if (read === null) return failure(null, new MethodError(INVALID_REQUEST, 'Invalid request'));
  try {
    return { jsonrpc: '2.0', result: await call(read.method, read.params), id: read.id };
  } catch (error) {
    return failure(
      read.id,
      error instanceof MethodError ? error : new MethodError(INTERNAL_ERROR, String(error)),
    );
  }
}

function failure(id: unknown, { code, message, data }: MethodError): unknown {
  return { jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}

async function listenOnTwo(first: Server, second: Server, port: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    const taken = await listen(first, port);
    try {
      await listen(second, taken + 1);
      return taken;
    } catch (error) {
      await close(first, DRAIN_MS);
      if (port !== 0 || tries >= PORT_TRIES) throw error;
    }
  }
}
