// The paid tiers of a service whose payments are off: every tier that core's registry has is served for nothing, with
// the options it takes; the others say why they are not. What the library cuts is what the service answers.
import {
  type Chunk,
  chunk,
  chunkSync,
  type ChunkSyncOptions,
  type CohesionGain,
  documentFromText,
  indexedText,
  TIERS,
} from '@grainline/core';
import { tokenCounter } from '@grainline/models/tokens';
import { staticEmbedder } from '@grainline/models/embeddings';
import { afterEach, describe, expect, it } from 'vitest';
import { deploymentOf } from '../../src/catalog.ts';
import { createWorkerPool } from '../../src/sandbox/index.ts';
import { FROM_SOURCES, SETTINGS } from '../sandbox/tasks.ts';
import { type Ask, ask, fakeService, form, memoryDownloader, memoryStore, NOW } from './fake-service.ts';
import { startTestService, type TestService } from './running-service.ts';
import { StoreError } from '../../src/store/store.ts';

const TEXT = `# Harbour guide

Harbour pilots board ships beyond the bar. They know every shoal by name.

## Tides

High water follows the moon. It comes twice a day:

- springs after new and full moon
- neaps between them

| port | high water |
| --- | --- |
| North quay | 04:12 |
| South quay | 04:31 |

\`\`\`js
const drift = (wind) => wind * 0.03;
\`\`\`
`;

const OFF = { PAYMENTS: 'off' } as const;
const json = (body: object): Ask => ({ body: JSON.stringify(body) });

interface Answer {
  readonly tier: string;
  readonly total_chunks: number;
  readonly chunks: { text: string; metadata: { start_offset: number; end_offset: number } }[];
  readonly payment: { amount: number };
}

/** Paid tiers of both deployments that this version has. */
const SERVED = (['primary', 'compact'] as const).flatMap((deployment) =>
  deploymentOf({ deployment, payments: 'off', payTo: undefined })
    .tiers.filter(({ id, offer }) => 'tier' in offer && id in TIERS && !['free', 'demo'].includes(id))
    .map(({ id }) => [deployment, id as keyof typeof TIERS] as const),
);

let running: TestService | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

/** The library's chunks of the same Markdown. */
function expected(options: object, text = TEXT): [text: string, start: number, end: number][] {
  const document = documentFromText(text, { kind: 'markdown' });
  return chunkSync(document, options as ChunkSyncOptions).map(placed);
}

const placed = (piece: Chunk): [text: string, start: number, end: number] => [
  indexedText(piece),
  piece.start,
  piece.end,
];

/** As {@link expected}, by tiers that may need the built-in embedder. */
async function expectedOf(tier: keyof typeof TIERS): Promise<unknown[]> {
  const embedder = TIERS[tier].options.includes('embed') ? { embed: await staticEmbedder() } : {};
  const document = documentFromText(TEXT, { kind: 'markdown' });
  return (await chunk(document, { tier, size: 120, overlap: 20, ...embedder })).map(placed);
}

const got = ({ chunks }: Answer): unknown[] =>
  chunks.map(({ text, metadata }) => [text, metadata.start_offset, metadata.end_offset]);

