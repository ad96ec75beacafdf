// What an operator watches, in the text that Prometheus reads (exposition format 0.0.4): counters, gauges that are read
// when somebody asks, and histograms. No label holds what a client can choose, so that the number of series is bounded.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Values of labels, by their names. */
export type Labels = Readonly<Record<string, string>>;

/** Counts what happens. */
export interface Counter {
  add(labels?: Labels, count?: number): void;
}

/** Sorts what was measured into buckets. */
export interface Histogram {
  /** @param value in the unit that the metric's name ends with */
  observe(value: number, labels?: Labels): void;
}

/** One value with its labels. */
export type Sample = readonly [value: number, labels?: Labels];

/** Holds metrics, and writes them down. */
export interface Registry {
  /** @param name ends in `_total` */
  counter(name: string, help: string): Counter;
  /** @param bounds upper bounds of the buckets, ascending; one without a bound comes by itself */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** @param read called at each look; a gauge without samples is left out */
  gauge(name: string, help: string, read: () => readonly Sample[]): void;
  /** Registers a counter that is kept elsewhere, such as processor time. */
  countedElsewhere(name: string, help: string, read: () => readonly Sample[]): void;
  text(): string;
}

/** Content-Type of {@link Registry.text}. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const METRIC_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export function createRegistry(): Registry {
  const names = new Set<string>();
  const metrics: (() => string[])[] = [];

  /** @throws Error when the name is taken or none: a defect of the caller */
  function add(name: string, help: string, type: string, lines: () => string[]): void {
    if (!METRIC_NAME.test(name) || names.has(name)) throw new Error(`No name for a new metric: ${name}`);
    names.add(name);
    const head = [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
    ];
    metrics.push(() => {
      const samples = lines();
      return samples.length === 0 ? [] : [...head, ...samples];
    });
  }

  const readAt = (name: string, read: () => readonly Sample[]) => () =>
    read().map(([value, labels = {}]) => line(name, labels, value));

  return {
    counter(name, help) {
      const counts = new Map<string, { labels: Labels; count: number }>();
      add(name, help, 'counter', () =>
        [...counts.values()].map(({ labels, count }) => line(name, labels, count)),
      );
      return {
        add(labels = {}, count = 1) {
          entryOf(counts, labels, () => ({ labels, count: 0 })).count += count;
        },
      };
    },
    histogram(name, help, bounds) {
      const series = new Map<string, { labels: Labels; counts: number[]; sum: number }>();
      const linesOf = ({
        labels,
        counts,
        sum,
      }: {
        labels: Labels;
        counts: number[];
        sum: number;
      }): string[] => {
        let below = 0;
        const buckets = [...bounds, Infinity].map((bound, index) => {
          below += counts[index] ?? 0;
          return line(`${name}_bucket`, { ...labels, le: show(bound) }, below);
        });
        return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, below)];
      };
      add(name, help, 'histogram', () => [...series.values()].flatMap(linesOf));
      return {
        observe(value, labels = {}) {
          const entry = entryOf(series, labels, () => ({
            labels,
            counts: Array.from({ length: bounds.length + 1 }, () => 0),
            sum: 0,
          }));
          const found = bounds.findIndex((bound) => value <= bound);
          const place = found === -1 ? bounds.length : found;
          entry.counts[place] = (entry.counts[place] ?? 0) + 1;
          entry.sum += value;
        },
      };
    },
    gauge: (name, help, read) => add(name, help, 'gauge', readAt(name, read)),
    countedElsewhere: (name, help, read) => add(name, help, 'counter', readAt(name, read)),
    text: () =>
      metrics
        .flatMap((lines) => lines())
        .map((text) => `${text}\n`)
        .join(''),
  };
}

function entryOf<Entry>(entries: Map<string, Entry>, labels: Labels, create: () => Entry): Entry {
  const key = JSON.stringify(Object.entries(labels).sort());
  const entry = entries.get(key) ?? create();
  entries.set(key, entry);
  return entry;
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${show(value)}`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function show(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

/** The process itself, under the names that Prometheus's own clients use. Ends with the returned function. */
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
  registry.countedElsewhere('process_cpu_seconds_total', 'Processor time, user and system.', () => {
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
