import { describe, expect, it } from 'vitest';
import { PAY_TO } from './fake-chain.ts';
import { FEE_PAYER, type FacilitatorBehaviour } from './fake-facilitator.ts';
import { NETWORK, NEVER, POLICY, PRICES, problemOf, reasonOf } from './fixture.ts';
import { createSettling, LIFETIME_MS, signed } from './settling.ts';

const MINE = 'm'.repeat(43);
const OTHER = 'o'.repeat(43);

describe('a signed transaction', () => {
  it.each([1, 2])(
    'of version %d is settled, looked up on the chain, and buys one request',
    async (version) => {
      const { gate, ledger, facilitator, buy } = createSettling();
      const proof = signed(gate, 'a', { version });
      expect(await buy(proof, MINE)).toBe('run');
      expect(await buy(proof, MINE)).toBe('replay');
      expect(await reasonOf(buy(proof, OTHER))).toBe('payment_already_used');
      expect(facilitator).toMatchObject({ broadcast: 1, calls: { supported: 1, verify: 1, settle: 1 } });
      // The payer gives the money; the facilitator pays the fee.
      expect((await ledger.get('sig-of-a'))?.payment).toMatchObject({ payer: 'alice', credited: 4_000n });
    },
  );

  it('may go on as a transaction id: all dialects share what is left', async () => {
    const { gate, chain, ledger, claim, buy } = createSettling();
    const held = await claim(signed(gate, 'a'));
    await gate.release(held, { reason: 'fetch_failed', counts: false });
    const { find } = chain.calls;
    expect(await buy('sig-of-a', MINE)).toBe('run');
    expect(chain.calls.find).toBe(find);
    expect(await buy(signed(gate, 'a', { version: 1 }), MINE)).toBe('replay');
    expect((await ledger.get('sig-of-a'))?.state).toBe('consumed');
  });

  it('that twenty requests show at once, to two processes, is settled once', async () => {
    const { gate, another, facilitator, clock } = createSettling();
    const gates = [gate, another()];
    facilitator.seenAfterMs = 400;
    const claims = Array.from({ length: 20 }, (_, i) =>
      gates[i % 2]!.reserve(signed(gate, 'a'), PRICES, NEVER),
    );
    const outcomes = await clock.until(Promise.allSettled(claims));
    expect(facilitator.broadcast).toBe(1);
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ reason: 'payment_in_progress' });
    }
  });

  it('belongs to who signed it, though anyone can read its id before he comes back', async () => {
    const { gate, clock, facilitator, buy } = createSettling();
    facilitator.behaviour = 'dies after';
    facilitator.seenAfterMs = POLICY.waitMs + 1;
    expect(await reasonOf(buy(signed(gate, 'a'), MINE))).toBe('settlement_unknown');
    await clock.advance(1_000);
    expect(await reasonOf(buy('sig-of-a', OTHER))).toBe('payment_in_progress');
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
  });

  it('whose header is lost can be used by its id, later', async () => {
    const { chain, clock, facilitator, gate, buy } = createSettling();
    await buy(signed(gate, 'a'), MINE);
    chain.pay('sig-lost', { payer: 'alice', feePayer: FEE_PAYER });
    chain.pay('sig-own', { payer: 'alice' });
    expect(await buy('sig-own', MINE)).toBe('run');
    expect(await reasonOf(buy('sig-lost', MINE))).toBe('payment_in_progress');
    await clock.advance(120_000);
    expect(await buy('sig-lost', MINE)).toBe('run');
    expect(facilitator.broadcast).toBe(1);
  });

  it('needs no memo where others do', async () => {
    const { gate, claim, buy } = createSettling({ binding: 'require' });
    await gate.release(await claim(signed(gate, 'a')), { reason: 'fetch_failed', counts: false });
    // A reader of its id on the chain cannot use it; its signer can.
    expect(await reasonOf(buy('sig-of-a', OTHER))).toBe('binding_required');
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
  });

  it('that the facilitator refuses is not settled, and may come again', async () => {
    const { gate, facilitator, buy } = createSettling();
    facilitator.behaviour = 'refuses';
    const problem = await problemOf(buy(signed(gate, 'a'), MINE));
    expect(problem).toMatchObject({ reason: 'payment_refused', status: 402 });
    expect(problem.message).toContain('insufficient_funds');
    expect(facilitator.calls.settle).toBe(0);
    facilitator.behaviour = 'honest';
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
  });

  it('that was settled elsewhere is the one on the chain, though the facilitator refuses it', async () => {
    const { gate, chain, facilitator, buy } = createSettling();
    chain.pay('sig-of-a', { intent: 'a', payer: FEE_PAYER });
    // The facilitator simulates the transaction, which is on the chain already.
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
    expect(facilitator).toMatchObject({ broadcast: 0, calls: { verify: 1, settle: 0 } });
    expect(await reasonOf(buy('sig-of-a', OTHER))).toBe('payment_already_used');
  });

  it('that the facilitator refuses is no 402 while the chain cannot be read', async () => {
    const { gate, chain, facilitator, buy } = createSettling();
    facilitator.behaviour = 'refuses';
    chain.outage = true;
    const problem = await problemOf(buy(signed(gate, 'a'), MINE));
    expect(problem).toMatchObject({ reason: 'chain_unavailable', status: 503, retryAfterS: 5 });
    chain.outage = false;
    expect(await reasonOf(buy(signed(gate, 'a'), MINE))).toBe('payment_refused');
  });

  it('that its payer has not signed is not looked for', async () => {
    const { gate, chain, facilitator, buy } = createSettling();
    facilitator.behaviour = 'refuses';
    expect(await reasonOf(buy(signed(gate, 'a', { isSigned: false }), MINE))).toBe('payment_refused');
    expect(chain.calls).toEqual({ find: 0, findPartial: 0 });
  });

  it('is refused while its lease is held: the next settlement begins after that', async () => {
    const { gate, another, ledger, clock, facilitator, chain } = createSettling();
    facilitator.behaviour = 'refuses';
    // The ledger confirms the release late.
    const settled = ledger.endIntent.bind(ledger);
    ledger.endIntent = async (...parameters) => {
      const held = await settled(...parameters);
      await clock.wait(10_000, NEVER);
      return held;
    };
    const refused = gate.reserve(signed(gate, 'a'), PRICES, NEVER);
    const isOnTheChain = refused.then(
      () => true,
      () => chain.transactions.has('sig-of-a'),
    );
    await clock.advance(5);
    facilitator.behaviour = 'honest';
    expect(await clock.until(another().reserve(signed(gate, 'a'), PRICES, NEVER))).toMatchObject({
      kind: 'held',
    });
    expect(await reasonOf(refused)).toBe('payment_refused');
    expect(await isOnTheChain).toBe(false);
  });

  it('waits for a facilitator that is gone, and nothing is settled', async () => {
    const { gate, facilitator, buy } = createSettling();
    facilitator.behaviour = 'gone';
    const problem = await problemOf(buy(signed(gate, 'a'), MINE));
    expect(problem).toMatchObject({ reason: 'facilitator_unavailable', status: 503, retryAfterS: 5 });
    facilitator.behaviour = 'honest';
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
    expect(facilitator.broadcast).toBe(1);
  });

  it.each(['1', '3000', '4001'])('of %s, which nothing costs, is not settled', async (amount) => {
    const { gate, facilitator, buy } = createSettling();
    const expected = amount === '1' ? 'amount_too_low' : 'payment_refused';
    expect(await reasonOf(buy(signed(gate, 'a', { amount }), MINE))).toBe(expected);
    expect(facilitator.calls).toEqual({ supported: 0, verify: 0, settle: 0 });
  });

  it('names the fee payer that it was signed for', async () => {
    const { gate, facilitator, buy } = createSettling();
    await buy(signed(gate, 'a', { extra: { feePayer: 'second' } }), MINE);
    expect(facilitator.requirements).toMatchObject({
      extra: { feePayer: 'second' },
      amount: '4000',
      payTo: PAY_TO,
    });
    await buy(signed(gate, 'b', { version: 1 }), MINE);
    expect(facilitator.requirements).toMatchObject({
      extra: { feePayer: FEE_PAYER },
      maxAmountRequired: '4000',
      resource: `${NETWORK.caip2}:${PAY_TO}`,
      description: '',
    });
  });
});

