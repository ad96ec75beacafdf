// What is counted of the service, and the port on which it is told. Everything here looks on from outside: nothing is
// decided by a metric, and without METRICS_PORT nothing is counted.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REASONS } from '@grainline/x402';
import type { Admission } from './admission.ts';
import { createRegistry, METRICS_TYPE, type Registry, watchProcess } from './metrics.ts';
import type { Payments } from './payments/payments.ts';
import type { Store } from './store/store.ts';
import type { RestartCause } from './workplace/index.ts';

/** A request that is over, as its log line has it. */
export interface Outcome {
  /** Path template, or `none`. */
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly seconds: number;
}

/** Looks on at the parts of a service. */
export interface Meters {
  exchange(outcome: Outcome): void;
  restarted(cause: RestartCause): void;
  /** @param place what the places are for, as a label */
  admission(place: string, admission: Admission): Admission;
  store(store: Store): Store;
  payments(payments: Payments): Payments;
  /** Tells what was counted; resolves with the address once it listens. */
  listen(host: string, port: number): Promise<string>;
  close(): Promise<void>;
}

/** From an answer of the overview to a document that takes all the time there is. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** From a row in the cache to a disk that is busy. */
const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export function createMeters(version: string): Meters {
  const registry = createRegistry();
  const endWatch = watchProcess(registry);
  registry.gauge('grainline_info', 'The version that runs.', () => [[1, { version }]]);
  const requests = registry.counter(
    'grainline_requests_total',
    'Requests by route and status; 499 is a client that left.',
  );
  const durations = registry.histogram(
    'grainline_request_duration_seconds',
    'From the head of a request to the end of its answer.',
    REQUEST_SECONDS,
  );
  const refusals = registry.counter(
    'grainline_refusals_total',
    'Requests that were refused, by the code of the answer.',
  );
  const paid = registry.counter(
    'grainline_payments_total',
    'Payments by outcome: sold, replayed (the answer given again), or why none was taken.',
  );
  const restarts = registry.counter(
    'grainline_child_restarts_total',
    'Child processes that were replaced, by cause.',
  );
  const storeSeconds = registry.histogram(
    'grainline_store_duration_seconds',
    'Calls of the store, by name.',
    STORE_SECONDS,
  );
  const storeFailures = registry.counter(
    'grainline_store_failures_total',
    'Calls of the store that failed, by name.',
  );
  const admissions = new Map<string, Admission>();
  registry.gauge('grainline_in_work', 'Places that are taken, by what they are for.', () =>
    [...admissions].map(([place, admission]) => [admission.load().inWork, { place }]),
  );
  registry.gauge('grainline_waiting', 'Requests that wait for a place, by what it is for.', () =>
    [...admissions].map(([place, admission]) => [admission.load().waiting, { place }]),
  );
  let close = (): Promise<void> => Promise.resolve();

  return {
    exchange({ route, status, code, seconds }) {
      requests.add({ route, status: String(status) });
      durations.observe(seconds, { route });
      if (code === undefined) return;
      refusals.add({ code });
      if (Object.hasOwn(REASONS, code)) paid.add({ outcome: code });
    },
    restarted: (cause) => restarts.add({ cause }),
    admission(place, admission) {
      admissions.set(place, admission);
      return admission;
    },
    store: (store) =>
      timed(store, (call, seconds, failed) => {
        storeSeconds.observe(seconds, { call });
        if (failed) storeFailures.add({ call });
      }),
    payments: (payments) => ({
      ...payments,
      createSale(intake) {
        const sale = payments.createSale(intake);
        return {
          ...sale,
          async bind(order) {
            const deal = await sale.bind(order);
            if (deal.kind === 'replay') paid.add({ outcome: 'replayed' });
            return deal;
          },
          async commit(text, result) {
            await sale.commit(text, result);
            paid.add({ outcome: 'sold' });
          },
        };
      },
    }),
    async listen(host, port) {
      const told = await tell(registry, host, port);
      close = told.close;
      return told.url;
    },
    async close() {
      endWatch();
      await close();
    },
  };
}

/** The store with a clock on each call that gives a promise. */
function timed(store: Store, onCall: (call: string, seconds: number, failed: boolean) => void): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...values: unknown[]): unknown => {
        const startedMs = performance.now();
        const result: unknown = Reflect.apply(member, target, values);
        if (!(result instanceof Promise)) return result;
        const end = (failed: boolean): void => onCall(name, (performance.now() - startedMs) / 1000, failed);
        result.then(
          () => end(false),
          () => end(true),
        );
        return result;
      };
    },
  });
}

/** One path for whoever may reach the port; it has no secrets, and is still not for the internet. */
async function tell(
  registry: Registry,
  host: string,
  port: number,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    request.resume();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(isRead ? 404 : 405, isRead ? {} : { Allow: 'GET, HEAD' }).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : registry.text());
  });
  server.maxConnections = 64;
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
