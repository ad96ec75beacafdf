// What is counted of the service, and the port on which it is told. Everything here looks on from outside: nothing is
// decided by a metric, and without METRICS_PORT nothing is counted.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TierId } from '@grainline/core';
import type { ModelEvent } from '@grainline/models/language';
import { type Chain, REASONS } from '@grainline/x402';
import type { Admission } from '../limits/admission.ts';
import type { JobEvent, Jobs } from '../jobs/jobs.ts';
import {
  type Counter,
  createRegistry,
  type Histogram,
  METRICS_TYPE,
  type Registry,
  type Sample,
  watchProcess,
} from './metrics.ts';
import type { Payments } from '../payments/payments.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { RestartCause, Workplace } from '../workplace/index.ts';

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

/** From an answer of the overview to a document that takes all the time there is. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** From a row in the cache to a disk that is busy. */
const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
/** From an endpoint next door to the wait for a confirmation. */
const CHAIN_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 60];

interface MetricEntry {
  readonly labels: readonly string[];
  readonly meaning: string;
}

/** Every metric of the service: what it is called, how it is told apart, and what it says. The table of the docs. */
const METRICS = {
  grainline_info: { labels: ['version'], meaning: '1: the version that runs.' },
  grainline_requests_total: {
    labels: ['route', 'status'],
    meaning: 'Requests; the route is a template, 499 a client that left.',
  },
  grainline_request_duration_seconds: {
    labels: ['route'],
    meaning: 'Histogram, from the head of a request to the end of its answer.',
  },
  grainline_refusals_total: { labels: ['code'], meaning: 'Refused requests, by the code of the answer.' },
  grainline_payments_total: {
    labels: ['outcome'],
    meaning: '`sold`, `replayed` (the answer given again), or the code for which no payment was taken.',
  },
  grainline_chain_lookups_total: {
    labels: ['finding'],
    meaning:
      'Payments looked up on the chain: `found`, `failed`, `unknown`, or `error` when nobody could be asked.',
  },
  grainline_chain_lookup_duration_seconds: {
    labels: [],
    meaning: 'Histogram of these look-ups, the wait for a confirmation included.',
  },
  grainline_rpc_duration_seconds: {
    labels: ['endpoint', 'method'],
    meaning:
      'Histogram of calls to RPC endpoints, by the place of each in `SOLANA_RPC_URLS`, up to the head of the answer.',
  },
  grainline_rpc_failures_total: {
    labels: ['endpoint', 'cause'],
    meaning:
      'Calls without a good answer: the HTTP status, `unreachable`, or `ended` (too late, or another endpoint was faster).',
  },
  grainline_model_calls_total: {
    labels: ['tier', 'model'],
    meaning: 'Calls of the language model about documents, those that failed included.',
  },
  grainline_model_failures_total: {
    labels: ['tier', 'model', 'code'],
    meaning:
      'Of these, those without an answer of use: `unavailable`, `timed_out`, `rejected`, `wrong_answer`, `refusal`, `truncated`, `content_filter`.',
  },
  grainline_model_tokens_total: {
    labels: ['tier', 'model', 'kind'],
    meaning: 'Tokens that its service has counted: `input`, `cached_input` (read from its cache), `output`.',
  },
  grainline_model_cost_usd_total: {
    labels: ['tier', 'model'],
    meaning:
      'What they cost, in US dollars, by `AI_PRICE` or the list price; a call of which nobody knows counts with the most that it can have cost.',
  },
  grainline_in_work: {
    labels: ['place'],
    meaning: 'Places that are taken, for `bodies`, `links` and `models`.',
  },
  grainline_waiting: { labels: ['place'], meaning: 'Requests that wait for such a place.' },
  grainline_documents: {
    labels: [],
    meaning: 'Documents that are worked on, or wait for a free process.',
  },
  grainline_jobs_total: {
    labels: ['event'],
    meaning:
      'Jobs by what became of them here: `submitted`; `taken_over` from a server that died; `completed`, `failed`, `left` to another, `lost` to one.',
  },
  grainline_jobs_running: { labels: [], meaning: 'Jobs that this server works on.' },
  grainline_jobs_waiting: {
    labels: [],
    meaning: 'Jobs that no server works on yet, as of the look before.',
  },
  grainline_child_restarts_total: {
    labels: ['cause'],
    meaning:
      'Child processes that were replaced: `timeout`, `memory`, `died`, `left` (by its client), `renewed`.',
  },
  grainline_store_duration_seconds: { labels: ['call'], meaning: "Histogram of the store's calls." },
  grainline_store_failures_total: {
    labels: ['call', 'code'],
    meaning: 'Calls of the store that failed: `unavailable`, `disk_full`, `storage_full`, or `defect`.',
  },
} as const satisfies Readonly<Record<string, MetricEntry>>;