describe('a payment with extensions', () => {
  it('reaches verify and settle of the facilitator with all of them, as its client has returned them', async () => {
    const { gate, facilitator, buy } = createSettling();
    const described = {
      resource: { url: 'https://example.org/chunk', serviceName: 'Grainline' },
      extensions: { bazaar: { info: {}, schema: {} } },
    };
    await buy(signed(gate, 'a', { described }), MINE);
    const { verify, settle } = facilitator.payloads;
    expect(verify).toMatchObject(described);
    expect(settle).toEqual(verify);
  });
});

describe('a settlement without an end', () => {
  const AFTER: FacilitatorBehaviour[] = ['dies after', 'says 500 after', 'says failed after'];

  it.each(AFTER)('is found on the chain at once when the facilitator %s', async (behaviour) => {
    const { gate, facilitator, buy } = createSettling();
    facilitator.behaviour = behaviour;
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
    expect(facilitator.broadcast).toBe(1);
  });

  it.each(AFTER)(
    'is found by the next request when the facilitator %s, and the chain is slow',
    async (behaviour) => {
      const { gate, clock, facilitator, buy } = createSettling();
      facilitator.behaviour = behaviour;
      facilitator.seenAfterMs = POLICY.waitMs + 1;
      const problem = await problemOf(buy(signed(gate, 'a'), MINE));
      expect(problem).toMatchObject({ reason: 'settlement_unknown', status: 503 });
      await clock.advance(POLICY.waitMs + 1);
      expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
      expect(facilitator).toMatchObject({ broadcast: 1, calls: { settle: 1 } });
    },
  );

  it('is begun again when nothing was broadcast', async () => {
    const { gate, facilitator, buy } = createSettling();
    facilitator.behaviour = 'dies before';
    expect(await reasonOf(buy(signed(gate, 'a'), MINE))).toBe('settlement_unknown');
    facilitator.behaviour = 'honest';
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
    expect(facilitator).toMatchObject({ broadcast: 1, calls: { verify: 1, settle: 2 } });
  });

  it('ends when the transaction is out of date: then nothing was taken, and it is 402', async () => {
    const { gate, clock, facilitator, buy } = createSettling();
    facilitator.behaviour = 'dies before';
    expect(await reasonOf(buy(signed(gate, 'a'), MINE))).toBe('settlement_unknown');
    await clock.advance(LIFETIME_MS);
    expect(await problemOf(buy(signed(gate, 'a'), MINE))).toMatchObject({
      reason: 'payment_refused',
      status: 402,
    });
  });

  it.each(['this process', 'another one'])(
    'by a crash after it was settled is found by %s',
    async (where) => {
      const { gate, another, chain, clock, ledger, facilitator, buy } = createSettling();
      await ledger.beginIntent('a', POLICY.leaseMs);
      chain.pay('sig-of-a', { intent: 'a', payer: FEE_PAYER });
      await clock.advance(POLICY.leaseMs);
      expect(await buy(signed(gate, 'a'), MINE, 4_000n, where === 'this process' ? gate : another())).toBe(
        'run',
      );
      // The facilitator would reject it now, because the transaction is on the chain already.
      expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 });
    },
  );

  it.each(['names nothing', 'names another'] as const)(
    'is none when the facilitator %s',
    async (behaviour) => {
      const { gate, chain, ledger, facilitator, buy } = createSettling();
      chain.pay('sig-another', { payer: 'bob' });
      facilitator.behaviour = behaviour;
      expect(await reasonOf(buy(signed(gate, 'a'), MINE))).toBe('settlement_unknown');
      expect(await ledger.get('sig-another')).toBeNull();
      facilitator.behaviour = 'honest';
      expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
      expect(await buy('sig-another', OTHER)).toBe('run');
    },
  );

  it('is left to whoever has the lease: what the facilitator refuses after that may be settled', async () => {
    const { gate, another, clock, facilitator, buy } = createSettling();
    facilitator.slowMs = POLICY.leaseMs * 1.5;
    const slow = gate.reserve(signed(gate, 'a'), PRICES, NEVER);
    await clock.advance(POLICY.leaseMs);
    expect(await buy(signed(gate, 'a'), MINE, 4_000n, another())).toBe('run');
    // By then the facilitator simulates a transaction that is on the chain already.
    expect(await clock.until(slow)).toMatchObject({ kind: 'consumed', fingerprint: MINE });
    expect(facilitator.broadcast).toBe(1);
  });

  it('stays when the chain cannot be asked', async () => {
    const { gate, chain, facilitator, buy } = createSettling();
    chain.outage = true;
    expect(await reasonOf(buy(signed(gate, 'a'), MINE))).toBe('settlement_unknown');
    chain.outage = false;
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
    expect(facilitator.broadcast).toBe(1);
  });

  it('is brought to its end when the client goes', async () => {
    const { gate, clock, facilitator, ledger, buy } = createSettling();
    facilitator.seenAfterMs = 5_000;
    const gone = new AbortController();
    const reserving = gate.reserve(signed(gate, 'a'), PRICES, gone.signal);
    const outcome = expect(reserving).rejects.toThrow('gone');
    await clock.advance(1_000);
    gone.abort(new Error('gone'));
    await clock.advance(10_000);
    await outcome;
    expect(await ledger.beginIntent('a', 1)).toEqual({ kind: 'settled', key: 'sig-of-a' });
    expect(await buy(signed(gate, 'a'), MINE)).toBe('run');
    expect(facilitator.broadcast).toBe(1);
  });
});
