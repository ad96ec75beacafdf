// Random lives of a service: two processes on one ledger, slow calls, kills at every call, clients that leave, a chain
// with delays and outages, a facilitator with every behaviour. The laws hold in any order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { memoOf } from '../src/gate/binding.ts';
import { createGate } from '../src/gate/create-gate.ts';
import { createFacilitator } from '../src/gate/facilitator.ts';
import type { Gate, LeasedPayment, Proof } from '../src/gate/gate.ts';
import { MAX_TRIES } from '../src/ledger/ledger.ts';
import { createMemoryLedger } from '../src/ledger/memory-ledger.ts';
import { PaymentProblem } from '../src/gate/reasons.ts';
import { createFakeChain, PAY_TO, signedText } from './fake-chain.ts';
import { createFakeClock } from './fake-clock.ts';
import { createFakeFacilitator, type FacilitatorBehaviour } from './fake-facilitator.ts';
import { NETWORK, NEVER, POLICY, START_MS } from './fixture.ts';

const FINGERPRINTS = ['a', 'b', 'c'].map((letter) => letter.repeat(43));
const PRICES = [2_000n, 4_000n];
const LIFETIME_MS = 60_000;

/** A payment of the world: broadcast by its payer, or signed for the facilitator. */
interface Payment {
  readonly pull: boolean;
  readonly credited: bigint;
  /** Index of the fingerprint in its memo; -1 without a memo. */
  readonly memo: number;
  readonly seenAfterMs: number;
}

type Step =
  | {
      readonly kind: 'request';
      readonly process: number;
      readonly payment: number;
      readonly fingerprint: number;
      readonly price: number;
      readonly bodyMs: number;
      readonly workMs: number;
      readonly renews: boolean;
      readonly end: 'sells' | 'fault of the request' | 'fault of ours';
      readonly patienceMs: number;
    }
  | { readonly kind: 'kill'; readonly process: number }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'outage'; readonly on: boolean }
  | { readonly kind: 'behaviour'; readonly behaviour: FacilitatorBehaviour };

type Request = Extract<Step, { kind: 'request' }>;

const BEHAVIOURS: FacilitatorBehaviour[] = [
  'honest',
  'refuses',
  'gone',
  'dies before',
  'dies after',
  'says 500 after',
  'says failed after',
  'names nothing',
  'names another',
];
const payment: fc.Arbitrary<Payment> = fc.record({
  pull: fc.boolean(),
  credited: fc.constantFrom(1_999n, 2_000n, 2_000n, 4_000n, 4_000n, 4_000n, 4_000n, 4_000n),
  memo: fc.constantFrom(-1, -1, -1, 0, 1, 2),
  seenAfterMs: fc.constantFrom(0, 0, 700, 15_000),
});
const duration = fc.constantFrom(0, 10, 900, POLICY.leaseMs - 100, POLICY.leaseMs * 2);
const request: fc.Arbitrary<Request> = fc.record({
  kind: fc.constant('request' as const),
  process: fc.nat(1),
  payment: fc.nat(3),
  fingerprint: fc.nat(2),
  price: fc.nat(1),
  bodyMs: duration,
  workMs: duration,
  renews: fc.boolean(),
  end: fc.constantFrom(
    'sells' as const,
    'sells' as const,
    'fault of the request' as const,
    'fault of ours' as const,
  ),
  patienceMs: fc.constantFrom(50, 3_000, 1_000_000, 1_000_000, 1_000_000),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: request },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.constantFrom(5, 100, 2_000, 20_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), process: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('outage' as const), on: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('behaviour' as const),
      behaviour: fc.constantFrom(...BEHAVIOURS),
    }),
  },
);

/** Printed, so that `SEED` repeats a failed world. */
const { numRuns: WORLDS, seed: SEED = Math.floor(Math.random() * 2 ** 31) } = cases(500);
/** One call in a hundred takes longer than a lease, so that many in a row are improbable. */
const MOST_TRIES = 10;
/** A world takes some milliseconds; on a busy machine, a hundred. */
const TIMEOUT_MS = 120_000 + WORLDS * 200;

/** The laws of a world; a check throws when one is broken. */
class World {
  readonly clock = createFakeClock(START_MS);
  readonly chain = createFakeChain(this.clock);
  readonly facilitator = createFakeFacilitator(this.chain, this.clock);
  /** The fingerprint that each payment bought. */
  readonly sold = new Map<string, string>();
  readonly pending: Promise<void>[] = [];
  readonly outcomes = new Map<string, number>();
  readonly ledger: ReturnType<typeof createMemoryLedger>;
  readonly #payments: readonly Payment[];
  readonly #lives = [{ alive: true }, { alive: true }];
  readonly #gates: Gate[];
  #random: number;

