import { chunkSync, documentFromText, estimatePages, type Document } from '@grainline/core';
import { toRecords } from '@grainline/core/formats';
import { describe, expect, it } from 'vitest';
import { countOf } from '../document/cut-table.ts';
import type { WorkerCalls, CallName } from '../worker/protocol.ts';
import { type Client, ClientError, type Job, type Overview } from '@grainline/client';
import { createTierRequest, type RawSubmission, type RawAnswer } from '../service/chunk-request.ts';
import { createState } from './state.ts';
import { blockTable } from '../worker/block-table.ts';
import { cutsOf } from '../document/chunks.ts';
import { createPaidAnswers, type PaidAnswer } from '../service/paid-answers.ts';
import { memoryStore } from '../../test/memory-store.ts';
import type { WorkerCallOptions, WorkerClient } from '../worker/worker-client.ts';

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
  limits: { result_lifetime_seconds: 3600 },
} as unknown as Overview;

/** The worker's code in this thread; `calls` lists the calls. */
function localWorker() {
  const calls: (CallName | 'end')[] = [];
  let document: Document;
  let refusal: string | undefined;
  const answers = {
    take: ({ text, filename }: WorkerCalls['take']['ask']): WorkerCalls['take']['answer'] => {
      document = documentFromText(text, { filename });
      const { mediaType, pages } = document;
      const estimatedPages = estimatePages(document);
      return {
        text,
        pages,
        mediaType,
        filename,
        isCode: false,
        blocks: blockTable('', []),
        estimatedPages,
        documentId: 'id',
        warnings: [],
        hasScans: false,
      };
    },
    cut: ({ tier: by, options }: WorkerCalls['cut']['ask']): WorkerCalls['cut']['answer'] => ({
      cuts: cutsOf(chunkSync(document, { tier: by, size: options.size, overlap: options.overlap })),
      ms: 1,
    }),
  };
  /** A PDF with the password `tide`. */
  const read = ({ file, password, by, ocr }: WorkerCalls['read']['ask']): WorkerCalls['read']['answer'] => {
    if (ocr === true) return answers.take({ text: TEXT, filename: file.name });
    if (file.name === 'scan.pdf') throw Object.assign(new Error('a scan'), { code: 'no_text', count: 12 });
    if (file.name === 'page.PNG') throw Object.assign(new Error('a picture'), { code: 'unsupported_type' });
    if (by.pages === '9') throw new Error('no_such_pages');
    if (password === 'tide') return answers.take({ text: TEXT + JSON.stringify(by), filename: file.name });
    const code = password === undefined ? 'encrypted' : 'wrong_password';
    throw Object.assign(new Error(code), { code });
  };
  const answerTo = async (name: 'take' | 'cut' | 'read', body: never, { signal }: WorkerCallOptions = {}) => {
    calls.push(name);
    signal?.throwIfAborted();
    await Promise.resolve();
    signal?.throwIfAborted();
    if (name === 'cut' && refusal !== undefined) throw new Error(refusal);
    return name === 'read' ? read(body) : answers[name](body);
  };
  const end = (): void => void calls.push('end');
  /** Makes later cuts fail with a message, or succeed. */
  const failCuts = (words: string | undefined): void => {
    refusal = words;
  };
  const ask = Object.assign(answerTo, { end }) as unknown as WorkerClient;
  return { ask, calls, failCuts };
}

const answer = (by: string, text = TEXT, filename = 'text.txt', amount = 0): RawAnswer => {
  const chunks = toRecords(chunkSync(text, { size: 150 }), 'raw', { documentId: 'x' });
  return {
    tier: by,
    total_chunks: chunks.length,
    metadata: { filename, content_type: 'text/plain', size_bytes: 1, estimated_pages: 1 },
    chunks,
    payment: { amount, asset: 'USDC', network: 'solana-mainnet' },
  };
};
const answered = (...of: Parameters<typeof answer>): RawSubmission => ({
  kind: 'answer',
  answer: answer(...of),
});

interface FakeService {
  readonly submit: (...parameters: Parameters<Client['submit']>) => Promise<RawSubmission>;
  readonly job: Job<RawAnswer>['answer'];
}

