// A registry of metrics in Prometheus's text format (exposition format 0.0.4). No label holds text of a client, so the
// number of series is bounded.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Values of labels by their names. */
export type Labels = Readonly<Record<string, string>>;

/** Counts events. */
export interface Counter {
  add(labels?: Labels, count?: number): void;
}

/** Counts measured values by bucket. */
export interface Histogram {
  /** @param value in the unit at the end of the metric's name */
  observe(value: number, labels?: Labels): void;
}

/** One value with its labels. */
export type Sample = readonly [value: number, labels?: Labels];

/** Holds metrics and writes their text. */
export interface Registry {
  /** @param name ends in `_total` */
  counter(name: string, help: string): Counter;
  /** @param bounds ascending upper bounds of the buckets, without the infinite one */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** @param read called for each text; a gauge without samples is omitted */
  gauge(name: string, help: string, read: () => readonly Sample[]): void;
  /** Registers a counter that the system keeps, such as processor time. */
  externalCounter(name: string, help: string, read: () => readonly Sample[]): void;
  text(): string;
  /** All metrics with their values. */
  families(): readonly MetricFamily[];
}

/** A metric with its values. */
export type MetricFamily = { readonly name: string; readonly help: string } & (
  | { readonly type: 'counter' | 'gauge'; readonly read: () => readonly Sample[] }
  | {
      readonly type: 'histogram';
      /** Ascending upper bounds, without the infinite one. */
      readonly bounds: readonly number[];
      readonly read: () => readonly HistogramSample[];
    }
);

/** The observed values of one combination of labels. */
export interface HistogramSample {
  readonly labels: Labels;
  /** The number of values in each bucket, the infinite one included. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Content-Type of {@link Registry.text}. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const METRIC_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export function createRegistry(): Registry {
  const metrics = new Map<string, MetricFamily>();

  /** @throws Error for a used or invalid name, a defect of the caller */
  function register(family: MetricFamily): void {
    const { name } = family;
    if (!METRIC_NAME.test(name) || metrics.has(name)) throw new Error(`No name for a new metric: ${name}`);
    metrics.set(name, family);
  }

  function registerSamples(type: 'counter' | 'gauge') {
    return (name: string, help: string, read: () => readonly Sample[]): void =>
      register({ name, help, type, read });
  }

  const externalCounter = registerSamples('counter');
  return {
    counter(name, help) {
      const counts = createSeries(() => ({ count: 0 }));
      externalCounter(name, help, () => counts.all().map(([labels, { count }]) => [count, labels]));
      return { add: (labels = {}, count = 1) => void (counts.at(labels).count += count) };
    },
    histogram(name, help, bounds) {
      const series = createSeries(() => ({ counts: [...bounds, Infinity].map(() => 0), sum: 0 }));
      const read = (): HistogramSample[] => series.all().map(([labels, values]) => ({ labels, ...values }));
      register({ name, help, type: 'histogram', bounds, read });
      return {
        observe(value, labels = {}) {
          const entry = series.at(labels);
          const bucket = [...bounds, Infinity].findIndex((bound) => value <= bound);
          entry.counts[bucket] = (entry.counts[bucket] ?? 0) + 1;
          entry.sum += value;
        },
      };
    },
    gauge: registerSamples('gauge'),
    externalCounter,
    text: () =>
      [...metrics.values()].flatMap((family) => linesOf(family).map((line) => `${line}\n`)).join(''),
    families: () => [...metrics.values()],
  };
}

/** The text of a metric; none without values. */
function linesOf(family: MetricFamily): string[] {
  const { name, help, type } = family;
  const lines =
    family.type === 'histogram'
      ? family.read().flatMap((sample) => histogramLines(name, family.bounds, sample))
      : family.read().map(([value, labels]) => lineOf(name, value, labels));
  const head = [`# HELP ${name} ${escapeBreaks(help)}`, `# TYPE ${name} ${type}`];
  return lines.length === 0 ? [] : [...head, ...lines];
}

function histogramLines(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: HistogramSample,
): string[] {
  let total = 0;
  const buckets = [...bounds, Infinity].map((bound, index) => {
    total += counts[index] ?? 0;
    return lineOf(`${name}_bucket`, total, { ...labels, le: show(bound) });
  });
  return [...buckets, lineOf(`${name}_sum`, sum, labels), lineOf(`${name}_count`, total, labels)];
}

/** One value for each combination of labels. */
function createSeries<Value>(create: () => Value) {
  const values = new Map<string, readonly [labels: Labels, value: Value]>();
  return {
    at(labels: Labels): Value {
      const key = JSON.stringify(Object.entries(labels).sort());
      const entry = values.get(key) ?? ([labels, create()] as const);
      values.set(key, entry);
      return entry[1];
    },
    all: () => [...values.values()],
  };
}

function lineOf(name: string, value: number, labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escapeBreaks(text).replaceAll('"', '\\"')}"`,
  );
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${show(value)}`;
}

function escapeBreaks(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function show(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

/**
 * Registers the metrics of the process under the names of Prometheus's own clients. The returned function ends them.
 */
export function watchProcess(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const startedS = (Date.now() - performance.now()) / 1000;
  const seconds = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  registry.gauge(
    'process_resident_memory_bytes',
    'Resident memory of the server, without its child processes.',
    () => [[process.memoryUsage.rss()]],
  );
  registry.gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', () => [
    [process.memoryUsage().heapUsed],
  ]);
  registry.externalCounter('process_cpu_seconds_total', 'Processor time, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return [[(user + system) / 1e6]];
  });
  registry.gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', () => [
    [startedS],
  ]);
  registry.gauge('nodejs_eventloop_lag_seconds', 'Delay of the event loop since the last look.', () => {
    const samples: Sample[] = [
      [seconds(delay.percentile(50)), { quantile: '0.5' }],
      [seconds(delay.percentile(99)), { quantile: '0.99' }],
      [seconds(delay.max), { quantile: '1' }],
    ];
    delay.reset();
    return samples;
  });
  return () => delay.disable();
}
