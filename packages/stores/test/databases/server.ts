// A server on loopback that checks the documented rules of a database, and the parts that such servers share. A rule is
// written from the documentation and not from the adapter, so that the two check each other.
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer with a status other than 200. */
export class Rejection extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Throws 400 with the message unless the rule holds. */
export function rule(holds: boolean, message: string, status = 400): asserts holds {
  if (!holds) throw new Rejection(status, message);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isVector = (value: unknown, dimensions: number): value is number[] =>
  Array.isArray(value) && value.length === dimensions && value.every((one) => Number.isFinite(one));

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Throws unless an object has these keys alone. */
export function onlyKeys(value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) rule(known.includes(key), `unknown field ${key}`);
}

export function cosine(one: readonly number[], other: readonly number[]): number {
  let [dot, left, right] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    dot += value * other[at]!;
    left += value * value;
    right += other[at]! * other[at]!;
  }
  return dot / Math.sqrt(left * right);
}

/** Serves on a free port of loopback. `answer` gives the body of 200, or throws a {@link Rejection}. */
export async function serve(
  answer: (request: WireRequest) => unknown,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly errorBody: (error: Rejection) => unknown;
  },
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://loopback');
      const wire = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body,
      };
      let status = 200;
      let reply: unknown;
      try {
        reply = answer(wire);
      } catch (error) {
        const rejection = error instanceof Rejection ? error : new Rejection(500, String(error));
        status = rejection.status;
        reply = options.errorBody(rejection);
      }
      response
        .writeHead(status, { 'content-type': 'application/json', ...options.headers })
        .end(request.method === 'HEAD' ? '' : JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
