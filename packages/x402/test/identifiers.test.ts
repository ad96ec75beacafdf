// Identifiers of clients (x402, specs/extensions/payment_identifier.md). A client that lost its answer signs another
// transaction and sends its identifier again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import type { FacilitatorBehaviour } from './fake-facilitator.ts';
import { NEVER, POLICY, PRICES, problemOf, reasonOf } from './fixture.ts';
import { createSettling, LIFETIME_MS, signed } from './settling.ts';

const MINE = 'm'.repeat(43);
const OTHER = 'o'.repeat(43);
const id = 'pay_7d5d747be160e280504c099d984bcfe0';
const ANSWER_MS = 3_600_000;

describe('an identifier', () => {
  it.each([1, 2])(
    'finds a lost answer by another transaction of version %d, which is not settled',
    async (version) => {
      const { gate, facilitator, buy } = createSettling();
      expect(await buy(signed(gate, 'a', { version, id }), MINE)).toBe('run');
      expect(await buy(signed(gate, 'b', { version, id }), MINE)).toBe('replay');
      expect(facilitator).toMatchObject({ broadcast: 1, calls: { verify: 1, settle: 1 } });
    },
  );

  it('finds the answer while the facilitator is gone', async () => {
    const { gate, facilitator, buy } = createSettling();
    await buy(signed(gate, 'a', { id }), MINE);
    facilitator.behaviour = 'gone';
    expect(await buy(signed(gate, 'b', { id }), MINE)).toBe('replay');
  });

  it('refuses another request, with its transaction or with another one, and takes nothing', async () => {
    const { gate, facilitator, buy } = createSettling();
    await buy(signed(gate, 'a', { id }), MINE);
    for (const intent of ['a', 'b'])
      expect(await problemOf(buy(signed(gate, intent, { id }), OTHER))).toMatchObject({
        reason: 'identifier_already_used',
        status: 409,
        retryAfterS: undefined,
      });
    expect(facilitator.calls.settle).toBe(1);
    expect(await buy(signed(gate, 'b', { id: `${id}_2` }), OTHER)).toBe('run');
  });

  it('of one payer is no identifier of another one', async () => {
    const { gate, facilitator, buy } = createSettling();
    await buy(signed(gate, 'a', { id }), MINE);
    expect(await buy(signed(gate, 'b', { id, payer: 'bob' }), MINE)).toBe('run');
    expect(facilitator.broadcast).toBe(2);
  });

  it('finds nothing for a transaction that its payer has not signed', async () => {
    const { gate, facilitator, buy } = createSettling();
    await buy(signed(gate, 'a', { id }), MINE);
    facilitator.behaviour = 'refuses';
    const forged = signed(gate, 'b', { id, isSigned: false });
    expect(await reasonOf(buy(forged, MINE))).toBe('payment_refused');
    expect(await gate.findRecord(forged)).toBeNull();
    expect(await gate.findRecord(signed(gate, 'b', { id }))).toMatchObject({ state: 'consumed' });
  });

  it('is paid for once by two transactions at the same time, in two processes', async () => {
    const { gate, another, clock, facilitator } = createSettling();
    facilitator.seenAfterMs = 3_000;
    const [first, second] = await clock.until(
      Promise.all(
        [gate, another()].map((by, index) =>
          by.reserve(signed(by, `tx${index}`, { id }), PRICES, NEVER).catch(String),
        ),
      ),
    );
    expect(facilitator.broadcast).toBe(1);
    // One has the payment. The other waited for it in vain, because nothing was bought within its time.
    expect(
      [first, second].map((reserved) => (typeof reserved === 'string' ? 'waited' : reserved?.kind)).sort(),
    ).toEqual(['held', 'waited']);
  });

  it('finds a payment whose settlement has no recorded end', async () => {
    const { gate, clock, facilitator, buy } = createSettling();
    facilitator.behaviour = 'dies after';
    facilitator.seenAfterMs = POLICY.waitMs + 1;
    expect(await reasonOf(buy(signed(gate, 'a', { id }), MINE))).toBe('settlement_unknown');
    expect(await reasonOf(buy(signed(gate, 'b', { id }), MINE))).toBe('settlement_unknown');
    await clock.advance(POLICY.waitMs + 1);
    expect(await buy(signed(gate, 'b', { id }), MINE)).toBe('run');
    expect(await buy(signed(gate, 'c', { id }), MINE)).toBe('replay');
    expect(facilitator.broadcast).toBe(1);
  });

  it('passes to another transaction once the first can no longer pay', async () => {
    const { gate, clock, facilitator, buy } = createSettling();
    facilitator.behaviour = 'dies before';
    expect(await reasonOf(buy(signed(gate, 'a', { id }), MINE))).toBe('settlement_unknown');
    facilitator.behaviour = 'honest';
    const longLived = { id, nowMs: clock.now() + LIFETIME_MS };
    expect(await reasonOf(buy(signed(gate, 'b', longLived), MINE))).toBe('settlement_unknown');
    await clock.advance(LIFETIME_MS);
    expect(await buy(signed(gate, 'b', longLived), MINE)).toBe('run');
    expect(await buy(signed(gate, 'a', { id }), MINE)).toBe('replay');
    expect(facilitator.broadcast).toBe(1);
  });

  it('is unused when the facilitator refuses its transaction', async () => {
    const { gate, facilitator, buy } = createSettling();
    facilitator.behaviour = 'refuses';
    expect(await reasonOf(buy(signed(gate, 'a', { id }), MINE))).toBe('payment_refused');
    facilitator.behaviour = 'honest';
    expect(await buy(signed(gate, 'b', { id }), OTHER)).toBe('run');
  });

  it('leads to the payment that is left when the work failed', async () => {
    const { gate, claim, facilitator, buy } = createSettling();
    await gate.release(await claim(signed(gate, 'a', { id })), { reason: 'fetch_failed', counts: false });
    expect(await buy(signed(gate, 'b', { id }), MINE)).toBe('run');
    expect(facilitator.broadcast).toBe(1);
  });

  it('is free when the answer has expired', async () => {
    const { gate, clock, facilitator, buy } = createSettling({ answerMs: ANSWER_MS });
    await buy(signed(gate, 'a', { id }), MINE);
    await clock.advance(ANSWER_MS - 1);
    expect(await reasonOf(buy(signed(gate, 'b', { id }), OTHER))).toBe('identifier_already_used');
    await clock.advance(1);
    const fresh = signed(gate, 'c', { id, nowMs: clock.now() });
    expect(await gate.findRecord(fresh)).toBeNull();
    expect(await buy(fresh, OTHER)).toBe('run');
    expect(facilitator.broadcast).toBe(2);
    expect(await buy(signed(gate, 'd', { id }), OTHER)).toBe('replay');
  });

  it.each(['short', 'x'.repeat(129), 'with blanks in the id', 'é'.repeat(16), 7, null])(
    'of a wrong form (%j) is rejected before any request',
    async (wrong) => {
      const { gate, facilitator } = createSettling();
      const described = { extensions: { 'payment-identifier': { info: { id: wrong } } } };
      const problem = await problemOf(Promise.resolve().then(() => signed(gate, 'a', { described })));
      expect(problem).toMatchObject({ reason: 'payment_malformed', status: 402 });
      expect(facilitator.calls.verify).toBe(0);
    },
  );

  it.each([null, 'text', [], { 'payment-identifier': { info: { required: false } } }])(
    'is optional: extensions %j have none',
    (extensions) => {
      const { gate } = createSettling();
      expect(signed(gate, 'a', { described: { extensions } })).toMatchObject({ identifier: undefined });
    },
  );

  const BEHAVIOURS: FacilitatorBehaviour[] = [
    'honest',
    'refuses',
    'dies before',
    'dies after',
    'says failed after',
  ];
  const request = fc.record({
    transaction: fc.nat(4),
    process: fc.nat(1),
    pauseMs: fc.constantFrom(0, 100, POLICY.leaseMs, LIFETIME_MS),
    behaviour: fc.constantFrom(...BEHAVIOURS),
    seenAfterMs: fc.constantFrom(0, 5_000, POLICY.waitMs * 2),
    slowMs: fc.constantFrom(0, POLICY.leaseMs * 1.5),
  });

  it('is settled once at most, whatever its transactions, processes and facilitators do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 12 }), async (requests) => {
        const { gate, another, clock, facilitator } = createSettling();
        const gates = [gate, another()] as const;
        const running: Promise<unknown>[] = [];
        for (const { transaction, process, pauseMs, behaviour, seenAfterMs, slowMs } of requests) {
          Object.assign(facilitator, { behaviour, seenAfterMs, slowMs });
          const by = gates[process] ?? gate;
          const proof = signed(by, `tx${transaction}`, { id });
          const release = async (): Promise<void> => {
            const reserved = await by.reserve(proof, PRICES, NEVER);
            await by.release(reserved, { reason: 'fetch_failed', counts: false });
          };
          running.push(release().catch(() => undefined));
          await clock.advance(pauseMs);
        }
        await clock.until(Promise.all(running));
        expect(facilitator.broadcast).toBeLessThanOrEqual(1);
      }),
      cases(400),
    );
  });
});
