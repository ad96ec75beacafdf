// The tier ai over HTTP: child processes without key and address, a language model on a socket, and payments that are
// released after its failures.
import { chunk, type Complete, type TierId } from '@grainline/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deploymentOf } from '../../src/catalog.ts';
import { type LanguageModel, NO_LANGUAGE_MODEL } from '../../src/models/language-model.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createWorkerPool, type WorkerPool } from '../../src/sandbox/index.ts';
import { paidService } from '../payments/paid-service.ts';
import { FROM_SOURCES, SETTINGS } from '../sandbox/tasks.ts';
import { type Answered, ask, fakeService, form } from '../http/fake-service.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import {
  environmentOf,
  everyFourth,
  KEY,
  languageModelOf,
  type ModelServer,
  onlyProbes,
  type Respond,
  startModelServer,
} from './model-server.ts';

const TEXT = Array.from({ length: 24 }, (_, at) => `It was said ${at} times that the tide was late.`).join(
  ' ',
);
/** Several windows. */
const LONG = Array.from({ length: 900 }, (_, at) => `It was said ${at} times that the tide was late.`).join(
  ' ',
);
const PRICE = 10_000n;

let server: ModelServer | undefined;
let model: LanguageModel | undefined;
let workerPool: WorkerPool | undefined;
afterEach(async () => {
  await model?.close();
  await server?.stop();
  server = model = undefined;
});

/** The start of processes dominates, so all tests share them; they call the model of the current test. */
beforeAll(() => {
  const settings = { ...SETTINGS, workers: 1, aiAtOnce: 2 };
  const completeFor = (tier: TierId): Complete => (model ?? NO_LANGUAGE_MODEL).completeFor(tier);
  workerPool = createWorkerPool(settings, { ...FROM_SOURCES, completeFor });
});
afterAll(() => workerPool?.close());

interface Parts {
  readonly server: ModelServer;
  readonly environment: Readonly<Record<string, string>>;
  readonly parts: Partial<ServiceDeps>;
}

async function start(
  say: Respond = everyFourth,
  more: Readonly<Record<string, string>> = {},
): Promise<Parts> {
  const started = (server = await startModelServer(say));
  const environment = { ...environmentOf(started), ...more };
  const { model: languageModel } = await languageModelOf(environment);
  model = languageModel;
  return {
    server: started,
    environment,
    parts: { languageModel, ...(workerPool === undefined ? {} : { workerPool }) },
  };
}

const free = async (
  say?: Respond,
  more?: Readonly<Record<string, string>>,
): Promise<Parts & { service: ServiceDeps }> => {
  const started = await start(say, more);
  return { ...started, service: fakeService({ ...started.environment, PAYMENTS: 'off' }, started.parts) };
};
const post = (service: ServiceDeps, fields: object, headers = {}): Promise<Answered> =>
  ask(service, 'POST /chunk', {
    body: JSON.stringify({ tier: 'ai', text: TEXT, chunk_size: 400, ...fields }),
    headers: { 'content-type': 'application/json', ...headers },
  });

/** The library's chunks for the same answers of the model. */
async function expected(text: string, size: number): Promise<string[]> {
  const complete: Complete = ({ messages, maxTokens }) => {
    const reply = everyFourth({
      key: undefined,
      model: 'small',
      maxTokens,
      content: messages.at(-1)?.content ?? '',
      isProbe: false,
    });
    const value = typeof reply === 'object' && 'value' in reply ? reply.value : undefined;
    const usage = { input: 0, cachedInput: 0, output: 0 };
    return Promise.resolve({ value, model: 'small', usage, stopReason: 'stop' });
  };
  const chunks = await chunk(text, { tier: 'ai', size, kind: 'text', complete });
  return chunks.map((piece) => piece.text);
}

