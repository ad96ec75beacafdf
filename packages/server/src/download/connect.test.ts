import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Address, createConnect } from './connect.ts';

describe('connecting', () => {
  it('ends a connection whose address turns out to be private, whatever was looked up', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const arrived = once(server, 'connection') as Promise<[Socket]>;
    // A lookup that says one thing to the guard and another to the socket.
    const said = ['93.184.215.14'];
    const address: Address = {
      family: 4,
      get address() {
        return said.shift() ?? '127.0.0.1';
      },
    };
    const connect = createConnect({
      allow: new Set(),
      lookup: () => Promise.resolve([address]),
      timeoutMs: 5000,
    });
    const error = await new Promise((resolve) => {
      connect({ hostname: 'two-faced.example.com', protocol: 'http:', port: String(port) }, (...[fault]) =>
        resolve(fault),
      );
    });
    expect(error).toMatchObject({ code: 'url_forbidden' });
    const [socket] = await arrived;
    socket.resume();
    await once(socket, 'close');
    server.close();
  });

  it('refuses a private address before any socket is made', () => {
    const faults: unknown[] = [];
    const connect = createConnect({
      allow: new Set(['[::1]:80']),
      lookup: () => Promise.resolve([]),
      timeoutMs: 5000,
    });
    for (const hostname of ['127.0.0.1', '::1', '[::1]']) {
      connect({ hostname, protocol: 'http:', port: '8080' }, (...[fault]) => faults.push(fault));
    }
    expect(faults).toMatchObject([
      { code: 'url_forbidden' },
      { code: 'url_forbidden' },
      { code: 'url_forbidden' },
    ]);
  });
});
