// The estimate of a document, against the answer of the request for chunks that follows.
import { describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { createRateLimit } from '../../src/limits/rate.ts';
import { DownloadError } from '../../src/requests/download/index.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import { jobService } from '../jobs/job-service.ts';
import { paidService } from '../payments/paid-service.ts';
import {
  ask,
  type Answered,
  fakeService,
  form,
  inlineWorkerPool,
  memoryDownloader,
  NOW,
  paragraphs,
} from './fake-service.ts';

const TEXT = Array.from(
  { length: 200 },
  (_, index) => `# Part ${index}\n\nHigh water follows the moon.`,
).join('\n\n');

const PROSE = paragraphs(40);

interface TierAnswer {
  readonly id: string;
  readonly amount: number;
  readonly mode: string;
  readonly expected_chunks?: number;
  readonly expected_seconds?: number;
  readonly refusals: readonly { readonly code: string; readonly status: number; readonly message: string }[];
}

const estimate = (service: ServiceDeps, body: object | FormData, client?: string): Promise<Answered> =>
  ask(service, 'POST /estimate', {
    body: body instanceof FormData ? body : JSON.stringify(body),
    ...(client === undefined ? {} : { client }),
  });
const tiersOf = ({ json }: Answered): readonly TierAnswer[] => json['tiers'] as TierAnswer[];
const codesOf = (answered: Answered): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(tiersOf(answered).map(({ id, refusals }) => [id, refusals.map(({ code }) => code)]));

describe('POST /estimate', () => {
  it('measures a text, prices each tier, and keeps no page, payment or result', async () => {
    const service = paidService();
    const answered = await estimate(service, { text: TEXT, filename: 'tides.md' });
    expect(answered.status).toBe(200);
    expect(answered.json).toMatchObject({
      kind: 'markdown',
      content_type: 'text/markdown',
      filename: 'tides.md',
      size_bytes: TEXT.length,
      characters: TEXT.length,
      pages: Math.ceil(TEXT.length / 2200),
      warnings: [],
    });
    expect(answered.json['tokens']).toBeGreaterThan(TEXT.length / 8);
    expect(tiersOf(answered).map(({ id, amount, mode }) => [id, amount, mode])).toEqual([
      ['free', 0, 'sync'],
      ['structure', 2000, 'sync'],
      ['semantic', 4000, 'sync'],
      ['ai', 10_000, 'sync'],
      ['ai-pro', 25_000, 'async'],
    ]);
    expect(codesOf(answered)).toEqual({
      free: [],
      structure: [],
      semantic: [],
      ai: ['tier_unavailable'],
      'ai-pro': ['tier_unavailable'],
    });
    expect(service.tasks).toEqual([]);
    const left = await ask(service, 'POST /chunk/demo', { body: form('One page.') });
    expect(left.headers['RateLimit']).toContain('"free-pages";r=99');
  });

  it.each([
    ['free', {}],
    ['structure', {}],
    ['structure', { chunk_size: 300, chunk_overlap: 50 }],
    ['structure', { chunk_target: 600 }],
    ['structure', { unit: 'tokens', chunk_size: 100 }],
  ] as const)('expects of %s with %j about as many chunks as there are', async (tier, options) => {
    const service = fakeService({ PAYMENTS: 'off' });
    const request = { tier, text: PROSE, filename: 'a.txt', ...options };
    const [entry] = tiersOf(await estimate(service, request));
    const body = JSON.stringify(request);
    const { json } = await ask(service, 'POST /chunk', { body });
    const share = (entry?.expected_chunks ?? 0) / (json['total_chunks'] as number);
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(2);
  });

  it('takes a file with its options before or after it, and a link', async () => {
    const service = paidService({}, { downloader: memoryDownloader({ 'https://a.example/t.md': TEXT }) });
    const after = form(TEXT, 'a.txt');
    after.append('tier', 'structure');
    for (const body of [form(TEXT, 'a.txt', { tier: 'structure' }), after])
      expect(codesOf(await estimate(service, body))).toEqual({ structure: [] });
    const linked = await estimate(service, { url: 'https://a.example/t.md', tier: 'structure' });
    expect([linked.json['kind'], linked.json['characters']]).toEqual(['markdown', TEXT.length]);
  });

  const DOCUMENTS: readonly (readonly [string, object | FormData, string])[] = [
    [
      'a picture',
      form(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), 'a.png'),
      'unsupported_type',
    ],
    ['a kind that is no upload', form('<p>Some text.</p>', 'a.html'), 'unsupported_type'],
    ['half a character', { text: 'a\ud800' }, 'ill_formed_text'],
    ['a damaged file', form('%PDF-1.7\nnothing', 'a.pdf'), 'corrupted'],
    ['a page that is not there', form('One.\fTwo.', 'a.txt', { pages: '7' }), 'no_such_pages'],
    ['a link into this machine', { url: 'http://127.0.0.1/' }, 'url_forbidden'],
    ['a link without an answer', { url: 'https://gone.example/a.txt' }, 'url_unreachable'],
    ['too much text', { text: 'a'.repeat(4_000_001) }, 'too_many_characters'],
  ];

  it.each(DOCUMENTS)('names for %s the refusal that the paid request gets', async (_, body, code) => {
    const gone = {
      'https://gone.example/a.txt': new DownloadError('url_unreachable', 'gone'),
      'http://127.0.0.1/': new DownloadError('url_forbidden', 'it leads into this machine'),
    };
    const service = fakeService(
      { PAYMENTS: 'off', UPLOAD_KINDS: 'pdf,txt', MAX_JSON_BYTES: '20000000' },
      { downloader: memoryDownloader(gone) },
    );
    const withTier = body instanceof FormData ? body : { ...body, tier: 'structure' };
    const estimated = await estimate(service, withTier);
    expect(estimated.status).toBe(200);
    const refusals = tiersOf(estimated).find(({ id }) => id === 'structure')?.refusals ?? [];
    expect(refusals.map((refusal) => refusal.code)).toEqual([code]);
    const bought = await ask(service, body instanceof FormData ? 'POST /chunk/structure' : 'POST /chunk', {
      body: body instanceof FormData ? body : JSON.stringify(withTier),
    });
    expect(refusals[0]).toMatchObject({ code: bought.json['code'], status: bought.status });
  });

  it('names the options that one tier lacks at that tier, and refuses those that none takes, and nothing at all', async () => {
    const service = paidService();
    const answered = await estimate(service, { text: 'Some text.', topics: 'any' });
    const codes = codesOf(answered);
    expect(codes['structure']).toEqual(['invalid_fields']);
    expect(codes['semantic']).toEqual([]);
    for (const empty of [{ text: ' ' }, form('', 'a.txt')])
      expect((await estimate(service, empty)).json['code']).toBe('empty_document');
    for (const wrong of [{ chunk_size: 0 }, { size: 100 }, { tier: 'gold' }, { chunk_overlap: 5000 }]) {
      const { status, json } = await estimate(service, { text: 'Some text.', ...wrong });
      expect([status, json['code']]).toEqual([400, 'invalid_fields']);
    }
  });

  it('names the free pages that are left, a full queue of jobs, and an answer above its limit', async () => {
    const few = fakeService({ FREE_PAGES_PER_DAY: '2', PAYMENTS: 'off' });
    expect(codesOf(await estimate(few, { text: 'a '.repeat(2000), tier: 'free' }))).toEqual({ free: [] });
    expect(codesOf(await estimate(few, { text: 'a '.repeat(4000), tier: 'free' }))).toEqual({
      free: ['over_daily_limit'],
    });
    const small = fakeService({ PAYMENTS: 'off', MAX_ANSWER_BYTES: '1000000' });
    const body = { text: 'Some words. '.repeat(40_000), tier: 'structure', chunk_size: 20 };
    expect(codesOf(await estimate(small, body))).toEqual({ structure: ['answer_too_large'] });
    const { service } = jobService({ JOB_QUEUE: '1' });
    const job = JSON.stringify({ text: 'Some text.', tier: 'ai-pro' });
    await ask(service, 'POST /chunk', { body: job });
    await ask(service, 'POST /chunk', { body: job });
    expect(codesOf(await estimate(service, { text: 'Some text.', tier: 'ai-pro' }))['ai-pro']).toContain(
      'queue_full',
    );
  });

  it('refuses no scan for a tier with OCR, up to its pages, and reads none', async () => {
    const scan = (pages: number) =>
      form(writePdf({ pages: Array.from({ length: pages }, () => ({ picture: 1 })) }), 'scan.pdf');
    const service = fakeService({ PAYMENTS: 'off', OCR: 'tesseract', OCR_MAX_PAGES: '2' });
    const codes = codesOf(await estimate(service, scan(2)));
    expect(codes['structure']).toEqual([]);
    expect(codesOf(await estimate(fakeService({ PAYMENTS: 'off' }), scan(2)))['structure']).toEqual([
      'no_text',
    ]);
    expect(codesOf(await estimate(service, scan(3)))['structure']).toEqual(['too_many_scanned_pages']);
  });

  it('counts against RATE_LIMIT, and each second of its work as another request', async () => {
    let now = NOW;
    const workerPool: ServiceDeps['workerPool'] = {
      ...inlineWorkerPool,
      measure(task, context) {
        context.onStart?.();
        now += 3000;
        return inlineWorkerPool.measure(task, context);
      },
    };
    const service = fakeService({}, { workerPool, now: () => now, rate: createRateLimit(60) });
    const { headers } = await estimate(service, { text: 'Some text.' });
    expect(headers['RateLimit']).toContain('r=59');
    const next = await estimate(service, { text: 'Some text.' });
    // 60 less the second request and the three seconds of work; a request and three seconds earlier came back.
    expect(next.headers['RateLimit']).toContain('r=56');
    // A document that cannot be read has cost its work too.
    await estimate(service, form('%PDF-1.7\nnothing', 'a.pdf'));
    expect((await estimate(service, { text: 'Some text.' })).headers['RateLimit']).toContain('r=54');
  });

  it('that a client sends in a flood is refused with its limit, while others are served', async () => {
    const service = fakeService({}, { rate: createRateLimit(60) });
    const flood = await Promise.all(
      Array.from({ length: 80 }, () => estimate(service, { text: 'Text.' }, '192.0.2.9')),
    );
    expect(flood.filter(({ status }) => status === 429)).toHaveLength(20);
    expect((await estimate(service, { text: 'Text.' }, '192.0.2.10')).status).toBe(200);
  });
});