type MetricName = keyof typeof METRICS;

/** The table of the docs, in Markdown. */
export function metricsTable(): string {
  const rows = Object.entries<MetricEntry>(METRICS).map(
    ([name, { labels, meaning }]) =>
      `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${meaning} |`,
  );
  return ['| metric | labels | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

export function createMeters(version: string): Meters {
  const registry = createRegistry();
  const endWatch = watchProcess(registry);
  const meaning = (name: MetricName): string => METRICS[name].meaning.replaceAll('`', '');
  const counter = (name: MetricName): Counter => registry.counter(name, meaning(name));
  const histogram = (name: MetricName, bounds: readonly number[]): Histogram =>
    registry.histogram(name, meaning(name), bounds);
  const gauge = (name: MetricName, read: () => readonly Sample[]): void =>
    registry.gauge(name, meaning(name), read);
  gauge('grainline_info', () => [[1, { version }]]);
  const requests = counter('grainline_requests_total');
  const durations = histogram('grainline_request_duration_seconds', REQUEST_SECONDS);
  const refusals = counter('grainline_refusals_total');
  const paid = counter('grainline_payments_total');
  const lookups = counter('grainline_chain_lookups_total');
  const lookupSeconds = histogram('grainline_chain_lookup_duration_seconds', CHAIN_SECONDS);
  const rpcSeconds = histogram('grainline_rpc_duration_seconds', CHAIN_SECONDS);
  const rpcFailures = counter('grainline_rpc_failures_total');
  const restarts = counter('grainline_child_restarts_total');
  const storeSeconds = histogram('grainline_store_duration_seconds', STORE_SECONDS);
  const storeFailures = counter('grainline_store_failures_total');
  const admissions = new Map<string, Admission>();
  let documents = 0;
  gauge('grainline_in_work', () =>
    [...admissions].map(([place, admission]) => [admission.load().inWork, { place }]),
  );
  gauge('grainline_waiting', () =>
    [...admissions].map(([place, admission]) => [admission.load().waiting, { place }]),
  );
  const modelCalls = counter('grainline_model_calls_total');
  const modelFailures = counter('grainline_model_failures_total');
  const modelTokens = counter('grainline_model_tokens_total');
  const modelCost = counter('grainline_model_cost_usd_total');
  const jobEvents = counter('grainline_jobs_total');
  gauge('grainline_documents', () => [[documents]]);
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
    jobs(jobs, store) {
      gauge('grainline_jobs_running', () => [[jobs.running()]]);
      const waiting = latest(async () => (await store.jobLoad()).waiting);
      gauge('grainline_jobs_waiting', () => {
        const count = waiting();
        return count === undefined ? [] : [[count]];
      });
    },
    job: (event) => jobEvents.add({ event }),
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
    store: (store) =>
      timed(store, (call, seconds, failure) => {
        storeSeconds.observe(seconds, { call });
        if (failure !== undefined)
          storeFailures.add({ call, code: failure instanceof StoreError ? failure.code : 'defect' });
      }),
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
          async commit(sold) {
            await sale.commit(sold);
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

/** The JSON-RPC method of a call: one of the few that we make. */
function methodOf({ body }: RequestInit): string {
  return typeof body === 'string' ? (JSON.parse(body) as { readonly method: string }).method : '';
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
