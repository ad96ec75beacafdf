// The contract of every ledger. The test of an engine is a fixture and one call of this suite.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cases } from './cases.ts';
import {
  type LeaseStatus,
  type Lease,
  type Ledger,
  MAX_TRIES,
  type PaymentRecord,
  type Purchase,
  type Reservation,
  type VerifiedPayment,
} from '@grainline/x402';

/** An empty ledger, and the steps beside its port. */
export interface LedgerFixture {
  readonly ledger: Ledger;
  /** Consumes a bound payment, like the store of results. */
  consume(lease: Lease): Promise<LeaseStatus>;
  /** Passes a bound payment to a job: `processing`. */
  process(lease: Lease): Promise<LeaseStatus>;
  blockPayer(payer: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a new, empty ledger with the clock `now`, in milliseconds since 1970. */
export type OpenLedger = (options: { readonly now: () => number }) => Promise<LedgerFixture>;

const START_MS = Date.parse('2026-11-21T12:00:00Z');
const LEASE_MS = 30_000;
/** Simultaneous requests; never fewer than the payments. */
const REQUESTS = Math.max(50, cases(2000).numRuns);
const KEY = '5VERYREALs1gnature';
const PAYMENT: VerifiedPayment = {
  payer: 'payer',
  // Beyond the exact whole numbers of a double: 2^53 + 1 and 2^62 + 1.
  credited: 9_007_199_254_740_993n,
  slot: 4_611_686_018_427_387_905n,
  memo: 'c7ttjNY2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
};
const PURCHASE: Purchase = {
  fingerprint: 'fingerprint',
  price: 9_007_199_254_740_995n,
  product: 'structure',
};
const INTERNAL_ERROR = { reason: 'internal_error', counts: false };
const REQUEST_ERROR = { reason: 'pdf_damaged', counts: true };

/** The suite. */
export function ledgerContract(name: string, open: OpenLedger): void {
  describe(`the ledger ${name}`, () => {
    let fixture: LedgerFixture;
    let ledger: Ledger;
    let nowMs: number;

    beforeEach(async () => {
      nowMs = START_MS;
      fixture = await open({ now: () => nowMs });
      ({ ledger } = fixture);
    });

    afterEach(() => fixture.close());

    /** Reserves a free payment. */
    const take = async (key = KEY): Promise<Lease> => {
      const answer = await ledger.reserve(key, LEASE_MS);
      if (answer.kind !== 'reserved') throw new Error(`it is not free: ${answer.kind}`);
      return answer.lease;
    };
    const takeVerified = async (key = KEY, payment = PAYMENT): Promise<Lease> => {
      const lease = await take(key);
      expect(await ledger.recordVerified(lease, payment)).toBe('held');
      return lease;
    };
    const takeBound = async (key = KEY, purchase = PURCHASE): Promise<Lease> => {
      const lease = await takeVerified(key);
      expect(await ledger.bind(lease, purchase)).toBe('held');
      return lease;
    };
    /** Expects that every call under the lease replies `lost` and changes nothing. */
    const expectLost = async (lease: Lease): Promise<void> => {
      const before = await ledger.get(lease.key);
      expect(await ledger.recordVerified(lease, { ...PAYMENT, payer: 'another' })).toBe('lost');
      expect(await ledger.bind(lease, { ...PURCHASE, product: 'another' })).toBe('lost');
      expect(await ledger.renew(lease, LEASE_MS)).toBeNull();
      expect(await ledger.release(lease, REQUEST_ERROR)).toBe('lost');
      expect(await fixture.consume(lease)).toBe('lost');
      expect(await ledger.get(lease.key)).toEqual(before);
    };

    describe('reserving', () => {
      it('gives an unknown payment to whoever comes first, for as long as was asked', async () => {
        expect(await ledger.get(KEY)).toBeNull();
        const answer = await ledger.reserve(KEY, LEASE_MS);
        expect(answer).toEqual({
          kind: 'reserved',
          lease: { key: KEY, token: expect.any(String) as string, expiresMs: START_MS + LEASE_MS },
        });
        expect(await ledger.get(KEY)).toEqual({
          key: KEY,
          state: 'reserved',
          tries: 0,
          createdMs: START_MS,
          changedMs: START_MS,
        });
      });

      it('says until when another lease holds it', async () => {
        const { expiresMs } = await take();
        nowMs += LEASE_MS - 1;
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({ kind: 'held', expiresMs });
      });

      it('keeps payments apart', async () => {
        const [one, other] = [await take('one'), await take('One')];
        expect(other.token).not.toBe(one.token);
        await ledger.recordVerified(one, PAYMENT);
        expect(await ledger.get('One')).toMatchObject({ state: 'reserved' });
        await expectLost({ ...one, key: 'other' });
        expect(await ledger.recordVerified({ ...one, key: 'One' }, PAYMENT)).toBe('lost');
      });

      it('takes any text as a key', async () => {
        for (const key of [
          "'; DROP TABLE payments; --",
          '__proto__',
          'constructor',
          '%',
          '\u{1F4B8}',
          'k'.repeat(500),
        ]) {
          const lease = await takeBound(key);
          expect(await fixture.consume(lease)).toBe('held');
          expect(await ledger.get(key)).toMatchObject({ key, state: 'consumed' });
        }
      });

      it('gives a payment again once its lease has run out, and the earlier lease is lost', async () => {
        const lost = await take();
        nowMs += LEASE_MS;
        const lease = await take();
        expect(lease.token).not.toBe(lost.token);
        expect(lease.expiresMs).toBe(nowMs + LEASE_MS);
        await expectLost(lost);
        expect(await ledger.recordVerified(lease, PAYMENT)).toBe('held');
        await expectLost(lost);
      });
    });

    describe('a lease', () => {
      it('that has run out still holds while no other one was given', async () => {
        const lease = await take();
        nowMs += 10 * LEASE_MS;
        expect(await ledger.recordVerified(lease, PAYMENT)).toBe('held');
        expect(await ledger.bind(lease, PURCHASE)).toBe('held');
        expect(await fixture.consume(lease)).toBe('held');
        expect(await ledger.get(KEY)).toMatchObject({ state: 'consumed', purchase: PURCHASE });
      });

      it('lasts longer when it is renewed, from now on, under the same token', async () => {
        const lease = await take();
        nowMs += LEASE_MS - 1;
        const renewed = await ledger.renew(lease, LEASE_MS);
        expect(renewed).toEqual({ ...lease, expiresMs: nowMs + LEASE_MS });
        nowMs += LEASE_MS - 1;
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({ kind: 'held', expiresMs: nowMs + 1 });
        nowMs += 1;
        await take();
        await expectLost(renewed!);
        await expectLost(lease);
      });

      it('can be renewed after it ran out, unless another one was given', async () => {
        const lease = await take();
        nowMs += 2 * LEASE_MS;
        expect(await ledger.renew(lease, LEASE_MS)).toMatchObject({ expiresMs: nowMs + LEASE_MS });
        expect(await ledger.reserve(KEY, LEASE_MS)).toMatchObject({ kind: 'held' });
      });

      it('of an unknown token is lost', async () => {
        await expectLost({ key: KEY, token: 'token', expiresMs: START_MS + LEASE_MS });
        const lease = await take();
        await expectLost({ ...lease, token: `${lease.token} ` });
        await expectLost({ ...lease, token: '' });
      });

      it.each(['reserved', 'verified', 'bound'] as const)(
        'that ran out on a payment that is %s leaves what is known, and no purchase',
        async (state) => {
          const way = { reserved: take, verified: takeVerified, bound: takeBound };
          const lost = await way[state]();
          nowMs += LEASE_MS;
          const answer = await ledger.reserve(KEY, LEASE_MS);
          expect(answer).toMatchObject({ kind: 'reserved' });
          expect('payment' in answer ? answer.payment : undefined).toEqual(
            state === 'reserved' ? undefined : PAYMENT,
          );
          const record = await ledger.get(KEY);
          expect(record).toMatchObject({
            state: state === 'reserved' ? 'reserved' : 'verified',
            tries: 0,
            createdMs: START_MS,
            changedMs: nowMs,
          });
          expect(record).not.toHaveProperty('purchase', expect.anything());
          await expectLost(lost);
        },
      );
    });

    describe('a verified payment', () => {
      it('is remembered exactly', async () => {
        const lease = await take();
        nowMs += 5;
        expect(await ledger.recordVerified(lease, PAYMENT)).toBe('held');
        expect(await ledger.get(KEY)).toEqual({
          key: KEY,
          state: 'verified',
          payment: PAYMENT,
          tries: 0,
          createdMs: START_MS,
          changedMs: START_MS + 5,
        });
      });

      it('without a memo is remembered without one', async () => {
        const payment = { payer: 'payer', credited: 1n, slot: 0n };
        await takeVerified(KEY, payment);
        expect((await ledger.get(KEY))?.payment).toStrictEqual(payment);
        nowMs += LEASE_MS;
        expect(await ledger.reserve(KEY, LEASE_MS)).toStrictEqual({
          kind: 'reserved',
          lease: expect.anything() as Lease,
          payment,
        });
      });

      it('never changes: what is said first stays', async () => {
        const lease = await takeVerified();
        expect(await ledger.recordVerified(lease, { ...PAYMENT, credited: 1n })).toBe('held');
        await ledger.bind(lease, PURCHASE);
        expect(await ledger.recordVerified(lease, { ...PAYMENT, payer: 'another' })).toBe('held');
        expect(await ledger.get(KEY)).toMatchObject({ state: 'bound', payment: PAYMENT });
      });
    });

    describe('binding', () => {
      it('names what is bought, and says it to those who come later', async () => {
        const lease = await takeVerified();
        nowMs += 5;
        expect(await ledger.bind(lease, PURCHASE)).toBe('held');
        expect(await ledger.get(KEY)).toEqual({
          key: KEY,
          state: 'bound',
          payment: PAYMENT,
          purchase: PURCHASE,
          tries: 0,
          createdMs: START_MS,
          changedMs: START_MS + 5,
        });
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({
          kind: 'held',
          expiresMs: START_MS + LEASE_MS,
          fingerprint: PURCHASE.fingerprint,
        });
      });

      it('is refused for a payment that was never verified', async () => {
        const lease = await take();
        expect(await ledger.bind(lease, PURCHASE)).toBe('lost');
        expect(await ledger.get(KEY)).toMatchObject({ state: 'reserved' });
        expect(await ledger.recordVerified(lease, PAYMENT)).toBe('held');
      });

      it('may be done again under the same lease', async () => {
        const lease = await takeBound();
        const purchase = { ...PURCHASE, fingerprint: 'another', price: 0n };
        expect(await ledger.bind(lease, purchase)).toBe('held');
        expect(await ledger.get(KEY)).toMatchObject({ state: 'bound', purchase });
      });
    });

    describe('releasing', () => {
      it('forgets a payment that was never verified', async () => {
        const lease = await take();
        expect(await ledger.release(lease, REQUEST_ERROR)).toBe('held');
        expect(await ledger.get(KEY)).toBeNull();
        await expectLost(lease);
        await take();
      });

      it.each(['verified', 'bound'] as const)('gives a payment back that is %s', async (state) => {
        const lease = await (state === 'bound' ? takeBound() : takeVerified());
        nowMs += 5;
        expect(await ledger.release(lease, INTERNAL_ERROR)).toBe('held');
        expect(await ledger.get(KEY)).toEqual({
          key: KEY,
          state: 'released',
          payment: PAYMENT,
          // The last purchase stays until the next reservation.
          ...(state === 'bound' ? { purchase: PURCHASE } : {}),
          tries: 0,
          reason: 'internal_error',
          createdMs: START_MS,
          changedMs: START_MS + 5,
        });
        await expectLost(lease);
        const answer = await ledger.reserve(KEY, LEASE_MS);
        expect(answer).toMatchObject({ kind: 'reserved', payment: PAYMENT });
        const record = await ledger.get(KEY);
        expect(record).toMatchObject({ state: 'verified', reason: 'internal_error' });
        expect(record).not.toHaveProperty('purchase', expect.anything());
        await expectLost(lease);
      });

      it(`counts faults of the request alone, and after ${MAX_TRIES} of them the payment is exhausted`, async () => {
        for (let tries = 0; tries < MAX_TRIES; tries++) {
          await ledger.release(await takeBound(), INTERNAL_ERROR);
          expect(await ledger.get(KEY)).toMatchObject({ tries });
          await ledger.release(await takeBound(), REQUEST_ERROR);
          expect(await ledger.get(KEY)).toMatchObject({ tries: tries + 1, reason: 'pdf_damaged' });
        }
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({ kind: 'exhausted' });
        nowMs += 100 * LEASE_MS;
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({ kind: 'exhausted' });
        expect(await ledger.get(KEY)).toMatchObject({ state: 'released', payment: PAYMENT });
      });

      it('counts no lease that ran out, as after a crash', async () => {
        for (let time = 0; time < 2 * MAX_TRIES; time++) {
          await takeBound();
          nowMs += LEASE_MS;
        }
        expect(await ledger.get(KEY)).toMatchObject({ tries: 0 });
        await take();
      });

      it('lets the last try succeed', async () => {
        for (let tries = 1; tries < MAX_TRIES; tries++)
          await ledger.release(await takeBound(), REQUEST_ERROR);
        expect(await fixture.consume(await takeBound())).toBe('held');
        expect(await ledger.reserve(KEY, LEASE_MS)).toMatchObject({ kind: 'consumed' });
      });
    });

    describe('a payment that is sold', () => {
      it('stays consumed for ever, whatever comes', async () => {
        const lease = await takeBound();
        nowMs += 5;
        expect(await fixture.consume(lease)).toBe('held');
        const record = {
          key: KEY,
          state: 'consumed',
          payment: PAYMENT,
          purchase: PURCHASE,
          tries: 0,
          createdMs: START_MS,
          changedMs: START_MS + 5,
        };
        expect(await ledger.get(KEY)).toEqual(record);
        await expectLost(lease);
        nowMs += 1000 * 24 * 3_600_000;
        await expectLost(lease);
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({
          kind: 'consumed',
          fingerprint: PURCHASE.fingerprint,
        });
        expect(await ledger.get(KEY)).toEqual(record);
      });

      it('must have been bound', async () => {
        const lease = await take();
        expect(await fixture.consume(lease)).toBe('lost');
        await ledger.recordVerified(lease, PAYMENT);
        expect(await fixture.consume(lease)).toBe('lost');
        expect(await ledger.get(KEY)).toMatchObject({ state: 'verified' });
      });

      it('is sold once: a lease that another one took over from writes nothing', async () => {
        const lost = await takeBound();
        nowMs += LEASE_MS;
        const lease = await takeBound(KEY, { ...PURCHASE, fingerprint: 'another' });
        expect(await fixture.consume(lost)).toBe('lost');
        expect(await fixture.consume(lease)).toBe('held');
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({ kind: 'consumed', fingerprint: 'another' });
      });

      it('belongs to its job while that works, and to no lease, for any length of time', async () => {
        const lease = await takeBound();
        expect(await fixture.process(lease)).toBe('held');
        await expectLost(lease);
        nowMs += 1000 * LEASE_MS;
        expect(await ledger.reserve(KEY, LEASE_MS)).toEqual({
          kind: 'processing',
          fingerprint: PURCHASE.fingerprint,
        });
        expect(await ledger.get(KEY)).toMatchObject({
          state: 'processing',
          payment: PAYMENT,
          purchase: PURCHASE,
        });
      });
    });

    describe('a payment that is refused, and recorded', () => {
      const recordRefused = async (lease: Lease): Promise<void> => {
        expect(await ledger.recordVerified(lease, PAYMENT, 'payment_too_old')).toBe('held');
      };
      const takeAgain = async (): Promise<Lease> => {
        const answer = await ledger.reserve(KEY, LEASE_MS);
        expect(answer).toMatchObject({ kind: 'reserved' });
        expect(answer).not.toHaveProperty('payment', expect.anything());
        return (answer as Extract<Reservation, { kind: 'reserved' }>).lease;
      };

      it('stays known when it is given back, and cannot be bound', async () => {
        const lease = await take();
        await recordRefused(lease);
        expect(await ledger.get(KEY)).toMatchObject({ state: 'reserved', payment: PAYMENT });
        expect(await ledger.bind(lease, PURCHASE)).toBe('lost');
        expect(await ledger.release(lease, { reason: 'payment_too_old', counts: false })).toBe('held');
        expect(await ledger.get(KEY)).toMatchObject({
          state: 'released',
          payment: PAYMENT,
          reason: 'payment_too_old',
          tries: 0,
        });
      });

      it('has to be verified again by every later lease, whatever became of the one before', async () => {
        await recordRefused(await take());
        nowMs += LEASE_MS;
        const second = await takeAgain();
        await ledger.release(second, { reason: 'chain_unavailable', counts: false });
        expect(await ledger.get(KEY)).toMatchObject({ state: 'released', reason: 'payment_too_old' });
        expect(await ledger.bind(await takeAgain(), PURCHASE)).toBe('lost');
      });

      it('is like any other once it is taken after all', async () => {
        const first = await take();
        await recordRefused(first);
        await ledger.release(first, { reason: 'payment_too_old', counts: false });
        const second = await takeAgain();
        expect(await ledger.recordVerified(second, PAYMENT)).toBe('held');
        expect(await ledger.get(KEY)).toMatchObject({ state: 'verified' });
        expect(await ledger.get(KEY)).not.toHaveProperty('reason', expect.anything());
        await ledger.release(second, INTERNAL_ERROR);
        expect(await ledger.get(KEY)).toMatchObject({ reason: INTERNAL_ERROR.reason });
        expect(await ledger.reserve(KEY, LEASE_MS)).toMatchObject({ payment: PAYMENT });
      });

      it('is not undone for one that was verified before', async () => {
        const lease = await takeVerified(KEY, PAYMENT);
        await recordRefused(lease);
        expect(await ledger.bind(lease, PURCHASE)).toBe('held');
      });
    });

    describe('a blocked payer', () => {
      beforeEach(() => fixture.blockPayer('payer'));

      it('is told so when a payment is verified, which is recorded and cannot be bound', async () => {
        const lease = await take();
        expect(await ledger.recordVerified(lease, PAYMENT)).toBe('blocked');
        expect(await ledger.get(KEY)).toMatchObject({ state: 'reserved', payment: PAYMENT });
        expect(await ledger.bind(lease, PURCHASE)).toBe('lost');
        expect(await ledger.release(lease, { reason: 'payer_blocked', counts: false })).toBe('held');
        expect(await ledger.get(KEY)).toMatchObject({
          state: 'released',
          payment: PAYMENT,
          reason: 'payer_blocked',
        });
      });

      it('does not get past by trying again', async () => {
        const first = await take();
        await ledger.recordVerified(first, PAYMENT);
        await ledger.release(first, { reason: 'payer_blocked', counts: false });
        const again = await ledger.reserve(KEY, LEASE_MS);
        expect(again).toMatchObject({ kind: 'reserved' });
        expect(again).not.toHaveProperty('payment', expect.anything());
        const { lease } = again as Extract<Reservation, { kind: 'reserved' }>;
        expect(await ledger.bind(lease, PURCHASE)).toBe('lost');
        expect(await ledger.recordVerified(lease, PAYMENT)).toBe('blocked');
      });

      it('does not get past by saying another name the second time', async () => {
        const lease = await take();
        await ledger.recordVerified(lease, PAYMENT);
        expect(await ledger.recordVerified(lease, { ...PAYMENT, payer: 'another' })).toBe('blocked');
      });

      it('has no effect on others', async () => {
        const lease = await takeVerified(KEY, { ...PAYMENT, payer: 'Payer' });
        expect(await ledger.bind(lease, PURCHASE)).toBe('held');
      });

      it('who is blocked after a payment was verified is refused at its next use', async () => {
        const payment = { ...PAYMENT, payer: 'later' };
        await ledger.release(await takeVerified(KEY, payment), INTERNAL_ERROR);
        await fixture.blockPayer('later');
        const answer = await ledger.reserve(KEY, LEASE_MS);
        expect(answer).not.toHaveProperty('payment', expect.anything());
        const { lease } = answer as Extract<Reservation, { kind: 'reserved' }>;
        expect(await ledger.recordVerified(lease, payment)).toBe('blocked');
      });

      it('keeps what was sold before', async () => {
        const lease = await takeBound('other', PURCHASE).catch(() => null);
        expect(lease).toBeNull();
        const payment = { ...PAYMENT, payer: 'later' };
        const bound = await takeVerified('sold', payment);
        await ledger.bind(bound, PURCHASE);
        await fixture.consume(bound);
        await fixture.blockPayer('later');
        await fixture.blockPayer('later');
        expect(await ledger.reserve('sold', LEASE_MS)).toEqual({
          kind: 'consumed',
          fingerprint: PURCHASE.fingerprint,
        });
      });
    });

    describe('an intent to settle', () => {
      const begin = async (): Promise<Lease> => {
        const answer = await ledger.beginIntent('intent', LEASE_MS);
        if (answer.kind !== 'begun') throw new Error(`it is not new: ${answer.kind}`);
        return answer.lease;
      };

      it('is begun once, and held until its lease runs out', async () => {
        const lease = await begin();
        expect(lease).toEqual({
          key: 'intent',
          token: expect.any(String) as string,
          expiresMs: START_MS + LEASE_MS,
        });
        nowMs += LEASE_MS - 1;
        expect(await ledger.beginIntent('intent', LEASE_MS)).toEqual({
          kind: 'held',
          expiresMs: START_MS + LEASE_MS,
        });
      });

      it('is unknown after its lease ran out, since it was first begun', async () => {
        const lost = await begin();
        for (let time = 1; time <= 3; time++) {
          nowMs = START_MS + time * LEASE_MS;
          const answer = await ledger.beginIntent('intent', LEASE_MS);
          expect(answer).toMatchObject({ kind: 'unknown', sinceMs: START_MS });
          expect(await ledger.beginIntent('intent', LEASE_MS)).toMatchObject({ kind: 'held' });
        }
        expect(await ledger.endIntent(lost, KEY)).toBe('lost');
        expect(await ledger.endIntent(lost, null)).toBe('lost');
        expect(await ledger.beginIntent('intent', LEASE_MS)).toMatchObject({ kind: 'held' });
      });

      it('can be ended under a lease that ran out, while no other one was given', async () => {
        const lease = await begin();
        nowMs += 2 * LEASE_MS;
        expect(await ledger.endIntent(lease, KEY)).toBe('held');
        expect(await ledger.beginIntent('intent', LEASE_MS)).toEqual({ kind: 'settled', key: KEY });
      });

      it('that is settled stays so, and names its payment', async () => {
        expect(await ledger.settledPayment('intent')).toBeNull();
        const lease = await begin();
        expect(await ledger.settledPayment('intent')).toBeNull();
        expect(await ledger.endIntent(lease, KEY)).toBe('held');
        expect(await ledger.settledPayment('intent')).toBe(KEY);
        nowMs += 1000 * LEASE_MS;
        expect(await ledger.beginIntent('intent', LEASE_MS)).toEqual({ kind: 'settled', key: KEY });
        expect(await ledger.endIntent(lease, 'another')).toBe('lost');
        expect(await ledger.endIntent(lease, null)).toBe('lost');
        expect(await ledger.beginIntent('intent', LEASE_MS)).toEqual({ kind: 'settled', key: KEY });
      });

      it('that surely never will be settled is dropped, and can be begun again', async () => {
        const lease = await begin();
        expect(await ledger.endIntent(lease, null)).toBe('held');
        nowMs += 5;
        const again = await begin();
        expect(again.token).not.toBe(lease.token);
        expect(await ledger.endIntent(lease, KEY)).toBe('lost');
        nowMs += LEASE_MS;
        expect(await ledger.beginIntent('intent', LEASE_MS)).toMatchObject({ sinceMs: START_MS + 5 });
      });

      it('can be ended by whoever found it unknown', async () => {
        await begin();
        nowMs += LEASE_MS;
        const answer = await ledger.beginIntent('intent', LEASE_MS);
        if (answer.kind !== 'unknown') throw new Error(answer.kind);
        expect(await ledger.endIntent(answer.lease, KEY)).toBe('held');
        expect(await ledger.beginIntent('intent', LEASE_MS)).toEqual({ kind: 'settled', key: KEY });
      });

      it('has nothing to do with a payment of the same key', async () => {
        const lease = await take('intent');
        const intent = await begin();
        expect(await ledger.endIntent(lease, KEY)).toBe('lost');
        await expectLost(intent);
        expect(await ledger.renew(lease, LEASE_MS)).not.toBeNull();
      });
    });

    describe('an identifier', () => {
      const ID = 'id:payer:pay_7d5d747be160e280';

      it('stands for its first transaction, until that one is replaced', async () => {
        expect(await ledger.identified(ID)).toBeNull();
        expect(await ledger.identify(ID, 'first')).toBe('first');
        expect(await ledger.identify(ID, 'second')).toBe('first');
        expect(await ledger.identify(ID, 'second', 'third')).toBe('first');
        expect(await ledger.identify(ID, 'second', 'first')).toBe('second');
        expect(await ledger.identify(ID, 'third', 'first')).toBe('second');
        expect(await ledger.identified(ID)).toBe('second');
        expect(await ledger.identified('id:another:pay_7d5d747be160e280')).toBeNull();
      });

      it('stands for one of many transactions at once', async () => {
        const named = await Promise.all(
          Array.from({ length: 50 }, (_, index) => ledger.identify(ID, `transaction ${index}`)),
        );
        expect(new Set(named)).toEqual(new Set([await ledger.identified(ID)]));
      });
    });

    describe('under many requests at once', () => {
      it(`gives each of 50 payments to one of ${REQUESTS} that ask for them in any order`, async () => {
        const keys = Array.from({ length: REQUESTS }, (_, index) => `key ${(index * 7919) % 50}`);
        const answers = await Promise.all(keys.map((key) => ledger.reserve(key, LEASE_MS)));
        const held = answers.flatMap((answer) => (answer.kind === 'reserved' ? [answer.lease] : []));
        expect(new Set(held.map((lease) => lease.key)).size).toBe(50);
        expect(held).toHaveLength(50);
        expect(new Set(held.map((lease) => lease.token)).size).toBe(50);
        expect(answers.filter((answer) => answer.kind === 'held')).toHaveLength(REQUESTS - 50);
      });

      it('begins each settlement once', async () => {
        const answers = await Promise.all(
          Array.from({ length: 500 }, (_, index) => ledger.beginIntent(`intent ${index % 5}`, LEASE_MS)),
        );
        expect(answers.filter((answer) => answer.kind === 'begun')).toHaveLength(5);
        expect(answers.filter((answer) => answer.kind === 'held')).toHaveLength(495);
      });

      it('sells each payment once, however leases run out and are taken over', async () => {
        let sold = 0;
        const buy = async (): Promise<void> => {
          const answer = await ledger.reserve(KEY, 1);
          if (answer.kind !== 'reserved') return;
          await ledger.recordVerified(answer.lease, PAYMENT);
          nowMs += 1;
          await ledger.bind(answer.lease, PURCHASE);
          if ((await fixture.consume(answer.lease)) === 'held') sold++;
        };
        for (let round = 0; round < 20; round++) {
          await Promise.all(Array.from({ length: 20 }, buy));
        }
        expect(sold).toBe(1);
      });
    });

    it('does what the states of the port say, for any order of calls', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.commands(commands(), { maxCommands: 60 }), async (list) => {
          const prefix = `run ${run++} `;
          const real: Real = { fixture, prefix, leases: [], advance: (ms) => (nowMs += ms) };
          await fc.asyncModelRun(() => ({ model: newModel(), real }), list);
        }),
        cases(100),
      );
    });
  });
}

