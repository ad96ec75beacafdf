// Answers to requests for chunks on both deployments: the specified shapes, links, formats, quota, results.
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  ask,
  fakeService,
  form,
  inlineWorkerPool,
  memoryDownloader,
  NOW,
  paragraphs,
} from './fake-service.ts';
import type { WorkerPool } from '../../src/sandbox/index.ts';

interface Answer {
  readonly success: boolean;
  readonly tier: string;
  readonly total_chunks: number;
  readonly metadata: { filename: string; content_type: string; size_bytes: number; estimated_pages: number };
  readonly chunks: { id: string; text: string; metadata: { chunk_index: number; char_count: number } }[];
  readonly payment: { amount: number; asset: string; network: string };
}

const json = (body: object): { body: string } => ({ body: JSON.stringify(body) });

/** Members of an answer in the format `raw`, in their order. */
const MEMBERS = ['success', 'tier', 'total_chunks', 'metadata', 'chunks', 'source', 'payment'];

describe('an upload', () => {
  it('is answered in the specified shape', async () => {
    const {
      status,
      json: answer,
      headers,
    } = await ask(fakeService(), 'POST /chunk/demo', { body: form('One.\n\nTwo.') });
    expect(status).toBe(200);
    expect(Object.keys(answer)).toEqual(MEMBERS);
    const { chunks, ...rest } = answer as unknown as Answer;
    expect(rest).toEqual({
      success: true,
      tier: 'free',
      total_chunks: 1,
      metadata: {
        filename: 'note.txt',
        content_type: 'text/plain',
        reader: expect.stringMatching(/^txt-\d+$/) as string,
        size_bytes: 10,
        estimated_pages: 1,
      },
      source: {
        sha256: createHash('sha256').update('One.\n\nTwo.').digest('hex'),
        characters: 10,
        gaps: ['', ''],
      },
      payment: { amount: 0, asset: 'USDC', network: 'solana-mainnet' },
    });
    expect(chunks).toHaveLength(1);
    expect(chunks[0]).toMatchObject({ text: 'One.\n\nTwo.', metadata: { chunk_index: 0, char_count: 10 } });
    expect(headers).toMatchObject({
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': 'test-request',
      'Access-Control-Allow-Origin': '*',
    });
  });

  it.each(['POST /chunk/demo', 'POST /chunk/free'])(
    '%s reports the tier by its name in each deployment',
    async (line) => {
      const primary = await ask(fakeService(), line, { body: form('Text.') });
      const compact = await ask(fakeService({ DEPLOYMENT: 'compact' }), line, { body: form('Text.') });
      expect([primary.json['tier'], compact.json['tier']]).toEqual(['free', 'demo']);
    },
  );

  it('takes its options from fields before the file', async () => {
    const fields = { chunk_size: '20', chunk_overlap: '5', output_format: 'qdrant', document_id: 'doc-7' };
    const { json: answer } = await ask(fakeService(), 'POST /chunk/demo', {
      body: form('word '.repeat(20), 'a.txt', fields),
    });
    const { chunks } = answer as {
      chunks: { vector: object; payload: { text: string; document_id: string } }[];
    };
    expect(chunks.length).toBeGreaterThan(4);
    for (const { vector, payload } of chunks) {
      expect(vector).toEqual({});
      expect(payload.document_id).toBe('doc-7');
      expect(payload.text.length).toBeLessThanOrEqual(20);
    }
  });

  it('takes every option of a form at once', async () => {
    const { status, json } = await ask(fakeService({ PAYMENTS: 'off' }), 'POST /chunk', {
      body: form('Some words.', 'a.txt', {
        tier: 'semantic',
        output_format: 'weaviate',
        chunk_size: '100',
        chunk_overlap: '10',
        unit: 'tokens',
        encoding: 'o200k',
        chunk_target: '50',
        chunk_min: '10',
        parents: 'true',
        embeddings: 'true',
        blend: '0.40',
        document_id: 'words',
        collection: 'Word',
        text_field: 'word',
      }),
    });
    expect([status, json['chunks']]).toEqual([200, [expect.objectContaining({ class: 'Word' })]]);
  });

  it('goes to POST /chunk with the tier as a field', async () => {
    const { status, json: answer } = await ask(fakeService(), 'POST /chunk', {
      body: form('Text.', 'a.txt', { tier: 'free' }),
    });
    expect([status, answer['tier']]).toEqual([200, 'free']);
  });

  it('keeps of its name the last part, without control characters, at most 200 characters with its ending', async () => {
    const name = `C:\\secret\\..\\${'n'.repeat(300)}.txt`;
    const { json: answer } = await ask(fakeService(), 'POST /chunk/demo', { body: form('Text.', name) });
    expect((answer as unknown as Answer).metadata.filename).toBe(`${'n'.repeat(196)}.txt`);
  });

  it('ignores X-PAYMENT on the free tier', async () => {
    const { status } = await ask(fakeService(), 'POST /chunk/demo', {
      body: form('Text.'),
      headers: { 'x-payment': 'nonsense' },
    });
    expect(status).toBe(200);
  });

  it('of another kind is taken once the setting allows it', async () => {
    const html = '<!doctype html><html><body><p>Read me.</p></body></html>';
    const refused = await ask(fakeService(), 'POST /chunk/demo', { body: form(html, 'page.html') });
    expect(refused.json).toMatchObject({ code: 'unsupported_type' });
    expect(refused.json['message']).toMatch(/\.txt.*\.pdf|\.pdf.*\.txt/);
    const markdown = await ask(fakeService({ UPLOAD_KINDS: 'txt,markdown' }), 'POST /chunk/demo', {
      body: form('# Title\n\nText.', 'a.md'),
    });
    expect(markdown.status).toBe(200);
  });
});

