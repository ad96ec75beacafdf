// A service that sells: the real gate and the real store before a scripted chain.
import { createGate, type GatePolicy, systemClock } from '@grainline/x402';
import { createPaidWork } from '../../src/payments/work.ts';
import { deploymentOf, pricesOf } from '../../src/catalog.ts';
import { createLookupLimit } from '../../src/payments/lookup-limit.ts';
import type { PaymentNetwork, Payments, PaymentConnection } from '../../src/payments/payments.ts';
import { createRoomCheck } from '../../src/payments/room-check.ts';
import { createSale } from '../../src/payments/sale.ts';
import type { Service } from '../../src/routes/service.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import type { Store } from '../../src/store/store.ts';
import type { Task, Workplace } from '../../src/workplace/index.ts';
import { fakeService, inlineWorkplace, memoryStore, NOW } from '../http/fake-service.ts';
import { type FakeChain, fakeChain, PAY_TO } from './fake-chain.ts';

export interface PaidService extends Service {
  readonly chain: FakeChain;
  /** What was worked on. */
  readonly tasks: Task[];
  readonly clock: { now: number };
}

export type Environment = Readonly<Record<string, string>>;

export function paidService(environment: Environment = {}, parts: Partial<Service> = {}): PaidService {
  const given = { PAY_TO, PAYMENT_WAIT_MS: '0', ...environment };
  const settings = readSettings(given);
  const clock = { now: NOW };
  const now = (): number => clock.now;
  const store = parts.store ?? memoryStore(now);
  const chain = fakeChain(now);
  const tasks: Task[] = [];
  const workplace = counted(parts.workplace ?? inlineWorkplace, tasks);
  const payments = paymentsOn(chain, store, settings, now);
  return { ...fakeService(given, { payments, now, ...parts, store, workplace }), chain, tasks, clock };
}

function counted(workplace: Workplace, tasks: Task[]): Workplace {
  return {
    ...workplace,
    run(task, work) {
      tasks.push(task);
      return workplace.run(task, work);
    },
  };
}

function paymentsOn(chain: FakeChain, store: Store, settings: Settings, now: () => number): Payments {
  const { gate, transfers } = connectionTo(chain, store, settings, now);
  const lookups = createLookupLimit();
  const { deploymentId, paymentLeaseMs: leaseMs, maxPaidBytes } = settings;
  const requireRoom = createRoomCheck({ store, maxPaidBytes, now });
  const prices = pricesOf(deploymentOf(settings));
  return {
    rule: chain.rule,
    tried: Promise.resolve(),
    unavailable: () => null,
    transfers: () => transfers,
    requireRoom,
    countQuestion: () => undefined,
    createSale: (intake) =>
      createSale(intake, {
        gate: () => gate,
        store,
        lookups,
        requireRoom,
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
    network: { name: settings.network, v1: 'solana', caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
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
