// The meters of the service and their port. They observe from outside: no behaviour depends on a metric, and without
// METRICS_PORT nothing is counted.
import type { TierId } from '@grainline/core';
import type { ModelEvent } from '@grainline/models/language';
import { type Chain, REASONS } from '@grainline/x402';
import type { ExchangeOutcome } from '../http/edge/outcome.ts';
import type { JobEvent, Jobs } from '../jobs/jobs.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Payments } from '../payments/payments.ts';
import type { PaymentSession } from '../payments/session.ts';
import type { NetworkMeters } from '../payments/solana.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { RestartCause, WorkerPool } from '../sandbox/index.ts';
import { createRegistry, type Registry, watchProcess } from './registry.ts';
import { serveMetrics } from './port.ts';
import { createInstruments, type Instruments } from './table.ts';

/** Observes the parts of a service. */
export interface Meters extends NetworkMeters {
  exchange(outcome: ExchangeOutcome): void;
  restarted(cause: RestartCause): void;
  /** @param place label that names the use of the places */
  admission(place: string, limiter: Limiter): void;
  /** @param heldBytes memory of unfinished answers */
  outgoing(heldBytes: () => number): void;
  jobs(jobs: Pick<Jobs, 'running'>, store: Pick<Store, 'jobLoad'>): void;
  job(event: JobEvent): void;
  /** A call of the language model, or its failure. */
  model(tier: TierId, event: ModelEvent): void;
  workerPool(workerPool: WorkerPool): WorkerPool;
  store(store: Store): Store;
  payments(payments: Payments): Payments;
  readonly registry: Registry;
  /** Serves the metrics; resolves with the address once the port listens. */
  listen(host: string, port: number): Promise<string>;
  close(): Promise<void>;
}

/** Buckets from an answer of the overview to a document at its time limit. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** Buckets from a row in the cache to a busy disk. */
const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
/** Buckets from a local endpoint to the wait for a confirmation. */
const CHAIN_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 60];

export function createMeters(version: string): Meters {
  const registry = createRegistry();
  const endWatch = watchProcess(registry);
  const make = createInstruments(registry);
  make.gauge('grainline_info', () => [[1, { version }]]);
  let close = (): Promise<void> => Promise.resolve();
  return {
    ...meterRequests(make),
    ...meterChain(make),
    ...meterWork(make),
    ...meterModels(make),
    ...meterJobs(make),
    ...meterStore(make),
    registry,
    async listen(host, port) {
      const server = await serveMetrics(registry, host, port);
      close = server.close;
      return server.url;
    },
    async close() {
      endWatch();
      await close();
    },
  };
}

/** Finished requests, their payments and their answers. */
function meterRequests({
  counter,
  histogram,
  gauge,
}: Instruments): Pick<Meters, 'exchange' | 'outgoing' | 'payments'> {
  const requests = counter('grainline_requests_total');
  const durations = histogram('grainline_request_duration_seconds', REQUEST_SECONDS);
  const refusals = counter('grainline_refusals_total');
  const brokenOff = counter('grainline_answers_broken_off_total');
  const paid = counter('grainline_payments_total');

  /** Counts the result of a session. Its rejection is counted with the request. */
  const watched = (session: PaymentSession): PaymentSession => ({
    ...session,
    async bind(order) {
      const outcome = await session.bind(order);
      if (outcome.kind === 'replay') paid.add({ outcome: 'replayed' });
      return outcome;
    },
    async commit(sold) {
      const written = await session.commit(sold);
      if (written === 'committed') paid.add({ outcome: 'sold' });
      return written;
    },
  });

  return {
    exchange({ route, status, code, brokeOff, seconds }) {
      requests.add({ route, status: String(status) });
      if (seconds !== undefined) durations.observe(seconds, { route });
      if (brokeOff !== undefined) brokenOff.add({ cause: brokeOff });
      if (code === undefined) return;
      refusals.add({ code });
      if (Object.hasOwn(REASONS, code)) paid.add({ outcome: code });
    },
    outgoing: (heldBytes) => gauge('grainline_outgoing_bytes', () => [[heldBytes()]]),
    payments: (payments) => ({
      ...payments,
      openSession: (httpRequest) => watched(payments.openSession(httpRequest)),
    }),
  };
}

