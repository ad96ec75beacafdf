// Ten thousand requests at once with fifty payments, over two processes on one ledger.
import { describe, expect, it } from 'vitest';
import { createGate } from '../src/gate/create-gate.ts';
import { PaymentProblem } from '../src/gate/reasons.ts';
import { createFixture, NETWORK, NEVER, POLICY, PRICE, purchaseOf, signature } from './fixture.ts';

const REQUESTS = 10_000;
const PAYMENTS = 50;
const WORK_MS = 400;

describe('ten thousand requests with fifty payments', () => {
  it('run fifty times, and ask the ledger no more often for being many', async () => {
    const { chain, clock, ledger } = createFixture();
    let reservations = 0;
    const counting = {
      ...ledger,
      reserve: (key: string, ms: number) => {
        reservations++;
        return ledger.reserve(key, ms);
      },
    };
    const open = () =>
      createGate({
        chain,
        clock,
        ledger: counting,
        network: NETWORK,
        asset: { decimals: 6 },
        policy: POLICY,
      });
    const gates = [open(), open()];
    for (let i = 0; i < PAYMENTS; i++) chain.pay(`sig-${i}`, { seenMs: clock.now() + (i % 5) * 300 });

    /** Every payment comes with two requests, and buys one of them. */
    const serve = async (i: number): Promise<string> => {
      const gate = gates[i % 2]!;
      const { signal } = new AbortController();
      const fingerprint = String((i >> 1) % 2).repeat(43);
      try {
        const reserved = await gate.reserve(signature(`sig-${i % PAYMENTS}`), [PRICE], signal);
        const bound = await gate.bind(await gate.verify(reserved, PRICE, signal), purchaseOf(fingerprint));
        if (bound.kind !== 'run') return bound.kind;
        await clock.wait(WORK_MS, NEVER);
        return (await ledger.spend(bound.leased.lease, 'consumed')) === 'held' ? 'run' : 'lost';
      } catch (error) {
        if (error instanceof PaymentProblem) return error.reason;
        throw error;
      }
    };
    const outcomes = await clock.until(Promise.all(Array.from({ length: REQUESTS }, (_, i) => serve(i))));

    const counts = Object.fromEntries(
      [...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => [outcome, all.length]),
    );
    expect(counts['run']).toBe(PAYMENTS);
    expect(Object.keys(counts).sort()).toEqual(['payment_already_used', 'replay', 'run']);
    // One queue for each payment and process, with at most two reservations a second.
    expect(reservations).toBeLessThan(PAYMENTS * 2 * 12);
    expect(chain.calls.find).toBeLessThanOrEqual(PAYMENTS * 2);
  });
});