// The model: a list of all leases, and for each payment its current lease.

interface ModelPayment {
  state: PaymentRecord['state'];
  verified: boolean;
  tries: number;
  fingerprint: string | null;
  /** Index in the list of all leases; null without a current one. */
  holder: number | null;
  endMs: number;
}

interface Model {
  clock: number;
  readonly payments: Map<string, ModelPayment>;
  readonly leases: { readonly key: string }[];
}

interface Real {
  readonly fixture: LedgerFixture;
  readonly prefix: string;
  readonly leases: Lease[];
  advance(ms: number): void;
}

type Command = fc.AsyncCommand<Model, Real>;

const newModel = (): Model => ({ clock: 0, payments: new Map(), leases: [] });

/** A step of the model with the expected reply, and the call itself. */
function command(text: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => text };
}

/** A call under one of the leases so far. Skipped while there is none. */
function underLease(
  text: string,
  pick: number,
  expected: (row: ModelPayment, model: Model) => LeaseStatus,
  call: (fixture: LedgerFixture, lease: Lease) => Promise<unknown>,
): Command {
  return {
    check: (model) => model.leases.length > 0,
    run: async (model, { fixture, prefix, leases }) => {
      const position = pick % model.leases.length;
      const { key } = model.leases[position]!;
      const row = model.payments.get(key);
      const answer = row?.holder === position ? expected(row, model) : 'lost';
      if (row?.state === 'released' && !row.verified) model.payments.delete(key);
      expect(await call(fixture, leases[position]!)).toBe(answer);
      await expectState(model, fixture, prefix, key);
    },
    toString: () => `${text}(${pick})`,
  };
}

