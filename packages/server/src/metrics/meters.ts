// Meters: what is counted of the service, and the port on which the counts are served. Everything here watches from
// outside. No metric decides anything, and without METRICS_PORT nothing is counted.
import type { TierId } from '@grainline/core';
import type { ModelEvent } from '@grainline/models/language';
import { type Chain, REASONS } from '@grainline/x402';
import type { Outcome } from '../http/edge/outcome.ts';
import type { JobEvent, Jobs } from '../jobs/jobs.ts';
import type { Admission } from '../limits/admission.ts';
import type { Payments } from '../payments/payments.ts';
import type { Sale } from '../payments/sale.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { RestartCause, Workplace } from '../workplace/index.ts';
import { createRegistry, watchProcess } from './metrics.ts';
import { serveMetrics } from './port.ts';
import { createInstruments, type Instruments } from './table.ts';

/** Watches the parts of a service. */
export interface Meters {
  exchange(outcome: Outcome): void;
  restarted(cause: RestartCause): void;
  /** @param place what the places are for, as a label */
  admission(place: string, admission: Admission): Admission;
  /** @param heldBytes what answers on their way hold */
  outgoing(heldBytes: () => number): void;
  jobs(jobs: Pick<Jobs, 'running'>, store: Pick<Store, 'jobLoad'>): void;
  job(event: JobEvent): void;
  /** A call of the language model, or a failure of one. */
  model(tier: TierId, event: ModelEvent): void;
  workplace(workplace: Workplace): Workplace;
  store(store: Store): Store;
  payments(payments: Payments): Payments;
  /** Look-ups of payments. */
  chain<Watched extends Pick<Chain, 'find'>>(chain: Watched): Watched;
  /** Calls of RPC endpoints, which are told by their numbers: their addresses may hold keys. */
  rpc(endpoints: readonly string[], fetch: RpcFetch): RpcFetch;
  /** Tells what was counted; resolves with the address once it listens. */
  listen(host: string, port: number): Promise<string>;
  close(): Promise<void>;
}

/** The part of `fetch` that RPC calls need. */
export type RpcFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Buckets from an answer of the overview to a document that takes the longest allowed time. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** Buckets from a row in the cache to a busy disk. */
const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
/** Buckets from an endpoint next door to the wait for a confirmation. */
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
    async listen(host, port) {
      const told = await serveMetrics(registry, host, port);
      close = told.close;
      return told.url;
    },
    async close() {
      endWatch();
      await close();
    },
  };
}

/** Requests that are over, what was sold to them, and their answers. */
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

  /** Watches one sale: a refusal of it is counted with the request. */
  const watched = (sale: Sale): Sale => ({
    ...sale,
    async bind(order) {
      const fulfilment = await sale.bind(order);
      if (fulfilment.kind === 'replay') paid.add({ outcome: 'replayed' });
      return fulfilment;
    },
    async commit(sold) {
      await sale.commit(sold);
      paid.add({ outcome: 'sold' });
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
      createSale: (intake) => watched(payments.createSale(intake)),
    }),
  };
}

/** Look-ups of payments, and the calls that each is made of. */
function meterChain({ counter, histogram }: Instruments): Pick<Meters, 'chain' | 'rpc'> {
  const lookups = counter('grainline_chain_lookups_total');
  const lookupSeconds = histogram('grainline_chain_lookup_duration_seconds', CHAIN_SECONDS);
  const rpcSeconds = histogram('grainline_rpc_duration_seconds', CHAIN_SECONDS);
  const rpcFailures = counter('grainline_rpc_failures_total');
  return {
    chain: (chain) => ({
      ...chain,
      async find(...question: Parameters<Chain['find']>) {
        const startedMs = performance.now();
        let finding = 'error';
        try {
          const found = await chain.find(...question);
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

/** Places, documents, and the processes that work on them. */
function meterWork({ counter, gauge }: Instruments): Pick<Meters, 'admission' | 'workplace' | 'restarted'> {
  const restarts = counter('grainline_child_restarts_total');
  const admissions = new Map<string, Admission>();
  let documents = 0;
  gauge('grainline_in_work', () =>
    [...admissions].map(([place, admission]) => [admission.load().inWork, { place }]),
  );
  gauge('grainline_waiting', () =>
    [...admissions].map(([place, admission]) => [admission.load().waiting, { place }]),
  );
  gauge('grainline_documents', () => [[documents]]);
  return {
    restarted: (cause) => restarts.add({ cause }),
    admission(place, admission) {
      admissions.set(place, admission);
      return admission;
    },
    workplace: (workplace) => ({
      ...workplace,
      async run(task, work) {
        documents += 1;
        try {
          return await workplace.run(task, work);
        } finally {
          documents -= 1;
        }
      },
    }),
  };
}

/** What language models are asked, and what that costs. */
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

/** What was read last; each call reads anew for the next one, one read at a time. */
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

/** The store with a clock on each call that gives a promise. @param onCall told why a call failed, if it did */
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
        result.then(
          () => end(),
          (failure: unknown) => end(failure),
        );
        return result;
      };
    },
  });
}

/** The JSON-RPC method of a call: one of the few that we make. */
function methodOf({ body }: RequestInit): string {
  return typeof body === 'string' ? (JSON.parse(body) as { readonly method: string }).method : '';
}
