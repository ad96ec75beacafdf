// Suite for the jobs of every engine: one process at a time has a job, no job is lost, the payment of a failed job is
// released, and progress never decreases.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Lease, Purchase, VerifiedPayment } from '@grainline/x402';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import {
  type ClaimedJob,
  COMPLETED_MESSAGE,
  FAILED_JOB_LIFETIME_MS,
  MOST_ATTEMPTS,
  WAITING_MESSAGE,
} from '../../src/store/jobs.ts';
import { writeUnderNewId } from '../../src/store/result-id.ts';
import type { Store } from '../../src/store/store.ts';
import { type StoreTask, startStoreTask } from './store-process.ts';
import { bindOn, HOUR_MS, MIB, NOW, responseOf, resultOf } from './bound-payment.ts';
import type { StoreFixture } from './store.conformance.ts';

const LEASE_MS = 8_000;
const TIMEOUT_MS = 1_800_000;
const PAYMENT: VerifiedPayment = { payer: 'payer', credited: 25_000n, slot: 7n };
const PURCHASE: Purchase = { fingerprint: 'fingerprint', price: 25_000n, product: 'ai-pro' };

/** The suite. `prepare` makes a new, empty fixture for each test. */
export function testJobs(engine: string, prepare: () => Promise<StoreFixture>): void {
  describe(`jobs in the store on ${engine}`, () => {
    let fixture: StoreFixture;
    let store: Store;
    let nowMs: number;
    const children: ChildProcess[] = [];

    const openStore = (maxStoredBytes = 64 * MIB): Promise<Store> =>
      fixture.open({ maxStoredBytes, now: () => nowMs });
    const bind = (key: string, on = store): Promise<Lease> => bindOn(on, key, LEASE_MS, PAYMENT, PURCHASE);
    const submit = async (
      id: string,
      { paid = false, order = bytesOf(id), most = 100, on = store, client = '' } = {},
    ) =>
      on.submitJob(
        { id, payload: order, timeoutMs: TIMEOUT_MS, client },
        { most, ...(paid ? { lease: await bind(`payment of ${id}`, on) } : {}) },
      );
    const claim = async (on = store): Promise<ClaimedJob> => {
      const found = await on.claimJob(LEASE_MS);
      if (found.kind !== 'claimed') throw new Error('there is no job to claim');
      return found.job;
    };
    const finish = (job: ClaimedJob, gzip: Uint8Array = new Uint8Array([4, 5]), on = store) =>
      on.finishJob(job.lease, {
        result: resultOf(job.lease.id, gzip, nowMs),
        response: responseOf({}, nowMs),
      });
    const stateOf = async (id: string) => (await store.get(`payment of ${id}`))?.state;
    const run = (task: Omit<StoreTask, 'address'>) => {
      const child = startStoreTask({ ...task, address: fixture.address });
      children.push(child);
      return child;
    };

    beforeEach(async () => {
      nowMs = NOW;
      fixture = await prepare();
      store = await openStore();
    });

    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      await fixture.remove();
    });

    describe('a submission', () => {
      it('keeps the job, and hands its payment over to it, in one step', async () => {
        expect(await submit('ai-pro_a', { paid: true })).toBe('submitted');
        expect(await store.jobStatus('ai-pro_a')).toEqual({
          id: 'ai-pro_a',
          state: 'processing',
          progress: 0,
          message: WAITING_MESSAGE,
        });
        expect(await stateOf('ai-pro_a')).toBe('processing');
        expect(await store.jobOf('payment of ai-pro_a')).toBe('ai-pro_a');
        expect(await store.reserve('payment of ai-pro_a', LEASE_MS)).toEqual({
          kind: 'processing',
          fingerprint: PURCHASE.fingerprint,
        });
        const other = await openStore();
        expect(await other.jobStatus('ai-pro_a')).toMatchObject({ state: 'processing' });
      });

      it('writes nothing when its payment is lost', async () => {
        const lease = await bind('key');
        nowMs += LEASE_MS;
        const second = await bind('key');
        const job = { id: 'a', payload: bytesOf('a'), timeoutMs: TIMEOUT_MS };
        expect(await store.submitJob(job, { most: 100, lease })).toBe('lost');
        expect(await store.jobStatus('a')).toBeNull();
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: null });
        expect(await store.submitJob(job, { most: 100, lease: second })).toBe('submitted');
      });

      it('never takes the id of a job or a result: the payment stays bound until another is drawn', async () => {
        await store.putResult(resultOf('of a result', new Uint8Array([9])));
        await submit('of a job');
        nowMs++;
        const lease = await bind('key');
        const ids = ['of a job', 'of a result', 'free'].values();
        const drawn = await writeUnderNewId(
          () => ids.next().value ?? '',
          async (id) => {
            expect(await store.get('key')).toMatchObject({ state: 'bound' });
            return store.submitJob(
              { id, payload: bytesOf('paid'), timeoutMs: TIMEOUT_MS },
              { most: 9, lease },
            );
          },
        );
        expect(drawn).toEqual({ id: 'free', written: 'submitted' });
        expect((await claim()).payload).toEqual(bytesOf('of a job'));
        expect((await store.getResult('of a result'))?.gzip).toEqual(new Uint8Array([9]));
        expect(await store.jobOf('key')).toBe('free');
        expect(await fixture.check()).toBe('ok');
      });

      it('is refused when the queue is full, and leaves the payment as it was', async () => {
        expect(await submit('a', { most: 2 })).toBe('submitted');
        expect(await submit('b', { most: 2, paid: true })).toBe('submitted');
        expect(await submit('c', { most: 2, paid: true })).toBe('full');
        expect(await store.jobStatus('c')).toBeNull();
        expect(await stateOf('c')).toBe('bound');
        // A finished job makes room.
        await finish(await claim());
        expect(await submit('d', { most: 2 })).toBe('submitted');
      });

      it('never fills the queue beyond its limit, however many come at once', async () => {
        const other = await openStore();
        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            submit(`job ${index}`, { most: 25, on: index % 2 === 0 ? store : other }),
          ),
        );
        expect(answers.filter((answer) => answer === 'submitted')).toHaveLength(25);
        expect(await store.jobLoad()).toMatchObject({ waiting: 25, running: 0 });
      });

      it('is refused when there is no room for its order, which counts until the job has ended', async () => {
        const small = await openStore(1000);
        expect(await submit('a', { order: new Uint8Array(900), on: small })).toBe('submitted');
        const full = submit('b', { order: new Uint8Array(101), on: small, paid: true });
        await expect(full).rejects.toMatchObject({ code: 'storage_full' });
        expect(await stateOf('b')).toBe('bound');
        expect(await small.jobStatus('b')).toBeNull();
        const job = await claim(small);
        expect(await finish(job, new Uint8Array(100), small)).toBe('committed');
        expect(await submit('c', { order: new Uint8Array(800), on: small })).toBe('submitted');
        expect(await fixture.check()).toBe('ok');
      });

      it('takes any text as an id', async () => {
        for (const [index, id] of ['', '\0', "'; --", '__proto__', '🙂', 'x'.repeat(5000)].entries()) {
          expect(await submit(id)).toBe('submitted');
          expect(await store.jobStatus(id)).toMatchObject({ id, state: 'processing' });
          nowMs += index;
        }
      });
    });

    describe('a claim', () => {
      it('has the order byte for byte, the oldest job first', async () => {
        for (const id of ['b', 'a', 'c']) {
          await submit(id, { paid: id === 'a' });
          nowMs++;
        }
        const claimed = [await claim(), await claim(), await claim()];
        expect(claimed.map(({ lease }) => lease.id)).toEqual(['b', 'a', 'c']);
        expect(claimed.map(({ payload: order }) => Buffer.from(order).toString())).toEqual(['b', 'a', 'c']);
        expect(claimed.map(({ isPaid }) => isPaid)).toEqual([false, true, false]);
        expect(claimed.map(({ leftMs }) => leftMs)).toEqual([3, 2, 1].map((ms) => TIMEOUT_MS - ms));
        expect(claimed.some(({ isTakenOver }) => isTakenOver)).toBe(false);
      });

      it('gives clients their turns: many jobs of one delay the first of another by one at most', async () => {
        const next = async (): Promise<string> => (await claim()).lease.id;
        for (let index = 10; index < 60; index++) await submit(`a${index}`, { client: 'a' });
        expect([await next(), await next(), await next()]).toEqual(['a10', 'a11', 'a12']);
        for (const id of ['b0', 'b1', 'b2']) await submit(id, { client: 'b' });
        await submit('c0', { client: 'c' });
        const order = [];
        for (let count = 0; count < 8; count++) order.push(await next());
        expect(order).toEqual(['a13', 'b0', 'c0', 'a14', 'b1', 'a15', 'b2', 'a16']);
      });

      it('gives a client with one job after another no more than its turns', async () => {
        for (let index = 0; index < 4; index++) await submit(`a${index}`, { client: 'a' });
        const order: string[] = [];
        for (let round = 0; round < 6; round++) {
          await submit(`b${round}`, { client: 'b' });
          const job = await claim();
          order.push(job.lease.id);
          await finish(job);
        }
        expect(order.filter((id) => id.startsWith('a')).length).toBeGreaterThanOrEqual(2);
      });

      it('takes jobs whose process has died first, and says so', async () => {
        await submit('a', { client: 'a' });
        await claim();
        await submit('b', { client: 'b' });
        nowMs += LEASE_MS;
        const order = [await claim(), await claim()];
        expect(order.map(({ lease, isTakenOver }) => [lease.id, isTakenOver])).toEqual([
          ['a', true],
          ['b', false],
        ]);
      });

      it('fails jobs whose time is over some at a time, so that it takes a bounded time', async () => {
        for (let index = 0; index < 10; index++) await submit(`old ${index}`);
        nowMs += TIMEOUT_MS;
        await submit('new');
        expect((await claim()).lease.id).toBe('new');
        const { waiting } = await store.jobLoad();
        expect(waiting).toBeGreaterThan(0);
        expect(waiting).toBeLessThan(10);
        let moment: number | null = 0;
        for (let count = 0; count < 10 && moment === 0; count++) {
          const none = await store.claimJob(LEASE_MS);
          if (none.kind !== 'none') throw new Error(none.kind);
          moment = none.inMs;
        }
        expect(moment).toBe(LEASE_MS);
        expect(await store.jobLoad()).toMatchObject({ waiting: 0, running: 1 });
        expect(await fixture.check()).toBe('ok');
      });

      it('keeps others away until its lease runs out, and says when that is', async () => {
        await submit('a');
        const first = await claim();
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: LEASE_MS });
        nowMs += LEASE_MS - 1;
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: 1 });
        nowMs++;
        const second = await claim();
        expect(second).toMatchObject({ lease: { id: 'a' }, isTakenOver: true });
        expect(second.lease.token).not.toBe(first.lease.token);
      });

      it('lasts longer by being renewed, also after it ran out while no other came', async () => {
        await submit('a');
        const { lease } = await claim();
        nowMs += LEASE_MS - 1;
        expect(await store.renewJob(lease, LEASE_MS)).toBe('held');
        nowMs += LEASE_MS - 1;
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: 1 });
        nowMs += 5;
        expect(await store.renewJob(lease, LEASE_MS)).toBe('held');
        expect(await store.claimJob(LEASE_MS)).toMatchObject({ kind: 'none' });
      });

      it('that is lost writes nothing any more, save answers that were paid for', async () => {
        await submit('a', { paid: true });
        const lost = await claim();
        nowMs += LEASE_MS;
        const held = await claim();
        expect(await store.renewJob(lost.lease, LEASE_MS, { progress: 50, message: 'x' })).toBe('lost');
        expect(await store.setJobPayload(lost.lease, bytesOf('other'))).toBe('lost');
        expect(await store.leaveJob(lost.lease)).toBe('lost');
        expect(await finish(lost)).toBe('lost');
        expect(await store.failJob(lost.lease, { code: 'x', message: 'x' }, true)).toBe('lost');
        expect(await store.recordAnswer(lost.lease, 'key', bytesOf('answer'))).toBe('lost');
        expect([...(await store.recordedAnswers('a')).keys()]).toEqual(['key']);
        expect(await store.jobStatus('a')).toMatchObject({ progress: 0, state: 'processing' });
        expect(await store.getResult('a')).toBeNull();
        expect(await stateOf('a')).toBe('processing');
        expect(await finish(held)).toBe('committed');
        expect(await finish(held)).toBe('lost');
        expect(await store.recordAnswer(held.lease, 'late', bytesOf('answer'))).toBe('lost');
        expect((await store.recordedAnswers('a')).size).toBe(0);
      });

      it('that is left is free at once, and was no attempt', async () => {
        await submit('a');
        for (let round = 0; round <= MOST_ATTEMPTS; round++) {
          const job = await claim();
          expect(job.isTakenOver).toBe(false);
          expect(await store.leaveJob(job.lease)).toBe('held');
        }
        expect(await store.jobStatus('a')).toMatchObject({ state: 'processing' });
      });

      it('gives each of many jobs to one of several processes', async () => {
        for (let index = 0; index < 200; index++) await submit(`job ${index}`, { most: 1000 });
        const racers = Array.from({ length: 3 }, () => run({ kind: 'claim' }));
        await Promise.all(racers.map((racer) => once(racer.stdout, 'data')));
        const ends = racers.map(linesOf);
        for (const racer of racers) racer.stdin.write('go\n');
        const claimed = (await Promise.all(ends)).flat();
        expect(new Set(claimed).size).toBe(200);
        expect(claimed).toHaveLength(200);
      });
    });

    describe('progress', () => {
      it('never goes back, and keeps the message of where it was furthest', async () => {
        await submit('a');
        let job = await claim();
        await store.renewJob(job.lease, LEASE_MS, { progress: 40, message: 'Enriching section 4 of 10' });
        nowMs += LEASE_MS;
        job = await claim();
        await store.renewJob(job.lease, LEASE_MS, { progress: 2, message: 'Reading the document' });
        expect(await store.jobStatus('a')).toMatchObject({
          progress: 40,
          message: 'Enriching section 4 of 10',
        });
        await store.renewJob(job.lease, LEASE_MS, { progress: 40, message: 'Enriching section 5 of 10' });
        await store.renewJob(job.lease, LEASE_MS);
        expect(await store.jobStatus('a')).toMatchObject({ message: 'Enriching section 5 of 10' });
        await finish(job);
        expect(await store.jobStatus('a')).toEqual({
          id: 'a',
          state: 'completed',
          progress: 100,
          message: COMPLETED_MESSAGE,
        });
      });
    });

    describe('answers', () => {
      it('are there for whoever comes next, byte for byte, the first of each key', async () => {
        await submit('a');
        await submit('b');
        const job = await claim();
        expect(await store.recordAnswer(job.lease, 'one', bytesOf('1'))).toBe('held');
        expect(await store.recordAnswer(job.lease, 'two', new Uint8Array())).toBe('held');
        expect(await store.recordAnswer(job.lease, 'one', bytesOf('another'))).toBe('held');
        const other = await openStore();
        expect(await other.recordedAnswers(job.lease.id)).toEqual(
          new Map([
            ['one', bytesOf('1')],
            ['two', new Uint8Array()],
          ]),
        );
        expect((await other.recordedAnswers('b')).size).toBe(0);
      });

      it('are gone with the end of their job, like its order', async () => {
        for (const ending of ['finish', 'fail'] as const) {
          await submit(ending);
          const job = await claim();
          await store.recordAnswer(job.lease, 'one', bytesOf('1'));
          if (ending === 'finish') await finish(job);
          else await store.failJob(job.lease, { code: 'corrupted', message: 'Damaged.' }, true);
          expect((await store.recordedAnswers(ending)).size).toBe(0);
        }
        expect(await fixture.check()).toBe('ok');
      });

      it('show that a job gets on: only leases that ran out without any end it', async () => {
        await submit('a', { paid: true });
        for (let round = 0; round <= MOST_ATTEMPTS; round++) {
          const job = await claim();
          await store.recordAnswer(job.lease, `${round}`, bytesOf('answer'));
          nowMs += LEASE_MS;
        }
        for (let round = 0; round < MOST_ATTEMPTS; round++) {
          await claim();
          nowMs += LEASE_MS;
        }
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: null });
        expect(await store.jobStatus('a')).toMatchObject({ state: 'failed', code: 'internal_error' });
        expect(await store.get('payment of a')).toMatchObject({ state: 'released', tries: 0 });
      });
    });

    describe('costs', () => {
      it('are kept beside the answers by whoever has the lease, and show nothing of how the job gets on', async () => {
        await submit('a');
        for (let round = 0; round < MOST_ATTEMPTS; round++) {
          const job = await claim();
          expect(await store.recordCost(job.lease, `one cost ${round}`, bytesOf('5'))).toBe('held');
          nowMs += LEASE_MS;
          if (round > 0) continue;
          const next = await claim();
          expect(await store.recordCost(job.lease, 'late', bytesOf('5'))).toBe('lost');
          await store.leaveJob(next.lease);
        }
        expect((await store.recordedAnswers('a')).size).toBe(MOST_ATTEMPTS);
        expect((await store.claimJob(LEASE_MS)).kind).toBe('none');
        expect(await store.jobStatus('a')).toMatchObject({ state: 'failed', code: 'internal_error' });
        expect((await store.recordedAnswers('a')).size).toBe(0);
      });
    });

    describe('an order', () => {
      it('may be put in the place of the one before, within the room there is', async () => {
        const small = await openStore(1000);
        await submit('a', { order: new Uint8Array(10), on: small });
        const { lease } = await claim(small);
        expect(await small.setJobPayload(lease, new Uint8Array(1000).fill(7))).toBe('held');
        const tooLargeError = small.setJobPayload(lease, new Uint8Array(1001));
        await expect(tooLargeError).rejects.toMatchObject({ code: 'storage_full' });
        nowMs += LEASE_MS;
        expect([...(await claim(small)).payload]).toEqual(Array.from({ length: 1000 }, () => 7));
        expect(await fixture.check()).toBe('ok');
      });
    });

    describe('an end', () => {
      it('by a result keeps it, consumes the payment, and has the answer for whoever shows it again', async () => {
        await submit('a', { paid: true });
        expect(await finish(await claim(), bytesOf('result'))).toBe('committed');
        expect(await store.getResult('a')).toEqual(resultOf('a', bytesOf('result')));
        expect(await stateOf('a')).toBe('consumed');
        expect(await store.paidResponse('payment of a')).toEqual(responseOf());
        expect(await store.jobOf('payment of a')).toBeNull();
        expect(await store.unsettledConsumed(10)).toHaveLength(1);
      });

      it('by a result without a payment keeps the result alone', async () => {
        await submit('a');
        expect(await finish(await claim())).toBe('committed');
        expect(await store.getResult('a')).not.toBeNull();
        expect(await store.listPayments({ limit: 10 })).toEqual({ payments: [], next: null });
      });

      it('is refused when there is no room for the result, and can be tried again', async () => {
        const small = await openStore(1000);
        await submit('a', { paid: true, on: small });
        const job = await claim(small);
        await expect(finish(job, new Uint8Array(1001), small)).rejects.toMatchObject({
          code: 'storage_full',
        });
        expect(await small.jobStatus('a')).toMatchObject({ state: 'processing' });
        expect(await small.renewJob(job.lease, LEASE_MS)).toBe('held');
        expect(await finish(job, new Uint8Array(900), small)).toBe('committed');
        expect(await fixture.check()).toBe('ok');
      });

      it('by a failure gives the payment back, and counts a try only for faults of the buyer', async () => {
        for (const [round, counts] of [true, false, true].entries()) {
          const lease = await bind('key');
          const job = { id: `a${round}`, payload: bytesOf('a'), timeoutMs: TIMEOUT_MS };
          expect(await store.submitJob(job, { most: 10, lease })).toBe('submitted');
          const failure = { code: 'corrupted', message: 'The document is damaged.' };
          expect(await store.failJob((await claim()).lease, failure, counts)).toBe('held');
          expect(await store.jobStatus(`a${round}`)).toEqual({
            id: `a${round}`,
            state: 'failed',
            progress: 0,
            ...failure,
          });
          expect(await store.jobOf('key')).toBeNull();
        }
        expect(await store.get('key')).toMatchObject({ state: 'released', reason: 'corrupted', tries: 2 });
      });

      it('comes by itself when its time is over, in work or not, and frees the payment', async () => {
        await submit('worked on', { paid: true });
        const job = await claim();
        nowMs++;
        await submit('waiting', { paid: true });
        nowMs = NOW + TIMEOUT_MS - 1;
        await store.renewJob(job.lease, LEASE_MS);
        nowMs++;
        // The other lease has a millisecond left.
        const other = await claim();
        expect(other.lease.id).toBe('waiting');
        expect(await store.jobStatus('worked on')).toMatchObject({ state: 'failed', code: 'job_timeout' });
        expect(await store.renewJob(job.lease, LEASE_MS)).toBe('lost');
        expect(await finish(job)).toBe('lost');
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: 1 });
        nowMs++;
        expect(await store.claimJob(LEASE_MS)).toEqual({ kind: 'none', inMs: null });
        for (const id of ['worked on', 'waiting'])
          expect(await store.get(`payment of ${id}`)).toMatchObject({ state: 'released', tries: 0 });
        expect(await fixture.check()).toBe('ok');
      });

      it('is told of for as long as the result is there; an unfinished job never expires', async () => {
        for (const id of ['done', 'failed', 'unfinished']) {
          await submit(id);
          nowMs++;
        }
        nowMs += 1000;
        const beganMs = nowMs;
        await finish(await claim());
        await store.failJob((await claim()).lease, { code: 'x', message: 'x' }, false);
        nowMs = beganMs + HOUR_MS - 1;
        await store.sweep();
        for (const id of ['done', 'failed', 'unfinished']) expect(await store.jobStatus(id)).not.toBeNull();
        expect(FAILED_JOB_LIFETIME_MS).toBe(HOUR_MS);
        nowMs = beganMs + HOUR_MS;
        for (const id of ['done', 'failed']) expect(await store.jobStatus(id)).toBeNull();
        await store.sweep();
        expect(await store.jobStatus('unfinished')).not.toBeNull();
        nowMs = NOW;
        for (const id of ['done', 'failed']) expect(await store.jobStatus(id)).toBeNull();
      });

      it('takes the job along when its result is deleted, and nothing else', async () => {
        await submit('a');
        await submit('b');
        expect(await store.deleteResult('a')).toBe(false);
        await finish(await claim());
        expect(await store.deleteResult('a')).toBe(true);
        expect(await store.jobStatus('a')).toBeNull();
        expect(await store.jobStatus('b')).not.toBeNull();
        expect(await store.deleteResult('a')).toBe(false);
      });
    });

    describe('a webhook', () => {
      const webhook = { url: 'https://example.com/hook', secret: 'whsec_' };
      const submitHooked = (id: string) =>
        store.submitJob({ id, payload: bytesOf(id), timeoutMs: TIMEOUT_MS, webhook }, { most: 9 });
      const claimHook = async (on = store) => {
        const claim = await on.claimWebhook(LEASE_MS);
        if (claim.kind !== 'claimed') throw new Error('no webhook is due');
        return claim.delivery;
      };

      it('is due when its job has ended, whatever ended it, and claimed once', async () => {
        for (const id of ['a', 'b', 'c']) await submitHooked(id);
        await submit('without');
        expect(await store.claimWebhook(LEASE_MS)).toEqual({ kind: 'none', inMs: null });
        await finish(await claim());
        await store.failJob((await claim()).lease, { code: 'x', message: 'x' }, false);
        const first = await claimHook();
        expect(first).toMatchObject({ ...webhook, attempt: 1 });
        expect([first, await claimHook()].map(({ id, state }) => `${id} ${state}`).sort()).toEqual([
          'a completed',
          'b failed',
        ]);
        nowMs += TIMEOUT_MS;
        await store.claimJob(LEASE_MS);
        const ids = [await claimHook(), await claimHook(), await claimHook()].map(({ id }) => id);
        expect(ids.sort()).toEqual(['a', 'b', 'c']);
      });

      it('is claimed by another process when its own has died, and repeated when it is told so', async () => {
        await submitHooked('a');
        await finish(await claim());
        const lost = await claimHook();
        expect(await store.claimWebhook(LEASE_MS)).toEqual({ kind: 'none', inMs: LEASE_MS });
        nowMs += LEASE_MS;
        const other = await openStore();
        const held = await claimHook(other);
        expect(held).toMatchObject({ id: 'a', attempt: 2 });
        expect(await store.endWebhook(lost, null)).toBe('lost');
        expect(await other.endWebhook(held, 5000)).toBe('held');
        expect(await store.claimWebhook(LEASE_MS)).toEqual({ kind: 'none', inMs: 5000 });
        nowMs += 5000;
        expect(await store.endWebhook(await claimHook(), null)).toBe('held');
        expect(await store.claimWebhook(LEASE_MS)).toEqual({ kind: 'none', inMs: null });
      });

      it('is gone with its job: swept, or deleted with its result', async () => {
        for (const id of ['a', 'b']) await submitHooked(id);
        await finish(await claim());
        await finish(await claim());
        expect(await store.deleteResult('a')).toBe(true);
        expect(await claimHook()).toMatchObject({ id: 'b' });
        nowMs += HOUR_MS;
        await store.sweep();
        expect(await store.claimWebhook(LEASE_MS)).toEqual({ kind: 'none', inMs: null });
      });
    });

    describe('what is there to do', () => {
      it('is counted, with how long it takes', async () => {
        expect(await store.jobLoad()).toEqual({ waiting: 0, running: 0, meanRunMs: null });
        for (const id of ['a', 'b', 'c', 'd']) await submit(id);
        const jobs = [await claim(), await claim(), await claim()];
        expect(await store.jobLoad()).toEqual({ waiting: 1, running: 3, meanRunMs: null });
        nowMs += 1000;
        await finish(jobs[0]!);
        nowMs += 1000;
        await finish(jobs[1]!);
        expect(await store.jobLoad()).toEqual({ waiting: 1, running: 1, meanRunMs: 1500 });
        nowMs += LEASE_MS;
        expect(await store.jobLoad()).toMatchObject({ waiting: 2, running: 0 });
      });

      it.each(['back', 'on'])('does not take long because the clock was set %s meanwhile', async (way) => {
        for (const id of ['a', 'b']) await submit(id);
        const jobs = [await claim(), await claim()];
        nowMs += 1000;
        await finish(jobs[0]!);
        nowMs += way === 'on' ? TIMEOUT_MS : -TIMEOUT_MS;
        await finish(jobs[1]!);
        nowMs += way === 'on' ? -TIMEOUT_MS : TIMEOUT_MS;
        expect(await store.jobLoad()).toEqual({ waiting: 0, running: 0, meanRunMs: 1000 });
      });

      it('is told to those who wait for it, from whichever store it comes', async () => {
        const [one, other] = [await openStore(), await openStore()];
        const woken = Promise.withResolvers<boolean>();
        let calls = 0;
        const end = one.onJob(() => {
          calls++;
          woken.resolve(true);
        });
        // Embedded stores of two processes do not notify each other; their workers poll.
        await submit('a', { on: fixture.address.engine === 'postgres' ? other : one });
        await woken.promise;
        end();
        expect(calls).toBeGreaterThan(0);
      });
    });

    it('are the same as a plain list, for any order of calls by several processes', async () => {
      const step = fc.oneof(
        fc.record({ kind: fc.constant('submit' as const), paid: fc.boolean() }),
        fc.record({ kind: fc.constant('claim' as const) }),
        fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, LEASE_MS / 2, LEASE_MS) }),
        fc.record({
          kind: fc.constantFrom('renew' as const, 'leave' as const, 'finish' as const, 'fail' as const),
          pick: fc.nat(5),
          progress: fc.integer({ min: 0, max: 99 }),
        }),
      );
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          // Jobs of an earlier round have failed by now, and expired.
          nowMs += TIMEOUT_MS + 2 * HOUR_MS;
          await store.claimJob(LEASE_MS);
          round++;
          const jobs: Listed[] = [];
          /** Every lease so far. */
          const leases: ClaimedJob[] = [];
          const isFree = (job: Listed): boolean =>
            job.state === 'processing' && (job.token === null || job.endsMs <= nowMs);
          for (const [index, each] of steps.entries()) {
            if (each.kind === 'wait') nowMs += each.ms;
            else if (each.kind === 'submit') {
              const id = `${round} ${String(index).padStart(2, '0')}`;
              const answer = await submit(id, { paid: each.paid, most: 4 });
              const isFull = jobs.filter(({ state }) => state === 'processing').length >= 4;
              expect(answer).toBe(isFull ? 'full' : 'submitted');
              if (!isFull)
                jobs.push({
                  id,
                  paid: each.paid,
                  state: 'processing',
                  progress: 0,
                  token: null,
                  endsMs: 0,
                  at: nowMs,
                });
            } else if (each.kind === 'claim') {
              const free = jobs.filter(isFree).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))[0];
              const found = await store.claimJob(LEASE_MS);
              expect(found.kind === 'claimed' ? found.job.lease.id : undefined).toBe(free?.id);
              if (found.kind !== 'claimed' || free === undefined) continue;
              expect(found.job.isTakenOver).toBe(free.token !== null);
              free.token = found.job.lease.token;
              free.endsMs = nowMs + LEASE_MS;
              leases.push(found.job);
            } else {
              const picked = leases[each.pick % Math.max(1, leases.length)];
              if (picked === undefined) continue;
              const job = jobs.find(({ id }) => id === picked.lease.id)!;
              const isHeld = job.token === picked.lease.token;
              if (each.kind === 'renew') {
                const step = { progress: each.progress, message: 'm' };
                expect(await store.renewJob(picked.lease, LEASE_MS, step)).toBe(isHeld ? 'held' : 'lost');
                if (isHeld) {
                  job.progress = Math.max(job.progress, each.progress);
                  job.endsMs = nowMs + LEASE_MS;
                }
              } else if (each.kind === 'leave') {
                expect(await store.leaveJob(picked.lease)).toBe(isHeld ? 'held' : 'lost');
                if (isHeld) job.token = null;
              } else if (each.kind === 'finish') {
                expect(await finish(picked)).toBe(isHeld ? 'committed' : 'lost');
                if (isHeld) Object.assign(job, { state: 'completed', progress: 100, token: null });
              } else {
                const failed = store.failJob(picked.lease, { code: 'x', message: 'x' }, false);
                expect(await failed).toBe(isHeld ? 'held' : 'lost');
                if (isHeld) Object.assign(job, { state: 'failed', token: null });
              }
            }
          }
          for (const { id, state, progress, paid } of jobs) {
            expect(await store.jobStatus(id)).toMatchObject({ state, progress });
            const ofPayment = { processing: 'processing', completed: 'consumed', failed: 'released' }[state];
            if (paid) expect(await stateOf(id)).toBe(ofPayment);
          }
        }),
        cases(30),
      );
      expect(await fixture.check()).toBe('ok');
    });

    it('lose nothing acknowledged when their process is killed', async () => {
      const { numRuns, seed = Math.floor(Math.random() * 2 ** 31) } = cases(2);
      console.log(`moments of kills: seed ${seed}`);
      const said = new Map<string, string>();
      const most = 40;
      const moments = fc.sample(fc.integer({ min: 1, max: most }), { numRuns, seed });
      // The last kill comes late enough for a job to have ended.
      for (const [round, killAfter] of [...moments, most].entries()) {
        const child = run({ kind: 'work', name: `worker ${round}`, expiresMs: HOUR_MS });
        let count = 0;
        for await (const line of createInterface({ input: child.stdout })) {
          const [, step = '', id = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
          said.set(id, step);
          if (++count === killAfter) child.kill('SIGKILL');
        }
      }
      nowMs = 0;
      store = await openStore();
      expect(await fixture.check()).toBe('ok');
      const order = ['submitted', 'answered', 'finished', 'failed'];
      for (const [id, step] of said) {
        const status = await store.jobStatus(id);
        // A finished step may not be printed yet.
        expect(status, `${step} ${id}`).not.toBeNull();
        const state = status!.state;
        if (step === 'finished') expect(state).toBe('completed');
        if (step === 'failed') expect(state).toBe('failed');
        expect(order.indexOf(step)).toBeGreaterThanOrEqual(0);
        const ofPayment = { processing: 'processing', completed: 'consumed', failed: 'released' }[state];
        expect(await stateOf(id)).toBe(ofPayment);
        expect((await store.getResult(id)) !== null).toBe(state === 'completed');
        if (step === 'answered' && state === 'processing')
          expect((await store.recordedAnswers(id)).has('question')).toBe(true);
      }
      expect([...said.values()]).toContain('finished');
    });
  });
}

/** A job in the plain list. */
interface Listed {
  readonly id: string;
  readonly paid: boolean;
  readonly at: number;
  state: 'processing' | 'completed' | 'failed';
  progress: number;
  token: string | null;
  endsMs: number;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function linesOf(child: ChildProcess): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) lines.push(line);
  return lines;
}
