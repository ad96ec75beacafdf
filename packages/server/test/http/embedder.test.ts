// A service with a remote embedder on a real socket. The server calls it for child processes without key and address.
import { chunk, type Embed } from '@grainline/core';
import { staticEmbedder } from '@grainline/models/embeddings';
import { afterEach, describe, expect, it } from 'vitest';
import { createEmbedder } from '../../src/models/embedder.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createWorkerPool, type WorkerPool } from '../../src/sandbox/index.ts';
import { paidService } from '../payments/paid-service.ts';
import { FROM_SOURCES, SETTINGS, textTask } from '../sandbox/tasks.ts';
import { issuesOf } from '../settings-issues.ts';
import {
  BODY,
  type EmbeddingService,
  createEmbeddingPool,
  KEY,
  startEmbeddings,
  TEXT,
  vectors,
} from './embedding-service.ts';
import { ask, fakeService } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';

const none = new AbortController().signal;

let embeddings: EmbeddingService | undefined;
let workerPool: WorkerPool | undefined;
let running: TestService | undefined;

afterEach(async () => {
  await running?.stop();
  await workerPool?.close();
  embeddings?.stop();
  running = workerPool = embeddings = undefined;
});

/** Starts a service of embeddings and returns its settings. */
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

async function workerPoolOf(environment: Readonly<Record<string, string>>): Promise<WorkerPool> {
  workerPool = await createEmbeddingPool(environment);
  return workerPool;
}

const zeros: Embed = (texts) =>
  Promise.resolve({ model: 'small', dimensions: 2, vectors: texts.map(() => [0, 0]) });

describe('an embedder behind HTTP', () => {
  it('cuts as in the library, names model and dimensions, and is asked by the server alone', async () => {
    const environment = await start(await staticEmbedder());
    const service = fakeService(
      { ...environment, PAYMENTS: 'off' },
      { workerPool: await workerPoolOf(environment) },
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
    const requests = embeddings?.requests ?? [];
    expect(requests.every(({ key }) => key === `Bearer ${KEY}`)).toBe(true);
    // The same document again needs no request.
    const before = requests.length;
    await ask(service, 'POST /chunk', { body: JSON.stringify(BODY) });
    expect([before > 0, requests.length]).toEqual([true, before]);
  });

  it('that fails is tried again by the same payment as often as a client likes', async () => {
    const environment = await start({ status: 401 });
    const service = paidService(environment, { workerPool: await workerPoolOf(environment) });
    const proof = service.chain.pay(4000n);
    // More often than the tries of a payment for a client's own errors.
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
    const unsteady: Embed = (texts, run) => (fails ? zeros(texts, run) : embed(texts, run));
    const environment = await start(unsteady);
    const pool = await workerPoolOf(environment);
    const task = textTask(TEXT, {}, { tier: 'semantic', size: 300 });
    await expect(pool.run(task, { signal: none })).rejects.toMatchObject({ code: 'wrong_embeddings' });
    fails = false;
    expect((await pool.run(task, { signal: none })).totalChunks).toBeGreaterThan(2);
  });

  it('is not asked for tiers that do not embed', async () => {
    const pool = await workerPoolOf(await start(zeros));
    const task = textTask(TEXT.repeat(400), {}, { tier: 'structure', size: 300 });
    expect((await pool.run(task, { signal: none })).totalChunks).toBeGreaterThan(100);
    expect(embeddings?.requests).toEqual([]);
  });

  it('that hangs ends with the request, or when its time is over', async () => {
    const hangs: Embed = () => new Promise(() => undefined);
    workerPool = createWorkerPool(
      { ...SETTINGS, workers: 1, workTimeoutMs: 1000 },
      { ...FROM_SOURCES, embed: (texts, { signal }) => ended(hangs(texts, {}), signal) },
    );
    const task = textTask(TEXT, {}, { tier: 'semantic', size: 300 });
    await expect(workerPool.run(task, { signal: none })).rejects.toMatchObject({
      code: 'embedding_failed',
      message: expect.stringContaining('did not answer within 1 s') as string,
    });
    const gone = new AbortController();
    const waiting = workerPool.run(task, { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });

  it('never stands in the log with its key', async () => {
    const environment = await start({ status: 401 });
    running = await startTestService(
      { ...environment, PAYMENTS: 'off' },
      { workerPool: await workerPoolOf(environment) },
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
  it('must fit one another', () => {
    expect(issuesOf({ EMBEDDINGS: 'openai' })).toEqual([expect.stringContaining('EMBEDDINGS_MODEL')]);
    const misplaced = issuesOf({ EMBEDDINGS_API_KEY: KEY, EMBEDDINGS_MODEL: 'small' });
    expect(misplaced).toEqual([
      'EMBEDDINGS_API_KEY goes with EMBEDDINGS=openai.',
      'EMBEDDINGS_MODEL goes with EMBEDDINGS=openai.',
    ]);
    expect(issuesOf({ EMBEDDINGS_FOLDER: './models', EMBEDDINGS_DTYPE: 'fp32' })).toEqual([
      'EMBEDDINGS_FOLDER goes with EMBEDDINGS=transformers:….',
      'EMBEDDINGS_DTYPE goes with EMBEDDINGS=transformers:….',
    ]);
    expect(
      issuesOf({ EMBEDDINGS: 'transformers:minilm', EMBEDDINGS_FOLDER: './models', EMBEDDINGS_MODEL: 'x' }),
    ).toEqual(['EMBEDDINGS_MODEL goes with EMBEDDINGS=openai.']);
    expect(issuesOf({ EMBEDDINGS: 'transformers:minilm', EMBEDDINGS_FOLDER: './models' })).toEqual([]);
    expect(issuesOf({ EMBEDDINGS: 'transformers:' })).toHaveLength(1);
    expect(issuesOf({ EMBEDDINGS: 'transformers:../x/../y' })).toHaveLength(1);
    expect(issuesOf({ EMBEDDINGS: 'transformers:Xenova/all-MiniLM-L6-v2' })).toEqual([]);
  });

  it('do not repeat what is secret', () => {
    const issues = issuesOf({ EMBEDDINGS: 'openai', EMBEDDINGS_MODEL: 'm', EMBEDDINGS_API_KEY: `${KEY} ä` });
    expect(issues).toHaveLength(1);
    expect(issues.join()).not.toContain(KEY);
  });

  it('name a package that is missing', async () => {
    const settings = readSettings({ EMBEDDINGS: 'transformers:Xenova/all-MiniLM-L6-v2' });
    await expect(createEmbedder(settings, { info: () => undefined })).rejects.toMatchObject({
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
