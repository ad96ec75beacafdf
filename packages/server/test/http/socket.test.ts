// Behaviour that needs a socket: framing, early refusals, waits, clients that disconnect, and the graceful end.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { FRAMING } from './bad-framing.ts';
import { form, inlineWorkerPool, memoryStore, paragraphs } from './fake-service.ts';
import { createHeldPool, until } from './raw-client.ts';
import { sendRaw, startTestService, type TestService } from './running-service.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

let service: TestService;
afterEach(() => service.stop());

const upload = (url: string, content: string | Uint8Array, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/chunk/demo`, { method: 'POST', body: form(content), ...init });

/** `refused` when the port is closed: the client may try another server. Any other error is a lost request. */
function codeOfRefusal(error: Error): 'refused' {
  if ((error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED') return 'refused';
  throw error;
}

describe('a request on a socket', () => {
  it('is answered, with its own harmless request id or one of ours', async () => {
    service = await startTestService();
    const named = await upload(service.url, 'Text.', { headers: { 'X-Request-Id': 'mine-1' } });
    expect([named.status, named.headers.get('x-request-id')]).toEqual([200, 'mine-1']);
    const unnamed = await upload(service.url, 'Text.', { headers: { 'X-Request-Id': 'not harmless!' } });
    expect(unnamed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('gets links that begin with the Host it asked for when that is this very port on loopback', async () => {
    service = await startTestService();
    const { port } = new URL(service.url);
    const linkFor = async (host: string): Promise<unknown> => {
      const body = JSON.stringify({ tier: 'free', text: paragraphs(100) });
      const head = `POST /chunk HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const { json } = await sendRaw(service.url, [head + body]);
      return String(json['download_url']).replace(/\/results\/free_[0-9a-f]{12}$/, '');
    };
    expect(await linkFor(`localhost:${port}`)).toBe(`http://localhost:${port}`);
    expect(await linkFor('evil.example')).toBe(service.url);
    expect(await linkFor(`127.0.0.1:${port}/x?`)).toBe(service.url);
    expect(await linkFor(`user@127.0.0.1:${port}`)).toBe(service.url);
  });

  it('is answered to HEAD with the length and without the body', async () => {
    service = await startTestService();
    const response = await fetch(`${service.url}/health`, { method: 'HEAD' });
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(20);
    expect(await response.text()).toBe('');
  });

  it('for a result is answered as the client takes it: compressed, decompressed, or the head alone', async () => {
    service = await startTestService();
    const { download_url: link } = (await (await upload(service.url, paragraphs(100))).json()) as {
      download_url: string;
    };
    const compressed = await fetch(link);
    const plain = await fetch(link, { headers: { 'Accept-Encoding': 'identity' } });
    expect([compressed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual([
      'gzip',
      null,
    ]);
    const texts = [await compressed.text(), await plain.text()];
    expect(texts[0]).toBe(texts[1]);
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ total_chunks: 100 });
    for (const accepted of ['gzip', 'identity']) {
      const head = await fetch(link, { method: 'HEAD', headers: { 'Accept-Encoding': accepted } });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
    expect((await fetch(link, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(link)).status).toBe(404);
  });

  it('is logged on one line, without path, query, text, address or payment', async () => {
    service = await startTestService();
    await fetch(`${service.url}/results/free_0123456789ab?token=secret-query`, {
      headers: { 'X-PAYMENT': 'secret-payment' },
    });
    await upload(service.url, 'secret text', { headers: { 'X-Request-Id': 'r-2' } });
    await until(() => service.logged.filter((line) => 'route' in line).length === 2);
    const lines = service.logged.filter((line) => 'route' in line);
    expect(lines[0]).toMatchObject({
      method: 'GET',
      route: '/results/{id}',
      status: 404,
      code: 'result_not_found',
    });
    expect(lines[1]).toMatchObject({
      request_id: 'r-2',
      method: 'POST',
      route: '/chunk/{tier}',
      status: 200,
    });
    expect(JSON.stringify(service.logged)).not.toMatch(/secret|0123456789ab/);
  });

  it('that fails by a defect of ours says nothing about it, and the log says it all', async () => {
    const workerPool = { ...inlineWorkerPool, run: () => Promise.reject(new Error('at /inner/path.ts')) };
    service = await startTestService({}, { workerPool });
    const response = await upload(service.url, 'Text.', { headers: { 'X-Request-Id': 'r-3' } });
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toEqual([
      500,
      expect.objectContaining({ code: 'internal_error', request_id: 'r-3' }),
    ]);
    expect(text).not.toContain('inner');
    expect(JSON.stringify(service.logged.find((line) => line['request_id'] === 'r-3'))).toContain(
      '/inner/path.ts',
    );
  });
});

