// A service whose embedder is another service: a real one on a socket, asked by the server for child processes that
// know neither key nor address.
import { chunk, type Embed } from '@grainline/core';
import { staticEmbedder } from '@grainline/models/embeddings';
import { afterEach, describe, expect, it } from 'vitest';
import { embedderOf } from '../../src/models/embedder.ts';
import { readSettings, SettingsError } from '../../src/settings/settings.ts';
import { createWorkplace, type Workplace } from '../../src/workplace/index.ts';
import { paidService } from '../payments/paid-service.ts';
import { FROM_SOURCES, SETTINGS, textTask } from '../workplace/tasks.ts';
import {
  BODY,
  type EmbeddingService,
  embeddingWorkplace,
  KEY,
  startEmbeddings,
  TEXT,
  vectors,
} from './embedding-service.ts';
import { ask, fakeService } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';

const none = new AbortController().signal;

let embeddings: EmbeddingService | undefined;
let workplace: Workplace | undefined;
let running: TestService | undefined;

afterEach(async () => {
  await running?.stop();
  await workplace?.close();
  embeddings?.stop();
  running = workplace = embeddings = undefined;
});

/** Starts a service of embeddings and returns the settings that lead to it. */
async function start(answer: Embed | { readonly status: number }): Promise<Readonly<Record<string, string>>> {
  embeddings = await startEmbeddings((response, texts) => {
    if ('status' in answer) {
      response.writeHead(answer.status).end(JSON.stringify({ error: { message: `no: ${KEY}` } }));
      return;
    }
    void answer(texts, {}).then((found) => {
      vectors(
        response,
        found.vectors.map((vector) => Array.from(vector)),
      );
    });
  });
  return embeddings.environment;
}

async function workplaceOf(environment: Readonly<Record<string, string>>): Promise<Workplace> {
  workplace = await embeddingWorkplace(environment);
  return workplace;
}

const zeros: Embed = (texts) =>
  Promise.resolve({ model: 'small', dimensions: 2, vectors: texts.map(() => [0, 0]) });

