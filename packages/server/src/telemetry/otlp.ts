// The packages of OpenTelemetry: loaded, put together, and ended. Exporters read OTEL_EXPORTER_OTLP_HEADERS and the
// other variables of OpenTelemetry themselves.
import type { Logger } from 'pino';
import type { Registry } from '../metrics/registry.ts';
import { metricsOf, type ExportedMetric } from './registry-metrics.ts';
import { createSpans, type Spans, type TraceApi, type Tracer } from './spans.ts';

/** Dependencies of {@link createExport}. */
export interface ExportOptions {
  /** Base address of the collector. */
  readonly endpoint: string;
  readonly version: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Time between two exports of the metrics. Default: a minute. */
  readonly metricsMs?: number;
  /** Imports a package. Default: the usual import. */
  readonly load?: ((name: string) => Promise<unknown>) | undefined;
}

/** An open connection to a collector. */
export interface Export {
  readonly spans: Spans;
  readonly metrics: (registry: Registry) => void;
  readonly close: () => Promise<void>;
}

const METRICS_MS = 60_000;
/** Most time for the last export: a collector that is away must not delay a stop. */
const CLOSE_MS = 3_000;
const PACKAGES = [
  '@opentelemetry/api@1',
  '@opentelemetry/sdk-trace@3',
  '@opentelemetry/sdk-metrics@3',
  '@opentelemetry/resources@3',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-metrics-otlp-http',
];

/** Something that can be ended. */
interface Provider {
  shutdown(): Promise<void>;
}

/** The used parts of the packages, by their shape: the server is compiled without them. */
interface Sdk {
  readonly api: TraceApi;
  readonly trace: {
    readonly TracerProvider: new (options: object) => Provider & {
      getTracer(name: string, version: string): Tracer;
    };
    readonly BatchSpanProcessor: new (options: object) => object;
  };
  readonly metrics: {
    readonly MeterProvider: new (options: object) => Provider;
    readonly PeriodicExportingMetricReader: new (options: object) => object;
  };
  readonly resources: {
    defaultResource(): Resource;
    resourceFromAttributes(attributes: Readonly<Record<string, string>>): Resource;
    detectResources(options: object): Resource;
    readonly envDetector: object;
  };
  readonly OTLPTraceExporter: new (options: object) => object;
  readonly OTLPMetricExporter: new (options: object) => object;
}

interface Resource {
  merge(other: Resource): Resource;
}

/** @returns undefined without the packages, after a warning that names them */
export async function createExport(options: ExportOptions): Promise<Export | undefined> {
  const { endpoint, version, log, metricsMs = METRICS_MS } = options;
  const sdk = await loadSdk(options);
  if (sdk === undefined) return undefined;
  const { resources } = sdk;
  const about = { 'service.name': 'grainline', 'service.version': version };
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes(about))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const base = endpoint.replace(/\/+$/, '');
  const exporter = new sdk.OTLPTraceExporter({ url: `${base}/v1/traces` });
  const spanProcessors = [new sdk.trace.BatchSpanProcessor({ exporter })];
  const tracers = new sdk.trace.TracerProvider({ resource, spanProcessors });
  const providers: Provider[] = [tracers];
  return {
    spans: createSpans(sdk.api, tracers.getTracer('grainline', version)),
    metrics(registry) {
      const reader = new sdk.metrics.PeriodicExportingMetricReader({
        exporter: new sdk.OTLPMetricExporter({ url: `${base}/v1/metrics` }),
        exportIntervalMillis: metricsMs,
        exportTimeoutMillis: Math.min(metricsMs, 10_000),
        metricProducers: [producerOf(registry, version)],
      });
      providers.push(new sdk.metrics.MeterProvider({ resource, readers: [reader] }));
    },
    async close() {
      const ended = Promise.all(providers.map((provider) => provider.shutdown()));
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
      await Promise.race([ended, late]).catch((err: unknown) =>
        log.warn({ err }, 'the last telemetry was not sent'),
      );
      clearTimeout(timer);
    },
  };
}

async function loadSdk({ load = importPackage, log }: ExportOptions): Promise<Sdk | undefined> {
  try {
    const [api, trace, metrics, resources, traceExporter, metricExporter] = await Promise.all(
      PACKAGES.map((name) => load(name.replace(/@\d+$/, ''))),
    );
    return { api, trace, metrics, resources, ...Object(traceExporter), ...Object(metricExporter) } as Sdk;
  } catch (err) {
    const isMissing = (Object(err) as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
    log.warn(
      isMissing ? {} : { err },
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed, so that nothing is exported; npm install ${PACKAGES.join(' ')} beside @grainline/server brings it`,
    );
    return undefined;
  }
}

const importPackage = (name: string): Promise<unknown> => import(name);

/** The metrics of a registry in the form of the SDK, which adds the resource. */
function producerOf(registry: Registry, version: string) {
  const startMs = Date.now();
  return {
    collect: () => {
      const metrics: ExportedMetric[] = metricsOf(registry, startMs, Date.now());
      const scopeMetrics = [{ scope: { name: 'grainline', version }, metrics }];
      return Promise.resolve({ resourceMetrics: { scopeMetrics }, errors: [] });
    },
  };
}
