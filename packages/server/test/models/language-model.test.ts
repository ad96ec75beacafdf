// The availability of a service's language model: probed at the start, every five minutes, and after a failed call.
import { afterEach, describe, expect, it } from 'vitest';
import type { Complete } from '@grainline/core';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { startService } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { inlineWorkerPool, memoryDownloader, memoryStore } from '../http/fake-service.ts';
import { fakeChain, PAY_TO } from '../payments/fake-chain.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import {
  createTimers,
  environmentOf,
  everyFourth,
  KEY,
  languageModelOf,
  type Logged,
  type ModelServer,
  onlyProbes,
  startModelServer,
  type Timers,
} from './model-server.ts';

let server: ModelServer | undefined;
let model: LanguageModel | undefined;
afterEach(async () => {
  await model?.close();
  await server?.stop();
  server = model = undefined;
});

interface Started {
  readonly server: ModelServer;
  readonly model: LanguageModel;
  readonly timers: Timers;
  readonly logged: Logged[];
}

async function start(say = everyFourth, more: Readonly<Record<string, string>> = {}): Promise<Started> {
  const timers = createTimers();
  const started = await startModelServer(say);
  server = started;
  const created = await languageModelOf({ ...environmentOf(started), ...more }, timers);
  model = created.model;
  return { server: started, timers, ...created };
}

/** Runs the next probe and waits for its end, when the following one is scheduled. */
async function probeAgain(timers: Timers): Promise<number> {
  timers.runNext();
  while (timers.waiting().length === 0) await new Promise((resolve) => setImmediate(resolve));
  return timers.waiting()[0] ?? 0;
}

const REQUEST: Parameters<Complete>[0] = {
  messages: [{ role: 'user', content: 'Which of the units 2 to 9 begin a new passage?' }],
  schema: {
    type: 'object',
    properties: { cuts: { type: 'array', items: { type: 'integer' } } },
    required: ['cuts'],
    additionalProperties: false,
  },
  maxTokens: 100,
};
const sentences = (logged: readonly Logged[]): string[] => logged.map(([, , sentence]) => sentence);

