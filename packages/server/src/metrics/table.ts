// Every metric of the service: what it is called, how it is told apart, and what it says. The table of the docs, and
// the only way to a metric, so that none is counted which the docs do not name.
import type { Counter, Histogram, Registry, Sample } from './metrics.ts';

interface MetricEntry {
  readonly labels: readonly string[];
  readonly meaning: string;
}

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
  grainline_answers_broken_off_total: {
    labels: ['cause'],
    meaning:
      'Answers that did not go out whole: `slow` (taken too slowly), `memory` (the limit on answers on their way), `flood` (too many requests behind it on its connection), `left` (by the client), `failed` (what they are made of), `shutdown`.',
  },
  grainline_outgoing_bytes: {
    labels: [],
    meaning: 'Memory of answers on their way; beyond 256 MiB slow ones are broken off.',
  },
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

/** Of a metric. */
export type MetricName = keyof typeof METRICS;

/** The table of the docs, in Markdown. */
export function metricsTable(): string {
  const rows = Object.entries<MetricEntry>(METRICS).map(
    ([name, { labels, meaning }]) =>
      `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${meaning} |`,
  );
  return ['| metric | labels | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Makes metrics by their names in the table. */
export interface Instruments {
  readonly counter: (name: MetricName) => Counter;
  /** @param bounds upper bounds of the buckets, ascending */
  readonly histogram: (name: MetricName, bounds: readonly number[]) => Histogram;
  /** @param read called at each look; a gauge without samples is left out */
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
