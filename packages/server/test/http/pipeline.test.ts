// Requests behind each other on one connection, and bytes that are none: each is answered in its place, and what cannot
// be answered is not done.
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from './fake-service.ts';
import { chunkRequest, createHeldPool, openClient, until } from './raw-client.ts';
import { startTestService, type TestService } from './running-service.ts';

let service: TestService;
afterEach(() => service.stop());

const HEALTH = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
const RESULT = 'free_0123456789ab';

/** Route, status and code of each request that is over, in this order. */
const outcomes = (): string[] =>
  service.logged
    .filter((line) => 'route' in line)
    .map(({ route, status, code = '' }) => `${String(route)} ${String(status)} ${String(code)}`.trim());

/** Why answers broke off, of each request that is over and whose did. */
const brokeOff = (): unknown[] => service.logged.flatMap(({ broke_off: cause }) => cause ?? []);

async function storeWithResult() {
  const store = memoryStore(Date.now);
  const times = { createdMs: Date.now(), expiresMs: Date.now() + 60_000 };
  await store.putResult({ id: RESULT, gzip: Buffer.from('x'), etag: '"x"', ...times });
  return store;
}

describe('requests behind each other on one connection', () => {
  it('are served one after the other', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({}, { workerPool, store: await storeWithResult() });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + `DELETE /results/${RESULT} HTTP/1.1\r\nHost: a\r\n\r\n`);
    client.write(`GET /results/${RESULT} HTTP/1.1\r\nHost: a\r\n\r\n` + chunkRequest('Two.'));
    await until(() => workerPool.started === 1);
    expect((await fetch(`${service.url}/results/${RESULT}`, { method: 'HEAD' })).status).toBe(200);
    workerPool.release();
    await until(() => workerPool.started === 2);
    workerPool.release();
    await until(() => client.statuses().length === 4);
    expect(client.statuses()).toEqual([200, 204, 404, 200]);
    client.socket.destroy();
  });

  it('end with their client, those that wait as well, and each is in the log under its route', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({}, { workerPool });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + chunkRequest('Two.') + HEALTH);
    await until(() => workerPool.started === 1);
    client.socket.destroy();
    await until(() => outcomes().length === 3);
    expect(outcomes().sort()).toEqual([
      '/chunk 499 client_gone',
      '/chunk 499 client_gone',
      '/health 499 client_gone',
    ]);
    expect(workerPool.started).toBe(1);
  });

  it('are at most 16, or their connection is ended', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({}, { workerPool });
    const many = openClient(service.url);
    many.write(chunkRequest('One.') + HEALTH.repeat(15));
    await until(() => workerPool.started === 1);
    workerPool.release();
    await until(() => many.statuses().length === 16);
    many.write(chunkRequest('One.') + HEALTH.repeat(1000));
    await many.closed;
    expect(many.statuses()).toHaveLength(16);
    await until(() => brokeOff().length === 17);
    expect(new Set(brokeOff())).toEqual(new Set(['flood']));
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  });

  it('are not served behind a refusal that is the last answer, though they came together with what is refused', async () => {
    service = await startTestService({}, { store: await storeWithResult() });
    const client = openClient(service.url);
    client.write(`GET /health HTTP/1.1\r\n\r\nDELETE /results/${RESULT} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.closed;
    expect(client.statuses()).toEqual([400]);
    expect((await fetch(`${service.url}/results/${RESULT}`, { method: 'HEAD' })).status).toBe(200);
  });

  it('are not served behind an answer that is the last', async () => {
    service = await startTestService({}, { store: await storeWithResult() });
    const client = openClient(service.url);
    client.write('POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    await until(() => client.statuses().length === 1);
    client.write(`0\r\n\r\nDELETE /results/${RESULT} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.closed;
    expect(client.received()).toMatch(/connection: close/i);
    expect((await fetch(`${service.url}/results/${RESULT}`, { method: 'HEAD' })).status).toBe(200);
  });

  it('are all answered by a service that stops', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({}, { workerPool, leavingMs: 100 });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + HEALTH);
    await until(() => workerPool.started === 1);
    const stopped = service.stop();
    workerPool.release();
    await client.closed;
    const heads = client.received().split('HTTP/1.1 ').slice(1);
    expect(heads.map((head) => head.slice(0, 3))).toEqual(['200', '200']);
    expect(heads.map((head) => /connection: close/i.test(head))).toEqual([false, true]);
    await stopped;
  });
});

/** Resolves when a head has taken too long that began later than all others. */
async function headTakesTooLong(): Promise<void> {
  const late = openClient(service.url);
  late.write('GET /health HTTP/1.1\r\nHo');
  await late.closed;
  service.logged.pop();
}