describe('a language model', () => {
  it('that answers can be used, and is tried every five minutes without a word', async () => {
    const { model, timers, logged, server } = await start();
    expect(model.unavailableReason()).toBeNull();
    expect(model.outside).toEqual({ host: new URL(server.baseUrl).host, models: ['small'], scripted: false });
    for (let time = 0; time < 3; time++) expect(await probeAgain(timers)).toBe(300_000);
    expect(server.probes).toHaveLength(4);
    expect(sentences(logged)).toEqual(['the language model answers']);
  });

  it('whose key is wrong cannot; the operator reads it once, the key never', async () => {
    const { model, timers, logged, server } = await start(() => ({ status: 401 }));
    expect(model.unavailableReason()).toContain('refuses');
    for (const waitMs of [2000, 4000, 8000]) expect(await probeAgain(timers)).toBe(waitMs);
    expect(logged).toHaveLength(1);
    expect(logged[0]?.[0]).toBe('warn');
    expect(JSON.stringify(logged.map(([, about]) => String(about['err'])))).toContain('401');
    expect(JSON.stringify(logged.map(([, about]) => [about, String(about['err'])]))).not.toContain(KEY);
    server.respond = everyFourth;
    expect(await probeAgain(timers)).toBe(300_000);
    expect(model.unavailableReason()).toBeNull();
    expect(sentences(logged).at(-1)).toBe('the language model answers');
  });

  it('is tried less and less often, five minutes apart at most', async () => {
    const { timers } = await start(() => ({ status: 500 }));
    let last = 0;
    for (let time = 0; time < 12; time++) last = await probeAgain(timers);
    expect(last).toBe(300_000);
  });

  it('that can be reached no more is not there, and the operator reads why', async () => {
    const { model, timers, logged, server } = await start();
    await server.stop();
    await probeAgain(timers);
    expect(model.unavailableReason()).toContain('does not answer');
    expect(String(logged.at(-1)?.[1]['err'])).toContain('could not be reached');
  });

  it.each([
    [401, 'refuses'],
    [404, 'refuses'],
    [500, 'does not answer'],
  ])(
    'is gone at once when a question meets status %i, until a try succeeds',
    async (status, words) => {
      const { model, timers, server, logged } = await start();
      server.respond = onlyProbes(() => ({ status }));
      const complete = model.completeFor('ai');
      const call = complete(REQUEST, { signal: AbortSignal.timeout(20_000) });
      await expect(call).rejects.toMatchObject({ code: status === 500 ? 'unavailable' : 'rejected' });
      expect(model.unavailableReason()).toContain(words);
      expect(timers.waiting()).toEqual([1000]);
      expect(await probeAgain(timers)).toBe(300_000);
      expect(model.unavailableReason()).toBeNull();
      // A model that fails again at once gets a longer pause.
      await expect(complete(REQUEST, {})).rejects.toThrow();
      expect(timers.waiting()).toEqual([2000]);
      expect(logged.filter(([level]) => level === 'warn')).toHaveLength(2);
    },
    40_000,
  );

  it('stays when it refuses one question for its own sake', async () => {
    const { model, server } = await start();
    server.respond = onlyProbes(() => ({ status: 400 }));
    await expect(model.completeFor('ai')(REQUEST, {})).rejects.toMatchObject({ code: 'rejected' });
    expect(model.unavailableReason()).toBeNull();
  });

  it('stays available when the caller of an open request leaves', async () => {
    const { model, server } = await start();
    server.respond = onlyProbes(() => 'none');
    const gone = new AbortController();
    const call = model.completeFor('ai')(REQUEST, { signal: gone.signal });
    await server.received(1);
    gone.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    expect(model.unavailableReason()).toBeNull();
  });

  it('of several is there as long as one of them answers', async () => {
    const { model, server } = await start(
      (request) => (request.model === 'first' ? { status: 404 } : everyFourth(request)),
      { AI_MODEL: 'first, second' },
    );
    expect(model.unavailableReason()).toBeNull();
    const { model: answered } = await model.completeFor('ai')(REQUEST, {});
    expect([answered, server.requests.map((request) => request.model)]).toEqual([
      'second',
      ['first', 'second'],
    ]);
  });

  it('that does not answer does not hold up the start', async () => {
    const timers = createTimers();
    const silent = await startModelServer(() => 'none');
    server = silent;
    const starting = languageModelOf(environmentOf(silent), timers);
    while (timers.waiting().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(timers.waiting()).toEqual([10_000]);
    timers.runNext();
    ({ model } = await starting);
    expect(model.unavailableReason()).toContain('has not answered yet');
  });

  it('is known as a script by its name', async () => {
    const { model, logged } = await start(everyFourth, { AI_MODEL: 'scripted' });
    expect(model.outside?.scripted).toBe(true);
    expect(sentences(logged).join()).toContain('scripted');
  });

  it('is none without AI_MODEL', async () => {
    ({ model } = await languageModelOf({}));
    expect([model.outside, model.unavailableReason()]).toEqual([null, 'This service has no language model.']);
  });

  it('and the chain are asked at the same time when a service starts', async () => {
    const called = Promise.withResolvers<undefined>();
    server = await startModelServer((request) => {
      called.resolve(undefined);
      return everyFourth(request);
    });
    const settings = readSettings({
      ...{ ...environmentOf(server), AI_MODEL: 'scripted', PORT: '0', PAY_TO, SHUTDOWN_MS: '0' },
    });
    const paymentNetwork = fakePaymentNetwork(fakeChain(Date.now), settings);
    const service = await startService(settings, {
      store: memoryStore(),
      downloader: memoryDownloader(),
      workerPool: inlineWorkerPool,
      log: { write: () => undefined },
      // A chain that answers only after the model's first call.
      paymentNetwork: (store) => {
        const network = paymentNetwork(store);
        return { ...network, connect: (signal) => called.promise.then(() => network.connect(signal)) };
      },
    });
    await service.ready;
    expect((await fetch(`${service.url}/ready`)).status).toBe(200);
    await service.stop();
  });
});