describe('the tier ai', () => {
  it('cuts as in the library, and tells what the model did', async () => {
    const { service, server } = await free();
    const { status, json } = await post(service, {});
    expect(status).toBe(200);
    const texts = (json['chunks'] as { text: string }[]).map(({ text }) => text);
    expect(texts).toEqual(await expected(TEXT, 400));
    expect(json).toMatchObject({
      tier: 'ai',
      payment: { amount: 0 },
      metadata: {
        language_model: {
          model: 'small',
          prompt_version: expect.any(String) as string,
          windows: 1,
          windows_fallback: [],
          usage: { calls: 1, cached_input_tokens: 0, output_tokens: 20 },
        },
      },
    });
    expect(server.requests.every(({ key }) => key === `Bearer ${KEY}`)).toBe(true);
  });

  it('names no model for a text of one piece, about which there is nothing to ask', async () => {
    const { service, server } = await free();
    const { status, json } = await post(service, { text: 'One thing.' });
    expect(status).toBe(200);
    const { language_model: work } = json['metadata'] as { language_model: object };
    expect(work).toMatchObject({ usage: { calls: 0 } });
    expect(work).not.toHaveProperty('model');
    expect(server.requests).toEqual([]);
  });

  it('takes uploads, and all options of the structure', async () => {
    const { service } = await free();
    const body = form(TEXT);
    const { status, json } = await ask(service, 'POST /chunk/ai', { body });
    expect([status, json['tier']]).toEqual([200, 'ai']);
  });

  it('answers with vectors when asked, where there is an embedder', async () => {
    const { service, environment, parts } = await free();
    const { status, json } = await post(service, { embeddings: true });
    const records = json['chunks'] as { embedding?: number[] }[];
    expect([status, records.length > 1]).toEqual([200, true]);
    for (const { embedding } of records) expect(embedding).toHaveLength(160);
    expect(json['embedding']).toMatchObject({ model: 'grainline-static-160-log-sqrt', dimensions: 160 });
    const { json: plain } = await post(service, {});
    expect((plain['chunks'] as object[]).some((record) => 'embedding' in record)).toBe(false);
    const without = fakeService({ ...environment, PAYMENTS: 'off', EMBEDDINGS: 'off' }, parts);
    expect((await post(without, {})).status).toBe(200);
    const refused = await post(without, { embeddings: true });
    expect([refused.status, refused.json['message']]).toEqual([
      400,
      expect.stringContaining('embeddings is an option of no tier here') as string,
    ]);
  });

  it('lists windows for which the model gave no usable answer', async () => {
    const { service } = await free(
      onlyProbes((request) =>
        request.content.includes('It was said 0 times')
          ? { value: { cuts: [999_999] } }
          : everyFourth(request),
      ),
    );
    const { json } = await post(service, { text: LONG });
    const { windows, windows_fallback: fallen } = (
      json['metadata'] as { language_model: { windows: number; windows_fallback: number[] } }
    ).language_model;
    expect(windows).toBeGreaterThan(2);
    expect(fallen).toEqual([0]);
  });

  it('is listed with its caps and the model that sees text', async () => {
    const { service, server } = await free();
    const { json } = await ask(service, 'GET /');
    const tier = (json['tiers'] as { id: string }[]).find(({ id }) => id === 'ai');
    expect(tier).toMatchObject({ available: true, max_cost_usd: 0.008, models: ['small'], scripted: false });
    expect(json['privacy']).toMatchObject({
      outside_models: [
        { host: new URL(server.baseUrl).host, models: ['small'], tiers: ['ai', 'ai-pro'], scripted: false },
      ],
    });
    expect(JSON.stringify(json)).not.toContain(KEY);
  });

  it('of a script says so wherever it is named', async () => {
    const { service } = await free(everyFourth, { AI_MODEL: 'scripted' });
    const { json } = await ask(service, 'GET /');
    const tier = (json['tiers'] as { id: string }[]).find(({ id }) => id === 'ai');
    expect(tier).toMatchObject({
      scripted: true,
      description: expect.stringContaining('Scripted') as string,
    });
    const { json: answer } = await post(service, {});
    expect(answer['metadata']).toMatchObject({ language_model: { model: 'scripted' } });
  });

  it('without a model is refused before anything is read or paid, never by another tier', async () => {
    const service = paidService();
    const { status, json, bodyWasRead } = await ask(service, 'POST /chunk/ai', {
      body: form(TEXT),
      headers: { 'x-payment': service.chain.pay(PRICE) },
    });
    expect([status, json['code'], bodyWasRead]).toEqual([503, 'tier_unavailable', false]);
    expect(json['message']).toContain('AI_MODEL');
  });
});

