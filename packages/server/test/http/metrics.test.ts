// The metrics on METRICS_PORT after known requests, parsed by the rules of the Prometheus text format.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chunk } from '@grainline/core';
import { PaymentProblem } from '@grainline/x402';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { createLanguageModel } from '../../src/models/language-model.ts';
import { createMeters } from '../../src/metrics/meters.ts';
import { metricsTable } from '../../src/metrics/table.ts';
import { createRegistry } from '../../src/metrics/registry.ts';
import { startService } from '../../src/main/server.ts';
import { readSettings, SettingsError } from '../../src/settings/settings.ts';
import type { WorkerTask } from '../../src/sandbox/index.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { type Metric, readExposition } from './exposition.ts';
import { environmentOf, everyFourth, onlyProbes, startModelServer } from '../models/model-server.ts';
import { form, inlineWorkerPool, memoryDownloader, memoryStore } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';

const DOCS = readFileSync(join(import.meta.dirname, '../../../../docs/deploy.md'), 'utf8');

let running: TestService | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function look(service: TestService): Promise<Map<string, Metric>> {
  const response = await fetch(service.metricsUrl ?? '');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return readExposition(await response.text());
}

const read = (metrics: Map<string, Metric>, name: string, labels: string): number | undefined =>
  metrics.get(name)?.samples.get(labels);