describe('with payments off', () => {
  it('structure and standard are served', () => {
    expect(SERVED.map(([, tier]) => tier)).toEqual(expect.arrayContaining(['structure', 'standard']));
  });

  it.each(SERVED)(
    '%s: %s answers on its path, by field, in a form, over a socket',
    async (deployment, tier) => {
      const environment = { ...OFF, DEPLOYMENT: deployment, UPLOAD_KINDS: 'all' };
      running = await startTestService(environment);
      const { url } = running;
      const send = async (path: string, init: RequestInit): Promise<Answer> => {
        const response = await fetch(`${url}${path}`, { method: 'POST', ...init });
        expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null]);
        return (await response.json()) as Answer;
      };
      const fields = { chunk_size: '120', chunk_overlap: '20' };
      const answers = [
        await send(`/chunk/${tier}`, { body: form(TEXT, 'a.md', fields) }),
        await send('/chunk', { body: form(TEXT, 'a.md', { tier, ...fields }) }),
        await send('/chunk', {
          headers: { 'content-type': 'application/json', 'x-payment': 'nonsense' },
          body: JSON.stringify({ tier, text: TEXT, filename: 'a.md', chunk_size: 120, chunk_overlap: 20 }),
        }),
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({ tier, payment: { amount: 0 } });
        expect(got(answer)).toEqual(await expectedOf(tier));
      }
    },
  );

  it.each([
    ['primary', 'structure'],
    ['compact', 'standard'],
  ])('%s: POST /chunk without a tier means %s', async (DEPLOYMENT, tier) => {
    const service = fakeService({ ...OFF, DEPLOYMENT });
    for (const request of [json({ text: 'Text.' }), { body: form('Text.') }]) {
      const { status, json: answer } = await ask(service, 'POST /chunk', request);
      expect([status, answer['tier']]).toEqual([200, tier]);
    }
  });

  it('semantic answers with vectors when asked, rounded, in every format', async () => {
    running = await startTestService({ ...OFF, UPLOAD_KINDS: 'all' });
    const facts = { dimensions: 160, normalized: true, distance: 'cosine' };
    const formats = {
      raw: 'embedding',
      pinecone: 'values',
      weaviate: 'vector',
      chroma: 'embedding',
      qdrant: 'vector',
    };
    for (const [output_format, key] of Object.entries(formats)) {
      const body = { tier: 'semantic', text: TEXT, filename: 'a.md', output_format, embeddings: true };
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${running.url}/chunk`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { chunks: Record<string, number[]>[]; embedding: object };
      expect([response.status, answer.embedding]).toMatchObject([200, facts]);
      for (const record of answer.chunks) {
        const vector = record[key] ?? [];
        expect(vector).toHaveLength(160);
        expect(vector.map((value) => Number(value.toPrecision(6)))).toEqual(vector);
      }
    }
  });

  it('semantic says how far it beats structure, other tiers do not', async () => {
    const service = fakeService(OFF);
    const of = async (tier: string): Promise<unknown> => {
      const { json: answer } = await ask(service, 'POST /chunk', json({ tier, text: TEXT, chunk_size: 120 }));
      return (answer['metadata'] as { cohesion?: unknown }).cohesion;
    };
    const gains: CohesionGain[] = [];
    const embed = await staticEmbedder();
    const document = documentFromText(TEXT, { filename: 'text.txt' });
    await chunk(document, { tier: 'semantic', size: 120, embed, onCohesion: (gain) => gains.push(gain) });
    expect(gains).toHaveLength(1);
    expect(await of('semantic')).toEqual(gains[0]);
    expect(await of('structure')).toBeUndefined();
  });

  it('embeddings go with semantic alone, and are true or false', async () => {
    const service = fakeService(OFF);
    const refused = await ask(service, 'POST /chunk', json({ text: 'Text.', embeddings: true }));
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([
      400,
      expect.stringContaining('embeddings goes with the tier semantic, not structure'),
    ]);
    const odd = await ask(
      service,
      'POST /chunk',
      json({ text: 'Text.', tier: 'semantic', embeddings: 'yes' }),
    );
    expect(odd.status).toBe(400);
  });

  it('semantic is unavailable without an embedder', () => {
    const { tiers } = deploymentOf({
      deployment: 'primary',
      payments: 'off',
      payTo: undefined,
      embeddings: 'off',
    });
    expect(tiers.find(({ id }) => id === 'semantic')?.offer).toEqual({
      unavailable: 'This service has no embedder (EMBEDDINGS=off).',
    });
  });

  it('a link is chunked too', async () => {
    const url = 'https://docs.example/guide.txt';
    const service = fakeService(OFF, { downloader: memoryDownloader({ [url]: 'Fetched text.' }) });
    const { json: answer } = await ask(service, 'POST /chunk', json({ url }));
    expect(answer).toMatchObject({ tier: 'structure', chunks: [{ text: 'Fetched text.' }] });
  });

  it('pages are counted on the free tier alone', async () => {
    const service = fakeService({ ...OFF, FREE_PAGES_PER_DAY: '1' });
    const status = async (line: string) =>
      (await ask(service, line, { body: form('x'.repeat(5000)) })).status;
    expect(await status('POST /chunk/structure')).toBe(200);
    expect(await status('POST /chunk/demo')).toBe(413);
    await ask(service, 'POST /chunk/demo', { body: form('one page') });
    expect(await status('POST /chunk/demo')).toBe(429);
    expect(await status('POST /chunk/structure')).toBe(200);
  });

  it('a large result has an id of its tier', async () => {
    const { json: answer } = await ask(
      fakeService(OFF),
      'POST /chunk',
      json({ text: 'One two three. '.repeat(200), chunk_size: 15 }),
    );
    expect(answer['download_url']).toMatch(/\/results\/structure_[0-9a-f]{12}$/);
  });

  it.each([
    ['ai', 'its operator sets AI_MODEL'],
    ['ai-pro', 'its operator sets AI_MODEL'],
  ])('%s stays unavailable, with the reason', async (tier, reason) => {
    const { status, json: answer } = await ask(fakeService(OFF), `POST /chunk/${tier}`, { body: form('x') });
    expect([status, answer['code']]).toEqual([503, 'tier_unavailable']);
    expect(answer['message']).toContain(reason);
  });

  it('a document too large for the server itself is cut the same in a child process', async () => {
    running = await startTestService(OFF, { workerPool: createWorkerPool(SETTINGS, FROM_SOURCES) });
    const long = TEXT.repeat(40);
    const response = await fetch(`${running.url}/chunk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: long, filename: 'a.md', chunk_size: 2000, chunk_target: 500 }),
    });
    const answer = (await response.json()) as Answer;
    expect(got(answer)).toEqual(expected({ tier: 'structure', size: 2000, target: 500 }, long));
  });

  it('GET / says what is served, at what price, and what each tier takes', async () => {
    const { json: overview } = await ask(fakeService(OFF), 'GET /');
    expect(overview).toMatchObject({ payments: 'off', limits: { units: ['characters', 'tokens'] } });
    const tiers = overview['tiers'] as Record<string, unknown>[];
    expect(tiers.find(({ id }) => id === 'structure')).toMatchObject({
      price_usd: 0,
      amount: 0,
      available: true,
      max_characters: 4_000_000,
      options: expect.arrayContaining(['chunk_target', 'chunk_min']) as unknown,
    });
    expect(tiers.find(({ id }) => id === 'free')).toMatchObject({ max_characters: null, options: [] });
    expect(tiers.find(({ id }) => id === 'ai')).toMatchObject({ available: false, options: [] });
  });
});

