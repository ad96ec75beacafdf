// Stand-ins for nodes on real sockets, each with its own failures, and a clock that tests control.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RpcLimits, Timers } from '../../src/chains/solana/endpoint.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node's treatment of a call. */
export type Behaviour = (call: RpcCall, response: ServerResponse) => void;

export interface TestNode {
  readonly url: string;
  readonly calls: RpcCall[];
  /** Replaces the behaviour. */
  behave(behaviour: Behaviour): void;
}

export async function startNode(first: Behaviour): Promise<TestNode> {
  const calls: RpcCall[] = [];
  let behaviour = first;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      const call = JSON.parse(body) as RpcCall;
      calls.push(call);
      behaviour(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?api-key=secret`;
  return { url, calls, behave: (next) => (behaviour = next) };
}

/** Answers with these results, by method; the same for all when it is a function. */
export function says(results: Readonly<Record<string, unknown>>): Behaviour {
  return ({ method, params }, response) => {
    const said = results[method];
    const result: unknown =
      typeof said === 'function' ? (said as (...all: unknown[]) => unknown)(...params) : said;
    if (result === undefined) fails(-32_601)({ method, params }, response);
    else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  };
}

/** Answers with a JSON-RPC error. */
export function fails(code: number): Behaviour {
  return (_, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message: 'no' } }));
}

/** Answers with an HTTP status. */
export function refuses(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (_, response) => response.writeHead(status, headers).end('{"jsonrpc":"2.0","id":1,"result":null}');
}

export function writes(text: string): Behaviour {
  return (_, response) => response.end(text);
}

/** Never answers. */
export const hangs: Behaviour = () => undefined;

/** Begins to answer, and breaks off. */
export const breaksOff: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"jsonrpc":"2.0","result":{"slot":');
  response.destroy();
};

/** Answers without end. */
export const floods: Behaviour = (_, response) => {
  const part = ' '.repeat(65_536);
  const pour = (): void => {
    while (!response.destroyed && response.write(part));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
};

/** Limits with distinct times, so that the length of a wait shows its purpose. */
export const LIMITS: RpcLimits = {
  callMs: 4_000,
  tries: 3,
  totalMs: 8_000,
  answerBytes: 1024 * 1024,
  failures: 3,
  coolMs: 2_000,
};

export interface TestTime {
  readonly now: () => number;
  readonly timers: Timers;
  /** The lengths of all waits. */
  readonly waits: number[];
  advance(ms: number): void;
}

/** Waits end at once and move the clock, except for call time-outs, which must not end during a test. */
export function testTime({ callsTimeOut = false } = {}): TestTime {
  let nowMs = 1_700_000_000_000;
  const waits: number[] = [];
  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      if (ms === LIMITS.callMs && !callsTimeOut) return;
      // After the sockets have had a turn.
      setImmediate(() => {
        if (signal.aborted) return;
        waits.push(ms);
        nowMs += ms;
        resolve();
      });
    });
  return { now: () => nowMs, timers: { wait }, waits, advance: (ms) => (nowMs += ms) };
}