describe('the metrics of a service', () => {
  it('count requests, refusals and calls of the store', async () => {
    running = await startTestService({ METRICS_PORT: '0', FREE_PAGES_PER_DAY: '1', PAYMENTS: 'off' });
    const { url } = running;
    const post = async () => {
      await (await fetch(`${url}/chunk/demo`, { method: 'POST', body: form('Text.') })).text();
    };
    await post();
    await post();
    await post();
    await (await fetch(`${url}/results/free_000000000000`)).text();
    await (await fetch(`${url}/nowhere/${'x'.repeat(50)}`)).text();
    const metrics = await look(running);
    expect(read(metrics, 'grainline_requests_total', '{route="/chunk/{tier}",status="200"}')).toBe(1);
    expect(read(metrics, 'grainline_requests_total', '{route="/chunk/{tier}",status="429"}')).toBe(2);
    expect(read(metrics, 'grainline_requests_total', '{route="/results/{id}",status="404"}')).toBe(1);
    expect(read(metrics, 'grainline_requests_total', '{route="none",status="404"}')).toBe(1);
    expect(read(metrics, 'grainline_refusals_total', '{code="quota_exceeded"}')).toBe(2);
    expect(read(metrics, 'grainline_request_duration_seconds', '_count{route="/chunk/{tier}"}')).toBe(3);
    expect(read(metrics, 'grainline_store_duration_seconds', '_count{call="takeQuota"}')).toBe(1);
    expect(read(metrics, 'grainline_store_duration_seconds', '_count{call="getResult"}')).toBe(1);
    for (const place of ['bodies', 'links']) {
      expect(read(metrics, 'grainline_in_work', `{place="${place}"}`)).toBe(0);
      expect(read(metrics, 'grainline_waiting', `{place="${place}"}`)).toBe(0);
    }
    expect(read(metrics, 'process_resident_memory_bytes', '{}')).toBeGreaterThan(10_000_000);
    expect(metrics.get('nodejs_eventloop_lag_seconds')?.samples.size).toBe(3);
    const ofProcess = [...metrics.keys()].filter((name) => !name.startsWith('grainline_'));
    for (const name of ofProcess) expect(DOCS).toContain(`\`${name}\``);
    const ofService = [...metrics.keys()].filter((name) => name.startsWith('grainline_'));
    for (const name of ofService) expect(metricsTable()).toContain(`| \`${name}\` |`);
  });

  it('count payments by what came of them', async () => {
    const chain = fakeChain(Date.now);
    const environment = { METRICS_PORT: '0', PAY_TO, PAYMENT_WAIT_MS: '0' };
    running = await startTestService(environment, {
      paymentNetwork: fakePaymentNetwork(chain, readSettings(environment)),
    });
    const { url } = running;
    const buy = async (proof?: string) => {
      const headers: Record<string, string> = proof === undefined ? {} : { 'x-payment': proof };
      const response = await fetch(`${url}/chunk/structure`, {
        method: 'POST',
        headers,
        body: form('Text.'),
      });
      await response.text();
      return response.status;
    };
    const proof = chain.pay(10_000_000n);
    expect([await buy(), await buy(chain.invent()), await buy(proof), await buy(proof)]).toEqual([
      402, 402, 200, 200,
    ]);
    const metrics = await look(running);
    const outcomes = Object.fromEntries(metrics.get('grainline_payments_total')?.samples ?? []);
    expect(outcomes).toMatchObject({ '{outcome="sold"}': 1, '{outcome="replayed"}': 1 });
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(4);
  });

  it('count what a store cannot do', async () => {
    const store = { ...memoryStore(Date.now), getResult: () => Promise.reject(new Error('a defect')) };
    running = await startTestService({ METRICS_PORT: '0' }, { store });
    expect((await fetch(`${running.url}/results/free_000000000000`)).status).toBe(500);
    const metrics = await look(running);
    expect(read(metrics, 'grainline_store_failures_total', '{call="getResult",code="defect"}')).toBe(1);
  });

  it('count look-ups on the chain, and calls of endpoints that fail', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const limited = createServer((_, response) => void response.writeHead(429).end());
    limited.listen(0, '127.0.0.1');
    await once(limited, 'listening');
    const urls = [port, (limited.address() as AddressInfo).port].map(
      (at) => `http://127.0.0.1:${at}/?key=secret`,
    );
    running = await startTestService({
      METRICS_PORT: '0',
      PAY_TO,
      NETWORK: 'solana-localnet',
      USDC_MINT: PAY_TO,
      SOLANA_RPC_URLS: urls.join(','),
    });
    const response = await fetch(running.metricsUrl ?? '');
    const text = await response.text();
    limited.close();
    const metrics = readExposition(text);
    const failures = metrics.get('grainline_rpc_failures_total')?.samples;
    expect(failures?.get('{endpoint="1",cause="unreachable"}')).toBeGreaterThan(0);
    expect(failures?.get('{endpoint="2",cause="429"}')).toBeGreaterThan(0);
    expect(text).not.toContain('secret');
  });

  it('count calls, tokens and cost of the language model by tier and model', async () => {
    let answers = 0;
    const model = await startModelServer(
      onlyProbes((request) => {
        const reply = everyFourth(request);
        if (++answers === 1) return { value: 'No cuts.', tokens: { input: 1000, output: 10 } };
        return typeof reply === 'object' && 'value' in reply
          ? { ...reply, tokens: { input: 1000, output: 20 } }
          : reply;
      }),
    );
    const meters = createMeters('1.0.0');
    const languageModel = createLanguageModel({
      settings: readSettings(environmentOf(model)),
      log: { info: () => undefined, warn: () => undefined },
      now: Date.now,
      onEvent: (tier, event) => meters.model(tier, event),
    });
    const complete = languageModel.completeFor('ai');
    const text = 'One thing. Another thing. '.repeat(20);
    expect((await chunk(text, { tier: 'ai', complete })).length).toBeGreaterThan(0);
    const url = await meters.listen('127.0.0.1', 0);
    const metrics = readExposition(await (await fetch(url)).text());
    await Promise.all([meters.close(), languageModel.close(), model.stop()]);
    const of = (name: string, labels = ''): number | undefined =>
      read(metrics, `grainline_model_${name}`, `{tier="ai",model="small"${labels}}`);
    expect(of('calls_total')).toBe(2);
    expect(of('failures_total', ',code="wrong_answer"')).toBe(1);
    expect(of('tokens_total', ',kind="input"')).toBe(2000);
    expect(of('tokens_total', ',kind="cached_input"')).toBe(0);
    expect(of('tokens_total', ',kind="output"')).toBe(30);
    // At $0.15 and $0.60 a million.
    expect(of('cost_usd_total')).toBeCloseTo((2000 * 0.15 + 30 * 0.6) / 1e6, 12);
  });

  it('know how many documents are in work, also where that fails', async () => {
    const meters = createMeters('1.0.0');
    const url = await meters.listen('127.0.0.1', 0);
    const inWork = async (): Promise<number | undefined> =>
      read(readExposition(await (await fetch(url)).text()), 'grainline_documents', '{}');
    const failing = Promise.withResolvers<never>();
    const workerPool = meters.workerPool({ ...inlineWorkerPool, run: () => failing.promise });
    const run = () => workerPool.run({} as WorkerTask, { signal: new AbortController().signal });
    expect(await inWork()).toBe(0);
    const runs = [run(), run()];
    expect(await inWork()).toBe(2);
    failing.reject(new Error('a defect'));
    await Promise.allSettled(runs);
    expect(await inWork()).toBe(0);
    await meters.close();
  });

  it('count what the chain finds', async () => {
    const meters = createMeters('1.0.0');
    const chain = fakeChain(Date.now);
    const watched = meters.chain(chain);
    const find = (key: string) => watched.find(key, { waitMs: 0, signal: new AbortController().signal });
    await find(chain.pay(5n));
    await find(chain.invent());
    chain.breakDown(new PaymentProblem('chain_unavailable'));
    await expect(find(chain.invent())).rejects.toThrow();
    const url = await meters.listen('127.0.0.1', 0);
    const metrics = readExposition(await (await fetch(url)).text());
    await meters.close();
    const { samples } = metrics.get('grainline_chain_lookups_total')!;
    expect(Object.fromEntries(samples)).toEqual({
      '{finding="found"}': 1,
      '{finding="unknown"}': 1,
      '{finding="error"}': 1,
    });
    expect(read(metrics, 'grainline_chain_lookup_duration_seconds', '_count{}')).toBe(3);
  });

  it('are served on their own port alone, at one path, and end with the service', async () => {
    running = await startTestService({ METRICS_PORT: '0' });
    const { url, metricsUrl = '' } = running;
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(new URL('/', metricsUrl))).status).toBe(404);
    expect((await fetch(metricsUrl, { method: 'POST', body: 'x' })).status).toBe(405);
    expect(new URL(metricsUrl).hostname).toBe('127.0.0.1');
    await running.stop();
    await expect(fetch(metricsUrl)).rejects.toThrow('fetch failed');
  });

  it('are absent by default', async () => {
    running = await startTestService();
    expect(running.metricsUrl).toBeUndefined();
  });

  it('keep a service from starting when their port is taken', async () => {
    running = await startTestService({ METRICS_PORT: '0' });
    const taken = new URL(running.metricsUrl ?? '').port;
    const starting = startService(readSettings({ PORT: '0', METRICS_PORT: taken, PAYMENTS: 'off' }), {
      store: memoryStore(Date.now),
      workerPool: inlineWorkerPool,
      downloader: memoryDownloader(),
      log: { write: () => undefined },
    });
    await expect(starting).rejects.toThrow(/METRICS_PORT .*EADDRINUSE/);
  });

  it('want a port', () => {
    expect(() => readSettings({ METRICS_PORT: '70000' })).toThrow(SettingsError);
  });
});

