// Requests that are never completed, and uploads that take too long: each ends by a time limit, and others are served
// meanwhile. `test/long/attacks.ts` has the same with the limits of a real service.
import { afterEach, describe, expect, it } from 'vitest';
import { HALF_REQUESTS } from './half-requests.ts';
import { openClient, until } from './raw-client.ts';
import { startTestService, type TestService } from './running-service.ts';

let service: TestService;
afterEach(() => service.stop());

/** A twentieth of the real times. */
const CONNECTION = { headersTimeout: 500, stallMs: 1_000, connectionsCheckingInterval: 100, lingerMs: 100 };

describe('a thousand requests that are never completed', () => {
  it('end with 408, or 503 while too many wait, and /health is answered meanwhile', async () => {
    service = await startTestService({}, { connection: CONNECTION });
    const clients = Array.from({ length: 1000 }, (_, count) => {
      const client = openClient(service.url);
      client.write(HALF_REQUESTS[count % HALF_REQUESTS.length] ?? '');
      return client;
    });
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    await Promise.all(clients.map(({ closed }) => closed));
    const statuses = clients.map((client) => client.statuses());
    expect(
      statuses.filter(([status, ...more]) => more.length > 0 || (status !== 408 && status !== 503)),
    ).toEqual([]);
  });
});

describe('a request that goes on byte by byte', () => {
  it('ends when the time for a whole request is over', async () => {
    const connection = { ...CONNECTION, requestTimeout: 1_000 };
    service = await startTestService({}, { connection });
    const client = openClient(service.url);
    client.write(
      'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n',
    );
    const trickle = setInterval(() => client.write(' '), 50);
    await client.closed;
    clearInterval(trickle);
    expect(client.statuses()).toEqual([408]);
  });

  it('is not one that waits for 100 Continue, or whose body waits for the service', async () => {
    service = await startTestService({ MAX_IN_WORK: '1' }, { connection: CONNECTION });
    const holder = openClient(service.url);
    holder.write(HALF_REQUESTS[3]);
    const trickle = setInterval(() => holder.write('1\r\n \r\n'), 50);
    await fetch(`${service.url}/health`);
    const head = 'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    const waiting = openClient(service.url);
    waiting.write(`${head}Content-Length: 29\r\nExpect: 100-continue\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 1.5 * CONNECTION.stallMs));
    expect(waiting.received()).toBe('');
    clearInterval(trickle);
    holder.socket.destroy();
    await until(() => waiting.statuses().includes(100));
    waiting.write('{"tier":"free","text":"Text"}');
    await until(() => waiting.statuses().length === 2);
    expect(waiting.statuses()).toEqual([100, 200]);
    waiting.socket.destroy();
  });
});
