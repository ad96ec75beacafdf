// The hosts behind links: one that breaks every rule of HTTP, and a canary that must get no connection.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';

/** A host on loopback. */
export interface Host {
  /** `127.0.0.1:40000` */
  readonly address: string;
  readonly visits: () => number;
  close(): Promise<void>;
}

export interface HostileHost extends Host {
  /** Serves the document from now on; returns its link. */
  serve(bytes: Uint8Array | string, type?: string, name?: string): string;
}

const MIB = 1024 * 1024;

const BOMB = gzipSync(Buffer.alloc(200 * MIB, 'x'), { level: 1 });

/** Ways of being wrong, by their paths. */
const WAYS: Readonly<Record<string, RequestListener>> = {
  '/404': (_, response) => void response.writeHead(404).end('not here'),
  '/500': (_, response) => void response.writeHead(500).end('broken'),
  '/204': (_, response) => void response.writeHead(204).end(),
  '/hang-up': (request) => void request.socket.destroy(),
  '/nonsense': (request) => void request.socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n'),
  '/never': () => undefined,
  '/head-only': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    response.flushHeaders();
  },
  '/trickle': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    const timer = setInterval(() => response.write('x'), 200);
    response.once('close', () => clearInterval(timer));
  },
  '/short': (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '5000' });
    response.write('too little', () => request.socket.destroy());
  },
  '/endless': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    const more = (): void => {
      while (response.write(Buffer.alloc(MIB, 'word '))) if (response.destroyed) return;
    };
    response.on('drain', more).once('close', () => response.off('drain', more));
    more();
  },
  '/10-gb': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': String(10_000 * MIB) });
    response.flushHeaders();
  },
  '/gzip-bomb': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' });
    response.end(BOMB);
  },
  '/gzip-of-gzip': (_, response) => {
    response.writeHead(200, {
      'Content-Type': 'text/plain',
      'Content-Encoding': 'gzip, gzip, gzip, gzip, gzip, gzip',
    });
    response.end('x');
  },
  '/no-gzip': (_, response) =>
    void response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' }).end('plain'),
  '/coding': (_, response) => void response.writeHead(200, { 'Content-Encoding': 'compress' }).end('x'),
  '/headers': (_, response) => {
    response.setHeader('X-Long', 'x'.repeat(200_000));
    response.end('text');
  },
  '/loop': (_, response) => void response.writeHead(302, { Location: '/loop' }).end(),
  '/nowhere': (_, response) => void response.writeHead(302).end(),
  '/to-file': (_, response) => void response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  '/to-user': (_, response) => void response.writeHead(302, { Location: 'http://a:b@example.org/' }).end(),
  '/to-meta': (_, response) => void response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
};

/** Listens on a free port of its own; links to it must be allowed. */
export async function openHostileHost(canary: string): Promise<HostileHost> {
  const documents = new Map<string, { readonly bytes: Uint8Array | string; readonly type: string }>();
  const host = await open((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/to-canary')) {
      const status = Number(path.slice(-3));
      response.writeHead(status, { Location: `http://${canary}/` }).end();
      return;
    }
    const document = documents.get(path);
    if (document !== undefined)
      response.writeHead(200, { 'Content-Type': document.type }).end(document.bytes);
    else WAYS[path]?.(request, response);
  });
  return {
    ...host,
    serve(bytes, type = 'application/octet-stream', name = 'file') {
      const path = `/documents/${documents.size}/${name}`;
      documents.set(path, { bytes, type });
      return `http://${host.address}${path}`;
    },
  };
}

/** Counts who comes. */
export function openCanary(): Promise<Host> {
  return open((_, response) => void response.end('You should not be here.'));
}

async function open(listener: RequestListener): Promise<Host> {
  const server: Server = createServer(listener);
  let visits = 0;
  server.on('connection', () => (visits += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits: () => visits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
