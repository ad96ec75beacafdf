// Answers that do not go out whole, and what the log and the metrics say of them.
import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readExposition } from './exposition.ts';
import { memoryStore } from './fake-service.ts';
import { chunkRequest, openClient, type RawClient, until } from './raw-client.ts';
import { startTestService, type TestService } from './running-service.ts';
import type { ServiceOverrides } from '../../src/main/server.ts';

let service: TestService;
afterEach(() => service.stop());

const MIB = 1024 ** 2;
const ID = 'free_0123456789ab';
/** More than the buffers of both sockets take in. */
const LARGE = randomBytes(16 * MIB);

async function startWith(gzip: Uint8Array, parts: ServiceOverrides = {}, environment = {}): Promise<void> {
  const store = memoryStore(Date.now);
  const times = { createdMs: Date.now(), expiresMs: Date.now() + 60_000 };
  const etag = `"${createHash('sha256').update(gzip).digest('hex')}"`;
  await store.putResult({ id: ID, gzip, etag, ...times });
  service = await startTestService({ METRICS_PORT: '0', ...environment }, { store, ...parts });
}

/** Asks for the result; reads nothing of it beyond its first bytes. */
async function beginToRead(headers = 'Accept-Encoding: gzip\r\n'): Promise<RawClient> {
  const client = openClient(service.url);
  client.socket.once('data', () => client.socket.pause());
  client.write(`GET /results/${ID} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  await until(() => client.statuses().length === 1);
  return client;
}

const lines = () => service.logged.filter((line) => 'route' in line);

async function counted(name: string, labels: string): Promise<number | undefined> {
  const text = await (await fetch(service.metricsUrl ?? '')).text();
  return readExposition(text).get(name)?.samples.get(labels);
}

async function expectBrokenOff(cause: string): Promise<void> {
  await until(() => lines().length === 1);
  expect(lines()).toMatchObject([{ route: '/results/{id}', status: 200, broke_off: cause }]);
  expect(lines()[0]).not.toHaveProperty('code');
  const count = await counted('grainline_answers_broken_off_total', `{cause="${cause}"}`);
  expect(count).toBe(1);
}

describe('an answer that does not go out whole', () => {
  it('is told of when its client is too slow', async () => {
    await startWith(LARGE, { connection: { stallMs: 60 } });
    const client = await beginToRead();
    await expectBrokenOff('slow');
    client.socket.destroy();
  });

  it('is told of when its client leaves', async () => {
    await startWith(LARGE);
    (await beginToRead()).socket.destroy();
    await expectBrokenOff('left');
  });

  it('is told of when what it is made of fails', async () => {
    await startWith(gzipSync('x'.repeat(1000)).subarray(0, 20));
    const client = openClient(service.url);
    client.write(`GET /results/${ID} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.closed;
    await expectBrokenOff('failed');
    expect(service.logged).toContainEqual(expect.objectContaining({ level: 50, msg: 'answer broke off' }));
  });

  it('is told of when the service ends first', async () => {
    await startWith(LARGE, { leavingMs: 50 }, { SHUTDOWN_MS: '100' });
    const client = await beginToRead();
    await service.stop();
    expect(lines()).toMatchObject([{ status: 200, broke_off: 'shutdown' }]);
    client.socket.destroy();
  });
});

describe('an answer that goes out whole', () => {
  it('is no other when its client has closed the connection before its request was read to the end', async () => {
    await startWith(LARGE);
    const client = openClient(service.url);
    client.write('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    await until(() => client.received().includes('not_found'));
    client.socket.destroy();
    await until(() => lines().length === 1);
    expect(lines()[0]).toMatchObject({ status: 404, code: 'not_found' });
    expect(lines()[0]).not.toHaveProperty('broke_off');
    expect(await counted('grainline_requests_total', '{route="none",status="404"}')).toBe(1);
    expect(await counted('grainline_answers_broken_off_total', '{cause="left"}')).toBeUndefined();
  });

  it('is on its way until then, and the memory that it holds is told', async () => {
    await startWith(LARGE);
    const client = await beginToRead();
    expect(await counted('grainline_outgoing_bytes', '{}')).toBeGreaterThanOrEqual(LARGE.byteLength);
    client.socket.resume();
    await until(() => lines().length === 1);
    expect(lines()[0]).not.toHaveProperty('broke_off');
    expect(await counted('grainline_outgoing_bytes', '{}')).toBe(0);
    client.socket.destroy();
  });
});

describe('bytes that are no request', () => {
  it('are counted as the refusal that they get, without a time', async () => {
    await startWith(LARGE);
    const client = openClient(service.url);
    client.write('nonsense\r\n\r\n');
    await client.closed;
    expect(await counted('grainline_requests_total', '{route="none",status="400"}')).toBe(1);
    expect(await counted('grainline_refusals_total', '{code="invalid_http"}')).toBe(1);
    expect(await counted('grainline_request_duration_seconds', '_count{route="none"}')).toBeUndefined();
  });
});

describe('the end of the service', () => {
  it('waits for no head, no rest of an answered request, and no connection that has had its answer', async () => {
    await startWith(LARGE, { leavingMs: 50 }, { SHUTDOWN_MS: '20000' });
    const half = openClient(service.url);
    half.write('GET /health HTTP/1.1\r\nHo');
    const unsent = openClient(service.url);
    unsent.write('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    await until(() => unsent.statuses().length === 1);
    const slow = await beginToRead();
    const answered = openClient(service.url);
    answered.write(chunkRequest('One.'));
    await until(() => answered.statuses().length === 1);
    const beganMs = performance.now();
    const stopped = service.stop();
    await half.closed;
    slow.socket.resume();
    await stopped;
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    expect(Buffer.byteLength(slow.received(), 'utf8')).toBeGreaterThan(LARGE.byteLength);
    await Promise.all([unsent, slow, answered].map(({ closed }) => closed));
  });
});
