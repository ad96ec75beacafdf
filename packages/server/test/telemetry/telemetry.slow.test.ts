// Traces and metrics at a collector, from requests through child processes and jobs to the store.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startScriptedModel } from '@grainline/testing/scripted-model/server';
import { createWorkerPool } from '../../src/sandbox/index.ts';
import type { ServiceOverrides } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { form, paragraphs } from '../http/fake-service.ts';
import { startTestService, type TestService } from '../http/running-service.ts';
import { fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { FROM_SOURCES, SETTINGS } from '../sandbox/tasks.ts';
import {
  type Collector,
  hasOpenTelemetry,
  loadPeer,
  type ReceivedSpan,
  startCollector,
} from './collector.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SECRET_TEXT = 'Ambergris of the whale';
const NAME = 'confidential-report.html';

let collector: Collector;
let service: TestService | undefined;

beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await collector.close();
});

/** A service that exports to the collector. Its stop sends everything. */
async function start(
  environment: Readonly<Record<string, string>> = {},
  parts: ServiceOverrides = {},
): Promise<TestService> {
  return (service = await startTestService(
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, DRAIN_MS: '0', ...environment },
    { telemetry: { load: loadPeer }, leavingMs: 0, ...parts },
  ));
}

async function stop(): Promise<void> {
  await service?.stop();
  service = undefined;
}

const named = (name: string): ReceivedSpan => {
  const found = collector.spans().filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]!;
};

