// Suite for the payments of every engine, beyond the ledger's own: each payment is consumed once, its response lasts,
// kills lose nothing, and the operator's lists are true.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Lease, PaymentState, Purchase, VerifiedPayment } from '@grainline/x402';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { writeUnderNewId } from '../../src/store/result-id.ts';
import type { PaymentEntry, PaymentFilter, Store } from '../../src/store/store.ts';
import { type StoreTask, PURCHASE_STEPS, type PurchaseStep, startStoreTask } from './store-process.ts';
import { bindOn, HOUR_MS, MIB, NOW, responseOf, resultOf } from './bound-payment.ts';
import type { StoreFixture } from './store.conformance.ts';

const LEASE_MS = 30_000;
/** Tries of each of two processes; never fewer than the payments. */
const TRIES = Math.max(50, cases(1000).numRuns);
const PAYMENT: VerifiedPayment = { payer: 'payer', credited: 2_500n, slot: 7n };
const PURCHASE: Purchase = { fingerprint: 'fingerprint', price: 2_000n, product: 'structure' };

/** The suite. `prepare` makes a new, empty fixture for each test. */
export function testPayments(engine: string, prepare: () => Promise<StoreFixture>): void {
  describe(`payments in the store on ${engine}`, () => {
    let fixture: StoreFixture;
    let store: Store;
    let nowMs: number;

    const openStore = (maxStoredBytes = 64 * MIB): Promise<Store> =>
      fixture.open({ maxStoredBytes, now: () => nowMs });
    const bind = (key: string, payment = PAYMENT, purchase = PURCHASE, on = store): Promise<Lease> =>
      bindOn(on, key, LEASE_MS, payment, purchase);
    const purchase = async (key: string, payment = PAYMENT, purchase = PURCHASE): Promise<void> => {
      expect(await store.commit(await bind(key, payment, purchase), { response: responseOf() })).toBe(
        'committed',
      );
    };
    const run = (task: Omit<StoreTask, 'address'>) => startStoreTask({ ...task, address: fixture.address });

    beforeEach(async () => {
      nowMs = NOW;
      fixture = await prepare();
      store = await openStore();
    });

    afterEach(() => fixture.remove());

    describe('a sale', () => {
      it('keeps the answer and the result, byte for byte, and marks the payment consumed', async () => {
        const response = responseOf({
          status: 200,
          headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Names': 'ä"\\\n' },
        });
        const result = resultOf('structure_0123456789ab');
        expect(await store.commit(await bind('key'), { response, result })).toBe('committed');
        expect(await store.paidResponse('key')).toEqual(response);
        expect(await store.getResult(result.id)).toEqual(result);
        expect(await store.get('key')).toMatchObject({
          state: 'consumed',
          payment: PAYMENT,
          purchase: PURCHASE,
        });
        const other = await openStore();
        expect(await other.paidResponse('key')).toEqual(response);
      });

      it('writes nothing when the lease is lost', async () => {
        const lost = await bind('key');
        nowMs += LEASE_MS;
        const lease = await bind('key');
        const result = resultOf('structure_0123456789ab');
        expect(await store.commit(lost, { response: responseOf(), result })).toBe('lost');
        expect(await store.paidResponse('key')).toBeNull();
        expect(await store.getResult(result.id)).toBeNull();
        expect(await store.commit(lease, { response: responseOf({ status: 201 }) })).toBe('committed');
        expect(await store.commit(lost, { response: responseOf(), result })).toBe('lost');
        expect(await store.commit(lease, { response: responseOf(), result })).toBe('lost');
        expect((await store.paidResponse('key'))?.status).toBe(201);
        expect(await store.getResult(result.id)).toBeNull();
      });

      it('never overwrites a result: the payment stays bound until another id is drawn', async () => {
        await store.putResult(resultOf('taken', new Uint8Array([9])));
        const lease = await bind('key');
        const ids = ['taken', 'taken', 'free'].values();
        const drawn = await writeUnderNewId(
          () => ids.next().value ?? '',
          async (id) => {
            expect(await store.get('key')).toMatchObject({ state: 'bound' });
            expect(await store.paidResponse('key')).toBeNull();
            return store.commit(lease, { response: responseOf(), result: resultOf(id) });
          },
        );
        expect(drawn).toEqual({ id: 'free', written: 'committed' });
        expect((await store.getResult('taken'))?.gzip).toEqual(new Uint8Array([9]));
        expect(await store.getResult('free')).toEqual(resultOf('free'));
        expect(await store.paidResponse('key')).toEqual(responseOf());
        expect(await fixture.check()).toBe('ok');
      });

      it('is refused for a payment that is not bound', async () => {
        const answer = await store.reserve('key', LEASE_MS);
        if (answer.kind !== 'reserved') throw new Error(answer.kind);
        expect(await store.commit(answer.lease, { response: responseOf() })).toBe('lost');
        await store.recordVerified(answer.lease, PAYMENT);
        expect(await store.commit(answer.lease, { response: responseOf() })).toBe('lost');
        expect(await store.commit({ key: 'x', token: 'x', expiresMs: 0 }, { response: responseOf() })).toBe(
          'lost',
        );
        expect(await store.paidResponse('key')).toBeNull();
      });

      it('keeps its answer until the moment it expires, and the payment for ever', async () => {
        await purchase('key');
        nowMs = NOW + HOUR_MS - 1;
        await store.sweep();
        expect(await store.paidResponse('key')).not.toBeNull();
        nowMs = NOW + HOUR_MS;
        expect(await store.paidResponse('key')).toBeNull();
        await store.sweep();
        nowMs = NOW;
        expect(await store.paidResponse('key')).toBeNull();
        expect(await store.reserve('key', LEASE_MS)).toEqual({
          kind: 'consumed',
          fingerprint: PURCHASE.fingerprint,
        });
        expect(await store.get('key')).toMatchObject({ payment: PAYMENT, purchase: PURCHASE });
      });

      it('lets its result be deleted, and keeps the answer', async () => {
        const result = resultOf('structure_0123456789ab');
        await store.commit(await bind('key'), { response: responseOf(), result });
        expect(await store.deleteResult(result.id)).toBe(true);
        expect(await store.paidResponse('key')).not.toBeNull();
      });
    });

    describe('payers who are blocked', () => {
      it('are listed, the latest first, and each of them once', async () => {
        expect(await store.blockedPayers()).toEqual([]);
        await store.blockPayer('alice');
        nowMs += 1000;
        await store.blockPayer('bob');
        await store.blockPayer('alice');
        expect(await store.blockedPayers()).toEqual([
          { payer: 'bob', blockedMs: NOW + 1000 },
          { payer: 'alice', blockedMs: NOW },
        ]);
      });

      it('may use what they paid meanwhile once they are unblocked', async () => {
        await store.blockPayer(PAYMENT.payer);
        const answer = await store.reserve('key', LEASE_MS);
        if (answer.kind !== 'reserved') throw new Error(answer.kind);
        expect(await store.recordVerified(answer.lease, PAYMENT)).toBe('blocked');
        await store.release(answer.lease, { reason: 'payer_blocked', counts: false });
        expect(await store.unblockPayer(PAYMENT.payer)).toBe(true);
        expect(await store.blockedPayers()).toEqual([]);
        expect(await store.reserve('key', LEASE_MS)).toMatchObject({ kind: 'reserved', payment: PAYMENT });
      });

      it('are others than those who are not', async () => {
        await store.blockPayer('alice');
        for (const name of ['bob', 'Alice', 'alice ', '']) expect(await store.unblockPayer(name)).toBe(false);
        expect(await store.blockedPayers()).toHaveLength(1);
        expect(await store.unblockPayer('alice')).toBe(true);
        expect(await store.unblockPayer('alice')).toBe(false);
      });
    });

    describe('a payment that came too late', () => {
      it('can be marked as refunded, and is exhausted from then on', async () => {
        const answer = await store.reserve('key', LEASE_MS);
        if (answer.kind !== 'reserved') throw new Error(answer.kind);
        await store.recordVerified(answer.lease, PAYMENT, 'payment_too_old');
        await store.release(answer.lease, { reason: 'payment_too_old', counts: false });
        expect(await store.paymentEntry('key')).toMatchObject({
          state: 'released',
          reason: 'payment_too_old',
          payment: PAYMENT,
        });
        expect(await store.markRefunded('key', 'sent back')).toBe('refunded');
        expect(await store.reserve('key', LEASE_MS)).toEqual({ kind: 'exhausted' });
      });
    });

    describe('room', () => {
      let small: Store;
      beforeEach(async () => (small = await openStore(1000)));
      const commit = async (key: string, responseBytes: number, resultBytes?: number) => {
        const expiresMs = nowMs + HOUR_MS;
        const response = responseOf({ gzip: new Uint8Array(responseBytes), expiresMs });
        const result =
          resultBytes === undefined
            ? {}
            : { result: { ...resultOf(`of ${key}`, new Uint8Array(resultBytes)), expiresMs } };
        return small.commit(await bind(key, PAYMENT, PURCHASE, small), { response, ...result });
      };
      const put = (id: string, bytes: number) => small.putResult(resultOf(id, new Uint8Array(bytes)));
      const full = { code: 'storage_full' };

      it('is never refused to what was paid for because of free results, which stay', async () => {
        await put('free', 1000);
        expect(await commit('key', 400, 600)).toBe('committed');
        expect((await small.paidResponse('key'))?.gzip).toHaveLength(400);
        expect((await small.getResult('of key'))?.gzip).toHaveLength(600);
        expect((await small.getResult('free'))?.gzip).toHaveLength(1000);
      });

      it('is never refused to free results because of what was paid for', async () => {
        expect(await commit('key', 400, 600)).toBe('committed');
        await put('free', 1000);
        await expect(put('another', 1)).rejects.toMatchObject(full);
      });

      it('is told before anything is paid: what has expired counts no more', async () => {
        expect(await small.paidRoom()).toBe(1000);
        await put('free', 1000);
        await commit('one', 100, 600);
        expect(await small.paidRoom()).toBe(300);
        await commit('two', 300);
        expect(await small.paidRoom()).toBe(0);
        nowMs += HOUR_MS;
        expect(await small.paidRoom()).toBe(1000);
      });

      it('is refused to the byte when answers that were paid for leave none, and nothing is written', async () => {
        expect(await commit('one', 400, 500)).toBe('committed');
        await expect(commit('two', 50, 51)).rejects.toMatchObject(full);
        expect(await small.get('two')).toMatchObject({ state: 'bound', tries: 0 });
        expect(await small.paidResponse('two')).toBeNull();
        expect(await small.getResult('of two')).toBeNull();
        expect(await small.unsettledConsumed(10)).toHaveLength(1);
        nowMs += LEASE_MS;
        expect(await commit('two', 50, 50)).toBe('committed');
      });

      it('leaves the lease held when it is refused, so that the payment can be given back', async () => {
        await commit('one', 1000);
        const lease = await bind('two', PAYMENT, PURCHASE, small);
        const response = responseOf({ gzip: new Uint8Array(1) });
        await expect(small.commit(lease, { response })).rejects.toMatchObject(full);
        expect(await small.release(lease, { reason: 'storage_full', counts: false })).toBe('held');
        expect(await small.reserve('two', LEASE_MS)).toMatchObject({ kind: 'reserved', payment: PAYMENT });
      });

      it('comes back when paid results are deleted, and from what has expired', async () => {
        await commit('one', 400, 600);
        await small.deleteResult('of one');
        expect(await commit('two', 100, 500)).toBe('committed');
        nowMs = NOW + HOUR_MS;
        expect(await commit('three', 500, 500)).toBe('committed');
        await expect(commit('four', 1)).rejects.toMatchObject(full);
        nowMs = NOW + 2 * HOUR_MS;
        expect(await commit('five', 500, 500)).toBe('committed');
      });

      it('is not used by a paid result whose id is taken', async () => {
        await put('of key', 900);
        expect(await commit('key', 100, 100)).toBe('taken');
        expect(await small.paidRoom()).toBe(1000);
        await put('free', 100);
        await expect(put('more', 1)).rejects.toMatchObject(full);
      });

      it('is the same as plain sums for any order of sales, free results, deletions and time', async () => {
        const step = fc.oneof(
          fc.record({ kind: fc.constant('sell' as const), bytes: fc.nat(400), linked: fc.nat(400) }),
          fc.record({ kind: fc.constant('put' as const), bytes: fc.nat(600) }),
          fc.record({ kind: fc.constant('delete' as const), pick: fc.nat(20) }),
          fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(HOUR_MS / 2, HOUR_MS) }),
        );
        let round = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
            // Rows of an earlier round have expired by now.
            nowMs += 2 * HOUR_MS;
            round++;
            let kept: { id: string | null; bytes: number; paid: boolean; endMs: number }[] = [];
            const sum = (paid: boolean) =>
              kept.reduce((total, one) => total + (one.paid === paid ? one.bytes : 0), 0);
            for (const [index, each] of steps.entries()) {
              kept = kept.filter((one) => nowMs < one.endMs);
              const endMs = nowMs + HOUR_MS;
              const id = `${round} ${index}`;
              if (each.kind === 'wait') nowMs += each.ms;
              else if (each.kind === 'delete') {
                const linked = kept.filter((one) => one.id !== null);
                const gone = linked[each.pick % Math.max(1, linked.length)];
                if (gone !== undefined) expect(await small.deleteResult(gone.id!)).toBe(true);
                kept = kept.filter((one) => one !== gone);
              } else if (each.kind === 'put') {
                const put = small.putResult({
                  ...resultOf(id, new Uint8Array(each.bytes)),
                  expiresMs: endMs,
                });
                if (sum(false) + each.bytes > 1000) await expect(put).rejects.toMatchObject(full);
                else {
                  await put;
                  kept.push({ id, bytes: each.bytes, paid: false, endMs });
                }
              } else {
                const sale = small.commit(await bind(id, PAYMENT, PURCHASE, small), {
                  response: responseOf({ gzip: new Uint8Array(each.bytes), expiresMs: endMs }),
                  result: { ...resultOf(id, new Uint8Array(each.linked)), expiresMs: endMs },
                });
                if (sum(true) + each.bytes + each.linked > 1000)
                  await expect(sale).rejects.toMatchObject(full);
                else {
                  expect(await sale).toBe('committed');
                  kept.push({ id: null, bytes: each.bytes, paid: true, endMs });
                  kept.push({ id, bytes: each.linked, paid: true, endMs });
                }
              }
            }
          }),
          cases(40),
        );
      });
    });

    describe('the look whether the chain kept them', () => {
      it('has every consumed payment until it is final', async () => {
        await purchase('one', { ...PAYMENT, memo: 'memo' });
        nowMs++;
        await purchase('two');
        await bind('bound');
        await store.release(await bind('released'), { reason: 'timeout', counts: false });
        expect(await store.unsettledConsumed(10)).toEqual([
          { key: 'one', consumedMs: NOW, ...PAYMENT, memo: 'memo' },
          { key: 'two', consumedMs: NOW + 1, ...PAYMENT },
        ]);
        await store.markFinal('one', 'finalized');
        expect(await store.unsettledConsumed(10)).toEqual([{ key: 'two', consumedMs: NOW + 1, ...PAYMENT }]);
        await store.markFinal('two', 'vanished');
        expect(await store.unsettledConsumed(10)).toEqual([]);
        expect(await store.paymentEntry('one')).toMatchObject({ finality: 'finalized' });
        expect(await store.paymentEntry('two')).toMatchObject({ finality: 'vanished', state: 'consumed' });
        expect(await store.paidResponse('two')).not.toBeNull();
      });

      it('begins with those that were looked at longest ago', async () => {
        for (const key of ['one', 'two', 'three']) {
          await purchase(key);
          nowMs++;
        }
        const next = async (limit: number) => (await store.unsettledConsumed(limit)).map(({ key }) => key);
        expect(await next(2)).toEqual(['one', 'two']);
        await store.markFinal('one', 'pending');
        expect(await next(2)).toEqual(['two', 'three']);
        expect(await next(3)).toEqual(['two', 'three', 'one']);
        expect(await store.paymentEntry('one')).toMatchObject({ finality: 'pending' });
      });

      it('marks nothing that is not consumed', async () => {
        await bind('bound');
        await store.markFinal('bound', 'finalized');
        await store.markFinal('unknown', 'finalized');
        expect(await store.paymentEntry('bound')).not.toHaveProperty('finality');
        expect(await store.paymentEntry('unknown')).toBeNull();
      });
    });

    describe("the operator's list", () => {
      const listAll = async (filter: PaymentFilter = {}, limit = 3): Promise<PaymentEntry[]> => {
        const found: PaymentEntry[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page = await store.listPayments({
            ...filter,
            limit,
            ...(cursor === undefined ? {} : { cursor }),
          });
          expect(page.payments.length).toBeLessThanOrEqual(limit);
          found.push(...page.payments);
          cursor = page.next;
        }
        return found;
      };

      it('is empty at first', async () => {
        expect(await store.listPayments({ limit: 10 })).toEqual({ payments: [], next: null });
        expect(await store.paymentTotals()).toEqual([]);
      });

      it('has every payment once, the latest first, in parts of any size', async () => {
        // Three payments of each moment; their keys hold the separator of a cursor.
        const keys = Array.from({ length: 12 }, (_, index) => `key ${String(index).padStart(2, '0')}`);
        for (const [index, key] of keys.entries()) {
          nowMs = NOW + Math.floor(index / 3);
          await purchase(key);
        }
        for (const limit of [1, 2, 3, 5, 11, 12, 13]) {
          expect((await listAll({}, limit)).map(({ key }) => key)).toEqual([...keys].reverse());
        }
        const [latest] = await listAll();
        expect(latest).toEqual(await store.paymentEntry('key 11'));
        expect(latest).toEqual({
          key: 'key 11',
          state: 'consumed',
          payment: PAYMENT,
          purchase: PURCHASE,
          tries: 0,
          createdMs: nowMs,
          changedMs: nowMs,
          finality: 'pending',
        });
      });

      it('loses none and repeats none while payments come and change between two parts', async () => {
        for (let index = 0; index < 6; index++) {
          nowMs++;
          await purchase(`old ${index}`);
        }
        const first = await store.listPayments({ limit: 3 });
        nowMs++;
        await purchase('new');
        await store.markFinal('old 1', 'finalized');
        const second = await store.listPayments({ limit: 9, cursor: first.next! });
        const keys = [...first.payments, ...second.payments].map(({ key }) => key);
        expect(keys).toEqual([5, 4, 3, 2, 1, 0].map((index) => `old ${index}`));
      });

      it('is filtered by state, by the time at which payments were first seen, and by both', async () => {
        await purchase('old');
        await bind('old bound');
        nowMs += 1000;
        await purchase('new');
        await bind('new bound');
        const keys = async (filter: PaymentFilter) => (await listAll(filter)).map(({ key }) => key).sort();
        expect(await keys({ state: 'consumed' })).toEqual(['new', 'old']);
        expect(await keys({ sinceMs: NOW + 1 })).toEqual(['new', 'new bound']);
        expect(await keys({ sinceMs: NOW + 1000 })).toEqual(['new', 'new bound']);
        expect(await keys({ sinceMs: NOW + 1001 })).toEqual([]);
        expect(await keys({ state: 'bound', sinceMs: NOW + 1 })).toEqual(['new bound']);
        const totals = await store.paymentTotals({ state: 'bound', sinceMs: NOW + 1 });
        expect(totals).toMatchObject([{ state: 'bound', count: 1 }]);
      });

      it('adds up, exactly, what was paid, sold, and paid too much', async () => {
        const large = 4_611_686_018_427_387_001n;
        await purchase('one', { ...PAYMENT, credited: large }, { ...PURCHASE, price: large - 1n });
        await purchase('two', { ...PAYMENT, credited: large }, { ...PURCHASE, price: large });
        await purchase('three', PAYMENT, { ...PURCHASE, product: 'ai', price: 2_000n });
        await store.release(await bind('four'), { reason: 'pdf_damaged', counts: true });
        await store.reserve('five', LEASE_MS);
        const total = { refunded: false, price: 0n, surplus: 0n };
        const expected = [
          {
            ...total,
            state: 'consumed',
            product: 'ai',
            count: 1,
            credited: 2_500n,
            price: 2_000n,
            surplus: 500n,
          },
          {
            ...total,
            state: 'consumed',
            product: 'structure',
            count: 2,
            credited: 2n * large,
            price: 2n * large - 1n,
            surplus: 1n,
          },
          { ...total, state: 'released', product: 'structure', count: 1, credited: 2_500n },
          { ...total, state: 'reserved', product: null, count: 1, credited: 0n },
        ];
        const totals = await store.paymentTotals();
        expect(totals).toHaveLength(expected.length);
        expect(totals).toEqual(expect.arrayContaining(expected));
      });
    });

    describe('a refund', () => {
      it('is recorded, with a note and its time, and the payment buys nothing more', async () => {
        await store.release(await bind('key'), { reason: 'timeout', counts: false });
        nowMs += 5;
        expect(await store.markRefunded('key', 'sent back in 4Hx')).toBe('refunded');
        expect(await store.paymentEntry('key')).toMatchObject({
          state: 'released',
          refund: { atMs: NOW + 5, note: 'sent back in 4Hx' },
        });
        nowMs += 1000 * LEASE_MS;
        expect(await store.reserve('key', LEASE_MS)).toEqual({ kind: 'exhausted' });
        expect(await store.paymentTotals()).toMatchObject([{ refunded: true, count: 1, credited: 2_500n }]);
      });

      it('is recorded once', async () => {
        await store.release(await bind('key'), { reason: 'timeout', counts: false });
        await store.markRefunded('key', 'first');
        nowMs += 5;
        expect(await store.markRefunded('key', 'second')).toBe('already_refunded');
        expect((await store.paymentEntry('key'))?.refund).toEqual({ atMs: NOW, note: 'first' });
      });

      it('of a consumed payment leaves what was sold', async () => {
        await purchase('key');
        expect(await store.markRefunded('key', '')).toBe('refunded');
        expect(await store.paymentEntry('key')).toMatchObject({ state: 'consumed', refund: { note: '' } });
        expect(await store.paidResponse('key')).not.toBeNull();
        expect(await store.reserve('key', LEASE_MS)).toMatchObject({ kind: 'consumed' });
      });

      it('waits for a request that works with the payment; a lease that ran out is taken away', async () => {
        const lease = await bind('key');
        expect(await store.markRefunded('key', 'note')).toBe('in_use');
        expect(await store.paymentEntry('key')).not.toHaveProperty('refund');
        nowMs += LEASE_MS;
        expect(await store.markRefunded('key', 'note')).toBe('refunded');
        expect(await store.commit(lease, { response: responseOf() })).toBe('lost');
        expect(await store.renew(lease, LEASE_MS)).toBeNull();
        expect(await store.get('key')).toMatchObject({ state: 'released' });
      });

      it('needs a payment that is known to have been made', async () => {
        expect(await store.markRefunded('key', 'note')).toBe('unknown');
        await store.reserve('key', LEASE_MS);
        nowMs += LEASE_MS;
        expect(await store.markRefunded('key', 'note')).toBe('unverified');
      });
    });

    describe('between processes', () => {
      it.each([
        ['held', LEASE_MS],
        ['taken over all the time', 0],
      ])(
        `sells each of 50 payments once to ${2 * TRIES} requests, with leases that are %s`,
        async (_, leaseMs) => {
          const racers = [0, 1].map((offset) =>
            run({ kind: 'spend', payments: 50, times: TRIES, leaseMs, offset, expiresMs: NOW + HOUR_MS }),
          );
          await Promise.all(racers.map((racer) => once(racer.stdout, 'data')));
          const ends = racers.map(async (racer) => {
            const exit = once(racer, 'exit');
            const lines: string[] = [];
            for await (const line of createInterface({ input: racer.stdout })) lines.push(line);
            expect(await exit).toEqual([0, null]);
            return Number(lines.at(-1));
          });
          for (const racer of racers) racer.stdin.write('go\n');
          const wins = await Promise.all(ends);
          expect(wins[0]! + wins[1]!).toBe(50);
          expect(await store.paymentTotals()).toMatchObject([{ state: 'consumed', count: 50 }]);
          expect(await store.unsettledConsumed(100)).toHaveLength(50);
          for (let index = 0; index < 50; index++)
            expect(await store.paidResponse(`payment ${index}`)).not.toBeNull();
        },
      );
    });

    describe('kills', () => {
      /** Runs the program until it is killed; returns the last acknowledged step of each payment. */
      const sellUntilDeath = async (
        task: Pick<StoreTask, 'dieAt' | 'name'>,
        killAfter = Infinity,
      ): Promise<Map<string, PurchaseStep>> => {
        const child = run({ kind: 'purchase', bytes: 20_000, expiresMs: NOW + HOUR_MS, ...task });
        const exit = once(child, 'exit');
        const acknowledged = new Map<string, PurchaseStep>();
        let lines = 0;
        for await (const line of createInterface({ input: child.stdout })) {
          const [, step = '', key = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
          acknowledged.set(key, step as PurchaseStep);
          if (++lines === killAfter) child.kill('SIGKILL');
        }
        expect(await exit).toEqual([null, 'SIGKILL']);
        return acknowledged;
      };

      /** Expects every acknowledged row, and only whole rows. */
      const expectWhole = async (acknowledged: ReadonlyMap<string, PurchaseStep>): Promise<void> => {
        expect(await fixture.check()).toBe('ok');
        for (const [key, step] of acknowledged) {
          const states: Record<PurchaseStep, readonly PaymentState[]> = {
            reserved: ['reserved', 'verified'],
            verified: ['verified', 'bound'],
            bound: ['bound', 'consumed', 'released'],
            committed: ['consumed'],
            released: ['released'],
          };
          expect(states[step]).toContain((await store.get(key))?.state);
        }
        const { payments } = await store.listPayments({ limit: 1_000_000 });
        for (const { key, state, payment, purchase } of payments) {
          const response = await store.paidResponse(key);
          const result = await store.getResult(`of ${key}`);
          const isPaid = state === 'consumed';
          expect([key, response !== null, result !== null]).toEqual([key, isPaid, isPaid]);
          if (response !== null) expect(gunzipSync(response.gzip).toString()).toBe(`answer to ${key}`);
          if (result !== null) expect(result.gzip).toHaveLength(20_000);
          expect(payment !== undefined).toBe(state !== 'reserved');
          expect(purchase !== undefined).toBe(state !== 'reserved' && state !== 'verified');
        }
      };

      it.each(PURCHASE_STEPS)('at the step "%s" leave no half of a sale', async (dieAt) => {
        const acknowledged = await sellUntilDeath({ name: 'seller', dieAt });
        expect(acknowledged.size).toBeGreaterThan(0);
        store = await openStore();
        await expectWhole(acknowledged);
        // The next process can finish the purchase.
        nowMs += LEASE_MS;
        for (const [key] of acknowledged) {
          const answer = await store.reserve(key, LEASE_MS);
          if (answer.kind !== 'reserved') continue;
          if (answer.payment === undefined) await store.recordVerified(answer.lease, PAYMENT);
          await store.bind(answer.lease, PURCHASE);
          const sale = { response: responseOf({ gzip: gzipSync(`answer to ${key}`) }) };
          expect(await store.commit(answer.lease, sale)).toBe('committed');
        }
      });

      it('at random moments lose nothing acknowledged and leave no half of a sale', async () => {
        const acknowledged = new Map<string, PurchaseStep>();
        const { numRuns, seed = Math.floor(Math.random() * 2 ** 31) } = cases(4);
        console.log(`moments of kills: seed ${seed}`);
        // The last kill comes late enough for a committed sale.
        const moments = [...fc.sample(fc.integer({ min: 1, max: 120 }), { numRuns, seed }), 120];
        for (const [round, killAfter] of moments.entries()) {
          const found = await sellUntilDeath({ name: `seller ${round}` }, killAfter);
          for (const [key, step] of found) acknowledged.set(key, step);
        }
        store = await openStore();
        await expectWhole(acknowledged);
        expect([...acknowledged.values()]).toContain('committed');
      });
    });
  });
}