async function expectState(
  model: Model,
  { ledger }: LedgerFixture,
  prefix: string,
  key: string,
): Promise<void> {
  const row = model.payments.get(key);
  const record = await ledger.get(prefix + key);
  expect(record?.state).toBe(row?.state);
  expect(record?.tries).toBe(row?.tries);
  expect(record?.payment !== undefined).toBe(row?.verified ?? false);
  expect(record?.purchase?.fingerprint ?? null).toBe(row?.fingerprint ?? null);
}

function commands(): fc.Arbitrary<Command>[] {
  const key = fc.constantFrom('a', 'b');
  const pick = fc.nat(50);
  return [
    fc.tuple(key, fc.constantFrom(10, 20)).map(([name, ms]) => reserving(name, ms)),
    fc.tuple(key, fc.constantFrom(10, 20)).map(([name, ms]) => reserving(name, ms)),
    fc.constantFrom(5, 10, 20).map((ms) =>
      command(`wait(${ms})`, (model, real) => {
        model.clock += ms;
        real.advance(ms);
        return Promise.resolve();
      }),
    ),
    pick.map((at) =>
      underLease('verified', at, verifying, (fixture, lease) =>
        fixture.ledger.recordVerified(lease, PAYMENT),
      ),
    ),
    fc
      .tuple(pick, fc.constantFrom('x', 'y'))
      .map(([at, fingerprint]) =>
        underLease(`bind ${fingerprint}`, at, binding(fingerprint), (fixture, lease) =>
          fixture.ledger.bind(lease, { ...PURCHASE, fingerprint }),
        ),
      ),
    fc
      .tuple(pick, fc.boolean())
      .map(([at, counts]) =>
        underLease(`release ${counts}`, at, releasing(counts), (fixture, lease) =>
          fixture.ledger.release(lease, { reason: 'reason', counts }),
        ),
      ),
    pick.map((at) =>
      underLease('renew', at, renewing, async (fixture, lease) =>
        (await fixture.ledger.renew(lease, 10)) === null ? 'lost' : 'held',
      ),
    ),
    pick.map((at) => underLease('consume', at, consuming, (fixture, lease) => fixture.consume(lease))),
  ];
}