/** The names from the outermost span to this one. */
function pathOf(span: ReceivedSpan): string {
  const parent = collector.spans().find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`;
}

describe.skipIf(!hasOpenTelemetry())('telemetry', () => {
  it('shows a request of a client’s trace down to the stages of the child process', async () => {
    const workerPool = createWorkerPool({ ...SETTINGS, workers: 1 }, FROM_SOURCES);
    const { url } = await start({ PAYMENTS: 'off' }, { workerPool });
    const html = `<!doctype html><title>T</title><p>${SECRET_TEXT}.</p><p>${paragraphs(400)}</p>`;
    const answer = await fetch(`${url}/chunk/semantic`, {
      method: 'POST',
      headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
      body: form(html, NAME, {}, 'text/html'),
    });
    const { download_url: link } = (await answer.json()) as { download_url?: string };
    expect(answer.status).toBe(200);
    await stop();
    const root = named('POST /chunk/{tier}');
    expect([root.traceId, root.parentSpanId]).toEqual([TRACE, PARENT]);
    expect(root.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/chunk/{tier}',
      'grainline.tier': 'semantic',
    });
    expect(Number(root.attributes['http.response.status_code'])).toBe(200);
    const paths = collector.spans().map(pathOf).sort();
    expect(paths).toEqual(
      expect.arrayContaining([
        'POST /chunk/{tier} > document > queue',
        'POST /chunk/{tier} > document > sandbox > cut',
        'POST /chunk/{tier} > document > sandbox > embed',
        'POST /chunk/{tier} > document > sandbox > read',
      ]),
    );
    for (const inner of ['document', 'queue', 'sandbox', 'read', 'cut', 'embed'].map(named)) {
      expect(inner.startMs).toBeGreaterThanOrEqual(root.startMs);
      expect(inner.endMs).toBeLessThanOrEqual(root.endMs);
      expect(inner.endMs).toBeGreaterThanOrEqual(inner.startMs);
    }
    for (const secret of [SECRET_TEXT, NAME, 'lorem', link?.split('/').at(-1) ?? 'no link', '127.0.0.1'])
      expect(collector.text()).not.toContain(secret);
  });

  it('shows the payment and the commit of a sale, and no payment', async () => {
    const settings = { PAY_TO, PAYMENT_WAIT_MS: '0' };
    const chain = fakeChain(Date.now);
    const { url } = await start(settings, {
      paymentNetwork: fakePaymentNetwork(chain, readSettings(settings)),
    });
    const proof = chain.pay(2000n);
    const answer = await fetch(`${url}/chunk/structure`, {
      method: 'POST',
      headers: { 'X-PAYMENT': proof },
      body: form(`${SECRET_TEXT}.`),
    });
    expect(answer.status).toBe(200);
    const refused = await fetch(`${url}/chunk/structure`, { method: 'POST', body: form('Text.') });
    expect(refused.status).toBe(402);
    await stop();
    const paths = collector.spans().map(pathOf);
    for (const inner of ['payment authorize', 'payment bind', 'document', 'store commit'])
      expect(paths).toContain(`POST /chunk/{tier} > ${inner}`);
    const roots = collector.spans().filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots.map(({ attributes }) => attributes['error.type'])).toEqual(
      expect.arrayContaining([undefined, 'payment_required']),
    );
    expect(collector.text()).not.toContain(proof);
    expect(collector.text()).not.toContain('Ambergris');
  });

  it('shows a job below the request that submitted it', async () => {
    const model = await startScriptedModel();
    const remote = { AI_MODEL: model.model, AI_BASE_URL: model.baseUrl, AI_PRICE: '0,0' };
    const workerPool = createWorkerPool({ ...SETTINGS, workers: 1 }, FROM_SOURCES);
    const { url } = await start({ PAYMENTS: 'off', ...remote }, { workerPool });
    const answer = await fetch(`${url}/chunk/ai-pro`, { method: 'POST', body: form('One.\n\nTwo.') });
    const ticket = (await answer.json()) as { job_id: string };
    // Not sampled: a poll that leaves spans leaves thousands of them.
    const headers = { traceparent: `00-${TRACE}-${PARENT}-00` };
    for (let state = ''; state !== 'completed';) {
      const status = await fetch(`${url}/job/${ticket.job_id}/status`, { headers });
      ({ status: state } = (await status.json()) as { status: string });
      expect(['processing', 'completed']).toContain(state);
    }
    await stop();
    await model.stop();
    const job = named('job');
    expect(pathOf(job)).toBe('POST /chunk/{tier} > job');
    const paths = collector.spans().map(pathOf);
    expect(paths).toContain('POST /chunk/{tier} > store submit');
    expect(paths).toContain('POST /chunk/{tier} > job > queue');
    expect(paths).toContain('POST /chunk/{tier} > job > document > sandbox > cut');
    expect(paths).toContain('POST /chunk/{tier} > job > store finish');
    expect(collector.text()).not.toContain(ticket.job_id);
  });

  it('records no request that its client has not sampled, and starts a trace for a wrong head', async () => {
    const { url } = await start({ PAYMENTS: 'off' });
    for (const traceparent of [`00-${TRACE}-${PARENT}-00`, `00-${'0'.repeat(32)}-${PARENT}-01`])
      await (await fetch(`${url}/health`, { headers: { traceparent } })).text();
    await stop();
    expect(collector.spans()).toMatchObject([{ name: 'GET /health' }]);
    expect(named('GET /health')).not.toHaveProperty('parentSpanId');
    expect(collector.text()).not.toContain(TRACE);
  });

  it('sends the metrics of the registry', async () => {
    const { url } = await start({ PAYMENTS: 'off', METRICS_PORT: '0' });
    for (let count = 0; count < 3; count++) await (await fetch(`${url}/health`)).text();
    const text = await (await fetch(service?.metricsUrl ?? '')).text();
    await stop();
    const metrics = collector.metrics();
    const exposed = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
    expect([...metrics.keys()]).toEqual(expect.arrayContaining(exposed));
    const labels = (route: string) => [
      { key: 'route', value: { stringValue: route } },
      ...[{ key: 'status', value: { stringValue: '200' } }],
    ];
    expect(metrics.get('grainline_requests_total')).toMatchObject({ kind: 'sum' });
    expect(metrics.get('grainline_requests_total')?.points).toContainEqual(
      expect.objectContaining({ attributes: labels('/health'), asDouble: 3 }),
    );
    const durations = metrics.get('grainline_request_duration_seconds');
    expect(durations?.kind).toBe('histogram');
    expect(durations?.points[0]).toMatchObject({ count: 3 });
  });

  it('is off without its setting, and ends in time while the collector is away', async () => {
    service = await startTestService({ PAYMENTS: 'off', DRAIN_MS: '0' }, { telemetry: { load: loadPeer } });
    await (await fetch(`${service.url}/health`)).text();
    await stop();
    expect(collector.text()).toBe('');
    const away = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const { url } = await start({ PAYMENTS: 'off', ...away });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await stop();
  });
});

it('telemetry without its packages is one sentence at the start', async () => {
  const missing = Object.assign(new Error('no package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const { url, logged } = await start({}, { telemetry: { load: () => Promise.reject(missing) } });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(logged.filter(({ level }) => level === 40).map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/OpenTelemetry is not installed.*npm install @opentelemetry\/api@1 /),
  );
});