describe('framing', () => {
  it.each(FRAMING)('%s is refused', async (_, bytes, status, code) => {
    service = await startTestService();
    const answer = await sendRaw(service.url, [bytes]);
    expect([answer.status, answer.json['code']]).toEqual([status, code]);
    expect(Object.keys(answer.json).sort()).toEqual(['code', 'error', 'message', 'request_id', 'retryable']);
    expect(answer.head).toMatch(/connection: close/i);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  });

  it.each([
    ['a short body that is not read', 64 * KIB, 'keep-alive', true],
    ['a longer one', 64 * KIB + 1, 'close', false],
  ])('%s costs no connection, or is not waited for: %d bytes', async (_, length, connection, isKept) => {
    service = await startTestService();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (method: string, path: string, body = ''): Promise<[IncomingMessage, boolean]> => {
      const sent = request(`${service.url}${path}`, { method, agent });
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'end');
      return [answer, sent.reusedSocket];
    };
    try {
      const [refused] = await ask('POST', '/nowhere', 'x'.repeat(length));
      expect([refused.statusCode, refused.headers.connection]).toEqual([404, connection]);
      const [healthy, isReused] = await ask('GET', '/health');
      expect([healthy.statusCode, isReused]).toEqual([200, isKept]);
    } finally {
      agent.destroy();
    }
  });

  it('a whole address in place of the path leads to the path', async () => {
    service = await startTestService();
    const answer = await sendRaw(service.url, [
      'GET http://other.example/health?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ]);
    expect(answer).toMatchObject({ status: 200, json: { status: 'healthy' } });
  });

  it.each(['/chunk/demo', 'http://other.example/chunk/demo'])(
    'what stands behind the ? of %s is its query',
    async (target) => {
      service = await startTestService();
      for (const [ending, code] of [
        ['', 'unsupported_media_type'],
        ['?', 'unsupported_media_type'],
        ['#x?y', 'unsupported_media_type'],
        ['?a=b?c', 'invalid_fields'],
      ])
        expect(
          await sendRaw(service.url, [
            `POST ${target}${ending} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
          ]),
        ).toMatchObject({ json: { code } });
    },
  );

  it.each([
    '//other.example/health',
    '/health/../ready',
    '/%68ealth',
    '/results/%66ree_0123456789ab',
    '/health%00',
  ])('the path %s is taken as it is, and leads nowhere', async (path) => {
    service = await startTestService();
    const answer = await sendRaw(service.url, [
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ]);
    expect(answer.status).toBe(404);
  });

  it('an unknown expectation is ignored', async () => {
    service = await startTestService();
    const head = 'GET /health HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(service.url, [head])).toMatchObject({ status: 200, json: { status: 'healthy' } });
  });

  it('CONNECT is closed, and an upgrade is answered as the request it is', async () => {
    service = await startTestService();
    expect((await sendRaw(service.url, ['CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'])).status).not.toBe(
      200,
    );
    const upgrade =
      'GET /health HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
    expect((await sendRaw(service.url, [upgrade])).status).toBe(200);
  });

  it('a body that ends before its announced length is refused', async () => {
    service = await startTestService();
    const head =
      'POST /chunk/demo HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000\r\n\r\n';
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText';
    const answer = await sendRaw(service.url, [head, part], { halfClose: true });
    expect(answer.status).toBe(400);
    expect((await upload(service.url, 'Text.')).status).toBe(200);
  });
});

describe('a body that is too large', () => {
  it('is refused by its announced length, before any of it is sent', async () => {
    service = await startTestService();
    const head = `POST /chunk/demo HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${10 * 1024 * MIB}\r\nExpect: 100-continue\r\n\r\n`;
    const answer = await sendRaw(service.url, [head], { halfClose: true });
    expect(answer).toMatchObject({
      status: 413,
      json: { code: 'too_large', limit: { max_bytes: 50 * MIB + 128 * KIB } },
    });
    expect(answer.head).not.toContain('100 Continue');
  });

  it('is refused although its client never stops sending: 100 MB of them', async () => {
    service = await startTestService();
    const response = await upload(service.url, new Uint8Array(100_000_000));
    expect([response.status, (await response.json()) as object]).toEqual([
      413,
      expect.objectContaining({ code: 'too_large' }),
    ]);
  });

  it('is refused while it comes when no length was announced', async () => {
    service = await startTestService({ MAX_JSON_BYTES: '1KiB' });
    const body = new Blob([JSON.stringify({ tier: 'free', text: 'x'.repeat(5000) })]).stream();
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${service.url}/chunk`, {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    });
    expect([response.status, (await response.json()) as object]).toEqual([
      413,
      expect.objectContaining({ code: 'too_large' }),
    ]);
  });

  it('is taken at exactly the limit and refused one byte above', async () => {
    service = await startTestService({ MAX_UPLOAD_BYTES: '100KiB' });
    expect((await upload(service.url, 'x'.repeat(100 * KIB))).status).toBe(200);
    expect((await upload(service.url, 'x'.repeat(100 * KIB + 1))).status).toBe(413);
    const json = (length: number): string => {
      const empty = JSON.stringify({ tier: 'free', text: '' }).length;
      return JSON.stringify({ tier: 'free', text: 'x'.repeat(length - empty) });
    };
    const headers = { 'Content-Type': 'application/json' };
    const send = async (bytes: number) =>
      (await fetch(`${service.url}/chunk`, { method: 'POST', body: json(bytes), headers })).status;
    expect([await send(5 * MIB), await send(5 * MIB + 1)]).toEqual([200, 413]);
  });

  it('is asked for only when the request has come through: 100 Continue', async () => {
    service = await startTestService();
    const { port } = new URL(service.url);
    const body = JSON.stringify({ tier: 'free', text: 'Text.' });
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    };
    const sent = request({ port, method: 'POST', path: '/chunk', headers });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
    response.resume();
    expect(response.statusCode).toBe(200);
  });
});

describe('a client that is too slow', () => {
  const connection = { stallMs: 400, lingerMs: 100 };
  const head = (path: string, type: string, length = 5000): string =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText';

  it.each([
    ['a JSON body', [head('/chunk', 'application/json'), '{"tier":"free",']],
    ['a form', [head('/chunk/demo', 'multipart/form-data; boundary=b'), part]],
    ['a form without its file', [head('/chunk/demo', 'multipart/form-data; boundary=b'), '--b\r\nCon']],
    [
      'a chunked body',
      [
        head('/chunk', 'application/json').replace(/Content-Length.*/, 'Transfer-Encoding: chunked'),
        '5\r\n{"tex',
      ],
    ],
  ])('with %s gets 408, and its place goes to the next', async (_, pieces) => {
    service = await startTestService({ MAX_IN_WORK: '1' }, { connection });
    const answer = await sendRaw(service.url, pieces);
    expect([answer.status, answer.json['code']]).toEqual([408, 'request_timeout']);
    expect(answer.head).toMatch(/connection: close/i);
    expect((await upload(service.url, 'Text.')).status).toBe(200);
  });

  it('is not one whose request waits for us', async () => {
    const workerPool = createHeldPool();
    // Long enough that a busy machine, on which this test sends late, counts as no slow client.
    const stallMs = 1500;
    service = await startTestService({ MAX_IN_WORK: '1' }, { connection: { stallMs }, workerPool });
    const first = upload(service.url, 'Text.');
    await until(() => workerPool.started === 1);
    const second = upload(service.url, 'x'.repeat(300_000));
    // Between two firings of the timer of the socket: one between the release and the next byte finds a slow client.
    await new Promise((resolve) => setTimeout(resolve, 2.5 * stallMs));
    workerPool.release();
    await until(() => workerPool.started === 2);
    workerPool.release();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it('with its answer is cut off, and one that takes it is not', async () => {
    const store = memoryStore(Date.now);
    const text = JSON.stringify({ text: 'x'.repeat(60 * MIB) });
    const now = Date.now();
    await store.putResult({
      id: 'free_0123456789ab',
      gzip: gzipSync(text, { level: 1 }),
      etag: '"1"',
      createdMs: now,
      expiresMs: now + 3_600_000,
    });
    service = await startTestService({}, { connection, store });
    const { port } = new URL(service.url);
    const stuck = connect(Number(port));
    await once(stuck, 'connect');
    stuck.pause();
    stuck.write('GET /results/free_0123456789ab HTTP/1.1\r\nHost: a\r\n\r\n');
    const whole = await fetch(`${service.url}/results/free_0123456789ab`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
    expect((await whole.text()).length).toBe(text.length);
    await until(() => service.logged.filter((line) => 'route' in line).length === 2);
    await once(stuck.resume(), 'close');
  });
});

describe('many at once', () => {
  const text = 'All work and no play makes a dull text. '.repeat(2500);

  it('200 uploads of 100 kB are all answered, and /health meanwhile', async () => {
    service = await startTestService({ MAX_IN_WORK: '8' });
    const answers = Array.from({ length: 200 }, () => upload(service.url, text));
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  });

  it('never spend more free pages than there are, and spend every one, in a real store', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'grainline-http-'));
    const store = openSqliteStore({ dataDir, maxStoredBytes: 100 * MIB, now: Date.now });
    service = await startTestService({ FREE_PAGES_PER_DAY: '100' }, { store });
    const twoPages = 'x'.repeat(2 * 2200);
    const answers = await Promise.all(Array.from({ length: 200 }, () => upload(service.url, twoPages)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(150);
    const last = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => headers.get('ratelimit'));
    expect(last.filter((limit) => limit?.startsWith('"free-pages";r=0;'))).toHaveLength(1);
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('have at most MAX_IN_WORK bodies in work; the others wait, and /health does not', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({ MAX_IN_WORK: '3' }, { workerPool });
    const answers = Array.from({ length: 10 }, () => upload(service.url, 'Text.'));
    await until(() => workerPool.started === 3);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(workerPool.started).toBe(3);
    const all = Promise.all(answers);
    let ended = false;
    void all.then(() => (ended = true));
    await until(() => {
      workerPool.release();
      return ended;
    });
    expect((await all).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  });
});

/** Length of the system's queue of connections that a process has not accepted; 0 where it is unknown. */
const BACKLOG = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8').catch(() => '0'));

describe.skipIf(BACKLOG < 1000)('a service that is busy for a moment', () => {
  it('keeps 1000 that connect meanwhile waiting, and answers each', async () => {
    service = await startTestService();
    const { hostname, port } = new URL(service.url);
    // It runs while this process, and the service in it, stands still.
    const { stdout } = spawnSync(process.execPath, ['--eval', CONNECTOR, hostname, port], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('1000 connected');
    const answers = Array.from({ length: 1000 }, () => fetch(`${service.url}/health`));
    expect((await Promise.all(answers)).every(({ ok }) => ok)).toBe(true);
  });
});

/** Connects 1000 times, and says how often it could. */
const CONNECTOR = `
  const [, host, port] = process.argv;
  let connected = 0;
  const end = () => process.stdout.write(connected + ' connected', () => process.exit());
  for (let count = 0; count < 1000; count++)
    require('node:net').connect({ host, port }, () => ++connected === 1000 && end());
  setTimeout(end, 15_000);`;

describe('a client that sends nothing', () => {
  it('on 100 connections without a length does not keep another one out', async () => {
    service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' });
    const { port } = new URL(service.url);
    const silent = Array.from({ length: 100 }, () =>
      connect(Number(port), '127.0.0.1').on('error', () => undefined),
    );
    for (const socket of silent) {
      socket.write(
        'POST /chunk/demo HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
    }
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    // All of them are taken in before one that comes later.
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    const body = '{"tier":"free","text":"Text."}';
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.51.100.7' };
    const answer = await fetch(`${service.url}/chunk`, { method: 'POST', body, headers });
    expect(answer.status).toBe(200);
    for (const socket of silent) socket.destroy();
  });
});

describe('more connections than there may be', () => {
  const connected = async (): Promise<Socket> => {
    const { hostname, port } = new URL(service.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  it('are closed at once, and the ones before are served', async () => {
    service = await startTestService({}, { connection: { maxConnections: 2 } });
    const open = [await connected(), await connected()];
    const refused = await connected();
    await once(refused.resume(), 'close');
    for (const socket of open) {
      socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
      const [head] = (await once(socket, 'data')) as [Buffer];
      expect(head.toString()).toMatch(/^HTTP\/1\.1 200 /);
      socket.destroy();
    }
    await vi.waitFor(async () => expect((await fetch(`${service.url}/health`)).status).toBe(200));
  });
});

describe('a client that goes away', () => {
  it('ends the free work that it asked for, and gives its place back', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({ MAX_IN_WORK: '1', FREE_PAGES_PER_DAY: '1' }, { workerPool });
    const gone = new AbortController();
    const answer = upload(service.url, 'Text.', { signal: gone.signal });
    await until(() => workerPool.started === 1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    const next = upload(service.url, 'Text.');
    await until(() => workerPool.started === 2);
    workerPool.release();
    expect((await next).status).toBe(200);
    expect(service.logged).toContainEqual(expect.objectContaining({ status: 499, code: 'client_gone' }));
  });

  it('in the middle of its upload leaves nothing behind', async () => {
    service = await startTestService({ MAX_IN_WORK: '1' });
    const { port } = new URL(service.url);
    const socket = connect(Number(port));
    socket.write(
      'POST /chunk/demo HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000\r\n\r\n',
    );
    socket.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText');
    await once(socket, 'connect');
    socket.resetAndDestroy();
    expect((await upload(service.url, 'Text.')).status).toBe(200);
  });
});

describe('stopping', () => {
  it('lets running requests end, closes the store, and is the same when asked twice', async () => {
    const workerPool = createHeldPool();
    let closed = 0;
    const store = { ...memoryStore(), close: () => Promise.resolve(void (closed += 1)) };
    service = await startTestService({}, { workerPool, store, leavingMs: 100 });
    const running = upload(service.url, 'Text.');
    await until(() => workerPool.started === 1);
    const stopped = service.stop();
    expect(service.stop()).toBe(stopped);
    const isListening = (): Promise<boolean> =>
      fetch(`${service.url}/health`).then(
        () => true,
        () => false,
      );
    while (await isListening());
    workerPool.release();
    const response = await running;
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
    expect(closed).toBe(1);
  });

  it('is not ready at once, and serves who has not noticed', async () => {
    service = await startTestService();
    const stopped = service.stop();
    const ready = await fetch(`${service.url}/ready`);
    expect([ready.status, (await ready.json()) as object]).toEqual([
      503,
      expect.objectContaining({ code: 'shutting_down' }),
    ]);
    expect((await upload(service.url, 'Text.')).status).toBe(200);
    await stopped;
  });

  it('serves on for DRAIN_MS, however quiet it is, when a client polls /ready', async () => {
    const start = (): Promise<TestService> => startTestService({ DRAIN_MS: '300' }, { leavingMs: 0 });
    const services = { polled: await start(), other: await start() };
    service = services.polled;
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);
    const ended: string[] = [];
    await Promise.all(
      Object.entries(services).map(([name, started]) => started.stop().then(() => ended.push(name))),
    );
    expect(ended).toEqual(['other', 'polled']);
  });

  it('refuses work on a connection that outlives the listening', async () => {
    service = await startTestService({}, { leavingMs: 100 });
    const { port } = new URL(service.url);
    const socket = connect(Number(port));
    let received = '';
    socket.on('data', (piece) => (received += piece.toString()));
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\nPOST /chunk HTTP/1.1\r\n');
    await until(() => received.includes('healthy'));
    const stopped = service.stop();
    const isListening = (): Promise<boolean> =>
      fetch(`${service.url}/health`).then(
        () => true,
        () => false,
      );
    while (await isListening());
    socket.write('Host: a\r\n\r\n');
    await once(socket, 'close');
    expect(received).toMatch(/HTTP\/1\.1 503[^]*"shutting_down"/);
    await stopped;
  });

  it('loses no request of clients that go on sending', async () => {
    service = await startTestService({}, { leavingMs: 100 });
    const outcomes: (number | 'refused')[] = [];
    const client = async (): Promise<void> => {
      let goesOn = true;
      while (goesOn) {
        const outcome = await upload(service.url, 'Text.').then(({ status }) => status, codeOfRefusal);
        outcomes.push(outcome);
        goesOn = outcome === 200;
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await until(() => outcomes.length > 50);
    await Promise.all([service.stop(), ...clients]);
    const unclean = outcomes.filter((outcome) => ![200, 503, 'refused'].includes(outcome));
    expect(unclean).toEqual([]);
    expect(outcomes.filter((outcome) => outcome !== 200)).toHaveLength(8);
  });

  it('aborts what has not ended within SHUTDOWN_MS with 503', async () => {
    const workerPool = createHeldPool();
    service = await startTestService({ SHUTDOWN_MS: '0' }, { workerPool });
    const running = upload(service.url, 'Text.');
    await until(() => workerPool.started === 1);
    const stopped = service.stop();
    const response = await running;
    expect([response.status, (await response.json()) as object]).toEqual([
      503,
      expect.objectContaining({ code: 'shutting_down' }),
    ]);
    await stopped;
  });

  it('does not wait for connections on which nothing happens', async () => {
    service = await startTestService();
    const { port } = new URL(service.url);
    const silent = connect(Number(port));
    await once(silent, 'connect');
    await fetch(`${service.url}/health`);
    await service.stop();
    await once(silent.resume(), 'close');
  });
});