describe('context', () => {
  const professional = (fields: object) =>
    ask(
      fakeService({ ...OFF, DEPLOYMENT: 'compact' }),
      'POST /chunk',
      json({ tier: 'professional', text: TEXT, filename: 'a.md', chunk_size: 150, ...fields }),
    );

  it.each(['corpus', 'in-document'])('%s is what the library injects', async (context) => {
    const { json: answer } = await professional({ context });
    expect(got(answer as unknown as Answer)).toEqual(expected({ tier: 'professional', size: 150, context }));
  });

  it('that does not exist is refused with those that do', async () => {
    const { status, json: answer } = await professional({ context: 'world' });
    expect([status, answer['code']]).toEqual([400, 'invalid_fields']);
    expect(answer['message']).toMatch(/context must be .*corpus.*in-document.*, but is "world"/);
  });
});

describe('the fields of a tier', () => {
  const structure = (fields: object) =>
    ask(fakeService(OFF), 'POST /chunk', json({ text: TEXT, filename: 'a.md', ...fields }));

  it('chunk_target and chunk_min reach the packer, from JSON and from a form', async () => {
    const options = { tier: 'structure', size: 400, target: 60, min: 10 };
    const { json: answer } = await structure({ chunk_size: 400, chunk_target: 60, chunk_min: 10 });
    expect(got(answer as unknown as Answer)).toEqual(expected(options));
    expect(expected(options)).not.toEqual(expected({ tier: 'structure', size: 400 }));
    const fields = { chunk_size: '400', chunk_target: '60', chunk_min: '10' };
    const service = fakeService({ ...OFF, UPLOAD_KINDS: 'all' });
    const sent = await ask(service, 'POST /chunk/structure', { body: form(TEXT, 'a.md', fields) });
    expect(got(sent.json as unknown as Answer)).toEqual(expected(options));
  });

  it.each([
    [{ chunk_target: 2000 }, 'chunk_target must be an integer from 1 to chunk_size, but is 2000'],
    [
      { chunk_target: 50, chunk_min: 60 },
      'chunk_min must be an integer from 0 to the chunk_target, but is 60',
    ],
    [{ chunk_target: 'x' }, 'chunk_target must be an integer from 1 to 100000, but is "x"'],
    [{ unit: 'words' }, 'unit must be one of characters, tokens, but is "words"'],
    [{ encoding: 'o200k' }, 'encoding goes with unit tokens only'],
    [{ unit: 'tokens', encoding: 'p50k' }, 'encoding must be one of o200k, cl100k, but is "p50k"'],
    [{ context: 'corpus' }, 'context goes with the tier professional, not structure'],
    [
      { tier: 'free', chunk_target: 50 },
      'chunk_target goes with the tier standard, structure, semantic, professional, not free',
    ],
    [{ chunk_overlap: 1000 }, 'chunk_overlap must be below chunk_size (1000), but is 1000'],
    [{ unit: 'tokens', chunk_overlap: 512 }, 'chunk_overlap must be below chunk_size (512), but is 512'],
  ])('%o is refused: %s', async (fields, message) => {
    const { status, json: answer } = await structure(fields);
    expect([status, answer['code']]).toEqual([400, 'invalid_fields']);
    expect(answer['message']).toContain(message);
  });

  it('is refused where no tier here takes it', async () => {
    const { json: answer } = await ask(
      fakeService(),
      'POST /chunk',
      json({ tier: 'free', text: TEXT, context: 'corpus' }),
    );
    expect(answer['message']).toContain('context is an option of no tier here.');
  });

  it('goes to a tier that is not here, and is told which are', async () => {
    const { status, json: answer } = await ask(fakeService(), 'POST /chunk/standard', {
      body: form('Text.'),
    });
    expect([status, answer['code']]).toEqual([404, 'not_found']);
    expect(answer['message']).toMatch(
      /the tiers here are free, demo, structure, .*; GET \/ lists what is\.$/,
    );
  });

  it('of a tier that cannot be used are not judged: the tier is refused', async () => {
    const { status } = await structure({ tier: 'ai', chunk_target: 50 });
    expect(status).toBe(503);
  });

  it('a text longer than the tier takes is refused with both numbers; the free tier takes it', async () => {
    const long = 'a'.repeat(4_000_001);
    const service = fakeService({ ...OFF, FREE_PAGES_PER_DAY: '10000' });
    const { status, json: answer } = await ask(service, 'POST /chunk/structure', { body: form(long) });
    expect([status, answer['code'], answer['retryable']]).toEqual([413, 'too_many_characters', false]);
    expect(answer['limit']).toEqual({ max_characters: 4_000_000, characters: 4_000_001 });
    expect((await ask(service, 'POST /chunk/demo', { body: form(long) })).status).toBe(200);
  });
});

