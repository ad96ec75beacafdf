// Opens stores that commit cb793e3 wrote, also as commit f9bed15 had updated their tables: today's code reads every
// state of a payment and of a job unchanged, and goes on from there.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease, PaymentState } from '@grainline/x402';
import { createDatabase, hasPostgres } from '@grainline/testing/postgres-server';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import { loadSqlite } from './dump.ts';
import { ENGINES, type Engine, FIXTURES } from './manifest.ts';
import { ANSWER, COST, NOW_MS, payloadOf, paymentOf, PURCHASE, RESPONSE, resultOf } from './states.ts';

const LEASE_MS = 30_000;
const VERSIONS = ['states', 'states-f9bed15'];
const JOURNAL = new Map([
  ['question 0 cost 0', COST],
  ['question 0', ANSWER],
]);

/** Every payment: its state, and the facts beyond its payment. */
const PAYMENTS: Readonly<Record<string, [state: PaymentState, facts: object]>> = {
  verified: ['verified', {}],
  bound: ['bound', { purchase: PURCHASE }],
  released: ['released', { reason: 'timeout' }],
  tried: ['released', { reason: 'corrupted', tries: 1 }],
  exhausted: ['released', { reason: 'corrupted', tries: 5 }],
  refused: ['released', { reason: 'payment_too_old' }],
  'refused and held': ['reserved', { reason: 'payment_too_old' }],
  blocked: ['released', { reason: 'payer_blocked' }],
  refunded: ['released', { reason: 'timeout', refund: { atMs: NOW_MS, note: 'sent back' } }],
  pending: ['consumed', { purchase: PURCHASE, finality: 'pending' }],
  finalized: ['consumed', { purchase: PURCHASE, finality: 'finalized' }],
  vanished: ['consumed', { purchase: PURCHASE, finality: 'vanished' }],
  'consumed and refunded': [
    'consumed',
    { purchase: PURCHASE, finality: 'pending', refund: { atMs: NOW_MS, note: 'sent back' } },
  ],
  'payment of job 1': ['released', { purchase: PURCHASE, reason: 'corrupted', tries: 1 }],
  'payment of job 2': ['consumed', { purchase: PURCHASE, finality: 'pending' }],
  'payment of job 3': ['processing', { purchase: PURCHASE }],
  'payment of job 4': ['processing', { purchase: PURCHASE }],
};
const CONSUMED = Object.keys(PAYMENTS).filter((key) => PAYMENTS[key]?.[0] === 'consumed');

const leaseOf = (key: string): Lease => ({ key, token: `token of ${key}`, expiresMs: NOW_MS + LEASE_MS });

const hasServer = await hasPostgres();

