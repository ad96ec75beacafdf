// The registry's metrics in the form of OpenTelemetry's SDK (MetricData of @opentelemetry/sdk-metrics 3).
import type { Labels, MetricFamily, Registry } from '../metrics/registry.ts';

/** Seconds and nanoseconds. */
type HrTime = readonly [number, number];

/** One metric. */
export interface ExportedMetric {
  readonly descriptor: {
    readonly name: string;
    readonly description: string;
    readonly unit: string;
    readonly valueType: number;
  };
  readonly aggregationTemporality: number;
  readonly dataPointType: number;
  readonly isMonotonic?: boolean;
  readonly dataPoints: readonly {
    readonly startTime: HrTime;
    readonly endTime: HrTime;
    readonly attributes: Labels;
    readonly value: unknown;
  }[];
}

/** Numbers of the SDK: DataPointType, AggregationTemporality, ValueType. */
const TYPES = { histogram: 0, gauge: 2, counter: 3 };
const CUMULATIVE = 1;
const DOUBLE = 1;

/** The metrics that have values. */
export function metricsOf(registry: Registry, startMs: number, endMs: number): ExportedMetric[] {
  const times = { startTime: timeOf(startMs), endTime: timeOf(endMs) };
  return registry.families().flatMap((family) => {
    const dataPoints = valuesOf(family).map(([value, attributes]) => ({ ...times, attributes, value }));
    if (dataPoints.length === 0) return [];
    const { name, help, type } = family;
    return [
      {
        descriptor: { name, description: help, unit: '', valueType: DOUBLE },
        aggregationTemporality: CUMULATIVE,
        dataPointType: TYPES[type],
        ...(type === 'counter' && { isMonotonic: true }),
        dataPoints,
      },
    ];
  });
}

function valuesOf(family: MetricFamily): [value: unknown, labels: Labels][] {
  if (family.type !== 'histogram') return family.read().map(([value, labels = {}]) => [value, labels]);
  return family.read().map(({ labels, counts, sum }) => {
    const count = counts.reduce((all, one) => all + one, 0);
    return [{ buckets: { boundaries: [...family.bounds], counts: [...counts] }, sum, count }, labels];
  });
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
}
