import { describe, expect, it } from 'vitest';
import { fingerprint, memoOf } from '../src/gate/binding.ts';
import { createGate } from '../src/gate/create-gate.ts';
import type { ReservedPayment } from '../src/gate/gate.ts';
import { MAX_TRIES } from '../src/ledger/ledger.ts';
import {
  createFixture,
  NEVER,
  NETWORK,
  POLICY,
  PRICE,
  problemOf,
  purchaseOf,
  reasonOf,
  signature,
  START_MS,
} from './fixture.ts';

const MINE = await fingerprint({ tier: 'semantic', url: 'https://example.org/mine' });
const OTHER = await fingerprint({ tier: 'semantic', url: 'https://example.org/other' });

describe('a payment by signature', () => {
  it('buys one request, and its answer again', async () => {
    const { chain, buy } = createFixture();
    const key = chain.pay('sig-1');
    expect(await buy(key, MINE)).toBe('run');
    expect(await buy(key, MINE)).toBe('replay');
    expect(await reasonOf(buy(key, OTHER))).toBe('payment_already_used');
    // A payment costs one lookup, for any number of its requests.
    expect(chain.calls.find).toBe(1);
  });

  it('is given the ticket of the job that works for it', async () => {
    const { chain, gate, ledger, claim, buy } = createFixture();
    const bound = await gate.bind(await claim(chain.pay('sig-1')), purchaseOf(MINE));
    if (bound.kind !== 'run') throw new Error(bound.kind);
    await ledger.spend(bound.leased.lease, 'processing');
    expect(await buy('sig-1', MINE)).toBe('job');
    expect(await reasonOf(buy('sig-1', OTHER))).toBe('payment_already_used');
  });

  it('is waited for when the chain does not know it yet', async () => {
    const { chain, buy } = createFixture();
    chain.pay('sig-1', { seenMs: START_MS + 3_000 });
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('that stays unknown is not found, and forgotten', async () => {
    const { ledger, buy, clock } = createFixture();
    const problem = await problemOf(buy('sig-1', MINE));
    expect(problem).toMatchObject({
      reason: 'payment_not_found',
      status: 402,
      retryAfterS: 2,
      reusable: true,
    });
    expect(clock.now()).toBe(START_MS + POLICY.waitMs);
    expect(await ledger.get('sig-1')).toBeNull();
  });

  it('that was unknown a moment ago is found when it is shown again', async () => {
    const { chain, buy } = createFixture();
    await problemOf(buy('sig-1', MINE));
    chain.pay('sig-1');
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it.each([
    ['failed on the chain', { failed: true }, 'transaction_failed'],
    ['is older than payments may be', { timeMs: START_MS - POLICY.maxAgeMs - 1 }, 'payment_too_old'],
    ['gave nothing', { credited: 0n }, 'amount_too_low'],
    ['took instead of gave', { credited: -PRICE }, 'amount_too_low'],
    ['is a unit short', { credited: PRICE - 1n }, 'amount_too_low'],
  ] as const)('that %s is refused, and given back', async (_, payment, reason) => {
    const { chain, ledger, buy } = createFixture();
    chain.pay('sig-1', payment);
    expect(await reasonOf(buy('sig-1', MINE))).toBe(reason);
    expect((await ledger.get('sig-1'))?.state ?? 'released').toBe('released');
    expect(await reasonOf(buy('sig-1', MINE))).toBe(reason);
  });

  it('that is too old is kept in mind for a refund, and stays too old', async () => {
    const { chain, ledger, buy } = createFixture();
    chain.pay('sig-1', { timeMs: START_MS - POLICY.maxAgeMs - 1 });
    for (let tries = 0; tries < 2; tries++) {
      expect(await problemOf(buy('sig-1', MINE))).toMatchObject({
        reason: 'payment_too_old',
        reusable: false,
      });
      expect(await ledger.get('sig-1')).toMatchObject({
        state: 'released',
        reason: 'payment_too_old',
        payment: { payer: 'alice', credited: PRICE },
      });
    }
    // A transaction that credited nothing is no payment at any age.
    chain.pay('sig-2', { timeMs: START_MS - POLICY.maxAgeMs - 1, credited: 0n });
    expect(await reasonOf(buy('sig-2', MINE))).toBe('payment_too_old');
    expect(await ledger.get('sig-2')).toBeNull();
  });

  it.each([
    [7_200_000, 'Here that is 2 h.'],
    [90_000, 'Here that is 90 s.'],
  ])('that is too old for a service that takes them for %i ms is told so', async (maxAgeMs, detail) => {
    const { chain, buy } = createFixture({ policy: { maxAgeMs } });
    chain.pay('sig-1', { timeMs: START_MS - maxAgeMs - 1 });
    chain.pay('sig-2', { timeMs: START_MS - maxAgeMs - 1, credited: 0n });
    for (const key of ['sig-1', 'sig-2']) expect((await problemOf(buy(key, MINE))).message).toContain(detail);
  });

  it('from before payments were taken is refused', async () => {
    const { chain, ledger, buy } = createFixture({ policy: { notBeforeMs: START_MS } });
    chain.pay('sig-1', { timeMs: START_MS - 1 });
    chain.pay('sig-2', { timeMs: START_MS });
    const { reason, message } = await problemOf(buy('sig-1', MINE));
    expect([reason, message]).toEqual([
      'payment_too_old',
      expect.stringContaining(`before ${new Date(START_MS).toISOString()} `),
    ]);
    expect(await ledger.get('sig-1')).toBeNull();
    expect(await buy('sig-2', MINE)).toBe('run');
  });

  it('may grow old after its first use', async () => {
    const { chain, gate, clock, claim, buy } = createFixture();
    await gate.release(await claim(chain.pay('sig-1')), { reason: 'fetch_failed', counts: false });
    await clock.advance(POLICY.maxAgeMs * 3);
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('too small for one request buys a cheaper one', async () => {
    const { chain, buy } = createFixture();
    chain.pay('sig-1', { credited: 2_000n });
    expect(await problemOf(buy('sig-1', MINE, 4_000n))).toMatchObject({
      reason: 'amount_too_low',
      reusable: true,
    });
    expect(await buy('sig-1', OTHER, 2_000n)).toBe('run');
  });

  it('large enough for the cheapest, and not for what the body turns out to ask, is given back', async () => {
    const { chain, gate, ledger, claim } = createFixture();
    const held = await claim(chain.pay('sig-1', { credited: 2_000n }), 1_000n);
    expect(await reasonOf(gate.bind(held, purchaseOf(MINE, 4_000n)))).toBe('amount_too_low');
    expect(await ledger.get('sig-1')).toMatchObject({ state: 'released', tries: 0 });
  });

  it('of a blocked payer is refused', async () => {
    const { chain, ledger, buy } = createFixture();
    await ledger.blockPayer('alice');
    expect(await reasonOf(buy(chain.pay('sig-1'), MINE))).toBe('payer_blocked');
  });

  it('is kept for a refund after too many faults of the request', async () => {
    const { chain, gate, claim } = createFixture();
    chain.pay('sig-1');
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const bound = await gate.bind(await claim('sig-1'), purchaseOf(MINE));
      if (bound.kind !== 'run') throw new Error(bound.kind);
      await gate.release(bound.leased, { reason: 'pdf_damaged', counts: true });
    }
    expect(await problemOf(claim('sig-1'))).toMatchObject({ reason: 'payment_exhausted', status: 409 });
  });

  it('is safe when the chain cannot be asked', async () => {
    const { chain, ledger, buy } = createFixture();
    chain.pay('sig-1');
    chain.outage = true;
    expect(await problemOf(buy('sig-1', MINE))).toMatchObject({ reason: 'chain_unavailable', status: 503 });
    expect(await ledger.get('sig-1')).toBeNull();
    chain.outage = false;
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('needs no chain once it is verified', async () => {
    const { chain, gate, claim, buy } = createFixture();
    await gate.release(await claim(chain.pay('sig-1')), { reason: 'internal_error', counts: false });
    chain.outage = true;
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('is given back when the client goes while the chain is asked', async () => {
    const { gate, chain, clock, ledger, buy } = createFixture();
    chain.pay('sig-1', { seenMs: START_MS + 5_000 });
    // The remains of a killed server.
    await ledger.reserve('sig-1', 1);
    await clock.advance(1);
    const gone = new AbortController();
    const claim = await gate.reserve(signature('sig-1'), [PRICE], gone.signal);
    const outcome = expect(gate.verify(claim, PRICE, gone.signal)).rejects.toThrow('gone');
    await clock.advance(1_000);
    gone.abort(new Error('gone'));
    await clock.until(outcome);
    expect(await ledger.get('sig-1')).toBeNull();
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('is looked up by one request at a time, however many show it', async () => {
    const { gate, chain, clock, ledger } = createFixture();
    chain.pay('sig-1', { seenMs: START_MS + 1_000 });
    const verify = async (signal: AbortSignal): Promise<ReservedPayment> =>
      gate.verify(await gate.reserve(signature('sig-1'), [PRICE], signal), PRICE, signal);
    const gone = new AbortController();
    const first = expect(verify(gone.signal)).rejects.toThrow('gone');
    const others = Array.from({ length: 20 }, () => verify(NEVER).catch((error: unknown) => error));
    await clock.advance(500);
    // One lookup, and one that waits.
    expect(chain.calls.find).toBe(2);
    gone.abort(new Error('gone'));
    await clock.until(first);
    const claims = await clock.until(Promise.all(others));
    expect(claims.filter((claim) => (claim as ReservedPayment).kind === 'held')).toHaveLength(1);
    expect(chain.calls.find).toBe(4);
    expect((await ledger.get('sig-1'))?.state).toBe('verified');
  });
});

describe('a memo', () => {
  it('of this request lets the payment pass, of another one does not, and takes nothing', async () => {
    const { chain, ledger, buy } = createFixture();
    chain.pay('sig-1', { memos: ['hello', memoOf(MINE)] });
    expect(await problemOf(buy('sig-1', OTHER))).toMatchObject({
      reason: 'bound_to_another_request',
      reusable: true,
    });
    expect(await ledger.get('sig-1')).toMatchObject({ state: 'released', tries: 0 });
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('of another form is no binding', async () => {
    const { chain, buy } = createFixture();
    chain.pay('sig-1', { memos: ['chunk:1:', 'order 17'] });
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('is the first of several', async () => {
    const { chain, buy } = createFixture();
    chain.pay('sig-1', { memos: [memoOf(MINE), memoOf(OTHER)] });
    expect(await reasonOf(buy('sig-1', OTHER))).toBe('bound_to_another_request');
    expect(await buy('sig-1', MINE)).toBe('run');
  });

  it('can be required', async () => {
    const { chain, buy } = createFixture({ policy: { binding: 'require' } });
    chain.pay('sig-1');
    chain.pay('sig-2', { memos: [memoOf(MINE)] });
    expect(await reasonOf(buy('sig-1', MINE))).toBe('binding_required');
    expect(await buy('sig-2', MINE)).toBe('run');
  });

  it('is not read where binding is off', async () => {
    const { chain, buy } = createFixture({ policy: { binding: 'off' } });
    chain.pay('sig-1', { memos: [memoOf(OTHER)] });
    expect(await buy('sig-1', MINE)).toBe('run');
  });
});

describe('a payment that another request uses', () => {
  it.each(['this process', 'another process'])(
    'of %s is waited for, and in progress after that',
    async (where) => {
      const { chain, clock, claim, gate, another } = createFixture();
      await claim(chain.pay('sig-1'));
      const by = where === 'this process' ? gate : another();
      const problem = await problemOf(clock.until(by.reserve(signature('sig-1'), [PRICE], NEVER)));
      expect(problem).toMatchObject({ reason: 'payment_in_progress', status: 503, retryAfterS: 2 });
      expect(clock.now()).toBe(START_MS + POLICY.waitMs);
    },
  );

  it('is taken at the moment it is given back in this process', async () => {
    const { chain, gate, clock, claim } = createFixture();
    const first = await claim(chain.pay('sig-1'));
    const second = gate.reserve(signature('sig-1'), [PRICE], NEVER);
    await clock.advance(400);
    await gate.release(first, { reason: 'fetch_failed', counts: false });
    expect(await second).toMatchObject({ kind: 'held' });
    expect(clock.now()).toBe(START_MS + 400);
  });

  it('is taken soon after another process gave it back or sold it', async () => {
    const { chain, gate, ledger, clock, claim, another } = createFixture();
    const bound = await gate.bind(await claim(chain.pay('sig-1')), purchaseOf(MINE));
    if (bound.kind !== 'run') throw new Error(bound.kind);
    const second = another().reserve(signature('sig-1'), [PRICE], NEVER);
    await clock.advance(2_000);
    await ledger.spend(bound.leased.lease, 'consumed');
    expect(await clock.until(second)).toMatchObject({ kind: 'consumed', fingerprint: MINE });
    expect(clock.now()).toBeLessThanOrEqual(START_MS + 2_500);
  });

  it('is free once the lease of a request that died has run out; what that one still does is in vain', async () => {
    const { chain, gate, clock, claim, buy } = createFixture();
    const dead = await claim(chain.pay('sig-1'));
    await clock.advance(POLICY.leaseMs);
    expect(await buy('sig-1', MINE)).toBe('run');
    expect(await reasonOf(gate.bind(dead, purchaseOf(OTHER)))).toBe('payment_in_progress');
    if (dead.kind !== 'held') throw new Error(dead.kind);
    expect(await gate.renew(dead)).toBeNull();
  });

  it('stays with a request that renews', async () => {
    const { chain, gate, clock, claim } = createFixture();
    let held = await claim(chain.pay('sig-1'));
    for (let round = 0; round < 5; round++) {
      await clock.advance(POLICY.leaseMs - 1);
      if (held.kind !== 'held') throw new Error(held.kind);
      const renewed = await gate.renew(held);
      if (renewed === null) throw new Error('lost');
      held = renewed;
    }
    expect(await gate.bind(held, purchaseOf(MINE))).toMatchObject({ kind: 'run' });
  });

  it('is an error of the ledger while that cannot be read, and taken when it can', async () => {
    const { chain, clock, ledger } = createFixture();
    let down = true;
    const shaky = {
      ...ledger,
      reserve: (key: string, ms: number) =>
        down ? Promise.reject(new Error('disk full')) : ledger.reserve(key, ms),
    };
    const gate = createGate({
      chain,
      ledger: shaky,
      clock,
      network: NETWORK,
      asset: { decimals: 6 },
      policy: POLICY,
    });
    chain.pay('sig-1');
    const two = [1, 2].map(() => gate.reserve(signature('sig-1'), [PRICE], NEVER));
    for (const outcome of await Promise.allSettled(two)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'disk full' } });
    }
    down = false;
    expect(await gate.reserve(signature('sig-1'), [PRICE], NEVER)).toMatchObject({ kind: 'held' });
  });

  it('is left when the client that waits goes', async () => {
    const { chain, gate, ledger, claim } = createFixture();
    const first = await claim(chain.pay('sig-1'));
    const gone = new AbortController();
    const second = gate.reserve(signature('sig-1'), [PRICE], gone.signal);
    gone.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await gate.release(first, { reason: 'fetch_failed', counts: false });
    expect(await ledger.get('sig-1')).toMatchObject({ state: 'released' });
  });
});

describe('unknown payments', () => {
  it('leave no trace in the ledger, be they made up, failed, or for somebody else', async () => {
    const { chain, gate, clock, ledger } = createFixture({ policy: { maxLookups: 1000 } });
    const keys = Array.from({ length: 1000 }, (_, i) => `sig-stranger-${i}`);
    keys.slice(0, 10).forEach((key) => chain.pay(key, { failed: true }));
    keys.slice(10, 20).forEach((key) => chain.pay(key, { credited: 0n }));
    const reasons = keys.map(async (key) =>
      reasonOf(gate.verify(await gate.reserve(signature(key), [PRICE], NEVER), PRICE, NEVER)),
    );
    const counts = Map.groupBy(await clock.until(Promise.all(reasons)), (reason) => reason);
    expect(counts.get('transaction_failed')).toHaveLength(10);
    expect(counts.get('amount_too_low')).toHaveLength(10);
    expect(counts.get('payment_not_found')).toHaveLength(980);
    const records = await Promise.all(keys.map((key) => ledger.get(key)));
    expect(records.filter((record) => record !== null)).toEqual([]);
  });

  it('are looked up so many at once, and the next are told to come again', async () => {
    const { chain, gate, ledger, clock } = createFixture({ policy: { maxLookups: 3, maxWaiting: 0 } });
    const verify = async (key: string): Promise<unknown> =>
      gate.verify(await gate.reserve(signature(key), [PRICE], NEVER), PRICE, NEVER);
    const reasons = Promise.all(Array.from({ length: 10 }, (_, i) => reasonOf(verify(`sig-${i}`))));
    const counts = Map.groupBy(await clock.until(reasons), (reason) => reason);
    expect(counts.get('payment_not_found')).toHaveLength(3);
    expect(counts.get('payments_busy')).toHaveLength(7);
    expect(chain.calls.find).toBe(3);
    expect(await ledger.get('sig-9')).toBeNull();
  });

  it('do not keep one that is there waiting, however many wait', async () => {
    const { chain, gate, clock, buy } = createFixture({ policy: { maxWaiting: 8 } });
    const strangers = Array.from({ length: 50 }, async (_, i) =>
      gate.verify(await gate.reserve(signature(`sig-stranger-${i}`), [PRICE], NEVER), PRICE, NEVER),
    ).map((promise) => reasonOf(promise));
    await clock.advance(50);
    expect(await buy(chain.pay('sig-honest'), MINE)).toBe('run');
    expect(clock.now()).toBe(START_MS + 50);
    expect(new Set(await clock.until(Promise.all(strangers)))).toEqual(new Set(['payment_not_found']));
    // One lookup each, a second one for those that waited, and the honest payer's.
    expect(chain.calls.find).toBe(50 + 8 + 1);
  });
});

describe('a gate', () => {
  it('names every wrong number of its policy', () => {
    const { chain, ledger } = createFixture();
    const make = () =>
      createGate({
        chain,
        ledger,
        network: NETWORK,
        asset: { decimals: 6 },
        policy: { ...POLICY, waitMs: -1, leaseMs: 0, maxAgeMs: Number.NaN },
      });
    expect(make).toThrow(/waitMs.*leaseMs.*maxAgeMs/);
  });
});
