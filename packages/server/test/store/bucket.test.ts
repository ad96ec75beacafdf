// Bodies of results in a bucket, and what can go wrong between bucket and store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Purchase, VerifiedPayment } from '@grainline/x402';
import { startService } from '../../src/main/server.ts';
import { readSettings, type SettingsError } from '../../src/settings/settings.ts';
import { openBucket } from '../../src/store/s3.ts';
import { storeIn } from '../../src/store/sqlite/index.ts';
import { migrate } from '../../src/store/sqlite/schema.ts';
import { type Store, type StoreError } from '../../src/store/store.ts';
import { form, inlineWorkerPool, paragraphs } from '../http/fake-service.ts';
import { type SellingService, send, startSelling } from '../payments/selling.ts';
import { bindOn, HOUR_MS, MIB, NOW, responseOf, resultOf } from './bound-payment.ts';
import { type BucketServer, environmentOf, SECRET, startBucket } from './bucket-server.ts';
import { prepareSqlite } from './sqlite-fixture.ts';
import type { StoreFixture } from './store.conformance.ts';

const MINUTE_MS = 60_000;
const PAYMENT: VerifiedPayment = { payer: 'payer', credited: 2_500n, slot: 7n };
const PURCHASE: Purchase = { fingerprint: 'fingerprint', price: 2_000n, product: 'structure' };
const BODY = new TextEncoder().encode('Ambergris.');

let bucket: BucketServer;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

