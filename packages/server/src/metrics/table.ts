// Every metric of the service with its labels and meaning. Metrics are created from this table only, so the docs, which
// print it, are complete.
import type { Counter, Histogram, Registry, Sample } from './registry.ts';

interface MetricEntry {
  readonly labels: readonly string[];
  readonly meaning: string;
}

const METRICS = {
  grainline_info: { labels: ['version'], meaning: '1: the running version.' },
  grainline_requests_total: {
    labels: ['route', 'status'],
    meaning: 'Requests. The route is a template; status 499 is a client that left.',
  },
  grainline_request_duration_seconds: {
    labels: ['route'],
    meaning: 'Histogram, from the head of a request to the end of its answer.',
  },
  grainline_refusals_total: { labels: ['code'], meaning: 'Rejected requests by the code of the answer.' },
  grainline_answers_broken_off_total: {
    labels: ['cause'],
    meaning:
      'Incomplete answers: `slow` (20 s without a byte read), `memory` (the limit on unfinished answers), `flood` (too many pipelined requests), `left` (by the client), `failed` (at their source), `shutdown`.',
  },
  grainline_outgoing_bytes: {
    labels: [],
    meaning: 'Memory of unfinished answers. Above 256 MiB the oldest are broken off.',
  },
  grainline_payments_total: {
    labels: ['outcome'],
    meaning: '`sold`, `replayed` (the stored answer), or the code of a rejected payment.',
  },
  grainline_chain_lookups_total: {
    labels: ['finding'],
    meaning:
      'Payments looked up on the chain: `found`, `failed`, `unknown`, or `error` without a reachable endpoint.',
  },
  grainline_chain_lookup_duration_seconds: {
    labels: [],
    meaning: 'Histogram of these lookups with the wait for a confirmation.',
  },
  grainline_rpc_duration_seconds: {
    labels: ['endpoint', 'method'],
    meaning:
      'Histogram of calls to RPC endpoints, numbered as in `SOLANA_RPC_URLS`, up to the head of the answer.',
  },
  grainline_rpc_failures_total: {
    labels: ['endpoint', 'cause'],
    meaning:
      'Failed calls: the HTTP status, `unreachable`, or `ended` (too late, or another endpoint was faster).',
  },
  grainline_model_calls_total: {
    labels: ['tier', 'model'],
    meaning: 'Calls of the language model for documents, failed ones included.',
  },
  grainline_model_failures_total: {
    labels: ['tier', 'model', 'code'],
    meaning:
      'Calls without a usable answer: `unavailable`, `timed_out`, `rejected`, `wrong_answer`, `refusal`, `truncated`, `content_filter`.',
  },
  grainline_model_tokens_total: {
    labels: ['tier', 'model', 'kind'],
    meaning: 'Tokens as counted by the service: `input`, `cached_input` (read from its cache), `output`.',
  },
  grainline_model_cost_usd_total: {
    labels: ['tier', 'model'],
    meaning:
      'Cost of the calls in US dollars, by `AI_PRICE` or the list price. A call with unknown usage counts with its highest possible cost.',
  },
  grainline_in_work: {
    labels: ['place'],
    meaning: 'Used places for `bodies`, `links` and `models`.',
  },
  grainline_waiting: { labels: ['place'], meaning: 'Requests that wait for such a place.' },
  grainline_documents: {
    labels: [],
    meaning: 'Documents in work or waiting for a process.',
  },
  grainline_jobs_total: {
    labels: ['event'],
    meaning:
      'Jobs by event on this server: `submitted`; `taken_over` from a server that died; `completed`, `failed`, `left` to another, `lost` to one.',
  },
  grainline_jobs_running: { labels: [], meaning: 'Jobs in work on this server.' },
  grainline_jobs_waiting: {
    labels: [],
    meaning: 'Jobs that wait for a server, as of the previous read.',
  },
  grainline_child_restarts_total: {
    labels: ['cause'],
    meaning: 'Replaced child processes: `timeout`, `memory`, `died`, `left` (by its client), `renewed`.',
  },
  grainline_store_duration_seconds: { labels: ['call'], meaning: "Histogram of the store's calls." },
  grainline_store_failures_total: {
    labels: ['call', 'code'],
    meaning: 'Failed calls of the store: `unavailable`, `disk_full`, `storage_full`, or `defect`.',
  },
} as const satisfies Readonly<Record<string, MetricEntry>>;

/** The name of a metric. */
export type MetricName = keyof typeof METRICS;

/** The table of the docs in Markdown. */
export function metricsTable(): string {
  const rows = Object.entries<MetricEntry>(METRICS).map(
    ([name, { labels, meaning }]) =>
      `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${meaning} |`,
  );
  return ['| metric | labels | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Creates metrics of the table. */
export interface Instruments {
  readonly counter: (name: MetricName) => Counter;
  /** @param bounds ascending upper bounds of the buckets */
  readonly histogram: (name: MetricName, bounds: readonly number[]) => Histogram;
  /** @param read called for each text; a gauge without samples is omitted */
  readonly gauge: (name: MetricName, read: () => readonly Sample[]) => void;
}

export function createInstruments(registry: Registry): Instruments {
  const meaning = (name: MetricName): string => METRICS[name].meaning.replaceAll('`', '');
  return {
    counter: (name) => registry.counter(name, meaning(name)),
    histogram: (name, bounds) => registry.histogram(name, meaning(name), bounds),
    gauge: (name, read) => registry.gauge(name, meaning(name), read),
  };
}
