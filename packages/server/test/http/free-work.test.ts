// The work of free documents: bounded by the pages that are left, counted as requests when it has no answer, and behind
// paid work.
import { describe, expect, it } from 'vitest';
import type { TaskContext, WorkerPool } from '../../src/sandbox/index.ts';
import { WorkError } from '../../src/sandbox/index.ts';
import { runPipeline } from '../../src/sandbox/run-pipeline.ts';
import { paidService } from '../payments/paid-service.ts';
import { type Ask, ask, fakeService, form, inlineWorkerPool, NOW } from './fake-service.ts';

const DEMO = 'POST /chunk/demo';
const pages = (count: number): FormData => form('x'.repeat(2200 * count));

/** A worker pool that records the stages that its tasks reach. */
function watchStages(): { readonly workerPool: WorkerPool; readonly stages: string[] } {
  const stages: string[] = [];
  const onProgress: TaskContext['onProgress'] = ({ stage }) => stages.push(stage);
  const run: WorkerPool['run'] = (task, context) => runPipeline(task, { ...context, onProgress });
  return { workerPool: { ...inlineWorkerPool, run }, stages };
}

describe('a free document above the pages of its client', () => {
  it.each([
    ['a whole day has', 4, { status: 413, json: { code: 'over_daily_limit' } }],
    [
      'are left',
      3,
      {
        status: 429,
        json: { code: 'quota_exceeded', limit: { pages_per_day: 3, pages_left: 2, pages_needed: 3 } },
        headers: { 'Retry-After': '21600', RateLimit: '"free-pages";r=2;t=21600' },
      },
    ],
  ])('than %s is read and not cut', async (_, count, refusal) => {
    const { workerPool, stages } = watchStages();
    const service = fakeService({ FREE_PAGES_PER_DAY: '3' }, { workerPool });
    await ask(service, DEMO, { body: pages(1) });
    expect(stages.splice(0)).toContain('cut');
    expect(await ask(service, DEMO, { body: pages(count) })).toMatchObject(refusal);
    expect(stages).toEqual([]);
    expect((await ask(service, DEMO, { body: pages(2) })).status).toBe(200);
    expect(stages).toContain('cut');
  });

  it('is cut where pages are not counted, and on paid tiers', async () => {
    const { workerPool, stages } = watchStages();
    const free = fakeService({ FREE_PAGES_PER_DAY: 'off' }, { workerPool });
    expect((await ask(free, DEMO, { body: pages(101) })).status).toBe(200);
    const service = paidService({ FREE_PAGES_PER_DAY: '1' }, { workerPool });
    const headers = { 'x-payment': service.chain.pay(2000n) };
    stages.length = 0;
    expect((await ask(service, 'POST /chunk/structure', { headers, body: pages(2) })).status).toBe(200);
    expect(stages).toContain('cut');
  });
});

describe('seconds of work on a free document', () => {
  /** Requests that are left after documents whose work takes so long and ends so. */
  async function leftAfter(
    workMs: readonly number[],
    end: (request: { readonly leave: () => void }) => Error | undefined,
  ): Promise<string | undefined> {
    const clock = { now: NOW };
    const gone = new AbortController();
    let document = 0;
    const workerPool: WorkerPool = {
      ...inlineWorkerPool,
      async run(task, context) {
        context.onStart?.();
        clock.now += workMs[document++] ?? 0;
        const error = end({ leave: () => gone.abort(new Error('gone')) });
        if (error !== undefined) throw error;
        return inlineWorkerPool.run(task, context);
      },
    };
    const service = fakeService({ RATE_LIMIT: '60' }, { workerPool, now: () => clock.now });
    const request: Ask = { body: form('Text.'), signal: gone.signal };
    while (document < workMs.length) await ask(service, DEMO, request).catch(() => undefined);
    const { headers } = await ask(service, 'GET /');
    return /r=(\d+)/.exec(headers['RateLimit'] ?? '')?.[1];
  }
  const rejection = (): Error => new WorkError('too_complex', 'It is too complex.');

  it('count as requests when the document is refused', async () => {
    // The bucket fills while the clock goes on; only this request and the work are missing.
    expect(await leftAfter([7000], rejection)).toBe(String(60 - 7 - 1));
    expect(await leftAfter([600], rejection)).toBe('58');
    expect(await leftAfter([20_000], rejection)).toBe('39');
  });

  it('count when the client has left', async () => {
    const leave = ({ leave: go }: { leave: () => void }): Error => {
      go();
      return new Error('the work ended with its client');
    };
    expect(await leftAfter([7000], leave)).toBe('52');
  });

  it('do not count for an answer, nor for a fault of the service', async () => {
    expect(await leftAfter([7000], () => undefined)).toBe('59');
    expect(await leftAfter([7000], () => new WorkError('embedding_failed', 'It is down.'))).toBe('59');
  });

  it('do not count before a process is free', async () => {
    const clock = { now: NOW };
    const workerPool: WorkerPool = {
      ...inlineWorkerPool,
      run() {
        clock.now += 7000;
        return Promise.reject(rejection());
      },
    };
    const service = fakeService({ RATE_LIMIT: '60' }, { workerPool, now: () => clock.now });
    await ask(service, DEMO, { body: form('Text.') });
    expect((await ask(service, 'GET /')).headers['RateLimit']).toContain('r=59');
  });
});

describe('the worker pool', () => {
  it('knows which documents are free', async () => {
    const kinds: unknown[] = [];
    const run: WorkerPool['run'] = (task, context) => {
      kinds.push([task.tier, context.isFree ?? false]);
      return inlineWorkerPool.run(task, context);
    };
    const service = paidService({}, { workerPool: { ...inlineWorkerPool, run } });
    await ask(service, DEMO, { body: form('Text.') });
    await ask(service, 'POST /chunk', { body: JSON.stringify({ text: 'Text.', tier: 'free' }) });
    const headers = { 'x-payment': service.chain.pay(2000n) };
    await ask(service, 'POST /chunk/structure', { headers, body: form('Text.') });
    expect(kinds).toEqual([
      ['free', true],
      ['free', true],
      ['structure', false],
    ]);
  });
});
