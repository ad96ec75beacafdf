// A collector of OpenTelemetry on loopback: OTLP over HTTP in its JSON form (opentelemetry.io/docs/specs/otlp).
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { bodyOf, close, listen, LOOPBACK } from '@grainline/testing/loopback';

const PEERS = join(import.meta.dirname, '../../peers');

/** A span as tests read it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A metric as tests read it: the data points of its kind. */
export interface ReceivedMetric {
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly points: readonly Readonly<Record<string, unknown>>[];
}

export interface Collector {
  readonly url: string;
  /** The spans received so far. */
  spans(): ReceivedSpan[];
  /** The last values of each metric. */
  metrics(): Map<string, ReceivedMetric>;
  /** Everything received, as text. */
  text(): string;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const bodies: { readonly path: string; readonly text: string }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await bodyOf(request, 2 ** 24)) ?? Buffer.alloc(0);
      bodies.push({ path: request.url ?? '', text: body.toString() });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    })();
  });
  const port = await listen(server, 0);
  const received = (path: string, ...names: readonly string[]): Json[] =>
    bodies
      .filter((body) => body.path === path)
      .flatMap(({ text }) =>
        names.reduce<Json[]>(
          (list, name) => list.flatMap((each) => each[name] as Json[]),
          [JSON.parse(text) as Json],
        ),
      );
  return {
    url: `http://${LOOPBACK}:${port}`,
    spans: () => received('/v1/traces', 'resourceSpans', 'scopeSpans', 'spans').map(spanOf),
    metrics: () =>
      new Map(
        received('/v1/metrics', 'resourceMetrics', 'scopeMetrics', 'metrics').map((metric) => [
          String(metric['name']),
          metricOf(metric),
        ]),
      ),
    text: () => bodies.map(({ text }) => text).join('\n'),
    close: () => close(server),
  };
}

/** True when the packages of OpenTelemetry are installed. */
export function hasOpenTelemetry(): boolean {
  if (existsSync(join(PEERS, 'node_modules/@opentelemetry/api'))) return true;
  if (process.env['CI'] === 'true') throw new Error('the tests need `npm ci --prefix packages/server/peers`');
  console.warn('\nSKIPPED: telemetry; run `npm ci --ignore-scripts --prefix packages/server/peers`\n');
  return false;
}

/** Imports a package of OpenTelemetry. */
export async function loadPeer(name: string): Promise<unknown> {
  const { load } = (await import(join(PEERS, 'load.mjs'))) as { load: (name: string) => Promise<unknown> };
  return load(name);
}

type Json = Readonly<Record<string, unknown>>;

function spanOf(span: Json): ReceivedSpan {
  const { name, traceId, spanId, parentSpanId } = span as unknown as ReceivedSpan;
  const ms = (key: string): number => Number(BigInt(String(span[key])) / 1000n) / 1000;
  const pairs = (span['attributes'] as { key: string; value: Json }[]).map(
    ({ key, value }) => [key, Object.values(value)[0]] as const,
  );
  const times = { startMs: ms('startTimeUnixNano'), endMs: ms('endTimeUnixNano') };
  const parent = parentSpanId === undefined || parentSpanId === '' ? {} : { parentSpanId };
  return { name, traceId, spanId, ...parent, ...times, attributes: Object.fromEntries(pairs) };
}

function metricOf(metric: Json): ReceivedMetric {
  const kind = (['sum', 'gauge', 'histogram'] as const).find((one) => metric[one] !== undefined) ?? 'gauge';
  return { kind, points: (metric[kind] as { dataPoints: Json[] }).dataPoints };
}