  constructor(payments: readonly Payment[], seed: number) {
    let tokens = 0;
    this.#random = seed;
    this.ledger = createMemoryLedger({ now: () => this.clock.now(), createToken: () => `token ${tokens++}` });
    this.#payments = payments;
    this.#gates = this.#lives.map((life) => this.#open(life));
    payments.forEach(({ pull, credited, memo, seenAfterMs }, i) => {
      if (pull) return;
      const fingerprint = FINGERPRINTS[memo];
      const memos = fingerprint === undefined ? [] : [memoOf(fingerprint)];
      this.chain.pay(`sig-${i}`, { credited, memos, seenMs: START_MS + seenAfterMs });
    });
    this.chain.pay('sig-another', { payer: 'bob' });
  }

  #open(life: { alive: boolean }): Gate {
    const remote = <T extends object>(port: T): T => this.#remote(port, life);
    return createGate({
      chain: remote(this.chain),
      ledger: remote(this.ledger),
      clock: remote(this.clock),
      facilitator: createFacilitator({
        url: 'https://facilitator.example',
        fetch: remote({ fetch: this.facilitator.fetch }).fetch,
      }),
      network: NETWORK,
      asset: { decimals: 6 },
      policy: POLICY,
    });
  }

  /** A port of a process: calls take time both ways, and end with a killed process. */
  #remote<T extends object>(port: T, life: { readonly alive: boolean }): T {
    const sync = new Set<string | symbol>(['now', 'readKey', 'readPartial']);
    return new Proxy(port, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || sync.has(name)) return member;
        return async (...parameters: unknown[]): Promise<unknown> => {
          if (name !== 'wait') await this.#travel();
          if (!life.alive) await new Promise(() => undefined);
          const answer: unknown = await (member.apply(target, parameters) as Promise<unknown>);
          if (name !== 'wait') await this.#travel();
          if (!life.alive) await new Promise(() => undefined);
          return answer;
        };
      },
    });
  }

  #travel(): Promise<void> {
    // Park and Miller's generator.
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    // Rarely longer than a lease.
    return this.clock.wait(this.#random % 97 === 0 ? POLICY.leaseMs * 1.5 : this.#random % 30, NEVER);
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'request': {
        const life = this.#lives[step.process]!;
        this.pending.push(this.#request(step, this.#gates[step.process]!, () => life.alive));
        return;
      }
      case 'advance':
        return this.clock.advance(step.ms);
      case 'kill':
        this.#lives[step.process]!.alive = false;
        this.#lives[step.process] = { alive: true };
        this.#gates[step.process] = this.#open(this.#lives[step.process]!);
        return;
      case 'outage':
        this.chain.outage = step.on;
        return;
      case 'behaviour':
        this.facilitator.behaviour = step.behaviour;
    }
  }

  proofOf(index: number, gate: Gate): Proof {
    const { pull, credited } = this.#payments[index]!;
    if (!pull) return { kind: 'signature', key: `sig-${index}` };
    const transaction = signedText({
      intent: String(index),
      amount: String(credited),
      payer: 'alice',
      payTo: PAY_TO,
      untilMs: START_MS + LIFETIME_MS,
    });
    const payload = { x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction } };
    return gate.parse({ 'x-payment': btoa(JSON.stringify(payload)) })!;
  }

  keyOf(index: number): string {
    return this.#payments[index]!.pull ? `sig-of-${index}` : `sig-${index}`;
  }

  /** One request, as a service handles it. */
  async #request(step: Request, gate: Gate, isAlive: () => boolean): Promise<void> {
    const fingerprint = FINGERPRINTS[step.fingerprint]!;
    const price = PRICES[step.price]!;
    const gone = new AbortController();
    void this.clock.wait(step.patienceMs, NEVER).then(() => {
      gone.abort(new Error('gone'));
    });
    let outcome: string;
    try {
      outcome = await this.#serve(step, gate, isAlive, fingerprint, price, gone.signal);
    } catch (error) {
      if (error instanceof PaymentProblem) outcome = this.#refused(error, step, fingerprint);
      else if ((error as Error).message === 'gone') outcome = 'gone';
      else throw error;
    }
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  async #serve(
    step: Request,
    gate: Gate,
    isAlive: () => boolean,
    fingerprint: string,
    price: bigint,
    signal: AbortSignal,
  ): Promise<string> {
    let claim = await gate.reserve(this.proofOf(step.payment, gate), PRICES, signal);
    claim = await gate.verify(claim, PRICES[0]!, signal);
    await this.clock.wait(step.bodyMs, NEVER);
    if (!isAlive()) return 'killed';
    const bound = await gate.bind(claim, { fingerprint, price, product: 'any' });
    if (bound.kind !== 'run') {
      expect(this.sold.get(bound.key)).toBe(fingerprint);
      return bound.kind;
    }
    let held: LeasedPayment = bound.leased;
    await this.clock.wait(step.workMs, NEVER);
    if (!isAlive()) return 'killed';
    if (step.renews) {
      const renewed = await gate.renew(held);
      if (renewed === null) return 'lost';
      held = renewed;
    }
    if (step.end !== 'sells') {
      await gate.release(held, { reason: step.end, counts: step.end === 'fault of the request' });
      return step.end;
    }
    if ((await this.ledger.spend(held.lease, 'consumed')) === 'lost') return 'lost';
    const { credited, memo } = bound.leased.payment;
    expect(this.sold.has(held.key)).toBe(false);
    expect(credited).toBeGreaterThanOrEqual(price);
    expect([undefined, fingerprint]).toContain(memo);
    this.sold.set(held.key, fingerprint);
    return 'run';
  }

  #refused({ reason, status, retryAfterS }: PaymentProblem, step: Request, fingerprint: string): string {
    const key = this.keyOf(step.payment);
    if (reason === 'payment_already_used') expect([undefined, fingerprint]).not.toContain(this.sold.get(key));
    if (reason === 'payment_refused') expect([...this.chain.transactions.keys()]).not.toContain(key);
    if (reason === 'payment_exhausted') expect(this.sold.has(key)).toBe(false);
    if (status === 503) expect(retryAfterS).toBeGreaterThan(0);
    return reason;
  }

  /** All failures end, and every client returns: each payer gets its purchase. */
  async end(): Promise<void> {
    this.chain.outage = false;
    this.facilitator.behaviour = 'honest';
    await this.clock.advance(POLICY.leaseMs * 10 + LIFETIME_MS);
    for (const index of this.#payments.keys()) await this.#settleUp(index);
    await Promise.all(this.pending.map((promise) => Promise.race([promise, Promise.resolve()])));
  }

  async #settleUp(index: number): Promise<void> {
    const { credited, memo, pull } = this.#payments[index]!;
    const key = this.keyOf(index);
    const bought = this.sold.get(key);
    const fingerprint = bought ?? (pull ? FINGERPRINTS[0]! : (FINGERPRINTS[memo] ?? FINGERPRINTS[0]!));
    const record = await this.ledger.get(key);
    const outcome = await this.clock.until(this.#last(index, fingerprint));
    const expected = ((): string => {
      if (credited < PRICES[0]!) return 'amount_too_low';
      if (!this.chain.transactions.has(key)) return 'payment_refused';
      if (bought !== undefined) return 'replay';
      return (record?.tries ?? 0) >= MAX_TRIES ? 'payment_exhausted' : 'run';
    })();
    expect(outcome).toBe(expected);
    // One signed transaction, one payment.
    const ofIntent = [...this.chain.transactions.values()].filter(({ intent }) => intent === String(index));
    expect(ofIntent.length).toBeLessThanOrEqual(1);
    expect((await this.ledger.get(key))?.state === 'consumed').toBe(this.sold.has(key));
  }

  async #last(index: number, fingerprint: string): Promise<string> {
    const step: Request = {
      kind: 'request',
      process: 0,
      payment: index,
      fingerprint: FINGERPRINTS.indexOf(fingerprint),
      price: 0,
      bodyMs: 0,
      workMs: 0,
      renews: false,
      end: 'sells',
      patienceMs: 10_000_000,
    };
    // 503 is no end: a call may have taken longer than a lease, and the next try reports the outcome.
    for (let tries = 1; ; tries++) {
      try {
        return await this.#serve(step, this.#gates[0]!, () => true, fingerprint, PRICES[0]!, NEVER);
      } catch (error) {
        if (!(error instanceof PaymentProblem)) throw error;
        if (error.status !== 503 || tries === MOST_TRIES) return error.reason;
        await this.clock.wait((error.retryAfterS ?? 0) * 1_000, NEVER);
      }
    }
  }
}

describe('a gate in a hard world', () => {
  it(
    'sells a payment once, consumes none without work, and loses none',
    { timeout: TIMEOUT_MS },
    async () => {
      const seen = new Map<string, number>();
      console.log(`SEED=${SEED}, ${WORLDS} worlds`);
      await fc.assert(
        fc.asyncProperty(
          fc.array(payment, { minLength: 4, maxLength: 4 }),
          fc.array(step, { minLength: 5, maxLength: 40 }),
          fc.integer({ min: 1, max: 2_147_483_646 }),
          async (payments, steps, seed) => {
            const world = new World(payments, seed);
            for (const step of steps) await world.take(step);
            await world.end();
            for (const [outcome, count] of world.outcomes)
              seen.set(outcome, (seen.get(outcome) ?? 0) + count);
          },
        ),
        { numRuns: WORLDS, seed: SEED },
      );
      // The worlds are hard enough to reach every end that matters; a short run need not reach all of them.
      if (WORLDS < 500) return;
      for (const outcome of [
        'run',
        'replay',
        'lost',
        'payment_in_progress',
        'payment_already_used',
        'settlement_unknown',
      ]) {
        expect([...seen.keys()]).toContain(outcome);
      }
    },
  );
});