for (const [engine, version] of ENGINES.flatMap((each) => VERSIONS.map((one) => [each, one] as const))) {
  const name = `a store of earlier on ${engine} (${version})`;
  describe.skipIf(engine === 'postgres' && !hasServer)(name, () => {
    let store: Store;
    let nowMs = NOW_MS + 1000;
    let remove: () => unknown;

    /** Opens a copy of the fixture for the tests of a group. */
    const openFor = (ms: number): void => {
      beforeAll(async () => {
        nowMs = ms;
        ({ store, remove } = await openFixture(engine, version, () => nowMs));
      });
      afterAll(async () => {
        await store.close();
        await remove();
      });
    };

    describe('is read as it was', () => {
      openFor(NOW_MS + 1000);

      it.each(Object.entries(PAYMENTS))('the payment: %s', async (key, [state, facts]) => {
        const times = { createdMs: NOW_MS, changedMs: NOW_MS };
        const entry = { key, state, tries: 0, payment: paymentOf(key), ...times, ...facts };
        expect(await store.paymentEntry(key)).toEqual(entry);
      });

      it('the bare reservation', async () => {
        const expected = { state: 'reserved', tries: 0, createdMs: NOW_MS, changedMs: NOW_MS };
        expect(await store.paymentEntry('reserved')).toEqual({ key: 'reserved', ...expected });
      });

      it('the sums over all payments', async () => {
        const totals = await store.paymentTotals();
        const keys = Object.keys(PAYMENTS);
        expect(totals.reduce((count, total) => count + total.count, 0)).toBe(keys.length + 1);
        const credited = paymentOf('').credited * BigInt(keys.length);
        expect(totals.reduce((sum, total) => sum + total.credited, 0n)).toBe(credited);
      });

      it.each(['reserved', 'verified', 'bound', 'refused and held'])('the lease of %s', async (key) => {
        const fingerprint = key === 'bound' ? PURCHASE.fingerprint : undefined;
        const held = { kind: 'held', expiresMs: NOW_MS + LEASE_MS, fingerprint };
        expect(await store.reserve(key, 1)).toEqual(held);
      });

      it.each([...CONSUMED, 'payment of job 3', 'payment of job 4'])('the use of %s', async (key) => {
        const { fingerprint } = PURCHASE;
        expect(await store.reserve(key, 1)).toEqual({ kind: PAYMENTS[key]?.[0], fingerprint });
      });

      it.each(['exhausted', 'refunded'])('the end of tries: %s', async (key) => {
        expect(await store.reserve(key, 1)).toEqual({ kind: 'exhausted' });
      });

      it('the payments that are not final', async () => {
        const keys = (await store.unsettledConsumed(9)).map(({ key }) => key);
        expect(keys.sort()).toEqual(['consumed and refunded', 'payment of job 2', 'pending']);
      });

      it.each(CONSUMED)('the response and the result of %s', async (key) => {
        const id = key === 'payment of job 2' ? 'job 2 completed' : `result of ${key}`;
        expect(await store.paidResponse(key)).toEqual(RESPONSE);
        expect(await store.getResult(id)).toEqual(resultOf(id));
      });

      it('the free result, the quota, the blocked payer and the intents', async () => {
        expect(await store.getResult('free')).toEqual(resultOf('free'));
        expect(await store.quotaLeft({ client: '192.0.2.1', day: '2026-11-21', limit: 100 })).toBe(58);
        expect(await store.blockedPayers()).toEqual([{ payer: 'payer of blocked', blockedMs: NOW_MS }]);
        expect(await store.settledPayment('settled')).toBe('pending');
        expect(await store.beginIntent('settled', 1)).toEqual({ kind: 'settled', key: 'pending' });
        expect(await store.beginIntent('begun', 1)).toEqual({ kind: 'held', expiresMs: NOW_MS + LEASE_MS });
      });

      it('every job, and the journal', async () => {
        const ids = ['job 1 failed', 'job 2 completed', 'job 3 running', 'job 4 queued'];
        expect(await Promise.all(ids.map((id) => store.jobStatus(id)))).toMatchObject([
          { state: 'failed', code: 'corrupted', message: 'Damaged.' },
          { state: 'completed', progress: 100 },
          { state: 'processing', progress: 42, message: 'Enriching' },
          { state: 'processing', progress: 0 },
        ]);
        expect(await store.jobOf('payment of job 3')).toBe('job 3 running');
        expect(await store.jobLoad()).toEqual({ waiting: 2, running: 1, meanRunMs: 0 });
        expect(await store.recordedAnswers('job 3 running')).toEqual(JOURNAL);
      });
    });

    describe('goes on under the leases of then', () => {
      openFor(NOW_MS + 1000);

      it.each(['reserved', 'verified', 'bound'])('to consumed: %s', async (key) => {
        const lease = leaseOf(key);
        expect(await store.renew(lease, 60_000)).toEqual({ ...lease, expiresMs: nowMs + 60_000 });
        expect(await store.recordVerified(lease, paymentOf(key))).toBe('held');
        expect(await store.bind(lease, PURCHASE)).toBe('held');
        const result = resultOf(`new of ${key}`);
        expect(await store.commit(lease, { response: RESPONSE, result })).toBe('committed');
        expect(await store.paymentEntry(key)).toMatchObject({ state: 'consumed', finality: 'pending' });
        expect(await store.paidResponse(key)).toEqual(RESPONSE);
      });

      it('with a running job, to its end', async () => {
        const lease = { id: 'job 3 running', token: 'token of job 3 running' };
        expect(await store.recordAnswer(lease, 'question 1', ANSWER)).toBe('held');
        const delivery = { response: RESPONSE, result: resultOf(lease.id) };
        expect(await store.finishJob(lease, delivery)).toBe('committed');
        expect(await store.paymentEntry('payment of job 3')).toMatchObject({ state: 'consumed' });
        expect(await store.recordedAnswers(lease.id)).toEqual(new Map());
      });
    });

    describe('goes on after the leases of then', () => {
      openFor(NOW_MS + LEASE_MS);

      it.each(['released', 'tried', 'payment of job 1', 'verified'])(
        'is free and verified: %s',
        async (key) => {
          expect(await store.reserve(key, 1)).toMatchObject({ kind: 'reserved', payment: paymentOf(key) });
        },
      );

      it.each(['reserved', 'refused', 'refused and held', 'blocked'])(
        'is verified again: %s',
        async (key) => {
          const reservation = await store.reserve(key, 1);
          if (reservation.kind !== 'reserved') throw new Error(reservation.kind);
          expect(reservation.payment).toBeUndefined();
          const status = await store.recordVerified(reservation.lease, paymentOf(key));
          expect(status).toBe(key === 'blocked' ? 'blocked' : 'held');
        },
      );

      it('has an intent of unknown end', async () => {
        expect(await store.beginIntent('begun', 1)).toMatchObject({ kind: 'unknown', sinceMs: NOW_MS });
      });

      it('gives the job of a dead process, then the queued ones, to the next worker', async () => {
        for (const [id, isPaid, isTakenOver] of [
          ['job 3 running', true, true],
          ['job 4 queued', true, false],
          ['job 5 queued and free', false, false],
        ] as const) {
          const leftMs = NOW_MS + 600_000 - nowMs;
          const job = { payload: payloadOf(id), isPaid, isTakenOver, leftMs, lease: { id } };
          expect(await store.claimJob(LEASE_MS)).toMatchObject({ kind: 'claimed', job });
        }
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: LEASE_MS });
      });

      it('deletes the results of then, with their jobs', async () => {
        expect(await store.deleteResult('result of pending')).toBe(true);
        expect(await store.deleteResult('job 2 completed')).toBe(true);
        expect(await store.jobStatus('job 2 completed')).toBeNull();
      });
    });
  });
}

/** Opens a copy of the fixture. */
async function openFixture(
  engine: Engine,
  version: string,
  now: () => number,
): Promise<{ readonly store: Store; readonly remove: () => unknown }> {
  const sql = readFileSync(new URL(`${version}.${engine}.sql`, FIXTURES), 'utf8');
  const options = { maxStoredBytes: 1e6, now };
  if (engine === 'postgres') {
    const database = await createDatabase();
    await database.query(sql);
    const store = await openPostgresStore({ ...options, databaseUrl: database.url });
    return { store, remove: () => database.drop() };
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'grainline-states-'));
  loadSqlite(dataDir, sql);
  return {
    store: openSqliteStore({ ...options, dataDir }),
    remove: () => rmSync(dataDir, { recursive: true }),
  };
}