describe('a payment for the tier ai', () => {
  it('buys it', async () => {
    const { environment, parts } = await start();
    const service = paidService(environment, parts);
    const headers = { 'x-payment': service.chain.pay(PRICE) };
    const first = await post(service, {}, headers);
    expect([first.status, first.json['payment']]).toMatchObject([200, { amount: 10_000 }]);
    // The same payment again gets the same answer without a model call.
    const calls = server?.requests.length;
    expect((await post(service, {}, headers)).text).toBe(first.text);
    expect(server?.requests.length).toBe(calls);
  });

  it.each([
    ['completion_failed', { status: 401 }],
    ['too_many_fallbacks', { value: { cuts: [999_999] } }],
  ] as const)('is given back when there is %s, as often as it happens', async (code, reply) => {
    const { environment, parts, server } = await start();
    const service = paidService(environment, parts);
    const headers = { 'x-payment': service.chain.pay(PRICE) };
    const earlier = { 'x-payment': service.chain.pay(PRICE) };
    const bought = await post(service, { text: `${TEXT} Once more.` }, earlier);
    expect(bought.status).toBe(200);
    server.respond = onlyProbes(() => reply);
    const { status, json } = await post(service, {}, headers);
    expect([status, json]).toMatchObject([503, { code, retryable: true, payment: { reusable: true } }]);
    expect(JSON.stringify(json)).not.toContain(KEY);
    if (code === 'completion_failed') {
      // Between two probes the next client is rejected before any payment.
      const next = await post(service, {}, headers);
      expect([next.status, next.json['code']]).toEqual([503, 'tier_unavailable']);
      // An earlier payment gets its answer.
      expect((await post(service, { text: `${TEXT} Once more.` }, earlier)).text).toBe(bought.text);
    } else {
      // More often than the tries of a payment for errors of a document.
      for (let time = 0; time < 6; time++)
        expect((await post(service, {}, headers)).json).toMatchObject({ code, payment: { reusable: true } });
    }
  });

  it('is given back when the model is too slow', async () => {
    const { environment, parts } = await start(
      onlyProbes(() => 'none'),
      { AI_TIMEOUT_MS: '1500' },
    );
    const service = paidService(environment, parts);
    const headers = { 'x-payment': service.chain.pay(PRICE) };
    const { status, json } = await post(service, {}, headers);
    expect([status, json]).toMatchObject([503, { code: 'model_timeout', payment: { reusable: true } }]);
  });

  it('is not asked for a text that is too long for what it may cost', async () => {
    const { environment, parts, server } = await start(everyFourth, { AI_MAX_COST_USD: '0.001' });
    const service = paidService(environment, parts);
    const { tiers } = deploymentOf(readSettings({ ...environment, PAY_TO: service.settings.payTo ?? '' }));
    const most = tiers.find(({ id }) => id === 'ai')?.maxCharacters ?? 0;
    const { status, json } = await post(service, { text: 'A word. '.repeat(most / 8 + 1) });
    expect([status, json]).toMatchObject([
      413,
      { code: 'too_many_characters', limit: { max_characters: most } },
    ]);
    expect(server.requests).toEqual([]);
  });

  it('is free again when only a look at the document shows that it costs too much', async () => {
    const { environment, parts, server } = await start(everyFourth, { AI_MAX_COST_USD: '0.003' });
    const service = paidService(environment, parts);
    const headers = { 'x-payment': service.chain.pay(PRICE) };
    // At least one token for each character; prose has four characters a token.
    const { status, json } = await post(service, { text: '潮汐昨天来得很晚。'.repeat(1300) }, headers);
    expect([status, json]).toMatchObject([
      413,
      { code: 'too_expensive', limit: { max_cost_usd: 0.003 }, payment: { reusable: true } },
    ]);
    expect(server.requests).toEqual([]);
    expect((await post(service, {}, headers)).status).toBe(200);
  });
});

describe('documents that wait for a language model', () => {
  it('hold up no others, and are refused when too many wait', async () => {
    const { service, server } = await free(
      onlyProbes(() => 'none'),
      { AI_AT_ONCE: '2' },
    );
    // Two are in work, two wait, each of another client.
    const waiting = Array.from({ length: 4 }, (_, at) =>
      ask(service, 'POST /chunk/ai', { body: form(TEXT), client: `192.0.2.${at + 1}` }),
    );
    await server.received(2);
    while (service.modelPlaces.load().waiting < 2) await new Promise((resolve) => setImmediate(resolve));
    const refused = await ask(service, 'POST /chunk/ai', { body: form(TEXT), client: '192.0.2.9' });
    expect([refused.status, refused.json['code'], refused.bodyWasRead]).toEqual([503, 'busy', false]);
    expect(refused.headers['Retry-After']).toBe('5');
    // The one process for other documents is free. It takes a document too large for the server itself.
    const other = await ask(service, 'POST /chunk/structure', { body: form(LONG), client: '192.0.2.5' });
    expect(other.status).toBe(200);
    server.release(everyFourth);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('end with their clients', async () => {
    const { service, server } = await free(
      onlyProbes(() => 'none'),
      { AI_AT_ONCE: '1' },
    );
    const gone = new AbortController();
    const left = ask(service, 'POST /chunk/ai', { body: form(TEXT), signal: gone.signal });
    await server.received(1);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    server.respond = everyFourth;
    expect((await ask(service, 'POST /chunk/ai', { body: form(TEXT) })).status).toBe(200);
  });
});
