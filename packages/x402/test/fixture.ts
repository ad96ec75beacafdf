// A gate on a fake chain, a fake clock and a ledger in memory.
import { createGate, type GateOptions } from '../src/gate/create-gate.ts';
import type { Facilitator } from '../src/gate/facilitator.ts';
import type { ReservedPayment, Gate, GatePolicy, Proof } from '../src/gate/gate.ts';
import { createMemoryLedger, type MemoryLedger } from '../src/ledger/memory-ledger.ts';
import { PaymentProblem, type Reason } from '../src/gate/reasons.ts';
import { createFakeChain, type FakeChain } from './fake-chain.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

export const START_MS = Date.parse('2026-11-21T12:00:00Z');
export const PRICE = 4_000n;
/** All prices. */
export const PRICES = [2_000n, PRICE];
export const POLICY: GatePolicy = {
  waitMs: 10_000,
  leaseMs: 30_000,
  maxAgeMs: 24 * 3_600_000,
  notBeforeMs: 0,
  binding: 'offer',
};
export const NETWORK = {
  name: 'solana-mainnet',
  v1: 'solana',
  caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
};
export const NEVER = new AbortController().signal;

export interface Fixture {
  readonly gate: Gate;
  readonly chain: FakeChain;
  readonly clock: FakeClock;
  readonly ledger: MemoryLedger;
  /** A gate of another process on the same chain and ledger. */
  readonly another: () => Gate;
  /** Reserves and verifies. */
  readonly claim: (proof: Proof | string, atLeast?: bigint, gate?: Gate) => Promise<ReservedPayment>;
  /** Reserves, verifies, binds, and consumes a bound payment; returns the outcome. */
  readonly buy: (
    proof: Proof | string,
    fingerprint: string,
    price?: bigint,
    gate?: Gate,
  ) => Promise<'run' | 'replay' | 'job'>;
}

export interface FixtureOptions {
  readonly policy?: Partial<GatePolicy>;
  readonly facilitator?: (parts: { chain: FakeChain; clock: FakeClock }) => Facilitator;
}

export const signature = (key: string): Proof => ({ kind: 'signature', key });
export const purchaseOf = (fingerprint: string, price = PRICE) => ({
  fingerprint,
  price,
  product: 'semantic',
});

export function createFixture({ policy, facilitator }: FixtureOptions = {}): Fixture {
  const clock = createFakeClock(START_MS);
  const chain = createFakeChain(clock);
  let tokens = 0;
  const ledger = createMemoryLedger({ now: () => clock.now(), createToken: () => `token ${tokens++}` });
  const options: GateOptions = {
    chain,
    ledger,
    clock,
    network: NETWORK,
    asset: { decimals: 6 },
    policy: { ...POLICY, ...policy },
    ...(facilitator && { facilitator: facilitator({ chain, clock }) }),
  };
  const gate = createGate(options);

  async function claim(shown: Proof | string, atLeast = PRICE, by = gate): Promise<ReservedPayment> {
    const proof = typeof shown === 'string' ? signature(shown) : shown;
    const reserved = await clock.until(by.reserve(proof, PRICES, NEVER));
    return clock.until(by.verify(reserved, atLeast, NEVER));
  }

  return {
    gate,
    chain,
    clock,
    ledger,
    another: () => createGate(options),
    claim,
    async buy(proof, fingerprint, price = PRICE, by = gate) {
      const bound = await by.bind(await claim(proof, price, by), purchaseOf(fingerprint, price));
      if (bound.kind === 'run') await ledger.spend(bound.leased.lease, 'consumed');
      return bound.kind;
    },
  };
}

/** The reason of the problem behind a rejection. */
export async function reasonOf(promise: Promise<unknown>): Promise<Reason> {
  return (await problemOf(promise)).reason;
}

/** The problem behind a rejection. */
export async function problemOf(promise: Promise<unknown>): Promise<PaymentProblem> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof PaymentProblem) return error;
    throw error;
  }
  throw new Error('It was expected to reject.');
}
