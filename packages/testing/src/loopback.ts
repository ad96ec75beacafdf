// Servers on loopback, as all stand-ins are: opened, read from and ended in one way.
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The only address at which a stand-in can be reached. */
export const LOOPBACK = '127.0.0.1';

/**
 * Opens a server on loopback.
 *
 * @param port 0 takes any that is free
 * @returns the port that it has
 * @throws Error when the port is taken
 */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Ends a server. Answers under way have so many milliseconds; calls that hang never end by themselves. */
export function close(server: Server, drainMs = 0): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** The body of a request; undefined when it has more bytes than that. */
export async function bodyOf(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