function stateWith(
  { submit, job }: Partial<FakeService> = {},
  kept: Record<string, string> = {},
  store = memoryStore<PaidAnswer>(),
) {
  const worker = localWorker();
  const service = {
    overview: () => Promise.resolve(OVERVIEW),
    submit: submit ?? (() => Promise.reject(new Error('nothing is sent'))),
    job: () => ({ answer: job ?? (() => Promise.reject(new ClientError('job_not_found', 'no job'))) }),
  };
  const state = createState({
    ask: worker.ask,
    service: service as unknown as Client,
    storage: {
      getItem: (key) => kept[key] ?? null,
      setItem: (key, value) => void (kept[key] = value),
      removeItem: (key) => void (kept[key] = ''),
    },
    answers: createPaidAnswers({ store, nowMs: () => 1000 }),
    address: { read: () => kept['#'] ?? '', write: (hash) => void (kept['#'] = hash) },
    nowMs: () => 1000,
  });
  return { state, calls: worker.calls, failCuts: worker.failCuts, kept };
}

/** Waits until a condition holds, turn by turn. */
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

  it('asks for the password of a PDF until one opens it, and has its text as the document', async () => {
    const { state } = stateWith();
    const file = new File(['x'], 'a.pdf');
    await state.openFile(file);
    expect(state.locked.value).toEqual({ file, isWrong: false });
    await state.openFile(file, 'ebb');
    expect(state.locked.value).toEqual({ file, isWrong: true });
    await state.openFile(file, 'tide');
    expect([state.locked.value, state.errorText.value]).toEqual([undefined, undefined]);
    expect(state.source.value).toMatchObject({ origin: { kind: 'text' }, reading: { text: `${TEXT}{}` } });
    await state.openFile(new File(['x'], 'a.docx'));
    expect([state.locked.value, state.errorText.value]).toEqual([undefined, 'encrypted']);
    state.close();
  });

  it('offers OCR for scans and pictures, and sends their text to a service', async () => {
    const { state } = stateWith();
    await state.openFile(new File(['x'], 'page.PNG'));
    expect(state.scanned.value).toMatchObject({ kind: 'picture', pages: 1 });
    const file = new File(['x'], 'scan.pdf');
    await state.openFile(file);
    expect(state.scanned.value).toEqual({ file, password: undefined, kind: 'scan', pages: 12 });
    await state.readScanned(state.scanned.value!);
    expect([state.scanned.value, state.errorText.value]).toEqual([undefined, undefined]);
    expect(state.source.value).toMatchObject({ origin: { kind: 'text' }, reading: { text: TEXT } });
    state.close();
  });

  it('reads a file again by the options of reading, and keeps the former text when that fails', async () => {
    const { state, kept } = stateWith();
    await state.openFile(new File(['x'], 'a.pdf'), 'tide');
    await state.changeReading('lines', 'keep');
    const text = `${TEXT}{"lines":"keep"}`;
    expect(state.source.value?.reading.text).toBe(text);
    await until(() => state.first.value !== undefined);
    expect(countOf(state.first.value!.cuts)).toBe(chunkSync(text, { tier: 'structure' }).length);
    await state.changeReading('pages', '9');
    expect([state.source.value?.reading.text, state.errorText.value]).toEqual([text, 'no_such_pages']);
    expect(state.reading.value).toEqual({ lines: 'keep' });
    await state.changeReading('pages', '2');
    expect(state.source.value?.reading.text).toBe(`${TEXT}{"pages":"2","lines":"keep"}`);
    expect([kept['#'], state.errorText.value]).toEqual(['#lines=keep', undefined]);
    // Pages are those of one document.
    await state.openFile(new File(['x'], 'b.pdf'), 'tide');
    expect(state.source.value?.reading.text).toBe(text);
    state.close();
  });

  it('ends a reading by options that are taken back, and gives the last of several changes', async () => {
    const { state } = stateWith();
    await state.openFile(new File(['x'], 'a.pdf'), 'tide');
    const changes = [state.changeReading('lines', 'keep'), state.changeReading('lines', 'join')];
    await Promise.all(changes);
    expect([state.source.value?.reading.text, state.reading.value]).toEqual([`${TEXT}{}`, {}]);
    await Promise.all([state.changeReading('lines', 'keep'), state.changeReading('furniture', 'keep')]);
    const both = { furniture: 'keep', lines: 'keep' };
    expect(state.source.value?.reading.text).toBe(TEXT + JSON.stringify(both));
    expect(state.reading.value).toEqual(both);
    state.close();
  });

  it('says what a cut went wrong by until one goes well, and says other things on', async () => {
    const { state, failCuts } = stateWith();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
    failCuts('No vocabulary.');
    state.options.value = { size: 64, overlap: 0, unit: 'tokens' };
    expect(state.isCutting.value).toBe(true);
    await until(() => state.errorText.value === 'No vocabulary.');
    await until(() => !state.isCutting.value);
    failCuts(undefined);
    state.options.value = { size: 100, overlap: 0, unit: 'characters' };
    await until(() => state.first.value?.options.size === 100);
    expect(state.errorText.value).toBeUndefined();
    state.report(new Error('The file is an image.'));
    state.options.value = { size: 120, overlap: 0, unit: 'characters' };
    await until(() => state.first.value?.options.size === 120);
    expect(state.errorText.value).toBe('The file is an image.');
    state.close();
  });

  it('cuts at the first and the last of many sizes that follow each other at once', async () => {
    const { state, calls } = stateWith();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined && !state.isCutting.value);
    calls.length = 0;
    for (let size = 200; size < 260; size++) state.options.value = { size, overlap: 0, unit: 'characters' };
    await until(() => state.first.value?.options.size === 259);
    expect(calls.length).toBeLessThanOrEqual(2);
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
    const { state } = stateWith({ submit: () => Promise.resolve(answered('ai')) });
    await state.start();
    await state.openText(TEXT);
    await state.request(createTierRequest(state.source.value!, 'ai', state.options.value, OVERVIEW));
    expect(state.errorText.value).toBeUndefined();
    expect(state.tier.value).toBe('ai');
    expect(state.source.value?.reading.text).toBe(TEXT);
    expect(countOf(state.first.value!.cuts)).toBe(chunkSync(TEXT, { size: 150 }).length);
    state.close();
  });

  it('puts a document away with its worker, and cuts nothing of it any more', async () => {
    const { state, calls } = stateWith();
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
    for (const size of [200, 300]) state.options.value = { size, overlap: 0, unit: 'characters' };
    calls.length = 0;
    state.putAway();
    await until(() => !state.isCutting.value);
    expect(calls).toEqual(['end']);
    expect([state.source.value, state.first.value, state.errorText.value]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await state.openText(TEXT);
    await until(() => state.first.value !== undefined);
  });

  it('says of an answer by which options and tier it was asked for, whatever was chosen meanwhile', async () => {
    const sent = Promise.withResolvers<RawSubmission>();
    const { state, kept } = stateWith({ submit: () => sent.promise });
    await state.openText(TEXT);
    const controls = { size: 300, overlap: 20, unit: 'characters' } as const;
    const order = createTierRequest(state.source.value!, 'ai', controls, OVERVIEW);
    const request = state.request(order);
    state.options.value = { size: 800, overlap: 0, unit: 'characters' };
    state.tier.value = 'standard';
    sent.resolve(answered('ai'));
    await request;
    expect(state.first.value?.options).toEqual(controls);
    // A job stores the same values, for an answer after a reload.
    await state.answered({ kind: 'job', job: { id: 'ai_0123456789ab' } as Job<RawAnswer> }, order);
    expect(state.job.value).toMatchObject({ tier: 'ai', options: controls, filename: 'text.txt.md' });
    expect(JSON.parse(kept['grainline.job'] ?? '')).toMatchObject({ tier: 'ai', options: controls });
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
    expect(state.errorText.value).toBeUndefined();
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
    expect(state.errorText.value).toBeUndefined();
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
      submit: (_source, _options, { signal } = {}) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    });
    await state.openText(TEXT);
    const request = state.request(
      createTierRequest(state.source.value!, 'ai', state.options.value, OVERVIEW),
    );
    expect(state.busy.value.map(({ name }) => name)).toEqual(['ai']);
    state.busy.value[0]!.stop();
    await request;
    expect([state.busy.value, state.errorText.value]).toEqual([[], undefined]);
    state.close();
  });

  it('takes the text of a link from the answer, and cuts it by the tiers that are here', async () => {
    const { state } = stateWith({ submit: () => Promise.resolve(answered('free', TEXT, 'tides.txt')) });
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
    await state.request(createTierRequest(state.source.value!, 'semantic', state.options.value, OVERVIEW));
    expect(state.unpaidRequest.value?.tier).toBe('semantic');
    await state.answered(answered('semantic'), state.unpaidRequest.value!);
    expect(state.unpaidRequest.value).toBeUndefined();
    expect(state.tier.value).toBe('semantic');
    state.close();
  });

  it('tells what the service refuses in its words', async () => {
    const { state } = stateWith({
      submit: () => Promise.reject(new ClientError('too_large', 'The file is too large.')),
    });
    await state.openText(TEXT);
    await state.request(createTierRequest(state.source.value!, 'ai', state.options.value, OVERVIEW));
    expect(state.errorText.value).toBe('The file is too large.');
    expect(state.busy.value).toEqual([]);
    state.close();
  });

  it('goes on with a job that an earlier visit has begun, and shows its result', async () => {
    const options = { size: 300, overlap: 0, unit: 'characters' };
    const job = {
      id: 'ai-pro_0123456789ab',
      tier: 'ai-pro',
      filename: 'tides.txt',
      documentId: 'id',
      begunMs: 900,
      options,
    };
    const { state, kept } = stateWith(
      {
        job: ({ onProgress } = {}) => {
          onProgress?.({ job_id: job.id, status: 'completed', progress: 100, message: 'Completed' });
          return Promise.resolve(answer('ai-pro', TEXT, 'tides.txt'));
        },
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
    expect(state.tiers.value.map(({ id }) => id)).toEqual(['free', 'standard', 'structure', 'professional']);
    await state.start();
    expect(state.tiers.value.map(({ id }) => id)).toEqual([
      'free',
      'standard',
      'structure',
      'professional',
      'semantic',
      'ai',
    ]);
    state.close();
  });

  /** Buys the chunks of {@link TEXT} by semantic, at a size. */
  async function buy({ state }: ReturnType<typeof stateWith>, size: number): Promise<void> {
    const { source, options } = state;
    const wanted = createTierRequest(source.value!, 'semantic', { ...options.value, size }, OVERVIEW);
    const bought = answered('semantic', TEXT, 'text.txt', 4000);
    await state.keepAnswer(bought, wanted);
    await state.answered(bought, wanted);
  }

  it('shows a paid answer of an earlier visit on its document, by its tier and its options', async () => {
    const store = memoryStore<PaidAnswer>();
    const first = stateWith({}, {}, store);
    await first.state.start();
    await first.state.openText(TEXT);
    await buy(first, 300);
    expect(first.state.first.value?.paid).toMatchObject({ origin: 'bought', answer: { paidMs: 1000 } });
    first.state.close();
    const { state } = stateWith({}, {}, store);
    await state.openText(TEXT);
    await state.start();
    await until(() => state.results.value.has('semantic'));
    expect(state.results.value.get('semantic')).toMatchObject({
      options: { size: 300 },
      paid: { origin: 'stored' },
    });
    // Nothing is asked for what is here already.
    await state.request(
      createTierRequest(state.source.value!, 'semantic', { ...state.options.value, size: 300 }, OVERVIEW),
    );
    expect([state.unpaidRequest.value, state.tier.value]).toEqual([undefined, 'semantic']);
    await state.forgetPaid();
    expect(state.paidAnswers.value).toEqual([]);
    await state.openText(`${TEXT} Another document.`);
    expect(state.results.value.has('semantic')).toBe(false);
    state.close();
  });

  it('shows the paid answer of the sizes that are chosen, among several of one tier', async () => {
    const store = memoryStore<PaidAnswer>();
    const first = stateWith({}, {}, store);
    await first.state.start();
    await first.state.openText(TEXT);
    await buy(first, 300);
    await buy(first, 400);
    const { state } = first;
    state.options.value = { ...state.options.value, size: 300 };
    await until(() => state.results.value.get('semantic')?.options.size === 300);
    state.options.value = { ...state.options.value, size: 400 };
    await until(() => state.results.value.get('semantic')?.options.size === 400);
    state.close();
  });

  it('opens a paid answer without its document, and knows the document again', async () => {
    const store = memoryStore<PaidAnswer>();
    const first = stateWith({}, {}, store);
    await first.state.start();
    await first.state.openText(TEXT);
    await buy(first, 300);
    const { state } = stateWith({}, {}, store);
    await state.start();
    await state.openPaid(state.paidAnswers.value[0]!);
    expect(state.errorText.value).toBeUndefined();
    expect([state.tier.value, state.options.value.size]).toEqual(['semantic', 300]);
    expect(state.source.value?.reading).toMatchObject({ filename: 'text.txt', documentId: 'id' });
    expect(state.first.value?.paid?.origin).toBe('stored');
    state.close();
  });

  it('has the receipt of a paid answer where the browser stores nothing', async () => {
    const full = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    const page = stateWith({}, {}, { all: full, put: full, remove: full, clear: full });
    await page.state.start();
    await page.state.openText(TEXT);
    await buy(page, 300);
    const paid = page.state.first.value?.paid;
    expect(paid).toMatchObject({ origin: 'bought', answer: { receipt: { amount: 4000 } } });
    expect(page.state.paidAnswers.value).toEqual([paid?.answer]);
    expect(paid?.answer.content).toBeUndefined();
    page.state.close();
  });

  it('stores no answer that cost nothing', async () => {
    const { state } = stateWith({ submit: () => Promise.resolve(answered('ai')) });
    await state.start();
    await state.openText(TEXT);
    await state.request(createTierRequest(state.source.value!, 'ai', state.options.value, OVERVIEW));
    expect(state.paidAnswers.value).toEqual([]);
    state.close();
  });
});