function reserving(name: string, ms: number): Command {
  return command(`reserve(${name}, ${ms})`, async (model, { fixture, prefix, leases }) => {
    const row = model.payments.get(name);
    const answer = await fixture.ledger.reserve(prefix + name, ms);
    if (row?.state === 'consumed') {
      expect(answer).toEqual({ kind: 'consumed', fingerprint: row.fingerprint });
    } else if (row !== undefined && row.holder !== null && model.clock < row.endMs) {
      expect(answer.kind).toBe('held');
      const fingerprint = row.state === 'bound' ? row.fingerprint : null;
      expect('fingerprint' in answer ? (answer.fingerprint ?? null) : null).toBe(fingerprint);
    } else if ((row?.tries ?? 0) >= MAX_TRIES) {
      expect(answer).toEqual({ kind: 'exhausted' });
    } else {
      const verified = row?.verified ?? false;
      expect(answer.kind).toBe('reserved');
      if (answer.kind !== 'reserved') return;
      expect(answer.payment).toEqual(verified ? PAYMENT : undefined);
      leases.push(answer.lease);
      model.payments.set(name, {
        state: verified ? 'verified' : 'reserved',
        verified,
        tries: row?.tries ?? 0,
        fingerprint: null,
        holder: model.leases.push({ key: name }) - 1,
        endMs: model.clock + ms,
      });
    }
    await expectState(model, fixture, prefix, name);
  });
}

function verifying(row: ModelPayment): LeaseStatus {
  if (row.state === 'reserved') row.state = 'verified';
  row.verified = true;
  return 'held';
}

function binding(fingerprint: string): (row: ModelPayment) => LeaseStatus {
  return (row) => {
    if (!row.verified) return 'lost';
    row.state = 'bound';
    row.fingerprint = fingerprint;
    return 'held';
  };
}

function releasing(counts: boolean): (row: ModelPayment) => LeaseStatus {
  return (row) => {
    row.state = 'released';
    row.holder = null;
    if (counts) row.tries++;
    return 'held';
  };
}

function renewing(row: ModelPayment, model: Model): LeaseStatus {
  row.endMs = model.clock + 10;
  return 'held';
}

function consuming(row: ModelPayment): LeaseStatus {
  if (row.state !== 'bound') return 'lost';
  row.state = 'consumed';
  row.holder = null;
  return 'held';
}
