// A service that sells: the real gate and the real store before a scripted chain.
import { createGate, type Facilitator, type GatePolicy, systemClock } from '@grainline/x402';
import { createPaidWork } from '../../src/payments/work.ts';
import { deploymentOf, pricesOf } from '../../src/catalog.ts';
import type { PaymentNetwork, Payments, PaymentConnection } from '../../src/payments/payments.ts';
import { createRoomCheck } from '../../src/payments/room-check.ts';
import { createPaymentSession } from '../../src/payments/session.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import type { Store } from '../../src/store/store.ts';
import type { WorkerTask, WorkerPool } from '../../src/sandbox/index.ts';
import { fakeService, inlineWorkerPool, memoryStore, NOW } from '../http/fake-service.ts';
import { type FakeChain, fakeChain, PAY_TO } from './fake-chain.ts';

export interface PaidService extends ServiceDeps {
  readonly chain: FakeChain;
  /** Tasks of the worker pool, in order. */
  readonly tasks: WorkerTask[];
  readonly clock: { now: number };
}

const CAIP2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

export type Environment = Readonly<Record<string, string>>;

/** A facilitator that names its kinds and is not called. */
export const OFFERING_FACILITATOR: Facilitator = {
  kinds: () => [
    { version: 1, network: 'solana', feePayer: PAY_TO, extra: {} },
    { version: 2, network: CAIP2, feePayer: PAY_TO, extra: {} },
  ],
  refresh: () => Promise.reject(new Error('not here')),
  verify: () => Promise.reject(new Error('not here')),
  settle: () => Promise.reject(new Error('not here')),
};

export function paidService(
  environment: Environment = {},
  parts: Partial<ServiceDeps> = {},
  facilitator?: Facilitator,
): PaidService {
  const given = { PAY_TO, PAYMENT_WAIT_MS: '0', ...environment };
  const settings = readSettings(given);
  const clock = { now: NOW };
  const now = (): number => clock.now;
  const store = parts.store ?? memoryStore(now);
  const chain = fakeChain(now);
  const tasks: WorkerTask[] = [];
  const workerPool = counted(parts.workerPool ?? inlineWorkerPool, tasks);
  const payments = paymentsOn(chain, store, settings, now, facilitator);
  return { ...fakeService(given, { payments, now, ...parts, store, workerPool }), chain, tasks, clock };
}

function counted(workerPool: WorkerPool, tasks: WorkerTask[]): WorkerPool {
  return {
    ...workerPool,
    run(task, work) {
      tasks.push(task);
      return workerPool.run(task, work);
    },
  };
}

function paymentsOn(
  chain: FakeChain,
  store: Store,
  settings: Settings,
  now: () => number,
  facilitator: Facilitator | undefined,
): Payments {
  const { gate, transfers } = connectionTo(chain, store, settings, now, facilitator);
  const { deploymentId, paymentLeaseMs: leaseMs, maxPaidBytes } = settings;
  const assertRoom = createRoomCheck({ store, maxPaidBytes, now });
  const prices = pricesOf(deploymentOf(settings));
  return {
    rule: chain.rule,
    tried: Promise.resolve(),
    unavailable: () => null,
    transfers: () => transfers,
    assertRoom,
    offer: (quote, request) => gate.offer(quote, request),
    openSession: (httpRequest) =>
      createPaymentSession(httpRequest, {
        gate: () => gate,
        store,
        assertRoom,
        deploymentId,
        leaseMs,
        prices,
        now,
      }),
    work: createPaidWork(),
    close: () => Promise.resolve(),
  };
}

/** Where payments are made, for a service that starts by itself. */
export function fakePaymentNetwork(
  chain: FakeChain,
  settings: Settings,
  now: () => number = Date.now,
): (store: Store) => PaymentNetwork {
  return (store) => ({
    rule: chain.rule,
    connect: () => Promise.resolve(connectionTo(chain, store, settings, now)),
  });
}

export function connectionTo(
  chain: FakeChain,
  store: Store,
  settings: Settings,
  now: () => number,
  facilitator?: Facilitator,
): PaymentConnection {
  const policy: GatePolicy = {
    waitMs: settings.paymentWaitMs,
    leaseMs: settings.paymentLeaseMs,
    maxAgeMs: settings.paymentMaxAgeS * 1000,
    notBeforeMs: settings.paymentsNotBefore ?? 0,
    binding: settings.paymentBinding,
  };
  const gate = createGate({
    chain,
    ledger: store,
    facilitator,
    network: { name: settings.network, v1: 'solana', caip2: CAIP2 },
    asset: { decimals: 6 },
    policy,
    clock: { ...systemClock, now },
  });
  const transfers = {
    prepare: () => Promise.reject(new Error('not here')),
    send: () => Promise.reject(new Error('not here')),
    find: () => Promise.reject(new Error('not here')),
  };
  return { gate, transfers, tasks: [] };
}
