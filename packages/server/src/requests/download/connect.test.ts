import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Address, createConnect, lookupByServers, lookupBySystem } from './connect.ts';

describe('connecting', () => {
  it('ends a connection whose address turns out to be private, whatever was looked up', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const arrived = once(server, 'connection') as Promise<[Socket]>;
    // A lookup with a different second answer.
    const answers = ['93.184.215.14'];
    const address: Address = {
      family: 4,
      get address() {
        return answers.shift() ?? '127.0.0.1';
      },
    };
    const connect = createConnect({
      allow: new Set(),
      lookup: () => Promise.resolve([address]),
      timeoutMs: 5000,
    });
    const error = await new Promise((resolve) => {
      connect({ hostname: 'two-faced.example.com', protocol: 'http:', port: String(port) }, (...[failure]) =>
        resolve(failure),
      );
    });
    expect(error).toMatchObject({ code: 'url_forbidden' });
    const [socket] = await arrived;
    socket.resume();
    await once(socket, 'close');
    server.close();
  });

  it('refuses a private address before any socket is made', () => {
    const issues: unknown[] = [];
    const connect = createConnect({
      allow: new Set(['[::1]:80']),
      lookup: () => Promise.resolve([]),
      timeoutMs: 5000,
    });
    for (const hostname of ['127.0.0.1', '::1', '[::1]']) {
      connect({ hostname, protocol: 'http:', port: '8080' }, (...[error]) => issues.push(error));
    }
    expect(issues).toMatchObject([
      { code: 'url_forbidden' },
      { code: 'url_forbidden' },
      { code: 'url_forbidden' },
    ]);
  });
});

describe('looking up the names of clients', () => {
  /** A name server that answers a question by its type, once `isOpen` resolves. */
  async function nameServer(
    answer: (type: number) => readonly number[],
    isOpen: Promise<undefined> = Promise.resolve(undefined),
  ): Promise<{ readonly server: DatagramSocket; readonly servers: readonly string[] }> {
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    server.on('message', (question, { port }) => {
      // RFC 1035 section 4.1: a header of 12 bytes, then the name up to an empty label, its type and its class.
      const end = question.indexOf(0, 12) + 5;
      const data = answer(question.readUInt16BE(end - 4));
      const records = data.length === 0 ? 0 : 1;
      const head = [...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, records, 0, 0, 0, 0];
      const record = [0xc0, 12, ...question.subarray(end - 4, end), 0, 0, 0, 0, 0, data.length, ...data];
      const bytes = Buffer.from([...head, ...question.subarray(12, end), ...(records === 0 ? [] : record)]);
      void isOpen.then(() => server.send(bytes, port));
    });
    return { server, servers: [`127.0.0.1:${server.address().port}`] };
  }

  it('gives the addresses of either family, and no name without any', async () => {
    const only4 = await nameServer((type) => (type === 1 ? [93, 184, 215, 14] : []));
    expect(await lookupByServers('tides.example.com', only4.servers)).toEqual([
      { address: '93.184.215.14', family: 4 },
    ]);
    const none = await nameServer(() => []);
    await expect(lookupByServers('tides.example.com', none.servers)).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
    only4.server.close();
    none.server.close();
  });

  it('keeps no other name waiting for a silent name server', async () => {
    const opened = Promise.withResolvers<undefined>();
    const { server, servers } = await nameServer(() => [], opened.promise);
    const queried = once(server, 'message');
    const slow = Array.from({ length: 8 }, (_, at) => lookupByServers(`slow${at}.example.com`, servers));
    await queried;
    const ended = Promise.allSettled(slow).then(() => 'slow');
    expect(await Promise.race([ended, lookupBySystem('localhost').then(() => 'other')])).toBe('other');
    opened.resolve(undefined);
    await ended;
    server.close();
  });
});
