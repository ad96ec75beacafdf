import { once } from 'node:events';
import { inspect } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lease, Purchase, VerifiedPayment } from '@grainline/x402';
import { migrateDatabase, openPostgresStore } from '../../src/store/postgres/index.ts';
import { STEP_COUNT } from '../../src/store/postgres/schema.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { ledgerContract } from '@grainline/testing/ledger-contract';
import { type StoreTask, startStoreTask } from './store-process.ts';
import { startOpeners } from './openers.ts';
import { emptyTables } from './postgres-fixture.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '@grainline/testing/postgres-server';

const isThere = await hasPostgres();

describe.skipIf(!isThere)('PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  const clear = () => database.query('DROP SCHEMA IF EXISTS grainline CASCADE');

  ledgerContract('on PostgreSQL', async ({ now }) => {
    await emptyTables(database);
    const store = await openPostgresStore({ databaseUrl: database.url, maxStoredBytes: 1e9, now });
    const response = { status: 200, headers: {}, gzip: new Uint8Array(), expiresMs: 0 };
    return {
      ledger: store,
      consume: async (lease) => ((await store.commit(lease, { response })) === 'committed' ? 'held' : 'lost'),
      process: async (lease) => {
        const job = { id: `of ${lease.token}`, payload: new Uint8Array(), timeoutMs: 1e9 };
        return (await store.submitJob(job, { most: 1000, lease })) === 'submitted' ? 'held' : 'lost';
      },
      blockPayer: (payer) => store.blockPayer(payer),
      close: () => store.close(),
    };
  });

  describe('the engine for many machines', () => {
    const stores: Store[] = [];
    const open = async (options: { now?: () => number; maxStoredBytes?: number } = {}): Promise<Store> => {
      const store = await openPostgresStore({ databaseUrl: database.url, maxStoredBytes: 1e9, ...options });
      stores.push(store);
      return store;
    };
    const bound = async (store: Store, key = 'key'): Promise<Lease> => {
      const answer = await store.reserve(key, 30_000);
      if (answer.kind !== 'reserved') throw new Error(answer.kind);
      expect(await store.recordVerified(answer.lease, PAYMENT)).toBe('held');
      expect(await store.bind(answer.lease, PURCHASE)).toBe('held');
      return answer.lease;
    };

    beforeEach(async () => {
      await clear();
    });
    afterEach(async () => {
      await Promise.all(stores.splice(0).map((store) => store.close()));
    });

    it('gives each of 100 pages to one of four processes that want 200 in all', async () => {
      await open();
      const task: StoreTask = {
        kind: 'take',
        address: { engine: 'postgres', databaseUrl: database.url },
        client: 'a',
        day: 'd',
        limit: 100,
        times: 50,
      };
      const racers = [1, 2, 3, 4].map(() => startStoreTask(task));
      await Promise.all(racers.map((racer) => once(racer.stdout, 'data')));
      const counts = racers.map(async (racer) => {
        const [line] = (await once(racer.stdout, 'data')) as [Buffer];
        return Number(line.toString());
      });
      for (const { stdin } of racers) stdin.write('go\n');
      const granted = await Promise.all(counts);
      expect(granted.reduce((sum, count) => sum + count)).toBe(100);
    });

    it('makes its tables once when several processes start at once on an empty database', async () => {
      const openers = await startOpeners(6);
      try {
        for (let round = 0; round < 10; round++) {
          await clear();
          const answers = await openers.open({ engine: 'postgres', databaseUrl: database.url });
          expect(answers).toEqual(Array(6).fill('opened'));
        }
      } finally {
        openers.end();
      }
      expect(await database.query('SELECT step FROM grainline.steps')).toEqual(
        Array.from({ length: STEP_COUNT }, (_, index) => ({ step: String(index + 1) })),
      );
      const same = { before: STEP_COUNT, after: STEP_COUNT };
      expect(await migrateDatabase(database.url)).toEqual(same);
    });

    it('waits for whoever makes the tables for as long as that takes, beyond the limits of other statements', async () => {
      const holding = database.query('BEGIN; CREATE SCHEMA grainline; SELECT pg_sleep(2); ROLLBACK');
      await vi.waitFor(async () => {
        const sleeping = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
        expect(await database.query(sleeping)).toHaveLength(1);
      });
      const limits = 'statement_timeout=1000&lock_timeout=1000&query_timeout=1000';
      const store = await openPostgresStore({
        databaseUrl: `${database.url}?${limits}`,
        maxStoredBytes: 1e9,
      });
      stores.push(store);
      await holding;
      await store.ping();
    });

    it('brings tables of the first step up to date, with all that is in them', async () => {
      const store = await open();
      expect(await store.takeQuota({ client: 'a', day: '2026-11-21', pages: 42, limit: 100 })).toMatchObject({
        granted: true,
      });
      await database.query(
        `DROP TABLE grainline.webhooks, grainline.idle_workers, grainline.job_answers, grainline.job_orders, grainline.jobs;
         DROP FUNCTION grainline.count_order, grainline.count_dropped_results, grainline.count_dropped_responses,
           grainline.count_job, grainline.add_stored CASCADE;
         DROP VIEW grainline.stored;
         DROP TABLE grainline.stored_parts;
         CREATE TABLE grainline.stored (bytes bigint NOT NULL, paid_bytes bigint NOT NULL);
         INSERT INTO grainline.stored VALUES (0, 0);
         ALTER TABLE grainline.results DROP COLUMN receipt, DROP COLUMN object, DROP COLUMN object_bytes;
         DELETE FROM grainline.steps WHERE step > 1`,
      );
      expect(await migrateDatabase(database.url)).toEqual({ before: 1, after: STEP_COUNT });
      expect(await store.quotaLeft({ client: 'a', day: '2026-11-21', limit: 100 })).toBe(58);
      const job = { id: 'a', payload: new Uint8Array(3), timeoutMs: 1000 };
      expect(await store.submitJob(job, { most: 1 })).toBe('submitted');
    });

    it('says what is wrong with tables that it may not touch, and makes none', async () => {
      const required = { databaseUrl: database.url, maxStoredBytes: 1, migrations: 'require' } as const;
      await expect(openPostgresStore(required)).rejects.toMatchObject({ code: 'database_behind' });
      expect(await database.query(`SELECT to_regclass('grainline.steps') AS found`)).toEqual([
        { found: null },
      ]);
      expect(await migrateDatabase(database.url)).toEqual({ before: 0, after: STEP_COUNT });
      stores.push(await openPostgresStore(required));
      await database.query('INSERT INTO grainline.steps (step) VALUES (1000)');
      await expect(openPostgresStore(required)).rejects.toMatchObject({ code: 'database_newer' });
      await expect(open()).rejects.toMatchObject({ code: 'database_newer' });
      await expect(migrateDatabase(database.url)).rejects.toMatchObject({ code: 'database_newer' });
    });

    it('needs no right to make tables once they are there', async () => {
      await migrateDatabase(database.url);
      const role = new URL(database.url).pathname.slice(1);
      await database.query(
        `CREATE ROLE ${role} LOGIN PASSWORD 'pw';
         GRANT USAGE ON SCHEMA grainline TO ${role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA grainline TO ${role};`,
      );
      try {
        const address = new URL(database.url);
        address.username = role;
        address.password = 'pw';
        const store = await openPostgresStore({ databaseUrl: address.href, maxStoredBytes: 1e9 });
        stores.push(store);
        await store.commit(await bound(store), { response: RESPONSE, result: RESULT });
        expect(await store.getResult('a')).not.toBeNull();
        await store.close();
      } finally {
        await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      }
    });

    it('says where it looked for a database, and never with which password', async () => {
      const urls = [
        'postgresql://user:s3cret@127.0.0.1:1/db',
        'postgresql://postgres:s3cret@[::bad/db',
        database.url.replace(/\/[^/]+$/, '/no_such_database'),
      ];
      for (const databaseUrl of urls) {
        const error: unknown = await openPostgresStore({ databaseUrl, maxStoredBytes: 1 }).catch(
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(StoreError);
        expect(error).toMatchObject({ code: 'database_unusable' });
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cret');
      }
      await expect(openPostgresStore({ databaseUrl: urls[0]!, maxStoredBytes: 1 })).rejects.toThrow(
        /DATABASE_URL.*ECONNREFUSED 127\.0\.0\.1:1/,
      );
    });

    it('wakes one idle process for a job, and all for a notification of an earlier version', async () => {
      const [one, other, third, submitter] = [await open(), await open(), await open(), await open()];
      const calls = [0, 0, 0];
      const total = () => calls.reduce((sum, count) => sum + count);
      const ends = [one, other, third].map((store, index) =>
        store.onJob(() => {
          calls[index]!++;
        }),
      );
      // Each subscription begins with a call.
      await vi.waitFor(() => expect(calls).toEqual([1, 1, 1]));
      const submit = (id: string) =>
        submitter.submitJob({ id, payload: new Uint8Array(1), timeoutMs: 60_000 }, { most: 9 });
      for (const store of [one, other, third])
        expect(await store.claimJob(1000)).toMatchObject({ kind: 'none' });
      for (let job = 1; job <= 3; job++) {
        await submit(`job ${job}`);
        await vi.waitFor(() => expect(total()).toBe(3 + job));
      }
      // No process is idle any more.
      await submit('job 4');
      await database.query('NOTIFY grainline_jobs');
      await vi.waitFor(() => expect(calls).toEqual([3, 3, 3]));
      for (const end of ends) end();
    });

    it('ends a lease at one moment for machines whose clocks differ', async () => {
      const store = await open();
      const before = Date.now();
      const answer = await store.reserve('key', 60_000);
      if (answer.kind !== 'reserved') throw new Error(answer.kind);
      // The caller's moments are those of this machine's clock.
      expect(answer.lease.expiresMs).toBeGreaterThanOrEqual(before + 60_000);
      expect(answer.lease.expiresMs).toBeLessThanOrEqual(Date.now() + 60_000);
      const [{ left = 0 } = {}] = await database.query<{ left?: number }>(
        `SELECT (lease_ends_ms - extract(epoch FROM clock_timestamp()) * 1000)::float8 AS left FROM grainline.payments`,
      );
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60_000);
      // A machine whose clock is an hour fast finds it held: the database's clock decides.
      const realNow = Date.now;
      Date.now = () => realNow() + 3_600_000;
      try {
        const other = await open();
        const held = await other.reserve('key', 60_000);
        expect(held.kind).toBe('held');
        expect('expiresMs' in held && held.expiresMs - Date.now()).toBeLessThanOrEqual(60_000);
        expect('expiresMs' in held && held.expiresMs - Date.now()).toBeGreaterThan(0);
      } finally {
        Date.now = realNow;
      }
    });

    it('takes one statement for a step of a payment, and reads the row after another process has changed it', async () => {
      let nowMs = 0;
      const [store, other] = [await open({ now: () => nowMs }), await open({ now: () => nowMs })];
      const statements = vi.spyOn(Client.prototype, 'query');
      try {
        const lease = await bound(store);
        expect(statements).toHaveBeenCalledTimes(3);
        nowMs = 30_000;
        await bound(other);
        statements.mockClear();
        expect(await store.commit(lease, { response: RESPONSE, result: RESULT })).toBe('lost');
        // BEGIN, a write that finds another row, the read, COMMIT.
        expect(statements).toHaveBeenCalledTimes(4);
        const next = await bound(store, 'other key');
        statements.mockClear();
        expect(await store.commit(next, { response: RESPONSE, result: RESULT })).toBe('committed');
        expect(statements).toHaveBeenCalledTimes(5);
      } finally {
        statements.mockRestore();
      }
    });

    it('waits for the disk for what is told to anybody, and for nothing else', async () => {
      const store = await open({ now: () => 0 });
      // A deferred trigger records the setting at the end of each transaction.
      await database.query(
        `CREATE TABLE public.commits (synchronous text);
         CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO public.commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;`,
      );
      for (const table of [
        'quota',
        'results',
        'payments',
        'intents',
        'blocked_payers',
        'responses',
        'pinged',
        'jobs',
      ])
        await database.query(
          `CREATE CONSTRAINT TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON grainline.${table}
           DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note()`,
        );
      const kindOf = async (call: () => Promise<unknown>): Promise<string> => {
        await database.query('DELETE FROM public.commits');
        await call();
        const rows = await database.query<{ synchronous: string }>(
          'SELECT DISTINCT synchronous FROM public.commits',
        );
        return rows.map(({ synchronous }) => (synchronous === 'off' ? 'quick' : 'durable')).join();
      };
      const reserve = async (): Promise<Lease> => {
        const answer = await store.reserve('key', 1000);
        if (answer.kind !== 'reserved') throw new Error(answer.kind);
        return answer.lease;
      };
      const reason = { reason: 'timeout', counts: false };
      let lease!: Lease;
      // A killed database must not forget granted pages, nor a result whose link a client has.
      expect(await kindOf(() => store.takeQuota({ client: 'a', day: 'd', pages: 1, limit: 2 }))).toBe(
        'durable',
      );
      expect(await kindOf(() => store.putResult(RESULT))).toBe('durable');
      expect(await kindOf(() => store.deleteResult(RESULT.id))).toBe('durable');
      await store.submitJob({ id: 'job', payload: new Uint8Array(1), timeoutMs: 1000 }, { most: 1 });
      const claim = await store.claimJob(1000);
      if (claim.kind !== 'claimed') throw new Error(claim.kind);
      expect(await kindOf(() => store.renewJob(claim.job.lease, 1000))).toBe('quick');
      // Progress must not decrease after a crash.
      const step = { progress: 1, message: 'Reading' };
      expect(await kindOf(() => store.renewJob(claim.job.lease, 1000, step))).toBe('durable');
      await store.failJob(claim.job.lease, { code: 'timeout', message: '' }, false);
      expect(await kindOf(() => store.ping())).toBe('quick');
      expect(await kindOf(async () => (lease = await reserve()))).toBe('quick');
      expect(await kindOf(() => store.release(lease, reason))).toBe('quick');
      lease = await reserve();
      expect(await kindOf(() => store.recordVerified(lease, PAYMENT))).toBe('durable');
      expect(await kindOf(() => store.bind(lease, PURCHASE))).toBe('quick');
      expect(await kindOf(() => store.renew(lease, 1000))).toBe('quick');
      expect(await kindOf(() => store.release(lease, reason))).toBe('durable');
      expect(await kindOf(async () => (lease = await reserve()))).toBe('quick');
      await store.bind(lease, PURCHASE);
      expect(await kindOf(() => store.commit(lease, { response: RESPONSE, result: RESULT }))).toBe('durable');
      expect(await kindOf(() => store.markFinal('key', 'pending'))).toBe('quick');
      expect(await kindOf(() => store.markRefunded('key', 'note'))).toBe('durable');
      expect(await kindOf(() => store.blockPayer('payer'))).toBe('durable');
      const intent = await store.beginIntent('intent', 1000);
      if (intent.kind !== 'begun') throw new Error(intent.kind);
      expect(await kindOf(() => store.endIntent(intent.lease, 'key'))).toBe('durable');
      await database.query('DROP TABLE public.commits; DROP FUNCTION public.note CASCADE');
    });

    it('sells nothing when a sale finds room only among what has expired, yet stays durable', async () => {
      let nowMs = 0;
      const store = await open({ now: () => nowMs, maxStoredBytes: 1000 });
      await store.commit(await bound(store, 'old'), {
        response: { ...RESPONSE, gzip: new Uint8Array(1000), expiresMs: 99 },
      });
      const lease = await bound(store, 'new');
      const sale = { response: { ...RESPONSE, gzip: new Uint8Array(1000), expiresMs: 200 } };
      await expect(store.commit(lease, sale)).rejects.toMatchObject({ code: 'storage_full' });
      nowMs = 99;
      expect(await store.commit(lease, sale)).toBe('committed');
      expect(await store.paidResponse('new')).not.toBeNull();
      expect(await database.query('SELECT key FROM grainline.responses')).toEqual([{ key: 'new' }]);
    });

    it('says that the disk is full, sells nothing, and goes on when there is room again', async () => {
      const store = await open({ now: () => 0 });
      const lease = await bound(store);
      await database.query(
        `CREATE FUNCTION grainline.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'could not extend file "base/1/2"' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER refused BEFORE INSERT ON grainline.results
           FOR EACH ROW EXECUTE FUNCTION grainline.refuse();`,
      );
      const sale = { response: RESPONSE, result: RESULT };
      const refused = store.commit(lease, sale);
      await expect(refused).rejects.toMatchObject({ code: 'disk_full' });
      await expect(refused).rejects.not.toThrow(/extend|base/);
      await expect(store.putResult(RESULT)).rejects.toMatchObject({ code: 'disk_full' });
      expect(await store.get('key')).toMatchObject({ state: 'bound' });
      expect(await store.paidResponse('key')).toBeNull();
      await database.query('DROP FUNCTION grainline.refuse CASCADE');
      expect(await store.commit(lease, sale)).toBe('committed');
      expect(await store.getResult('a')).toEqual(RESULT);
    });

    it('is not ready on a server that only reads', async () => {
      const store = await open();
      const databaseUrl = `${database.url}?options=-c%20default_transaction_read_only%3Don`;
      const other = await openPostgresStore({ databaseUrl, maxStoredBytes: 1 });
      stores.push(other);
      await expect(other.ping()).rejects.toMatchObject({ code: 'unavailable' });
      expect(await other.getResult('a')).toBeNull();
      await store.ping();
    });

    it('refuses an amount of more than 64 bits, and goes on', async () => {
      const store = await open();
      const answer = await store.reserve('key', 60_000);
      if (answer.kind !== 'reserved') throw new Error(answer.kind);
      await expect(store.recordVerified(answer.lease, { ...PAYMENT, credited: 2n ** 63n })).rejects.toThrow();
      expect(await store.get('key')).toMatchObject({ state: 'reserved' });
      const largest = { ...PAYMENT, credited: 2n ** 63n - 1n };
      expect(await store.recordVerified(answer.lease, largest)).toBe('held');
      expect(await store.get('key')).toMatchObject({ payment: largest });
    });

    it('goes on after every connection was cut, idle ones and those at work', async () => {
      const store = await open();
      const lease = await bound(store);
      const cut = () =>
        database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        );
      for (let round = 0; round < 5; round++) {
        const calls = Promise.allSettled(
          Array.from({ length: 40 }, (_, index) =>
            store.takeQuota({ client: 'a', day: 'd', pages: 1, limit: 1000 + index }),
          ),
        );
        await cut();
        const answers = await calls;
        for (const answer of answers)
          if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'unavailable' });
        await cut();
      }
      // Each of the pool's ten connections may fail the call that takes it first.
      for (let idle = 0; idle < 10; idle++) await store.ping().catch(() => undefined);
      await store.ping();
      expect(await store.commit(lease, { response: RESPONSE, result: RESULT })).toBe('committed');
    });

    it('takes keys of any length for results and clients, and tells them apart', async () => {
      const store = await open();
      // An index cannot hold long texts that do not compress.
      const long = Array.from({ length: 50_000 }, (_, index) =>
        String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
      ).join('');
      for (const id of [`${long}a`, `${long}b`]) {
        await store.putResult({ ...RESULT, id, expiresMs: Date.now() + 60_000 });
        expect((await store.getResult(id))?.id).toBe(id);
        expect(await store.takeQuota({ client: id, day: 'd', pages: 1, limit: 1 })).toEqual({
          granted: true,
          left: 0,
        });
      }
      expect(await store.deleteResult(`${long}a`)).toBe(true);
      expect(await store.getResult(`${long}b`)).not.toBeNull();
    });
  });
});

const PAYMENT: VerifiedPayment = { payer: 'payer', credited: 2_500n, slot: 7n };
const PURCHASE: Purchase = { fingerprint: 'fingerprint', price: 2_000n, product: 'structure' };
const RESPONSE = { status: 200, headers: {}, gzip: new Uint8Array(10), expiresMs: 2 ** 45 };
const RESULT = { id: 'a', gzip: new Uint8Array(20), etag: '""', createdMs: 0, expiresMs: 2 ** 45 };
