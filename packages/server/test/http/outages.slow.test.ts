// One dependency of the service fails at a time. The tests check the answers meanwhile, that no payment is used up, and
// that the same request succeeds afterwards. The table in docs/deploy.md describes the same outages.
import { DatabaseSync } from 'node:sqlite';
import { PaymentProblem } from '@grainline/x402';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createDownloader } from '../../src/requests/download/index.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { storeIn } from '../../src/store/sqlite/index.ts';
import { migrate } from '../../src/store/sqlite/schema.ts';
import { openStore } from '../../src/store/open.ts';
import { WorkError } from '../../src/sandbox/index.ts';
import { type PaidService, paidService } from '../payments/paid-service.ts';
import { createCluster, hasPrograms } from '@grainline/testing/postgres-cluster';
import { createDatabase, hasPostgres } from '@grainline/testing/postgres-server';
import { ask, fakeService, form, inlineWorkerPool, NOW, paragraphs } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';

let running: TestService | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const LARGE = paragraphs(300);
const free = (service: ServiceDeps, content = 'Text.') =>
  ask(service, 'POST /chunk/demo', { body: form(content) });
const buy = (service: ServiceDeps, proof: string, content = 'Text.') =>
  ask(service, 'POST /chunk/structure', { body: form(content), headers: { 'x-payment': proof } });
const said = ({ status, json }: Awaited<ReturnType<typeof free>>): unknown[] => [
  status,
  json['code'],
  json['payment'],
];
const reusable = (transaction: string) => ({ reusable: true, transaction });

describe('a disk that is full', () => {
  /** A real engine that may not grow any more. */
  const smallStore = () => {
    const database = new DatabaseSync(':memory:');
    migrate(database);
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    const limit = (most: number): void => database.exec(`PRAGMA max_page_count = ${most}`);
    const store = storeIn(
      { quick: database, durable: database },
      { maxStoredBytes: 2 ** 30, now: () => NOW },
    );
    return { store, fill: () => limit(pages + 2), free: () => limit(1_000_000) };
  };

  it('costs no payment: 503, and the same request once there is room', async () => {
    const disk = smallStore();
    const service = paidService({}, { store: disk.store });
    const proof = service.chain.pay(2000n);
    disk.fill();
    const refused = await buy(service, proof, LARGE);
    expect(said(refused)).toEqual([503, 'disk_full', reusable(proof)]);
    expect(refused.headers['Retry-After']).toBe('60');
    expect((await ask(service, 'GET /health')).status).toBe(200);
    disk.free();
    expect((await buy(service, proof, LARGE)).status).toBe(200);
    expect((await buy(service, proof, 'Another.')).json['code']).toBe('payment_already_used');
  });

  it('sells nothing, and serves who has paid', async () => {
    const database = new DatabaseSync(':memory:');
    migrate(database);
    const store = storeIn(
      { quick: database, durable: database },
      { maxStoredBytes: 2 ** 30, now: () => NOW, freeBytes: () => 0 },
    );
    const service = paidService({}, { store });
    const refused = await ask(service, 'POST /chunk/structure', { body: form('Text.') });
    expect(said(refused)).toEqual([503, 'disk_full', undefined]);
    expect(refused.json).not.toHaveProperty('paymentRequirements');
    expect((await buy(service, service.chain.pay(2000n))).status).toBe(200);
  });

  it('costs no free pages, and small answers are given as long as pages can be counted', async () => {
    const disk = smallStore();
    const service = fakeService({ FREE_PAGES_PER_DAY: '100000' }, { store: disk.store });
    expect((await free(service)).status).toBe(200);
    disk.fill();
    const left = (await free(service)).headers['RateLimit'];
    expect(said(await free(service, LARGE)).slice(0, 2)).toEqual([503, 'disk_full']);
    disk.free();
    const after = (await free(service)).headers['RateLimit'];
    const pages = (header = ''): number => Number(/r=(\d+)/.exec(header)?.[1]);
    expect(pages(after)).toBe(pages(left) - 1);
  });
});

describe('a clock that is set back', () => {
  it('by hours loses no answer, sells nothing twice, and takes payments from what is now the future', async () => {
    const service = paidService();
    const proof = service.chain.pay(2000n);
    const sold = await buy(service, proof);
    const nextPayment = service.chain.pay(2000n);
    service.clock.now -= 5 * 3_600_000;
    expect((await buy(service, proof)).text).toBe(sold.text);
    expect((await ask(service, `GET ${sold.headers['Content-Location'] ?? ''}`)).text).toBe(sold.text);
    expect((await buy(service, proof, 'Another.')).json['code']).toBe('payment_already_used');
    expect((await buy(service, nextPayment, 'Another.')).status).toBe(200);
    expect((await free(service)).status).toBe(200);
    service.clock.now += 5 * 3_600_000;
    expect((await buy(service, proof)).text).toBe(sold.text);
  });
});