describe('an embedder behind HTTP', () => {
  it('cuts as in the library, names model and dimensions, and is asked by the server alone', async () => {
    const environment = await start(await staticEmbedder());
    const service = fakeService(
      { ...environment, PAYMENTS: 'off' },
      { workplace: await workplaceOf(environment) },
    );
    const { status, json } = await ask(service, 'POST /chunk', { body: JSON.stringify(BODY) });
    expect(status).toBe(200);
    expect(json['embedding']).toMatchObject({ model: 'small', dimensions: 160 });
    const embed = await staticEmbedder();
    const here = await chunk(TEXT, { tier: 'semantic', size: 300, kind: 'text', embed });
    expect(here.length).toBeGreaterThan(2);
    expect((json['chunks'] as { text: string }[]).map(({ text }) => text)).toEqual(
      here.map(({ text }) => text),
    );
    const asked = embeddings?.asked ?? [];
    expect(asked.every(({ key }) => key === `Bearer ${KEY}`)).toBe(true);
    // The same document again is asked about no more.
    const before = asked.length;
    await ask(service, 'POST /chunk', { body: JSON.stringify(BODY) });
    expect([before > 0, asked.length]).toEqual([true, before]);
  });

  it('that fails is tried again by the same payment as often as a client likes', async () => {
    const environment = await start({ status: 401 });
    const service = paidService(environment, { workplace: await workplaceOf(environment) });
    const proof = service.chain.pay(4000n);
    // More often than a payment may be tried for a client's own faults.
    for (let time = 0; time < 5; time++) {
      const { status, json } = await ask(service, 'POST /chunk', {
        body: JSON.stringify(BODY),
        headers: { 'content-type': 'application/json', 'x-payment': proof },
      });
      expect([status, json]).toMatchObject([
        503,
        { code: 'embedding_failed', retryable: true, payment: { reusable: true } },
      ]);
    }
  });

  it('goes on with the next document after one that failed', async () => {
    const embed = await staticEmbedder();
    let fails = true;
    const moody: Embed = (texts, run) => (fails ? zeros(texts, run) : embed(texts, run));
    const environment = await start(moody);
    const place = await workplaceOf(environment);
    const task = textTask(TEXT, {}, { tier: 'semantic', size: 300 });
    await expect(place.run(task, { signal: none })).rejects.toMatchObject({ code: 'wrong_embeddings' });
    fails = false;
    expect((await place.run(task, { signal: none })).totalChunks).toBeGreaterThan(2);
  });

  it('is not asked for tiers that do not embed', async () => {
    const place = await workplaceOf(await start(zeros));
    const task = textTask(TEXT.repeat(400), {}, { tier: 'structure', size: 300 });
    expect((await place.run(task, { signal: none })).totalChunks).toBeGreaterThan(100);
    expect(embeddings?.asked).toEqual([]);
  });

  it('that hangs ends with the request, or when its time is over', async () => {
    const hangs: Embed = () => new Promise(() => undefined);
    workplace = createWorkplace(
      { ...SETTINGS, workers: 1, workTimeoutMs: 1000 },
      { ...FROM_SOURCES, embed: (texts, { signal }) => ended(hangs(texts, {}), signal) },
    );
    const task = textTask(TEXT, {}, { tier: 'semantic', size: 300 });
    await expect(workplace.run(task, { signal: none })).rejects.toMatchObject({
      code: 'embedding_failed',
      message: expect.stringContaining('did not answer within 1 s') as string,
    });
    const gone = new AbortController();
    const waiting = workplace.run(task, { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });

  it('never stands in the log with its key', async () => {
    const environment = await start({ status: 401 });
    running = await startTestService(
      { ...environment, PAYMENTS: 'off' },
      { workplace: await workplaceOf(environment) },
    );
    const response = await fetch(`${running.url}/chunk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(BODY),
    });
    expect(response.status).toBe(503);
    const log = JSON.stringify(running.logged);
    expect(log).toContain('embedding service answered 401');
    expect(log).not.toContain(KEY);
  });
});

describe('the settings of the embedder', () => {
  const faultsOf = (environment: Readonly<Record<string, string>>): readonly string[] => {
    try {
      readSettings(environment);
      return [];
    } catch (error) {
      if (error instanceof SettingsError) return error.faults;
      throw error;
    }
  };

  it('must fit one another', () => {
    expect(faultsOf({ EMBEDDINGS: 'openai' })).toEqual([expect.stringContaining('EMBEDDINGS_MODEL')]);
    const misplaced = faultsOf({ EMBEDDINGS_API_KEY: KEY, EMBEDDINGS_MODEL: 'small' });
    expect(misplaced).toEqual([
      'EMBEDDINGS_API_KEY goes with EMBEDDINGS=openai.',
      'EMBEDDINGS_MODEL goes with EMBEDDINGS=openai.',
    ]);
    expect(faultsOf({ EMBEDDINGS_FOLDER: './models', EMBEDDINGS_DTYPE: 'fp32' })).toEqual([
      'EMBEDDINGS_FOLDER goes with EMBEDDINGS=transformers:….',
      'EMBEDDINGS_DTYPE goes with EMBEDDINGS=transformers:….',
    ]);
    expect(
      faultsOf({ EMBEDDINGS: 'transformers:minilm', EMBEDDINGS_FOLDER: './models', EMBEDDINGS_MODEL: 'x' }),
    ).toEqual(['EMBEDDINGS_MODEL goes with EMBEDDINGS=openai.']);
    expect(faultsOf({ EMBEDDINGS: 'transformers:minilm', EMBEDDINGS_FOLDER: './models' })).toEqual([]);
    expect(faultsOf({ EMBEDDINGS: 'transformers:' })).toHaveLength(1);
    expect(faultsOf({ EMBEDDINGS: 'transformers:../x/../y' })).toHaveLength(1);
    expect(faultsOf({ EMBEDDINGS: 'transformers:Xenova/all-MiniLM-L6-v2' })).toEqual([]);
  });

  it('do not repeat what is secret', () => {
    const faults = faultsOf({ EMBEDDINGS: 'openai', EMBEDDINGS_MODEL: 'm', EMBEDDINGS_API_KEY: `${KEY} ä` });
    expect(faults).toHaveLength(1);
    expect(faults.join()).not.toContain(KEY);
  });

  it('name a package that is missing', async () => {
    const settings = readSettings({ EMBEDDINGS: 'transformers:Xenova/all-MiniLM-L6-v2' });
    await expect(embedderOf(settings, { info: () => undefined })).rejects.toMatchObject({
      code: 'package_missing',
    });
  });
});

function ended<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    }),
  ]);
}
