// Receivers of webhooks on loopback.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One received request. */
export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A listening receiver. */
export interface Receiver {
  /** `127.0.0.1:40000` */
  readonly address: string;
  readonly url: string;
  /** The next request that no earlier call has returned. */
  next(): Promise<Received>;
  readonly connections: () => number;
  close(): Promise<void>;
}

/** @param answer answers each request. Default: 204 */
export async function openReceiver(
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: ((request: Received) => void)[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => {
        const { method = '', headers } = request;
        const one = { method, headers, body: Buffer.concat(pieces).toString() };
        const resolve = waiting.shift();
        if (resolve === undefined) received.push(one);
        else resolve(one);
        answer(response);
      });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    url: `http://${address}/hook`,
    connections: () => connections,
    next: () => {
      const one = received.shift();
      return one === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(one);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