describe('the text of metrics', () => {
  it('keeps to the format whatever stands in help and labels', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\\', '"', '\n', ' ', '}', ',', 'ä') }),
        fc.array(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
        (text, values) => {
          const registry = createRegistry();
          registry.counter('a_total', `of ${text}`).add({ label: text }, 2);
          const histogram = registry.histogram('seconds', 'of time', [0.1, 1, 10]);
          for (const value of values) histogram.observe(value, { label: text });
          registry.gauge('now', 'at the moment', () => values.slice(0, 1).map((value) => [value]));
          registry.gauge('empty', 'nothing', () => []);
          const metrics = readExposition(registry.text());
          expect([...metrics.keys()]).toEqual(['a_total', 'seconds', 'now']);
          const samples = [...(metrics.get('seconds')?.samples ?? [])];
          const counts = samples.filter(([key]) => key.startsWith('_bucket')).map(([, count]) => count);
          const below = (bound: number): number => values.filter((value) => value <= bound).length;
          expect(counts).toEqual([below(0.1), below(1), below(10), values.length]);
        },
      ),
      cases(100),
    );
  });

  it('has no name twice, and none that is no name', () => {
    const registry = createRegistry();
    registry.counter('a_total', 'of a');
    expect(() => registry.counter('a_total', 'of a')).toThrow('a_total');
    expect(() => registry.counter('a b', 'of a')).toThrow('a b');
  });
});
