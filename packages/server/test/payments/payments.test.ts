// How payments begin: a chain that does not answer is tried again, one that is wrong ends the start.
import { pino } from 'pino';
import { createGate } from '@grainline/x402';
import { describe, expect, it } from 'vitest';
import {
  type PaymentNetwork,
  PaymentsSetupError,
  startPayments,
  type PaymentConnection,
} from '../../src/payments/payments.ts';
import { createPaidWork } from '../../src/payments/work.ts';
import { memoryStore } from '../http/fake-service.ts';
import { fakeChain } from './fake-chain.ts';
import { connectionTo } from './paid-service.ts';
import { readSettings } from '../../src/settings/settings.ts';

/** Timers that run when the test says so. */
function fakeTimers() {
  const waiting = new Map<number, { ms: number; run: () => void }>();
  let made = 0;
  return {
    pauses: (): number[] => [...waiting.values()].map(({ ms }) => ms),
    schedule: (ms: number, run: () => void) => {
      const id = made++;
      waiting.set(id, { ms, run });
      return () => void waiting.delete(id);
    },
    /** Runs what waits; resolves when what it began has had its turns. */
    async pass(): Promise<void> {
      const due = [...waiting.values()];
      waiting.clear();
      due.forEach(({ run }) => run());
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function starting(
  outcomes: readonly ('silent' | 'wrong' | 'open')[],
  tasks: PaymentConnection['tasks'] = [],
) {
  const timers = fakeTimers();
  const logged: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'info' },
    { write: (line: string) => void logged.push(JSON.parse(line) as object as never) },
  );
  const store = memoryStore();
  const chain = fakeChain(Date.now);
  let tries = 0;
  const paymentNetwork: PaymentNetwork = {
    rule: chain.rule,
    connect() {
      const outcome = outcomes[tries++] ?? 'open';
      if (outcome === 'silent') return Promise.reject(new Error('no answer'));
      if (outcome === 'wrong')
        return Promise.reject(new PaymentsSetupError(['The mint is none.', 'No account.']));
      return Promise.resolve({ ...connectionTo(chain, store, readSettings({}), Date.now), tasks });
    },
  };
  const started = startPayments({
    maxPaidBytes: 1e9,
    paymentNetwork,
    store,
    log,
    schedule: timers.schedule,
    now: Date.now,
    deploymentId: 'primary',
    leaseMs: 1000,
    prices: [1n],
  });
  return { payments: started.tried.then(() => started), started, timers, logged, tries: () => tries };
}

describe('payments', () => {
  it('are there at once when the chain answers', async () => {
    const { payments, timers } = starting(['open']);
    expect((await payments).unavailable()).toBeNull();
    expect(timers.pauses()).toEqual([]);
    await (await payments).close();
  });

  it('are tried again, less and less often, until the chain answers', async () => {
    const { payments, timers, logged } = starting(Array.from({ length: 8 }, () => 'silent'));
    const started = await payments;
    const pauses = [];
    for (let tried = 0; tried < 8; tried++) {
      expect(started.unavailable()).toContain('network');
      pauses.push(...timers.pauses());
      await timers.pass();
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(started.unavailable()).toBeNull();
    expect(logged.at(-1)).toMatchObject({ msg: 'payments are taken' });
    await started.close();
  });

  it('that can never work end the start, with every reason', async () => {
    const { payments } = starting(['wrong']);
    await expect(payments).rejects.toThrow(/The mint is none\.\n.*No account\./);
  });

  it('that turn out wrong later stay unavailable, and are tried again', async () => {
    const { payments, timers, logged } = starting(['silent', 'wrong', 'open']);
    const started = await payments;
    await timers.pass();
    expect(started.unavailable()).not.toBeNull();
    expect(logged.at(-1)).toMatchObject({ level: 50 });
    await timers.pass();
    expect(started.unavailable()).toBeNull();
    await started.close();
  });

  it('do their tasks again and again, also after one has failed, until they are closed', async () => {
    let done = 0;
    const task = {
      name: 'look',
      everyMs: 500,
      run: () => (++done === 2 ? Promise.reject(new Error('failed')) : Promise.resolve()),
    };
    const { payments, timers, logged } = starting(['open'], [task]);
    const started = await payments;
    for (let round = 1; round <= 3; round++) {
      expect(timers.pauses()).toEqual([500]);
      await timers.pass();
      expect(done).toBe(round);
    }
    expect(logged.filter(({ level }) => level === 40)).toHaveLength(1);
    await started.close();
    expect(timers.pauses()).toEqual([]);
  });

  it('stand on a gate that refuses a wrong policy', () => {
    const settings = readSettings({ PAYMENT_LEASE_MS: '1000' });
    expect(settings.paymentLeaseMs).toBe(1000);
    expect(() =>
      createGate({
        chain: fakeChain(Date.now),
        ledger: memoryStore(),
        network: { name: 'a', v1: null, caip2: 'b' },
        asset: { decimals: 6 },
        policy: { waitMs: 0, leaseMs: 0, maxAgeMs: 1, notBeforeMs: 0, binding: 'offer' },
      }),
    ).toThrow(RangeError);
  });
});

describe('paid work', () => {
  it('is waited for, and so is what its failure needs', async () => {
    const work = createPaidWork();
    const order: string[] = [];
    const failing = Promise.withResolvers<undefined>();
    const request = work
      .run(() => failing.promise)
      .catch(() =>
        work
          .run(() => new Promise<void>((resolve) => setImmediate(resolve)))
          .then(() => order.push('refused')),
      );
    const ended = work.end(60_000, Promise.resolve()).then(() => order.push('ended'));
    failing.reject(new Error('failed'));
    await Promise.all([request, ended]);
    expect(order).toEqual(['refused', 'ended']);
  });

  it('that a request begins while the service ends is waited for, and aborted in time', async () => {
    const work = createPaidWork();
    const requests = Promise.withResolvers<undefined>();
    const ended = work.end(1, requests.promise);
    const begun = work.run(
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    requests.resolve(undefined);
    await expect(begun).rejects.toMatchObject({ code: 'shutting_down' });
    await ended;
  });

  it('that goes on when time is over is aborted', async () => {
    const work = createPaidWork();
    const aborted = work.run(
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    const outcome = expect(aborted).rejects.toMatchObject({ code: 'shutting_down' });
    await work.end(1, Promise.resolve());
    await outcome;
  });
});
