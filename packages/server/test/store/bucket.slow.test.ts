// The suites of the store with bodies in a bucket, and kills between an object and its commit, on both engines.
import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openBucket } from '../../src/store/s3.ts';
import { HOUR_MS, MIB } from './bound-payment.ts';
import { startBucket } from './bucket-server.ts';
import { testJobs } from './jobs.conformance.ts';
import { testPayments } from './payments.conformance.ts';
import { testOnPostgres } from './postgres-fixture.ts';
import { prepareSqlite } from './sqlite-fixture.ts';
import { type StoreFixture, testStore } from './store.conformance.ts';
import { startStoreTask } from './store-process.ts';

const MINUTE_MS = 60_000;

const bucket = await startBucket();
beforeEach(() => bucket.objects.clear());
afterAll(() => bucket.close());
const openObjects = (now: () => number): ReturnType<typeof openBucket> =>
  openBucket(bucket.settings, { now, pauseMs: 0 });

for (const suite of [testStore, testPayments, testJobs, testKills]) {
  suite('node:sqlite and a bucket', () => prepareSqlite(openObjects));
  await testOnPostgres((_, prepare) => suite('PostgreSQL and a bucket', prepare), openObjects);
}

/** The tests of an engine. */
function testKills(engine: string, prepare: () => Promise<StoreFixture>): void {
  describe(`a server on ${engine} that is killed between the object and the commit`, () => {
    it.each([1, 2, 3])('has committed nothing, and its object is swept in time (kill %i)', async (kill) => {
      const fixture = await prepare();
      try {
        let puts = 0;
        const child = startStoreTask({
          kind: 'purchase',
          address: fixture.address,
          bucket: bucket.settings,
          name: 'bought',
          bytes: 10,
          expiresMs: HOUR_MS,
        });
        bucket.onDone = ({ method }) => {
          // The first object is that of the start.
          if (method !== 'PUT' || ++puts !== kill + 1) return true;
          child.kill('SIGKILL');
          return false;
        };
        let printed = '';
        child.stdout.on('data', (piece: Buffer) => (printed += piece.toString()));
        await once(child, 'close');
        const committed = [...printed.matchAll(/^committed (.*)$/gm)].map(([, key = '']) => key);
        expect(committed).toHaveLength(kill - 1);

        let nowMs = 1;
        const store = await fixture.open({ maxStoredBytes: 64 * MIB, now: () => nowMs });
        for (const key of committed) expect((await store.getResult(`of ${key}`))?.gzip.length).toBe(10);
        const bound = [...printed.matchAll(/^bound (.*)$/gm)].map(([, key = '']) => key).at(-1) ?? '';
        expect((await store.get(bound))?.state).toBe('bound');
        expect(await store.getResult(`of ${bound}`)).toBeNull();
        // One object more than rows.
        expect(bucket.objects.size).toBe(kill);
        await store.sweep();
        expect(bucket.objects.size).toBe(kill);
        nowMs = HOUR_MS + 6 * MINUTE_MS;
        await store.sweep();
        expect(bucket.objects.size).toBe(0);
        expect(await fixture.check()).toBe('ok');
      } finally {
        await fixture.remove();
      }
    });
  });
}
