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