describe('names that do not resolve', () => {
  const dead = createDownloader(readSettings({}), {
    lookup: () => Promise.reject(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' })),
  });

  it('are the fault of the link, which may be sent again, and give its payment back', async () => {
    const service = paidService({}, { downloader: dead });
    const proof = service.chain.pay(2000n);
    const bought = (body: object) =>
      ask(service, 'POST /chunk', { body: JSON.stringify(body), headers: { 'x-payment': proof } });
    const link = await bought({ tier: 'structure', url: 'https://example.org/a.pdf' });
    expect(said(link)).toEqual([400, 'url_unreachable', reusable(proof)]);
    expect(link.json['message']).not.toContain('EAI_AGAIN');
    expect((await bought({ tier: 'structure', text: 'Text.' })).status).toBe(200);
    await dead.close();
  });
});

describe('an embedder that is down', () => {
  it('is no try of a payment, however often it is met', async () => {
    let isDown = true;
    const workerPool = {
      ...inlineWorkerPool,
      run: (...task: Parameters<typeof inlineWorkerPool.run>) =>
        isDown ? Promise.reject(new WorkError('embedding_failed', 'batch 1')) : inlineWorkerPool.run(...task),
    };
    const service = paidService({}, { workerPool });
    const proof = service.chain.pay(4000n);
    const request = () =>
      ask(service, 'POST /chunk/semantic', { body: form('Text.'), headers: { 'x-payment': proof } });
    for (let attempt = 0; attempt < 7; attempt++)
      expect(said(await request())).toEqual([503, 'embedding_failed', reusable(proof)]);
    isDown = false;
    expect((await request()).status).toBe(200);
  });
});

describe('a chain that cannot be asked', () => {
  it('leaves a payment as good as it was, and the free tier alone', async () => {
    const service: PaidService = paidService();
    const proof = service.chain.pay(2000n);
    service.chain.breakDown(new PaymentProblem('chain_unavailable'));
    for (let attempt = 0; attempt < 7; attempt++)
      expect(said(await buy(service, proof)).slice(0, 2)).toEqual([503, 'chain_unavailable']);
    expect((await free(service)).status).toBe(200);
    service.chain.breakDown(null);
    expect((await buy(service, proof)).status).toBe(200);
  });
});

/** Asks again until the answer has the status; a database needs a moment to come back. */
async function eventually(status: number, send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send();
    if (response.status === status) return response;
    await response.text();
  }
}

const upload = (url: string, content = 'Text.'): Promise<Response> =>
  fetch(`${url}/chunk/demo`, { method: 'POST', body: form(content) });
const codeOf = async (response: Response): Promise<unknown[]> => [
  response.status,
  ((await response.json()) as { code?: string }).code,
];

describe.skipIf(!hasPrograms())('a database that is ended and started again', () => {
  it('gets 503 meanwhile, with /health at 200, and the service goes on without a restart', async () => {
    const cluster = await createCluster();
    try {
      const environment = { DATABASE_URL: cluster.url };
      const store = await openStore(readSettings(environment), Date.now);
      running = await startTestService(environment, { store });
      const { url } = running;
      expect((await upload(url)).status).toBe(200);
      cluster.crash();
      expect(await codeOf(await upload(url))).toEqual([503, 'unavailable']);
      expect(await codeOf(await fetch(`${url}/ready`))).toEqual([503, 'not_ready']);
      expect((await fetch(`${url}/health`)).status).toBe(200);
      cluster.start();
      expect((await eventually(200, () => upload(url))).status).toBe(200);
      expect((await eventually(200, () => fetch(`${url}/ready`))).status).toBe(200);
    } finally {
      await running?.stop();
      cluster.remove();
    }
  }, 120_000);
});

describe.skipIf(!(await hasPostgres()))('connections that are all taken', () => {
  it('get 503 in time, and the next request is served', async () => {
    const database = await createDatabase();
    const environment = { DATABASE_URL: database.url, DATABASE_CONNECTIONS: '1' };
    const store = await openStore(readSettings(environment), Date.now);
    running = await startTestService(environment, { store });
    const { url } = running;
    expect((await upload(url)).status).toBe(200);
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE grainline.quota IN ACCESS EXCLUSIVE MODE');
    const answers = await Promise.all(Array.from({ length: 4 }, () => upload(url).then(codeOf)));
    expect(answers).toEqual(Array.from({ length: 4 }, () => [503, 'unavailable']));
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await other.query('ROLLBACK');
    await other.end();
    expect((await eventually(200, () => upload(url))).status).toBe(200);
    await running.stop();
    await database.drop();
  }, 120_000);
});