describe('a JSON body', () => {
  it('with text is chunked under the name text.txt', async () => {
    const { json: answer } = await ask(
      fakeService(),
      'POST /chunk',
      json({ tier: 'free', text: 'Some text.' }),
    );
    expect(answer).toMatchObject({
      tier: 'free',
      total_chunks: 1,
      metadata: { filename: 'text.txt', content_type: 'text/plain', size_bytes: 10 },
    });
  });

  it('with text keeps the name that it gives', async () => {
    const { json: answer } = await ask(
      fakeService(),
      'POST /chunk',
      json({ tier: 'demo', text: 'Some text.', filename: 'a/b.txt' }),
    );
    expect(answer).toMatchObject({ metadata: { filename: 'b.txt' } });
  });

  it('with a link is chunked after it was fetched, and the records carry the link', async () => {
    const url = 'https://docs.example/guide.txt';
    const service = fakeService({}, { downloader: memoryDownloader({ [url]: 'Fetched text.' }) });
    const { json: answer } = await ask(
      service,
      'POST /chunk',
      json({ tier: 'free', url, output_format: 'pinecone' }),
    );
    expect(answer).toMatchObject({
      metadata: { filename: 'guide.txt' },
      chunks: [{ text: 'Fetched text.', source_url: url, document_id: url, tier: 'free' }],
    });
  });

  it.each(['raw', 'pinecone', 'weaviate', 'chroma', 'qdrant'])(
    'in the format %s has one entry a chunk',
    async (format) => {
      const { json: answer } = await ask(
        fakeService(),
        'POST /chunk',
        json({ tier: 'free', text: paragraphs(3), output_format: format }),
      );
      expect(answer['total_chunks']).toBe(3);
      expect(answer['chunks']).toHaveLength(3);
      expect('columns' in answer).toBe(format === 'chroma');
      expect('source' in answer).toBe(format === 'raw');
    },
  );

  it('names the tier in the records as the deployment calls it', async () => {
    const service = fakeService({ DEPLOYMENT: 'compact' });
    const { json: answer } = await ask(
      service,
      'POST /chunk',
      json({ tier: 'free', text: 'Text.', output_format: 'qdrant' }),
    );
    expect(answer).toMatchObject({ tier: 'demo', chunks: [{ payload: { tier: 'demo' } }] });
  });

  it('carries the warnings of the document', async () => {
    const { json: answer } = await ask(
      fakeService(),
      'POST /chunk',
      json({ tier: 'free', text: 'A\u0000B' }),
    );
    expect(answer).toMatchObject({ total_chunks: 1, warnings: [{ code: 'nul_dropped' }] });
  });

  it('says when the encoding of an upload was guessed', async () => {
    const body = form(Buffer.from('Le café est très bon.', 'latin1'), 'a.txt');
    const { json } = await ask(fakeService(), 'POST /chunk/demo', { body });
    expect(json).toMatchObject({ warnings: [{ code: 'encoding_guessed' }] });
  });

  it.each([
    ['its name', 'text/plain; charset=koi8-r'],
    ['another of its labels, in quotation marks', 'text/plain; format=flowed; Charset="KOI8"'],
    ['and no kind of document', 'application/octet-stream;charset=koi8-r'],
  ])('reads an upload in the charset that its part declares: %s', async (_, type) => {
    const body = form(Buffer.from([0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]), 'a.txt', {}, type);
    const { json } = await ask(fakeService(), 'POST /chunk/demo', { body });
    expect(json).toMatchObject({ chunks: [{ text: 'привет' }] });
    expect(json).not.toHaveProperty('warnings');
  });

  it('goes by a charset of the file, and not by that of a field before it', async () => {
    const boundary = 'b';
    const body = Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="chunk_size"\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n100\r\n` +
          `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`,
      ),
      Buffer.from('Le café est très bon.', 'latin1'),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const { json } = await ask(fakeService(), 'POST /chunk/demo', { body, headers });
    expect(json).toMatchObject({ warnings: [{ message: expect.stringMatching(/^Nothing says/) as string }] });
  });

  it('names a charset that is not known where it has to guess', async () => {
    const body = form(
      Buffer.from('Le café est très bon.', 'latin1'),
      'a.txt',
      {},
      'text/plain; charset=latin-0',
    );
    const { status, json } = await ask(fakeService(), 'POST /chunk/demo', { body });
    expect(status).toBe(200);
    const message = expect.stringMatching(/"latin-0" is not known.*windows-1252, by a guess/) as string;
    expect(json).toMatchObject({ warnings: [{ code: 'encoding_guessed', message }] });
  });

  it('may begin with a byte order mark', async () => {
    const { status } = await ask(fakeService(), 'POST /chunk', {
      body: `\ufeff${JSON.stringify({ tier: 'free', text: 'Text.' })}`,
    });
    expect(status).toBe(200);
  });
});

describe('a result of 100 chunks', () => {
  const store100 = async (environment: Record<string, string> = {}) => {
    const service = fakeService({ FREE_PAGES_PER_DAY: '1000', ...environment });
    const answered = await ask(service, 'POST /chunk/demo', { body: form(paragraphs(100)) });
    return {
      service,
      answered,
      path: String(answered.json['download_url']).replace('http://grainline.test', ''),
    };
  };

  it('is a link; one of 99 is not', async () => {
    const { service, answered } = await store100();
    expect(answered.json).toMatchObject({
      success: true,
      tier: 'free',
      total_chunks: 100,
      expires_in: '60 minutes',
      payment: { amount: 0 },
    });
    expect(answered.json['download_url']).toMatch(/^http:\/\/grainline\.test\/results\/free_[0-9a-f]{12}$/);
    expect(answered.json).not.toHaveProperty('chunks');
    const below = await ask(service, 'POST /chunk/demo', { body: form(paragraphs(99)) });
    expect(below.json).toMatchObject({ total_chunks: 99 });
    expect(below.json['chunks']).toHaveLength(99);
  });

  it('is fetched in the shape of an inline answer', async () => {
    const { service, path } = await store100();
    const { status, json: answer, headers } = await ask(service, `GET ${path}`);
    expect(status).toBe(200);
    expect(Object.keys(answer)).toEqual(MEMBERS);
    expect(answer['chunks']).toHaveLength(100);
    expect(headers).toMatchObject({
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept-Encoding',
      'Accept-Ranges': 'none',
    });
    expect(headers['ETag']).toMatch(/^W\/"[0-9a-f]{32}"$/);
  });

  it('is sent compressed, whole or in ranges, to who takes gzip', async () => {
    const { service, path } = await store100();
    const gzip = { 'accept-encoding': 'br;q=1, gzip;q=0.5' };
    const whole = await ask(service, `GET ${path}`, { headers: gzip });
    const bytes = Buffer.from(whole.text, 'latin1');
    expect(whole.headers).toMatchObject({ 'Content-Encoding': 'gzip', 'Accept-Ranges': 'bytes' });
    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ total_chunks: 100 });
    const part = async (range: string, more: object = {}) => {
      const { status, text, headers } = await ask(service, `GET ${path}`, {
        headers: { ...gzip, range, ...more },
      });
      return { status, length: Buffer.from(text, 'latin1').length, range: headers['Content-Range'] };
    };
    const end = bytes.length - 1;
    expect(await part('bytes=0-9')).toEqual({ status: 206, length: 10, range: `bytes 0-9/${bytes.length}` });
    expect(await part('bytes=-5')).toEqual({
      status: 206,
      length: 5,
      range: `bytes ${end - 4}-${end}/${bytes.length}`,
    });
    expect(await part(`bytes=${end}-`)).toEqual({
      status: 206,
      length: 1,
      range: `bytes ${end}-${end}/${bytes.length}`,
    });
    expect(await part(`bytes=${bytes.length}-`)).toMatchObject({
      status: 416,
      range: `bytes */${bytes.length}`,
    });
    expect(await part('bytes=0-1,4-5')).toMatchObject({ status: 200, length: bytes.length });
    expect(await part('bytes=0-9', { 'if-range': '"other"' })).toMatchObject({
      status: 200,
      length: bytes.length,
    });
    expect(await part('bytes=0-9', { 'if-range': whole.headers['ETag'] })).toMatchObject({ status: 206 });
  });

  it.each([
    ['gzip', true],
    ['*', true],
    ['x-gzip', true],
    ['gzip;q=0', false],
    ['identity', false],
    ['deflate, br', false],
  ])('with Accept-Encoding %s is compressed: %s', async (accepted, compressed) => {
    const { service, path } = await store100();
    const { headers } = await ask(service, `GET ${path}`, { headers: { 'accept-encoding': accepted } });
    expect(headers['Content-Encoding'] === 'gzip').toBe(compressed);
  });

  it('is not sent again to who has it', async () => {
    const { service, path } = await store100();
    const { headers } = await ask(service, `GET ${path}`);
    const again = await ask(service, `GET ${path}`, { headers: { 'if-none-match': headers['ETag'] ?? '' } });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await ask(service, `GET ${path}`, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  it('is gone after DELETE', async () => {
    const { service, path } = await store100();
    expect((await ask(service, `DELETE ${path}`)).status).toBe(204);
    expect((await ask(service, `GET ${path}`)).json).toMatchObject({ code: 'result_not_found' });
    expect((await ask(service, `DELETE ${path}`)).status).toBe(404);
  });

  it('is there for exactly 60 minutes', async () => {
    let now = NOW;
    const service = fakeService({}, { now: () => now });
    const { json: answer } = await ask(service, 'POST /chunk/demo', { body: form(paragraphs(100)) });
    const path = String(answer['download_url']).replace('http://grainline.test', '');
    now = NOW + 60 * 60_000 - 1;
    expect((await ask(service, `GET ${path}`)).status).toBe(200);
    now += 1;
    expect((await ask(service, `GET ${path}`)).status).toBe(404);
  });

  it('has an id that begins with the name of the tier in this deployment', async () => {
    const { path } = await store100({ DEPLOYMENT: 'compact' });
    expect(path).toMatch(/^\/results\/demo_[0-9a-f]{12}$/);
  });
});

describe('guessing ids', () => {
  it('is refused from the 61st miss of a minute on, for this client and this minute only', async () => {
    let now = NOW;
    const service = fakeService({}, { now: () => now });
    const { json: answer } = await ask(service, 'POST /chunk/demo', { body: form(paragraphs(100)) });
    const path = new URL(String(answer['download_url'])).pathname;
    const status = async (line: string, client = '192.0.2.1') =>
      (await ask(service, line, { client })).status;
    const notFound = [
      'GET /results/free_ffffffffffff',
      'DELETE /results/free_ffffffffffff',
      'GET /job/ai-pro_ffffffffffff/status',
    ];
    for (let guess = 0; guess < 60; guess++) expect(await status(notFound[guess % 3]!)).toBe(404);
    expect(await status(notFound[0]!)).toBe(429);
    expect(await status(`GET ${path}`)).toBe(429);
    expect(await status(`GET ${path}`, '192.0.2.2')).toBe(200);
    now += 60_000;
    expect(await status(`GET ${path}`)).toBe(200);
  });
});

describe('the quota', () => {
  it('counts nothing where it is off: a first long document is taken', async () => {
    const service = fakeService({ FREE_PAGES_PER_DAY: 'off' });
    const text = form('x'.repeat(2200 * 300));
    const { status, headers } = await ask(service, 'POST /chunk/demo', { body: text });
    expect([status, headers['RateLimit'], headers['RateLimit-Policy']]).toEqual([200, undefined, undefined]);
    const { json: about } = await ask(service, 'GET /');
    expect(about).toMatchObject({
      limits: { free_pages_per_day: null },
      privacy: { clients: 'No addresses of clients are kept.' },
    });
  });

  it.each([{}, { PAYMENTS: 'off' }])(
    'is of 100 pages unless a setting says otherwise: %j',
    async (payments) => {
      const service = fakeService(payments);
      const text = form('x'.repeat(2200 * 101));
      const { status, json: answer } = await ask(service, 'POST /chunk/demo', { body: text });
      expect([status, answer['code']]).toEqual([413, 'over_daily_limit']);
      expect(answer['message']).toContain('FREE_PAGES_PER_DAY');
    },
  );

  it('is charged with exactly the estimated pages, after the work', async () => {
    const service = fakeService({ FREE_PAGES_PER_DAY: '10' });
    const { json: answer, headers } = await ask(service, 'POST /chunk/demo', {
      body: form('x'.repeat(2200 * 3)),
    });
    expect((answer as unknown as Answer).metadata.estimated_pages).toBe(3);
    expect(headers['RateLimit']).toBe('"free-pages";r=7;t=21600');
    expect(headers['RateLimit-Policy']).toBe('"free-pages";q=10;w=86400');
  });

  it('refuses a document that needs more pages than are left, and says when there will be more', async () => {
    const service = fakeService({ FREE_PAGES_PER_DAY: '4' });
    await ask(service, 'POST /chunk/demo', { body: form('x'.repeat(2200 * 3)) });
    const {
      status,
      json: answer,
      headers,
    } = await ask(service, 'POST /chunk/demo', { body: form('x'.repeat(2200 * 2)) });
    expect(status).toBe(429);
    expect(answer).toMatchObject({
      code: 'quota_exceeded',
      retryable: true,
      limit: { pages_per_day: 4, pages_left: 1, pages_needed: 2 },
    });
    expect(headers).toMatchObject({ 'Retry-After': '21600', RateLimit: '"free-pages";r=1;t=21600' });
    expect((await ask(service, 'POST /chunk/demo', { body: form('fits') })).status).toBe(200);
  });

  it('refuses before the body is read once nothing is left', async () => {
    const service = fakeService({ FREE_PAGES_PER_DAY: '1' });
    await ask(service, 'POST /chunk/demo', { body: form('one page') });
    const { status, bodyWasRead } = await ask(service, 'POST /chunk/demo', { body: form('one more') });
    expect([status, bodyWasRead]).toEqual([429, false]);
  });

  it('is counted for each client alone, and anew each day', async () => {
    let now = NOW;
    const service = fakeService({ FREE_PAGES_PER_DAY: '1' }, { now: () => now });
    const status = async (client: string) =>
      (await ask(service, 'POST /chunk/demo', { body: form('text'), client })).status;
    expect([await status('192.0.2.1'), await status('192.0.2.2'), await status('192.0.2.1')]).toEqual([
      200, 200, 429,
    ]);
    now = Date.UTC(2026, 10, 22) - 1;
    expect(await status('192.0.2.1')).toBe(429);
    now += 1;
    expect(await status('192.0.2.1')).toBe(200);
  });

  it('is not charged for a document that is refused', async () => {
    const service = fakeService({ FREE_PAGES_PER_DAY: '1' });
    const refused = await ask(service, 'POST /chunk/demo', {
      body: form(Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13])),
    });
    expect(refused.status).toBe(400);
    expect((await ask(service, 'POST /chunk/demo', { body: form('text') })).status).toBe(200);
  });

  it('is not charged when the client goes away during the work', async () => {
    const gone = new AbortController();
    const interrupted: WorkerPool = {
      ...inlineWorkerPool,
      run: () => {
        gone.abort(new Error('gone'));
        return Promise.reject(new Error('the work ended with its client'));
      },
      close: () => Promise.resolve(),
    };
    const service = fakeService({ FREE_PAGES_PER_DAY: '1' });
    await expect(
      ask({ ...service, workerPool: interrupted }, 'POST /chunk/demo', {
        body: form('text'),
        signal: gone.signal,
      }),
    ).rejects.toThrow('gone');
    expect((await ask(service, 'POST /chunk/demo', { body: form('text') })).status).toBe(200);
  });

  it('never refuses a document alone for being larger than what is left without saying so: over a whole day is 413', async () => {
    const service = fakeService({ FREE_PAGES_PER_DAY: '2' });
    const { status, json: answer } = await ask(service, 'POST /chunk/demo', {
      body: form('x'.repeat(2200 * 3)),
    });
    expect(status).toBe(413);
    expect(answer).toMatchObject({
      code: 'over_daily_limit',
      retryable: false,
      limit: { pages_per_day: 2, pages_needed: 3 },
    });
  });
});

describe('a document that finds no free process', () => {
  it('goes to the processes in the name of its client, so that clients take turns there', async () => {
    const clients: unknown[] = [];
    const workerPool: WorkerPool = {
      ...inlineWorkerPool,
      run: (task, work) => {
        clients.push(work.client);
        return inlineWorkerPool.run(task, work);
      },
    };
    const service = fakeService({}, { workerPool });
    for (const client of ['10.0.0.1', '10.0.0.2'])
      await ask(service, 'POST /chunk/demo', { body: form('Text.'), client });
    expect(clients).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('is told to come again after twice WORK_TIMEOUT_MS', async () => {
    const workerPool: WorkerPool = {
      ...inlineWorkerPool,
      run: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      close: () => Promise.resolve(),
    };
    const { status, json: answer } = await ask(
      fakeService({ WORK_TIMEOUT_MS: '1' }, { workerPool }),
      'POST /chunk/demo',
      { body: form('Text.') },
    );
    expect([status, answer['code']]).toEqual([503, 'busy']);
  });
});

describe('a tier that is not built', () => {
  it.each([
    ['primary', 'structure'],
    ['primary', 'ai-pro'],
    ['compact', 'standard'],
    ['compact', 'professional'],
  ])('%s: /chunk/%s is refused before its body is read', async (deployment, tier) => {
    const service = fakeService({ DEPLOYMENT: deployment });
    const {
      status,
      json: answer,
      headers,
      bodyWasRead,
    } = await ask(service, `POST /chunk/${tier}`, { body: form('Text.') });
    expect([status, answer['code'], bodyWasRead]).toEqual([503, 'tier_unavailable', false]);
    expect(answer['message']).toContain(tier);
    expect(Number(headers['Retry-After'])).toBeGreaterThan(0);
  });

  it.each([
    ['primary', 'structure'],
    ['compact', 'standard'],
  ])('%s: POST /chunk without a tier means %s', async (deployment, tier) => {
    const service = fakeService({ DEPLOYMENT: deployment });
    const { status, json: answer } = await ask(service, 'POST /chunk', json({ text: 'Text.' }));
    expect([status, answer['code']]).toEqual([503, 'tier_unavailable']);
    expect(answer['message']).toContain(tier);
  });
});

describe('GET /', () => {
  it('lists the tiers of the primary deployment with their prices', async () => {
    const { json: overview, headers } = await ask(fakeService(), 'GET /');
    const tiers = overview['tiers'] as {
      id: string;
      price_usd: number;
      amount: number;
      available: boolean;
      mode: string;
      reason?: string;
    }[];
    expect(tiers.map(({ id, price_usd, amount, mode }) => [id, price_usd, amount, mode])).toEqual([
      ['free', 0, 0, 'sync'],
      ['structure', 0.002, 2000, 'sync'],
      ['semantic', 0.004, 4000, 'sync'],
      ['ai', 0.01, 10_000, 'sync'],
      ['ai-pro', 0.025, 25_000, 'async'],
    ]);
    for (const { available, reason } of tiers) expect(available).toBe(reason === undefined);
    expect(headers['Vary']).toBe('Accept');
  });

  it('lists the tiers of the compact deployment', async () => {
    const { json: overview } = await ask(fakeService({ DEPLOYMENT: 'compact' }), 'GET /');
    const tiers = overview['tiers'] as { id: string; price_usd: number }[];
    expect(tiers.map(({ id, price_usd }) => [id, price_usd])).toEqual([
      ['demo', 0],
      ['standard', 0.001],
      ['professional', 0.008],
    ]);
    expect(overview).toMatchObject({ deployment: 'compact', default_tier: 'standard' });
  });

  it('names limits, formats and kinds as they are set', async () => {
    const { json: overview } = await ask(
      fakeService({ FREE_PAGES_PER_DAY: '7', UPLOAD_KINDS: 'pdf', NETWORK: 'solana-devnet' }),
      'GET /',
    );
    expect(overview).toMatchObject({
      name: 'grainline',
      version: '0.0.0-test',
      network: 'solana-devnet',
      asset: 'USDC',
      pay_to: null,
      output_formats: ['raw', 'pinecone', 'weaviate', 'chroma', 'qdrant'],
      upload_types: ['pdf'],
      url_types: expect.arrayContaining(['pdf', 'txt', 'html', 'docx']) as unknown,
      limits: { free_pages_per_day: 7, link_from_chunks: 100, result_lifetime_seconds: 3600 },
    });
    for (const member of ['privacy', 'endpoints', 'links']) expect(overview).toHaveProperty(member);
  });
});

describe('health and readiness', () => {
  it('is healthy without touching the store, even when nothing else works', async () => {
    const service = fakeService({}, { store: undefined as never, phase: () => 'refusing' });
    const { status, json: answer } = await ask(service, 'GET /health');
    expect([status, answer]).toEqual([200, { status: 'healthy', network: 'solana-mainnet' }]);
  });

  it('is ready when the store answers', async () => {
    expect(await ask(fakeService(), 'GET /ready')).toMatchObject({ status: 200, json: { status: 'ready' } });
  });
});

describe('methods', () => {
  it.each(['/', '/chunk', '/chunk/demo', '/results/x', '/no/such/path', '*'])(
    'a preflight to %s never fails',
    async (path) => {
      const headers = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, x-payment',
      };
      const { status, headers: answered } = await ask(fakeService(), `OPTIONS ${path}`, { headers });
      expect(status).toBe(204);
      expect(answered['Access-Control-Allow-Origin']).toBe('*');
      expect(answered['Access-Control-Allow-Methods']).toContain('POST');
      for (const name of ['Content-Type', 'X-PAYMENT', 'PAYMENT-SIGNATURE', 'Idempotency-Key']) {
        expect(answered['Access-Control-Allow-Headers']).toContain(name);
      }
      for (const name of ['PAYMENT-REQUIRED', 'Retry-After', 'RateLimit', 'X-Request-Id', 'ETag']) {
        expect(answered['Access-Control-Expose-Headers']).toContain(name);
      }
    },
  );

  it.each([
    ['DELETE /', 'GET, HEAD, OPTIONS'],
    ['GET /chunk', 'POST, OPTIONS'],
    ['PUT /chunk/demo', 'POST, OPTIONS'],
    ['POST /results/free_0123456789ab', 'GET, DELETE, HEAD, OPTIONS'],
    ['TRACE /health', 'GET, HEAD, OPTIONS'],
    ['constructor /health', 'GET, HEAD, OPTIONS'],
  ])('%s is not taken; Allow says %s', async (line, allow) => {
    const { status, headers, json: answer } = await ask(fakeService(), line);
    expect([status, headers['Allow'], answer['code']]).toEqual([405, allow, 'method_not_allowed']);
  });

  it.each(['/', '/health', '/ready'])('HEAD %s is answered as GET', async (path) => {
    expect((await ask(fakeService(), `HEAD ${path}`)).status).toBe(200);
  });
});
