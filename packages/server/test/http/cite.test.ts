// A quotation in a stored result: found, not found, and every way in which the result cannot be searched.
import { writePdf } from '@grainline/testing/pdf-writer';
import { describe, expect, it } from 'vitest';
import { createRateLimit } from '../../src/limits/rate.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import { createStoredResult } from '../../src/responses/stored-result.ts';
import { ask, type Answered, fakeService, form, inlineWorkerPool, memoryStore, NOW } from './fake-service.ts';

const TEXT = Array.from(
  { length: 150 },
  (_, index) =>
    `Sentence number ${index} says that the gauge ${index * 7} stood at ${index * 13} centimetres.`,
).join('\n\n');

/** A stored result of TEXT. */
async function stored(service: ServiceDeps, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const body = form(TEXT, 'a.txt', { chunk_size: '90', ...fields });
  const { json } = await ask(service, 'POST /chunk/demo', { body });
  return String(json['download_url']).replace(/.*\//u, '');
}

const cite = (service: ServiceDeps, fields: object, client?: string): Promise<Answered> =>
  ask(service, 'POST /cite', { body: JSON.stringify(fields), ...(client === undefined ? {} : { client }) });

interface Passage {
  readonly start_offset: number;
  readonly end_offset: number;
  readonly text: string;
  readonly chunk_ids: readonly string[];
}

describe('POST /cite', () => {
  it.each(['raw', 'pinecone', 'weaviate', 'chroma', 'qdrant'])(
    'finds a quotation in a result of the format %s, as a model writes it',
    async (output_format) => {
      const service = fakeService();
      const result_id = await stored(service, { output_format });
      const quote = 'the gauge 490 stood at 910 “centimetres” … THE GAUGE 497';
      const { status, json, headers } = await cite(service, { result_id, quote });
      expect([status, json['found'], json['score']]).toEqual([200, true, 1]);
      expect(headers['Cache-Control']).toContain('no-store');
      const passages = json['passages'] as Passage[];
      expect(passages.map(({ text }) => text)).toEqual([
        'the gauge 490 stood at 910 centimetres',
        'the gauge 497',
      ]);
      for (const { start_offset, end_offset, text, chunk_ids } of passages) {
        expect(TEXT.slice(start_offset, end_offset)).toBe(text);
        expect(chunk_ids.length).toBeGreaterThan(0);
      }
    },
  );

  it('names the chunks of the result that hold a passage', async () => {
    const service = fakeService();
    const result_id = await stored(service);
    const { json } = await cite(service, { result_id, quote: 'centimetres. Sentence number 71 says' });
    const [passage] = json['passages'] as Passage[];
    const full = await ask(service, `GET /results/${result_id}`);
    const holding = (full.json['chunks'] as { id: string; metadata: Record<string, number> }[]).filter(
      ({ metadata: { start_offset: start = 0, end_offset: end = 0 } }) =>
        start < passage!.end_offset && end > passage!.start_offset,
    );
    expect(passage!.chunk_ids).toEqual(holding.map(({ id }) => id));
    expect(holding.length).toBe(2);
  });

  it('answers the boxes on the pages of a result with regions', async () => {
    const service = fakeService();
    const lines = TEXT.split('\n\n');
    const pages = [0, 50, 100].map((from) => ({ lines: lines.slice(from, from + 50) }));
    const bytes = writePdf({ pages });
    const fields = { chunk_size: '90', regions: 'true', output_format: 'pinecone' };
    const { json } = await ask(service, 'POST /chunk/demo', { body: form(bytes, 'a.pdf', fields) });
    const result_id = String(json['download_url']).replace(/.*\//u, '');
    const found = await cite(service, { result_id, quote: 'number 70 says that the gauge 490 stood' });
    const [passage] = found.json['passages'] as (Passage & { readonly regions: number[][] })[];
    expect(new Set(passage!.regions.map(([page]) => page))).toEqual(new Set([2]));
  });

  it('answers the anchor of the chunk in a result with regions of an HTML page', async () => {
    const service = fakeService({ UPLOAD_KINDS: 'html' });
    const html = TEXT.split('\n\n').map((line) => `<p>${line}</p>`);
    const bytes = new TextEncoder().encode(`<!doctype html><body>${html.join('\n')}`);
    const fields = { chunk_size: '90', regions: 'true' };
    const { json } = await ask(service, 'POST /chunk/demo', { body: form(bytes, 'a.html', fields) });
    const result_id = String(json['download_url']).replace(/.*\//u, '');
    const found = await cite(service, { result_id, quote: 'number 70 says that the gauge 490 stood' });
    const [passage] = found.json['passages'] as (Passage & { readonly fragment?: string })[];
    expect(passage!.fragment).toMatch(/^:~:text=.*70/u);
  });

  it('answers that a quotation is not there, below the bound of the request', async () => {
    const service = fakeService();
    const result_id = await stored(service);
    const invented = { result_id, quote: 'the mayor has resigned, and the council has elected another' };
    expect((await cite(service, invented)).json).toEqual({ found: false, passages: [] });
    const near = { result_id, quote: 'Sentence number 70 says that the gauge 490 stood at 911 centimetres' };
    expect((await cite(service, near)).json['found']).toBe(true);
    expect((await cite(service, { ...near, bound: 1 })).json['found']).toBe(false);
    expect((await cite(service, { result_id, quote: '…' })).json['found']).toBe(false);
  });

  it.each([
    ['no quote', { result_id: 'free_0123456789ab' }, 'quote must be given'],
    ['a quote too long', { result_id: 'a', quote: 'a'.repeat(2001) }, 'quote must be a text of 1 to 2000'],
    ['a bound of 0', { result_id: 'a', quote: 'a', bound: 0 }, 'bound must be a number above 0'],
    ['half a surrogate pair', { result_id: 'a', quote: '\ud800' }, 'quote must be'],
    ['a number as id', { result_id: 7, quote: 'a' }, 'result_id must be the id'],
    ['another field', { result_id: 'a', quote: 'a', text: 'b' }, 'text'],
  ])('refuses %s', async (_, fields, message) => {
    const { status, json } = await cite(fakeService(), fields);
    expect([status, json['code']]).toEqual([400, 'invalid_fields']);
    expect(json['message']).toContain(message);
  });

  it('refuses a body that no quotation needs, before it is read', async () => {
    const { status, json } = await cite(fakeService(), { result_id: 'a', quote: 'a'.repeat(20_000) });
    expect([status, json['code']]).toEqual([413, 'too_large']);
  });

  it('takes a quotation of 2,000 characters, each written as an escape', async () => {
    const service = fakeService();
    const result_id = await stored(service);
    const body = `{"result_id":"${result_id}","quote":"${'\\u0416'.repeat(2000)}"}`;
    expect((await ask(service, 'POST /cite', { body })).json).toEqual({ found: false, passages: [] });
  });

  it('ends with its result: 410 when it has expired, 404 after a deletion and a sweep', async () => {
    let now = NOW;
    const service = fakeService({}, { now: () => now });
    const [result_id, deleted] = [await stored(service), await stored(service)];
    const request = { result_id, quote: 'Sentence number 7 says' };
    await ask(service, `DELETE /results/${deleted}`);
    expect((await cite(service, { ...request, result_id: deleted })).json['code']).toBe('result_not_found');
    now += 60 * 60 * 1000 - 1;
    expect((await cite(service, request)).status).toBe(200);
    now += 1;
    const expired = await cite(service, request);
    expect([expired.status, expired.json['code']]).toEqual([410, 'result_gone']);
    await service.store.sweep();
    expect((await cite(service, request)).json['code']).toBe('result_not_found');
  });

  it('counts ids that lead nowhere as requests for results do', async () => {
    const service = fakeService();
    const guess = (): Promise<Answered> =>
      cite(service, { result_id: 'free_0123456789ac', quote: 'a' }, '192.0.2.9');
    for (let guesses = 0; guesses < 59; guesses++) expect((await guess()).status).toBe(404);
    await ask(service, 'GET /results/free_0123456789ac', { client: '192.0.2.9' });
    expect((await guess()).json['code']).toBe('too_many_misses');
    for (const result_id of ['../x', 'free_0123456789ab\n', "free_' OR 1=1", '__proto__'])
      expect((await cite(service, { result_id, quote: 'a' })).status).toBe(404);
  });

  it('counts against RATE_LIMIT, and each second of its work as another request', async () => {
    let now = NOW;
    const workerPool: ServiceDeps['workerPool'] = {
      ...inlineWorkerPool,
      cite: (task, context) => {
        context.onStart?.();
        now += 3000;
        return inlineWorkerPool.cite(task, context);
      },
    };
    const store = memoryStore(() => NOW);
    const service = fakeService({}, { workerPool, store, now: () => now, rate: createRateLimit(60) });
    const result_id = await stored(fakeService({}, { store }));
    const { headers } = await cite(service, { result_id, quote: 'Sentence number 7 says' });
    expect(headers['RateLimit']).toContain('r=59');
    const next = await cite(service, { result_id, quote: 'Sentence number 7 says' });
    // 60 less the second request and the three seconds of work; a request and three seconds earlier came back.
    expect(next.headers['RateLimit']).toContain('r=56');
  });

  it('sends no large result to a child process while the server stops', async () => {
    const { json } = await cite(fakeService({}, { phase: () => 'refusing' }), { result_id: 'a', quote: 'a' });
    expect(json['code']).toBe('shutting_down');
  });

  it('reports a stored row that is no answer as a defect, and says nothing of it', async () => {
    const store = memoryStore();
    const service = fakeService({}, { store });
    await store.putResult(await createStoredResult('free_0123456789ab', ['{"chunks":[{}]}'], NOW));
    await store.putResult(await createStoredResult('free_0123456789ac', ['secret'], NOW));
    for (const [end, status] of [
      ['b', 500],
      ['c', 500],
    ] as const) {
      const answer = await cite(service, { result_id: `free_0123456789a${end}`, quote: 'its words' });
      expect(answer.status).toBe(status);
      expect(answer.text).not.toContain('secret');
    }
  });
});
