// Surroundings of a store in tests: its package, a port, a folder, a server on loopback.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe as suite, it as test } from 'node:test';

/** node:test's own; their promises are the runner's, not the caller's to wait for. */
export const describe: (name: string, body: () => void) => unknown = suite;
export const it: (name: string, body: () => void | Promise<void>) => unknown = test;

/**
 * A package of packages/core/peers. The caller says which part of it is used, and the tests show whether that holds.
 */
export async function peer<Module>(name: string): Promise<Module> {
  return (await import(`peer:${name}`)) as Module;
}

/** A file inside a peer that its package does not export. */
export async function peerFile<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../peers/node_modules/${path}`, import.meta.url).href)) as Module;
}

/** A folder that is gone when the suite or test that asks for it is over; not for use inside a hook. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** The body as it came over the wire. */
  readonly body: Buffer;
}

export interface WireReply {
  readonly status: number;
  readonly body: unknown;
}

/** Serves on loopback until the test that asks for it is over, and gives the port. */
export async function serve(answer: (request: WireRequest) => WireReply): Promise<number> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { status, body: reply } = answer({ method: request.method ?? '', path: request.url ?? '', body });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