/** Lookups of payments and their RPC calls. */
function meterChain({ counter, histogram }: Instruments): Pick<Meters, 'chain' | 'rpc'> {
  const lookups = counter('grainline_chain_lookups_total');
  const lookupSeconds = histogram('grainline_chain_lookup_duration_seconds', CHAIN_SECONDS);
  const rpcSeconds = histogram('grainline_rpc_duration_seconds', CHAIN_SECONDS);
  const rpcFailures = counter('grainline_rpc_failures_total');
  return {
    chain: (chain) => ({
      ...chain,
      async find(...query: Parameters<Chain['find']>) {
        const startedMs = performance.now();
        let finding = 'error';
        try {
          const found = await chain.find(...query);
          finding = found.kind;
          return found;
        } finally {
          lookups.add({ finding });
          lookupSeconds.observe((performance.now() - startedMs) / 1000);
        }
      },
    }),
    rpc: (endpoints, fetch) => async (url, init) => {
      const endpoint = String(endpoints.indexOf(url) + 1);
      const startedMs = performance.now();
      try {
        const response = await fetch(url, init);
        if (response.status !== 200) rpcFailures.add({ endpoint, cause: String(response.status) });
        return response;
      } catch (error) {
        rpcFailures.add({ endpoint, cause: init.signal?.aborted === true ? 'ended' : 'unreachable' });
        throw error;
      } finally {
        rpcSeconds.observe((performance.now() - startedMs) / 1000, { endpoint, method: methodOf(init) });
      }
    },
  };
}

/** Places, documents and child processes. */
function meterWork({ counter, gauge }: Instruments): Pick<Meters, 'admission' | 'workerPool' | 'restarted'> {
  const restarts = counter('grainline_child_restarts_total');
  const limiters = new Map<string, Limiter>();
  let documents = 0;
  gauge('grainline_in_work', () =>
    [...limiters].map(([place, limiter]) => [limiter.load().inWork, { place }]),
  );
  gauge('grainline_waiting', () =>
    [...limiters].map(([place, limiter]) => [limiter.load().waiting, { place }]),
  );
  gauge('grainline_documents', () => [[documents]]);
  return {
    restarted: (cause) => restarts.add({ cause }),
    admission: (place, limiter) => void limiters.set(place, limiter),
    workerPool: (workerPool) => ({
      ...workerPool,
      async run(task, work) {
        documents += 1;
        try {
          return await workerPool.run(task, work);
        } finally {
          documents -= 1;
        }
      },
    }),
  };
}

/** Calls of language models and their cost. */
function meterModels({ counter }: Instruments): Pick<Meters, 'model'> {
  const modelCalls = counter('grainline_model_calls_total');
  const modelFailures = counter('grainline_model_failures_total');
  const modelTokens = counter('grainline_model_tokens_total');
  const modelCost = counter('grainline_model_cost_usd_total');
  return {
    model(tier, event) {
      const { model } = event;
      if (event.kind === 'failure') {
        modelFailures.add({ tier, model, code: event.code });
        return;
      }
      const { input, cachedInput, output } = event.usage;
      modelCalls.add({ tier, model });
      modelTokens.add({ tier, model, kind: 'input' }, Math.max(0, input - cachedInput));
      modelTokens.add({ tier, model, kind: 'cached_input' }, Math.min(input, cachedInput));
      modelTokens.add({ tier, model, kind: 'output' }, output);
      modelCost.add({ tier, model }, event.costUsd);
    },
  };
}

function meterJobs({ counter, gauge }: Instruments): Pick<Meters, 'jobs' | 'job'> {
  const jobEvents = counter('grainline_jobs_total');
  return {
    jobs(jobs, store) {
      gauge('grainline_jobs_running', () => [[jobs.running()]]);
      const waiting = latest(async () => (await store.jobLoad()).waiting);
      gauge('grainline_jobs_waiting', () => {
        const count = waiting();
        return count === undefined ? [] : [[count]];
      });
    },
    job: (event) => jobEvents.add({ event }),
  };
}

/** Returns the value of the read before and starts the next read, one at a time. */
function latest(read: () => Promise<number>): () => number | undefined {
  let value: number | undefined;
  let isReading = false;
  const refresh = (): void => {
    if (isReading) return;
    isReading = true;
    void read()
      .then(
        (found) => (value = found),
        () => (value = undefined),
      )
      .finally(() => (isReading = false));
  };
  refresh();
  return () => {
    refresh();
    return value;
  };
}

function meterStore({ counter, histogram }: Instruments): Pick<Meters, 'store'> {
  const storeSeconds = histogram('grainline_store_duration_seconds', STORE_SECONDS);
  const storeFailures = counter('grainline_store_failures_total');
  return {
    store: (store) =>
      timed(store, (call, seconds, failure) => {
        storeSeconds.observe(seconds, { call });
        if (failure !== undefined)
          storeFailures.add({ call, code: failure instanceof StoreError ? failure.code : 'defect' });
      }),
  };
}

/** A store with a timer for each asynchronous call. `onCall` receives the error of a failed call. */
function timed(store: Store, onCall: (call: string, seconds: number, failure?: unknown) => void): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...values: unknown[]): unknown => {
        const startedMs = performance.now();
        const result: unknown = Reflect.apply(member, target, values);
        if (!(result instanceof Promise)) return result;
        const end = (failure?: unknown): void =>
          onCall(name, (performance.now() - startedMs) / 1000, failure);
        result.then(() => end(), end);
        return result;
      };
    },
  });
}

/** The JSON-RPC method of a call, one of the few in use. */
function methodOf({ body }: RequestInit): string {
  return typeof body === 'string' ? (JSON.parse(body) as { readonly method: string }).method : '';
}