describe('sizes in tokens', () => {
  it.each([
    ['o200k', undefined],
    ['o200k', 'o200k_base'],
    ['cl100k', 'cl100k'],
    ['cl100k', 'cl100k_base'],
  ] as const)('count tokens of %s when the encoding is %s', async (name, encoding) => {
    const fields = { unit: 'tokens', chunk_size: 40, chunk_overlap: 8, ...(encoding && { encoding }) };
    const measure = await tokenCounter(name);
    for (const tier of ['free', 'structure']) {
      const { status, json: answer } = await ask(
        fakeService(OFF),
        'POST /chunk',
        json({ tier, text: TEXT, filename: 'a.md', ...fields }),
      );
      expect(status).toBe(200);
      expect(got(answer as unknown as Answer)).toEqual(expected({ tier, size: 40, overlap: 8, measure }));
      for (const { text } of (answer as unknown as Answer).chunks)
        expect(measure.count(text)).toBeLessThanOrEqual(40);
    }
  });

  it('have a default of 512, and are counted in a child process', async () => {
    running = await startTestService(OFF, { workerPool: createWorkerPool(SETTINGS, FROM_SOURCES) });
    // Paragraphs of one section: short chapters would each be a chunk of their own.
    const text = `${TEXT}\n${'Harbour pilots board ships beyond the bar. They know every shoal by name.\n\n'.repeat(120)}`;
    const response = await fetch(`${running.url}/chunk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, filename: 'a.md', unit: 'tokens' }),
    });
    const { chunks } = (await response.json()) as Answer;
    const measure = await tokenCounter('o200k');
    const counts = chunks.map(({ text }) => measure.count(text));
    expect(Math.max(...counts)).toBeLessThanOrEqual(512);
    expect(Math.max(...counts)).toBeGreaterThan(128);
  });
});

describe('a large result that cannot be stored', () => {
  it('costs no pages', async () => {
    const store = memoryStore();
    const full = { ...store, putResult: () => Promise.reject(new StoreError('storage_full')) };
    const service = fakeService({ FREE_PAGES_PER_DAY: '10' }, { store: full });
    const { status } = await ask(service, 'POST /chunk/demo', {
      body: form('word '.repeat(300), 'a.txt', { chunk_size: '10' }),
    });
    expect(status).toBe(503);
    const day = new Date(NOW).toISOString().slice(0, 10);
    expect(await store.quotaLeft({ client: '192.0.2.1', day, limit: 10 })).toBe(10);
  });

  it('that is refused for its pages is not kept', async () => {
    const store = memoryStore();
    const kept: string[] = [];
    const racing = {
      ...store,
      putResult: async (result: Parameters<typeof store.putResult>[0]) => {
        kept.push(result.id);
        // Another request of this client takes the last pages meanwhile.
        const day = new Date(NOW).toISOString().slice(0, 10);
        await store.takeQuota({ client: '192.0.2.1', day, pages: 3, limit: 3 });
        return store.putResult(result);
      },
    };
    const service = fakeService({ FREE_PAGES_PER_DAY: '3' }, { store: racing });
    const request = { body: form('word '.repeat(300), 'a.txt', { chunk_size: '10' }) };
    expect((await ask(service, 'POST /chunk/demo', request)).json['code']).toBe('quota_exceeded');
    expect(kept).toHaveLength(1);
    expect(await store.getResult(kept[0]!)).toBeNull();
    // Asked again, it is refused before anything is stored.
    expect((await ask(service, 'POST /chunk/demo', request)).status).toBe(429);
    expect(kept).toHaveLength(1);
  });
});