describe('the body of a result', () => {
  let fixture: StoreFixture;
  let store: Store;
  let nowMs: number;

  beforeEach(async () => {
    nowMs = NOW;
    fixture = await prepareSqlite((now) => openBucket(bucket.settings, { now, pauseMs: 0 }));
    store = await fixture.open({ maxStoredBytes: 64 * MIB, now: () => nowMs });
  });
  afterEach(() => fixture.remove());

  const bind = (key: string) => bindOn(store, key, 30_000, PAYMENT, PURCHASE);
  const delivery = (id: string) => ({ response: responseOf(), result: resultOf(id, BODY) });

  it('is in the bucket and not in the row, under a name that begins with its expiry', async () => {
    await store.putResult(resultOf('free', BODY));
    expect([...bucket.objects]).toEqual([
      [expect.stringMatching(/^kept\/20261121T130000Z-[0-9a-f-]{36}$/), Buffer.from(BODY)],
    ]);
    expect(await store.getResult('free')).toEqual(resultOf('free', BODY));
    expect(await fixture.check()).toBe('ok');
  });

  it('counts in the space of the store', async () => {
    const small = await fixture.open({ maxStoredBytes: 15, now: () => nowMs });
    await small.putResult(resultOf('one', BODY));
    await expect(small.putResult(resultOf('two', BODY))).rejects.toMatchObject({ code: 'storage_full' });
    // A refused result leaves nothing.
    expect(bucket.objects.size).toBe(1);
    expect(await fixture.check()).toBe('ok');
  });

  it('is deleted with its result', async () => {
    await store.putResult(resultOf('free', BODY));
    expect(await store.deleteResult('free')).toBe(true);
    expect(bucket.objects.size).toBe(0);
    expect(await store.deleteResult('free')).toBe(false);
  });

  it('is still there when it cannot be deleted, so that the deletion can be repeated', async () => {
    await store.putResult(resultOf('free', BODY));
    bucket.reject = ({ method }) => (method === 'DELETE' ? [503, 'SlowDown'] : undefined);
    await expect(store.deleteResult('free')).rejects.toMatchObject({ code: 'unavailable' });
    bucket.reject = () => undefined;
    expect(await store.deleteResult('free')).toBe(true);
    expect(bucket.objects.size).toBe(0);
  });

  it('is swept some minutes after its expiry, and objects of others never', async () => {
    const other = 'kept/20200101T000000Z-of-somebody-else';
    bucket.objects.set(other, Buffer.from('x')).set('20200101T000000Z-elsewhere', Buffer.from('x'));
    for (let count = 0; count < 20; count++) await store.putResult(resultOf(`${count}`, BODY));
    nowMs += HOUR_MS + MINUTE_MS;
    await store.sweep();
    expect(await store.getResult('0')).toBeNull();
    expect(bucket.objects.size).toBe(22);
    nowMs += 5 * MINUTE_MS;
    await store.sweep();
    expect([...bucket.objects.keys()]).toEqual([other, '20200101T000000Z-elsewhere']);
  });

  it('is swept in listings of a thousand', async () => {
    for (let count = 0; count < 2500; count++) {
      const id = `${count}`.padStart(36, '0');
      bucket.objects.set(`kept/20261121T010000Z-${id}`, Buffer.from('x'));
    }
    bucket.requests.length = 0;
    await store.sweep();
    expect(bucket.objects.size).toBe(0);
    expect(bucket.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  it('that is missing is an unknown result', async () => {
    await store.putResult(resultOf('free', BODY));
    bucket.objects.clear();
    expect(await store.getResult('free')).toBeNull();
  });

  it('of another length than the row says is an outage', async () => {
    await store.putResult(resultOf('free', BODY));
    for (const name of bucket.objects.keys()) bucket.objects.set(name, Buffer.from('Am'));
    await expect(store.getResult('free')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('cannot be read by a server without OBJECT_STORE, which says so in its log', async () => {
    await store.putResult(resultOf('free', BODY));
    const { address } = fixture;
    if (address.engine !== 'sqlite') throw new Error('another engine');
    const file = new DatabaseSync(`${address.dataDir}/grainline.db`);
    migrate(file);
    const without = storeIn({ quick: file, durable: file }, { maxStoredBytes: MIB, now: () => nowMs });
    const error: unknown = await without.getResult('free').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(String((error as StoreError).cause)).toContain('OBJECT_STORE is not set');
    await without.close();
  });

  it('is written before the payment is consumed; a lost lease takes it back', async () => {
    const lease = await bind('one');
    const stateAtPut: unknown[] = [];
    bucket.onDone = ({ method }) => {
      if (method === 'PUT') void store.get('one').then((record) => stateAtPut.push(record?.state));
      return true;
    };
    expect(await store.commit(lease, delivery('one'))).toBe('committed');
    expect(stateAtPut).toEqual(['bound']);
    expect(await store.commit(lease, delivery('two'))).toBe('lost');
    expect(bucket.objects.size).toBe(1);
  });

  it('that cannot be written leaves the payment bound, and a repeated commit writes one object', async () => {
    const lease = await bind('one');
    bucket.reject = ({ method }) => (method === 'PUT' ? [500, 'InternalError'] : undefined);
    await expect(store.commit(lease, delivery('one'))).rejects.toMatchObject({ code: 'unavailable' });
    expect((await store.get('one'))?.state).toBe('bound');
    bucket.reject = () => undefined;
    expect(await store.commit(lease, delivery('one'))).toBe('committed');
    expect(bucket.objects.size).toBe(1);
    expect(await store.getResult('one')).toEqual(resultOf('one', BODY));
  });

  it('survives passing refusals, and a connection that breaks', async () => {
    let [refusals, breaks] = [1, 1];
    bucket.reject = ({ method }) => (method === 'PUT' && refusals-- > 0 ? [503, 'SlowDown'] : undefined);
    await store.putResult(resultOf('free', BODY));
    bucket.onDone = ({ method }) => method !== 'GET' || breaks-- <= 0;
    expect(await store.getResult('free')).toEqual(resultOf('free', BODY));
  });
});

describe('a service whose bucket is away', () => {
  let service: SellingService;
  beforeEach(async () => {
    const database = new DatabaseSync(':memory:');
    migrate(database);
    const objects = await openBucket(bucket.settings, { now: Date.now, pauseMs: 0 });
    const store = storeIn(
      { quick: database, durable: database },
      { maxStoredBytes: 2 ** 30, now: Date.now, objects },
    );
    service = await startSelling({ store, environment: { DRAIN_MS: '0' } });
  });
  afterEach(() => service.stop());

  it('takes no payment: the same one buys the answer once the bucket is back', async () => {
    const proof = service.chain.pay(2000n);
    bucket.reject = ({ method }) => (method === 'PUT' ? [500, 'InternalError'] : undefined);
    const away = await send(service, '/chunk/structure', form('Text.'), proof);
    expect([away.status, away.json.code]).toEqual([503, 'unavailable']);
    expect(away.json.payment).toMatchObject({ reusable: true });
    expect(away.text).not.toContain('bucket');
    bucket.reject = () => undefined;
    const back = await send(service, '/chunk/structure', form('Text.'), proof);
    expect(back.status).toBe(200);
    expect((await send(service, '/chunk/structure', form('Text.'), proof)).text).toBe(back.text);
  });

  it('offers no price, and is not ready', async () => {
    bucket.reject = () => [503, 'SlowDown'];
    expect((await send(service, '/chunk/structure', form('Text.'))).status).toBe(503);
    expect((await fetch(`${service.url}/ready`)).status).toBe(503);
    bucket.reject = () => undefined;
    expect((await send(service, '/chunk/structure', form('Text.'))).status).toBe(402);
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);
  });
});

describe('a start with OBJECT_STORE', () => {
  const open = (change: Partial<BucketServer['settings']>): Promise<unknown> =>
    openBucket({ ...bucket.settings, ...change }, { now: Date.now, pauseMs: 0 }).then(
      () => undefined,
      (error: unknown) => error,
    );

  it('writes, reads and deletes an object', async () => {
    await open({});
    expect(bucket.requests.map(({ method }) => method)).toEqual(['PUT', 'GET', 'DELETE']);
    expect(bucket.objects.size).toBe(0);
  });

  it('ends with one sentence that holds no key', async () => {
    const wrong = await open({ secretAccessKey: 'another' });
    expect(wrong).toMatchObject({ code: 'bucket_unusable' });
    expect(String(wrong)).toContain('the bucket answers answers 403 SignatureDoesNotMatch to PUT.');
    bucket.reject = () => [404, 'NoSuchBucket'];
    expect(String(await open({}))).toContain('404 NoSuchBucket');
    const gone = await open({ endpoint: 'http://127.0.0.1:9' });
    expect(String(gone)).toMatch(/cannot be used: 127\.0\.0\.1:9 does not answer\. Look/);
    for (const error of [wrong, gone]) expect(inspected(error)).not.toContain(SECRET);
  });

  it('reads the credentials of AWS, and reports those that are missing', () => {
    const environment = environmentOf(bucket);
    expect(readSettings(environment).objectStore).toEqual(bucket.settings);
    const issues = (change: Record<string, string>): unknown => {
      try {
        readSettings({ ...environment, ...change });
        return [];
      } catch (error) {
        return (error as SettingsError).issues;
      }
    };
    expect(issues({ AWS_SECRET_ACCESS_KEY: '' })).toEqual([
      'OBJECT_STORE needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    ]);
    expect(issues({ OBJECT_STORE: 'answers' })).toEqual([
      'OBJECT_STORE must be an address such as s3://bucket/prefix, but is "answers".',
    ]);
    expect(issues({ AWS_ENDPOINT_URL: 'minio:9000' })).toEqual([
      'AWS_ENDPOINT_URL must be an http or https address.',
    ]);
    for (const text of ['s3://a', 's3://bucket/../x', 's3://bucket/a b', 's3://Bucket'])
      expect(issues({ OBJECT_STORE: text })).toHaveLength(1);
    expect(readSettings({ AWS_REGION: 'no region!' }).objectStore).toBeUndefined();
  });

  it('keeps a large answer of the service in the bucket, until it is deleted, and logs no key', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'grainline-bucket-'));
    const logged: string[] = [];
    const more = { PORT: '0', DATA_DIR: dataDir, PAYMENTS: 'off', DRAIN_MS: '0', LOG_LEVEL: 'trace' };
    const running = await startService(readSettings({ ...environmentOf(bucket), ...more }), {
      workerPool: inlineWorkerPool,
      log: { write: (line) => void logged.push(line) },
      leavingMs: 0,
    });
    const body = form(`Ambergris.\n\n${paragraphs(200)}`);
    const answer = await fetch(`${running.url}/chunk/structure`, { method: 'POST', body });
    const { download_url: link = '' } = (await answer.json()) as { download_url?: string };
    expect(bucket.objects.size).toBe(1);
    expect(await (await fetch(link)).text()).toContain('Ambergris.');
    bucket.reject = () => [403, 'AccessDenied'];
    expect((await fetch(link)).status).toBe(503);
    bucket.reject = () => undefined;
    expect((await fetch(link, { method: 'DELETE' })).status).toBe(204);
    expect(bucket.objects.size).toBe(0);
    expect((await fetch(link)).status).toBe(404);
    await running.stop();
    expect(logged.join('')).toContain('403 AccessDenied');
    for (const key of [SECRET, bucket.settings.accessKeyId, bucket.settings.sessionToken])
      expect(logged.join('')).not.toContain(key);
    rmSync(dataDir, { recursive: true });
  });

  it('ends a service that cannot reach it', async () => {
    const settings = readSettings({
      ...environmentOf(bucket),
      PORT: '0',
      DATA_DIR: ':never:',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    });
    await expect(startService(settings)).rejects.toThrow('The bucket of OBJECT_STORE cannot be used');
  });
});

/** An error with its causes, as the log writes it. */
function inspected(error: unknown): string {
  const causes: unknown[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    causes.push(cause.message, cause.stack);
  return causes.join('\n');
}
