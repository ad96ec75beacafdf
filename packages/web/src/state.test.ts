import { chunkSync, documentFromText, estimatePages, type Document } from '@grainline/core';
import { toRecords } from '@grainline/core/formats';
import { describe, expect, it } from 'vitest';
import { countOf } from './cuts.ts';
import type { Overview } from './overview.ts';
import type { Conversation, Question } from './protocol.ts';
import { Refusal, type Service } from './service.ts';
import { orderFor } from './order.ts';
import { createState } from './state.ts';
import { NO_CODE } from './viewer/code.ts';
import { cutsOf } from './worker/chunks.ts';
import type { AskOptions, AskWorker } from './worker-client.ts';

const TEXT = '# Tides\n\nThe tide turns at noon. The pilot boards at two.\n\n'.repeat(20);

const tier = (id: string, amount = 0) => ({
  id,
  price_usd: amount / 1e6,
  amount,
  mode: 'sync' as const,
  available: true,
  path: `/chunk/${id}`,
  description: id,
  options: [],
  max_characters: null,
});
const OVERVIEW = {
  tiers: [tier('free'), tier('structure', 2000), tier('semantic', 4000), tier('ai')],
  upload_types: ['txt', 'pdf'],
} as unknown as Overview;

/** The worker's work, here; `asked` tells what it was asked. */
function localWorker() {
  const asked: (Question | 'end')[] = [];
  let document: Document;
  let refusal: string | undefined;
  const answers = {
    take: ({ text, filename }: Conversation['take']['ask']): Conversation['take']['answer'] => {
      document = documentFromText(text, { filename });
      const { mediaType, pages } = document;
      const estimatedPages = estimatePages(document);
      return {
        text,
        pages,
        mediaType,
        filename,
        isCode: false,
        code: NO_CODE,
        estimatedPages,
        documentId: 'id',
        warnings: [],
      };
    },
    cut: ({ tier: by, options }: Conversation['cut']['ask']): Conversation['cut']['answer'] => ({
      cuts: cutsOf(chunkSync(document, { tier: by, size: options.size, overlap: options.overlap })),
      ms: 1,
    }),
  };
  const answerTo = async (name: 'take' | 'cut', body: never, { signal }: AskOptions = {}) => {
    asked.push(name);
    signal?.throwIfAborted();
    await Promise.resolve();
    signal?.throwIfAborted();
    if (name === 'cut' && refusal !== undefined) throw new Error(refusal);
    return answers[name](body);
  };
  const end = (): void => void asked.push('end');
  /** From now on cuts go wrong, with these words, or go well. */
  const refuseCuts = (words: string | undefined): void => {
    refusal = words;
  };
  const ask = Object.assign(answerTo, { end }) as unknown as AskWorker;
  return { ask, asked, refuseCuts };
}

const answer = (by: string, text = TEXT, filename = 'text.txt') => ({
  success: true,
  tier: by,
  metadata: { filename, content_type: 'text/plain', estimated_pages: 1 },
  chunks: toRecords(chunkSync(text, { size: 150 }), 'raw', { documentId: 'x' }),
});

function stateWith(service: Partial<Service> = {}, kept: Record<string, string> = {}) {
  const worker = localWorker();
  const state = createState({
    ask: worker.ask,
    service: {
      overview: () => Promise.resolve(OVERVIEW),
      send: () => Promise.reject(new Error('nothing is sent')),
      result: () => Promise.reject(new Error('no result')),
      jobStatus: () => Promise.reject(new Refusal('no job', 404)),
      jobResult: () => Promise.reject(new Refusal('no job', 404)),
      ...service,
    },
    storage: {
      getItem: (key) => kept[key] ?? null,
      setItem: (key, value) => void (kept[key] = value),
      removeItem: (key) => void (kept[key] = ''),
    },
    nowMs: () => 1000,
    wait: () => Promise.resolve(),
  });
  return { state, asked: worker.asked, refuseCuts: worker.refuseCuts, kept };
}

