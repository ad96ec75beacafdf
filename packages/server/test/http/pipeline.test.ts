// Requests behind each other on one connection, and bytes that are none: each is answered in its place, and what cannot
// be answered is not done.
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from './fake-service.ts';
import { chunkRequest, heldWorkplace, openClient, until } from './raw-client.ts';
import { startTestService, type TestService } from './running-service.ts';

let service: TestService;
afterEach(() => service.stop());

const HEALTH = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
const RESULT = 'free_0123456789ab';

/** Route, status and code of each request that is over, in this order. */
const told = (): string[] =>
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
    const workplace = heldWorkplace();
    service = await startTestService({}, { workplace, store: await storeWithResult() });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + `DELETE /results/${RESULT} HTTP/1.1\r\nHost: a\r\n\r\n`);
    client.write(`GET /results/${RESULT} HTTP/1.1\r\nHost: a\r\n\r\n` + chunkRequest('Two.'));
    await until(() => workplace.started === 1);
    expect((await fetch(`${service.url}/results/${RESULT}`, { method: 'HEAD' })).status).toBe(200);
    workplace.release();
    await until(() => workplace.started === 2);
    workplace.release();
    await until(() => client.statuses().length === 4);
    expect(client.statuses()).toEqual([200, 204, 404, 200]);
    client.socket.destroy();
  });

  it('end with their client, those that wait as well, and each is in the log under its route', async () => {
    const workplace = heldWorkplace();
    service = await startTestService({}, { workplace });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + chunkRequest('Two.') + HEALTH);
    await until(() => workplace.started === 1);
    client.socket.destroy();
    await until(() => told().length === 3);
    expect(told().sort()).toEqual([
      '/chunk 499 client_gone',
      '/chunk 499 client_gone',
      '/health 499 client_gone',
    ]);
    expect(workplace.started).toBe(1);
  });

  it('are at most 256, or their connection is ended', async () => {
    const workplace = heldWorkplace();
    service = await startTestService({}, { workplace });
    const many = openClient(service.url);
    many.write(chunkRequest('One.') + HEALTH.repeat(255));
    await until(() => workplace.started === 1);
    workplace.release();
    await until(() => many.statuses().length === 256);
    many.write(chunkRequest('One.') + HEALTH.repeat(256));
    await many.closed;
    expect(many.statuses()).toHaveLength(256);
    await until(() => brokeOff().length === 257);
    expect(new Set(brokeOff())).toEqual(new Set(['flood']));
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  });

  it('hold no more than a mebibyte of what is still to be read, or their connection is ended', async () => {
    const workplace = heldWorkplace();
    service = await startTestService({}, { workplace });
    const many = openClient(service.url);
    many.write(chunkRequest('One.') + chunkRequest('x'.repeat(60_000)).repeat(20));
    await many.closed;
    await until(() => brokeOff().includes('flood'));
    expect(workplace.started).toBe(1);
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
    const workplace = heldWorkplace();
    service = await startTestService({}, { workplace, leavingMs: 100 });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + HEALTH);
    await until(() => workplace.started === 1);
    const stopped = service.stop();
    workplace.release();
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
      const workplace = heldWorkplace();
      const connection = { headersTimeout: 40, connectionsCheckingInterval: 5, lingerMs: 100 };
      service = await startTestService({}, { workplace, connection });
      const client = openClient(service.url);
      client.write(chunkRequest('One.'));
      await until(() => workplace.started === 1);
      client.write(bytes);
      // Long enough for the head to take too long.
      await new Promise((resolve) => setTimeout(resolve, 200));
      workplace.release();
      expect(await client.closed).toBeUndefined();
      expect(client.statuses()).toEqual([200, status]);
      expect(client.received()).toContain(`"code":"${code}"`);
      expect(told().sort()).toEqual(['/chunk 200', `none ${status} ${code}`]);
    },
  );

  it('are refused once they have come too late, also when they are whole in the end', async () => {
    const workplace = heldWorkplace();
    const connection = { headersTimeout: 40, connectionsCheckingInterval: 5, lingerMs: 100 };
    service = await startTestService({}, { workplace, connection });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + 'GET /health HTTP/1.1\r\nHo');
    await until(() => workplace.started === 1);
    await headTakesTooLong();
    client.write('st: a\r\n\r\n');
    await fetch(`${service.url}/health`);
    workplace.release();
    await client.closed;
    expect(client.statuses()).toEqual([200, 408]);
  });

  it.each([
    ['while its answers are waited for', 0],
    ['long after it has begun to', 1200],
  ])('are refused by a service that stops, %s', async (_, stoppingMs) => {
    const workplace = heldWorkplace();
    service = await startTestService({}, { workplace, leavingMs: 0 });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + 'nonsense\r\n\r\n');
    await until(() => workplace.started === 1);
    const stopped = service.stop();
    await new Promise((resolve) => setTimeout(resolve, 400 + stoppingMs));
    workplace.release();
    await client.closed;
    expect(client.statuses()).toEqual([200, 400]);
    await stopped;
  });

  it('are nobody’s concern behind a request that wants the connection ended', async () => {
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
    await until(() => told().length === 1);
    expect(told()).toEqual([`/chunk ${status} ${code}`]);
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
    // What was sent before has been read when this is answered.
    await fetch(`${service.url}/health`);
    if (how.startsWith('lost')) client.socket.resetAndDestroy();
    else client.socket.end();
    await client.closed;
    await until(() => told().some((each) => each.startsWith('/chunk')));
    expect(told().filter((each) => !each.startsWith('/health'))).toEqual([line]);
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

  it('that a client leaves behind, who closes its side while it waits, hold nobody up', async () => {
    const workplace = heldWorkplace();
    service = await startTestService({}, { workplace });
    const client = openClient(service.url);
    client.write(chunkRequest('One.') + 'GET /heal');
    await until(() => workplace.started === 1);
    client.socket.end();
    await client.closed;
    await until(() => told().length === 1);
    expect(told()).toEqual(['/chunk 499 client_gone']);
  });
});