describe('bytes that are no request', () => {
  it.each([
    ['wrong', 'nonsense\r\n\r\n', 400, 'invalid_http'],
    ['never whole', 'GET /health HTTP/1.1\r\nHo', 408, 'request_timeout'],
  ])(
    'are refused when they are %s, behind the answer to a request before them',
    async (_, bytes, status, code) => {
      const workerPool = createHeldPool();
      const connection = { headersTimeout: 40, connectionsCheckingInterval: 5, lingerMs: 100 };
      service = await startTestService({}, { workerPool, connection });
      const client = openClient(service.url);
      client.write(chunkRequest('One.'));
      await until(() => workerPool.started === 1);
      client.write(bytes);
      // Long enough for the head to take too long.
      await new Promise((resolve) => setTimeout(resolve, 200));
      workerPool.release();
      expect(await client.closed).toBeUndefined();
      expect(client.statuses()).toEqual([200, status]);
      expect(client.received()).toContain(`"code":"${code}"`);
      expect(outcomes().sort()).toEqual(['/chunk 200', `none ${status} ${code}`]);
    },
  );

  it('are refused once they have come too late, also when they are whole in the end', async () => {
    const workerPool = createHeldPool();
    const connection = { headersTimeout: 40, connectionsCheckingInterval: 5, lingerMs: 100 };
    service = await startTestService({}, { workerPool, connection });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + 'GET /health HTTP/1.1\r\nHo');
    await until(() => workerPool.started === 1);
    await headTakesTooLong();
    client.write('st: a\r\n\r\n');
    await fetch(`${service.url}/health`);
    workerPool.release();
    await client.closed;
    expect(client.statuses()).toEqual([200, 408]);
  });

  it.each([
    ['while its answers are waited for', 0],
    ['long after it has begun to', 1200],
  ])('are refused by a service that stops, %s', async (_, stoppingMs) => {
    const workerPool = createHeldPool();
    service = await startTestService({}, { workerPool, leavingMs: 0 });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + 'nonsense\r\n\r\n');
    await until(() => workerPool.started === 1);
    const stopped = service.stop();
    await new Promise((resolve) => setTimeout(resolve, 400 + stoppingMs));
    workerPool.release();
    await client.closed;
    expect(client.statuses()).toEqual([200, 400]);
    await stopped;
  });

  it('are ignored behind a request that wants the connection ended', async () => {
    service = await startTestService();
    const client = openClient(service.url);
    client.write(chunkRequest('One.', 'Connection: close\r\n') + '\r\nand more');
    await client.closed;
    expect(client.statuses()).toEqual([200]);
  });

  it.each([
    ['a wrong piece', 'zz\r\n', 400, 'invalid_http'],
    ['trailers without an end', `0\r\nX: ${'x'.repeat(20_000)}`, 431, 'headers_too_large'],
  ])('in a body, such as %s, are the end of its request alone', async (_, bytes, status, code) => {
    service = await startTestService({ MAX_IN_WORK: '1' }, { connection: { lingerMs: 50 } });
    const client = openClient(service.url);
    client.write(
      'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"tex\r\n',
    );
    client.write(bytes);
    await client.closed;
    expect(client.statuses()).toEqual([status]);
    await until(() => outcomes().length === 1);
    expect(outcomes()).toEqual([`/chunk ${status} ${code}`]);
    const next = openClient(service.url);
    next.write(chunkRequest('One.', 'Connection: close\r\n'));
    await next.closed;
    expect(next.statuses()).toEqual([200]);
  });

  it.each([
    ['cut short by a client that closes its side', '/chunk 400 invalid_http'],
    ['lost with its connection', '/chunk 499 client_gone'],
  ])('are not those of a body that is %s', async (how, line) => {
    service = await startTestService({ MAX_IN_WORK: '1' });
    const client = openClient(service.url);
    client.write(chunkRequest('One.').slice(0, -10));
    // The server has read all earlier bytes when it answers this request.
    await fetch(`${service.url}/health`);
    if (how.startsWith('lost')) client.socket.resetAndDestroy();
    else client.socket.end();
    await client.closed;
    await until(() => outcomes().some((each) => each.startsWith('/chunk')));
    expect(outcomes().filter((each) => !each.startsWith('/health'))).toEqual([line]);
    if (line.includes('400')) expect(client.received()).toContain('cut short');
  });

  it('are read for a while, so that a client that is still sending has the answer', async () => {
    service = await startTestService();
    const client = openClient(service.url);
    client.socket.pause();
    client.write(`GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000_000)}`);
    await until(() => client.socket.writableLength === 0);
    client.socket.resume();
    expect(await client.closed).toBeUndefined();
    expect(client.statuses()).toEqual([431]);
  });

  it('of a client that closes its side while it waits hold up no other', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({}, { workerPool });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + 'GET /heal');
    await until(() => workerPool.started === 1);
    client.socket.end();
    await client.closed;
    await until(() => outcomes().length === 1);
    expect(outcomes()).toEqual(['/chunk 499 client_gone']);
  });
});
