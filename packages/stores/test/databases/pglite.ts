// PostgreSQL for real: PGlite is PostgreSQL in this process, and the client `pg` reaches it over TCP. It takes every
// password, so a server of a few lines refuses one.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { load } from './peers.ts';

/** A database of PGlite. */
export interface Pglite {
  exec(sql: string): Promise<unknown>;
  close(): Promise<void>;
}
interface PgliteModule {
  readonly PGlite: { create(options?: object): Promise<Pglite> };
}
interface SocketModule {
  readonly PGLiteSocketServer: new (options: object) => {
    start(): Promise<void>;
    stop(): Promise<void>;
    getServerConn(): string;
  };
}

/** Starts PostgreSQL, with the extension `vector` or without. */
export async function startPglite(
  withVector: boolean,
): Promise<{ port: number; db: Pglite; close: () => Promise<void> }> {
  const { PGlite } = (await load('@electric-sql/pglite')) as PgliteModule;
  const { PGLiteSocketServer } = (await load('@electric-sql/pglite-socket')) as SocketModule;
  const { vector } = (await load('@electric-sql/pglite-pgvector')) as { readonly vector: object };
  const db = await PGlite.create(withVector ? { extensions: { vector } } : {});
  const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 40 });
  await server.start();
  const port = Number(server.getServerConn().split(':').at(-1));
  return {
    port,
    db,
    close: async () => {
      await server.stop();
      await db.close();
    },
  };
}

/** Starts a server that asks for a password and refuses it, as section 54.2 of PostgreSQL's manual has it. */
export async function startRefusingPostgres(): Promise<{ port: number; close: () => Promise<void> }> {
  const message = (type: string, body: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const fields = 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "postgres"\0\0';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      // AuthenticationCleartextPassword.
      socket.write(message('R', Buffer.from([0, 0, 0, 3])));
      socket.once('data', () => socket.end(message('E', Buffer.from(fields))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
