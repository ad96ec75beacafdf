// A strict reader of Prometheus's text format (version 0.0.4), like its own checker: names, types, escapes, order, and
// the shape of histograms.

export interface Metric {
  readonly type: string;
  readonly help: string;
  /** Values by their labels as text: `{route="/"}`, and by the sample's name where it is not the metric's. */
  readonly samples: Map<string, number>;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const VALUE = /^(?:[+-]Inf|NaN|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** @throws Error with the first line that breaks a rule */
export function readExposition(text: string): Map<string, Metric> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const metrics = new Map<string, Metric>();
  let current: { name: string; metric: Metric } | undefined;
  let help: { name: string; text: string } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (why: string): Error => new Error(`${why}: ${line}`);
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      help = { name, text: rest };
    } else if (keyword === 'TYPE') {
      if (metrics.has(name)) throw fail('a metric twice');
      if (help?.name !== name) throw fail('no help before');
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw fail('no type');
      if ((rest === 'counter') !== name.endsWith('_total'))
        throw fail('counters, and nothing else, end in _total');
      const metric = { type: rest, help: help.text, samples: new Map<string, number>() };
      metrics.set(name, metric);
      current = { name, metric };
    } else {
      const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      if (current === undefined || sample === '') throw fail('no sample of a metric');
      const suffix = sample.slice(current.name.length);
      const suffixes = current.metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (!sample.startsWith(current.name) || !suffixes.includes(suffix)) throw fail('not of this metric');
      if (!VALUE.test(value)) throw fail('no number');
      checkLabels(labels, fail);
      const key = `${suffix}{${labels}}`;
      if (current.metric.samples.has(key)) throw fail('a sample twice');
      const number = Number(value.replace('Inf', 'Infinity'));
      current.metric.samples.set(key, number);
      if (current.metric.type !== 'gauge' && !(number >= 0)) throw fail('less than nothing');
    }
  }
  for (const [name, metric] of metrics) {
    if (metric.samples.size === 0) throw new Error(`no samples: ${name}`);
    if (metric.type === 'histogram') checkHistogram(name, metric.samples);
  }
  return metrics;
}

function checkLabels(labels: string, fail: (why: string) => Error): void {
  const names = new Set<string>();
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < labels.length) {
    const [, name] = LABEL.exec(labels) ?? [];
    if (name === undefined) throw fail('no labels');
    if (names.has(name)) throw fail('a label twice');
    names.add(name);
  }
}

/** Checks that buckets grow and that the last one is infinite and equals the count. */
function checkHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const series = new Map<string, { bound: number; count: number }[]>();
  for (const [key, count] of samples) {
    const [, before = '', bound] = /^_bucket\{(.*?),?le="([^"]+)"\}$/.exec(key) ?? [];
    if (bound === undefined) continue;
    const list = series.get(before) ?? [];
    series.set(before, [...list, { bound: Number(bound.replace('Inf', 'Infinity')), count }]);
  }
  if (series.size === 0) throw new Error(`no buckets: ${name}`);
  for (const [labels, buckets] of series) {
    for (const [index, { bound, count }] of buckets.entries()) {
      const before = buckets[index - 1];
      if (before !== undefined && (before.bound >= bound || before.count > count))
        throw new Error(`buckets do not grow: ${name}{${labels}}`);
    }
    const last = buckets.at(-1);
    if (last?.bound !== Infinity) throw new Error(`no infinite bucket: ${name}{${labels}}`);
    if (last.count !== samples.get(`_count{${labels}}`)) throw new Error(`wrong count: ${name}{${labels}}`);
    if (!samples.has(`_sum{${labels}}`)) throw new Error(`no sum: ${name}{${labels}}`);
  }
}