/** Waits until something holds, turn by turn. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200 && !holds(); turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(holds()).toBe(true);
}

describe("the page's state", () => {
  it('cuts a text as soon as it is there, and again when an option changes, without the service', async () => {
    const { state } = stateWith();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
    expect(countOf(state.first.value!.cuts)).toBe(chunkSync(TEXT, { tier: 'structure' }).length);
    state.options.value = { size: 100, overlap: 0, unit: 'characters' };
    await until(() => state.first.value?.options.size === 100);
    expect(countOf(state.first.value!.cuts)).toBe(chunkSync(TEXT, { tier: 'structure', size: 100 }).length);
    state.close();
  });

  it('says what a cut went wrong by until one goes well, and says other things on', async () => {
    const { state, refuseCuts } = stateWith();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
    refuseCuts('No vocabulary.');
    state.options.value = { size: 64, overlap: 0, unit: 'tokens' };
    expect(state.isCutting.value).toBe(true);
    await until(() => state.fault.value === 'No vocabulary.');
    await until(() => !state.isCutting.value);
    refuseCuts(undefined);
    state.options.value = { size: 100, overlap: 0, unit: 'characters' };
    await until(() => state.first.value?.options.size === 100);
    expect(state.fault.value).toBeUndefined();
    state.report(new Error('The file is an image.'));
    state.options.value = { size: 120, overlap: 0, unit: 'characters' };
    await until(() => state.first.value?.options.size === 120);
    expect(state.fault.value).toBe('The file is an image.');
    state.close();
  });

  it('cuts at the first and the last of many sizes that follow each other at once', async () => {
    const { state, asked } = stateWith();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined && !state.isCutting.value);
    asked.length = 0;
    for (let size = 200; size < 260; size++) state.options.value = { size, overlap: 0, unit: 'characters' };
    await until(() => state.first.value?.options.size === 259);
    expect(asked.length).toBeLessThanOrEqual(2);
    await until(() => !state.isCutting.value);
    state.close();
  });

  it('goes from chunk to chunk, from either end, and no further than the last', async () => {
    const { state } = stateWith();
    state.step(1);
    expect(state.current.value.chunk).toBeUndefined();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
    const last = countOf(state.first.value!.cuts) - 1;
    const at = (by: number): number | undefined => {
      state.step(by);
      return state.current.value.chunk;
    };
    expect([at(-1), at(1), at(-1)]).toEqual([last, last, last - 1]);
    state.current.value = { chunk: undefined, reveal: false };
    expect([at(1), at(1), at(-1), at(-1)]).toEqual([0, 1, 0, 0]);
    expect(state.current.value.reveal).toBe(true);
    state.close();
  });

  it('compares two tiers on the text', async () => {
    const { state } = stateWith();
    await state.openText(TEXT);
    state.other.value = 'free';
    await until(() => state.comparison.value !== undefined);
    const { shared, onlyFirst } = state.comparison.value!;
    expect(shared.length + onlyFirst.length).toBe(countOf(state.first.value!.cuts) - 1);
    state.close();
  });

  it('shows what the service answers on the text that is here', async () => {
    const { state } = stateWith({ send: () => Promise.resolve(answer('ai')) });
    await state.start();
    await state.openText(TEXT);
    await state.request(orderFor(state.source.value!, 'ai', state.options.value, OVERVIEW));
    expect(state.fault.value).toBeUndefined();
    expect(state.tier.value).toBe('ai');
    expect(state.source.value?.reading.text).toBe(TEXT);
    expect(countOf(state.first.value!.cuts)).toBe(chunkSync(TEXT, { size: 150 }).length);
    state.close();
  });

  it('puts a document away with its worker, and cuts nothing of it any more', async () => {
    const { state, asked } = stateWith();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
    for (const size of [200, 300]) state.options.value = { size, overlap: 0, unit: 'characters' };
    asked.length = 0;
    state.putAway();
    await until(() => !state.isCutting.value);
    expect(asked).toEqual(['end']);
    expect([state.source.value, state.first.value, state.fault.value]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
  });

  it('says of an answer by which options and tier it was asked for, whatever was chosen meanwhile', async () => {
    const sent = Promise.withResolvers<unknown>();
    const { state, kept } = stateWith({ send: () => sent.promise });
    await state.openText(TEXT);
    const asked = { size: 300, overlap: 20, unit: 'characters' } as const;
    const order = orderFor(state.source.value!, 'ai', asked, OVERVIEW);
    const request = state.request(order);
    state.options.value = { size: 800, overlap: 0, unit: 'characters' };
    state.tier.value = 'standard';
    sent.resolve(answer('ai'));
    await request;
    expect(state.first.value?.options).toEqual(asked);
    // Of a job the same is kept, for an answer that comes after a reload.
    await state.answered({ async: true, job_id: 'ai_0123456789ab' }, order);
    expect(state.job.value).toMatchObject({ tier: 'ai', options: asked, filename: 'text.txt.md' });
    expect(JSON.parse(kept['grainline.job'] ?? '')).toMatchObject({ tier: 'ai', options: asked });
    state.close();
  });

  it('reads the later one of two documents that follow each other', async () => {
    const { state } = stateWith();
    const fetched = Promise.withResolvers<string>();
    const reading = [state.openText(TEXT, 'one.txt'), state.openText(() => fetched.promise, 'two.txt')];
    await reading[0];
    expect(state.busy.value.map(({ name }) => name)).toEqual(['two.txt']);
    expect(state.source.value).toBeUndefined();
    fetched.resolve(TEXT);
    await reading[1];
    expect(state.busy.value).toEqual([]);
    expect(state.source.value?.reading.filename).toBe('two.txt');
    expect(state.fault.value).toBeUndefined();
    state.close();
  });

  it('says how far a document is read, and stops when it is told to, with what was there before', async () => {
    const { state } = stateWith();
    await state.openText(TEXT, 'one.txt');
    const fetched = Promise.withResolvers<string>();
    const reading = state.openText(() => fetched.promise, 'two.txt');
    const [work] = state.busy.value;
    expect(work).toMatchObject({ what: 'reading', name: 'two.txt' });
    expect(work!.pages.value).toBeUndefined();
    work!.stop();
    fetched.resolve(TEXT);
    await reading;
    expect(state.busy.value).toEqual([]);
    expect(state.source.value?.reading.filename).toBe('one.txt');
    expect(state.fault.value).toBeUndefined();
    const pages = { done: 1, total: 2 };
    const seen: unknown[] = [];
    await state.whileBusy({ what: 'reading', name: 'three.pdf' }, ({ onPage }) => {
      onPage(pages);
      seen.push(state.busy.value[0]?.pages.value);
      return Promise.resolve();
    });
    expect(seen).toEqual([pages]);
    state.close();
  });

  it('stops asking the service when it is told to', async () => {
    const { state } = stateWith({
      send: (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    });
    await state.openText(TEXT);
    const request = state.request(orderFor(state.source.value!, 'ai', state.options.value, OVERVIEW));
    expect(state.busy.value.map(({ name }) => name)).toEqual(['ai']);
    state.busy.value[0]!.stop();
    await request;
    expect([state.busy.value, state.fault.value]).toEqual([[], undefined]);
    state.close();
  });

  it('takes the text of a link from the answer, and cuts it by the tiers that are here', async () => {
    const { state } = stateWith({ send: () => Promise.resolve(answer('free', TEXT, 'tides.txt')) });
    await state.start();
    await state.openUrl('https://example.org/tides.txt', 'free');
    await until(() => state.first.value !== undefined);
    expect(state.source.value?.origin).toEqual({ kind: 'url', url: 'https://example.org/tides.txt' });
    state.tier.value = 'structure';
    await until(() => state.first.value !== undefined);
    state.close();
  });

  it('asks to be paid for before it sends what has a price', async () => {
    const { state } = stateWith();
    await state.start();
    await state.openText(TEXT);
    await state.request(orderFor(state.source.value!, 'semantic', state.options.value, OVERVIEW));
    expect(state.order.value?.tier).toBe('semantic');
    await state.answered(answer('semantic'), state.order.value!);
    expect(state.order.value).toBeUndefined();
    expect(state.tier.value).toBe('semantic');
    state.close();
  });

  it('tells what the service refuses in its words', async () => {
    const { state } = stateWith({ send: () => Promise.reject(new Refusal('The file is too large.', 413)) });
    await state.openText(TEXT);
    const request = { kind: 'json', body: {} } as const;
    await state.request({ tier: 'ai', overview: OVERVIEW, request });
    expect(state.fault.value).toBe('The file is too large.');
    expect(state.busy.value).toEqual([]);
    state.close();
  });

  it('goes on with a job that an earlier visit has begun, and shows its result', async () => {
    const options = { size: 300, overlap: 0, unit: 'characters' };
    const job = { id: 'ai-pro_0123456789ab', tier: 'ai-pro', filename: 'tides.txt', begunMs: 900, options };
    const { state, kept } = stateWith(
      {
        jobStatus: () => Promise.resolve({ status: 'completed', progress: 100, message: 'Completed' }),
        jobResult: () => Promise.resolve(answer('ai-pro', TEXT, 'tides.txt')),
      },
      { 'grainline.job': JSON.stringify(job) },
    );
    await state.start();
    await until(() => state.tier.value === 'ai-pro' && state.first.value !== undefined);
    await until(() => state.job.value === undefined);
    expect(kept['grainline.job']).toBe('');
    expect(state.source.value?.reading.filename).toBe('tides.txt');
    expect(state.first.value?.options).toEqual(options);
    state.close();
  });

  it('offers what the service has beside what is cut here, and what is cut here without a service', async () => {
    const { state } = stateWith();
    expect(state.tiers.value.map(({ id }) => id)).toEqual(['free', 'standard', 'structure']);
    await state.start();
    expect(state.tiers.value.map(({ id }) => id)).toEqual([
      'free',
      'standard',
      'structure',
      'semantic',
      'ai',
    ]);
    state.close();
  });
});
