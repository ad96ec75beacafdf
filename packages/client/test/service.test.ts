// The client against a real service: documents of each kind, formats, links, jobs, and every operation.
import { rejectionOf } from '@grainline/testing/rejection';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  memoryDownloader,
  OPERATION_LIST,
  startTestService,
  type TestService,
} from '@grainline/server/testing';
import { type Client, createClient } from '../src/client.ts';
import { ClientError } from '../src/errors.ts';
import { BASE } from './fake-service.ts';

const TEXT = '# Tides\n\nHigh water follows the moon. It comes twice a day.\n';
const LINK = 'https://example.org/tides.txt';
const BOOK = Array.from({ length: 200 }, (_, index) => `Sentence number ${index}.`).join(' ');

let service: TestService;
let client: Client;
beforeAll(async () => {
  const downloader = memoryDownloader({ [LINK]: TEXT });
  service = await startTestService({ PAYMENTS: 'off', UPLOAD_KINDS: 'txt,markdown' }, { downloader });
  client = createClient({ url: service.url });
});
afterAll(() => service.stop());

describe('a document', () => {
  it('has the same chunks as a text, as a file and as bytes', async () => {
    const options = { tier: 'structure', size: 40, documentId: 'tides' };
    const asText = await client.chunk({ text: TEXT, filename: 'tides.md' }, options);
    const asFile = await client.chunk({ file: new File([TEXT], 'tides.md') }, options);
    const asBytes = await client.chunk(
      { bytes: new TextEncoder().encode(TEXT), filename: 'tides.md' },
      options,
    );
    expect(asText.total_chunks).toBeGreaterThan(1);
    expect(asText.metadata.filename).toBe('tides.md');
    expect(asFile.chunks).toEqual(asText.chunks);
    expect(asBytes.chunks).toEqual(asText.chunks);
  });

  it('has records of the format that is asked for, with its columns', async () => {
    const { chunks, columns } = await client.chunk({ text: TEXT }, { tier: 'free', format: 'chroma' });
    expect(columns.ids).toEqual(chunks.map(({ id }) => id));
    const { chunks: points } = await client.chunk(
      { text: TEXT },
      { tier: 'free', format: 'qdrant', textField: 'body' },
    );
    expect(points[0]?.payload).toMatchObject({ body: expect.stringContaining('High water') as string });
  });

  it('is measured without chunks, with the price and the refusals of each tier', async () => {
    const source = { bytes: new TextEncoder().encode(TEXT), filename: 'tides.md' };
    const { kind, characters, tiers } = await client.estimate(source);
    expect([kind, characters]).toEqual(['markdown', TEXT.length]);
    expect(tiers.map(({ id, amount, refusals }) => [id, amount, refusals.length])).toContainEqual([
      'structure',
      0,
      0,
    ]);
    const unreadable = await client.estimate(
      { bytes: new Uint8Array(100).fill(1), filename: 'a.bin' },
      { tier: 'structure' },
    );
    expect(unreadable).toMatchObject({
      tiers: [{ id: 'structure', refusals: [{ code: 'unsupported_type', status: 400 }] }],
    });
    expect(unreadable.kind).toBeUndefined();
    const wrong = client.estimate({ text: TEXT }, { tier: 'gold' });
    expect(await rejectionOf(wrong, ClientError)).toMatchObject({ code: 'invalid_fields' });
  });

  it('with many chunks is fetched by its link, may be fetched again, and is removed', async () => {
    const {
      chunks,
      total_chunks: total,
      result_id: id = '',
    } = await client.chunk({ text: BOOK }, { tier: 'free', size: 20 });
    expect([chunks.length, total > 100]).toEqual([total, true]);
    expect((await client.result(id)).chunks).toEqual(chunks);
    const bytes = await new Response(await client.download(id)).json();
    expect(bytes).toMatchObject({ success: true, total_chunks: total });
    await client.deleteResult(id);
    expect(await rejectionOf(client.result(id), ClientError)).toMatchObject({
      code: 'result_not_found',
      status: 404,
    });
  });

  it('with wrong options is refused with all of them, before the file', async () => {
    const call = client.chunk({ file: new File([TEXT], 'a.md') }, { tier: 'free', size: 5, overlap: -1 });
    const error = await rejectionOf(call, ClientError);
    expect(error).toMatchObject({ code: 'invalid_fields', status: 400, retryable: false });
    expect(error.message).toMatch(/chunk_size.*chunk_overlap/);
    expect(service.logged.some(({ request_id: id }) => id === error.requestId)).toBe(true);
  });

  it('behind a link is fetched by the service', async () => {
    const { metadata } = await client.chunk({ url: LINK }, { tier: 'free' });
    expect(metadata).toMatchObject({ filename: 'tides.txt', size_bytes: TEXT.length });
  });
});

describe('a service', () => {
  it('says what it offers, and that it is there', async () => {
    const { tiers, default_tier, upload_types, limits, payments } = await client.overview();
    expect([default_tier, upload_types, payments]).toEqual(['structure', ['txt', 'markdown'], 'off']);
    expect(limits.chunk_size.default).toEqual({ characters: 1000, tokens: 512 });
    expect(await client.tiers()).toEqual(tiers);
    expect(tiers.map(({ id, amount }) => [id, amount])).toContainEqual(['structure', 0]);
    expect(await client.health()).toMatchObject({ status: 'healthy' });
    await client.ready();
  });

  it('that is not there is named as that', async () => {
    const gone = createClient({ url: 'http://127.0.0.1:1' });
    expect(await rejectionOf(gone.health(), ClientError)).toMatchObject({
      code: 'unreachable',
      retryable: false,
    });
  });

  it('has a call for each of its operations, its documents apart', async () => {
    const requested = new Set<string>();
    const recording = createClient({
      url: BASE,
      tries: 1,
      fetch: (url, { method = 'GET' }) => {
        const path = url.slice(BASE.length - 1).replace('some_1', '{id}');
        requested.add(`${method} ${path}`);
        return Promise.resolve(new Response('{}', { status: 404 }));
      },
    });
    const { transfers } = recording;
    const job = recording.job('some_1');
    const calls = [
      ...[recording.overview(), recording.health(), recording.ready(), recording.chunk({ text: 'x' })],
      ...[recording.result('some_1'), recording.deleteResult('some_1'), recording.cite('some_1', 'x')],
      ...[recording.estimate({ text: 'x' }), recording.receipt('some_1'), recording.receiptKeys()],
      ...[job.status(), job.delete()],
      ...[transfers.send('x'), transfers.find({ tier: 'ai', memo: 'm' })],
      transfers.prepare({ payer: 'p', tier: 'ai', memo: 'm' }),
    ];
    await Promise.allSettled(calls);
    // The client requests the result when the job is completed.
    requested.add('GET /job/{id}/result');
    const documents = ['description', 'guide', 'reference', 'paidResources', 'paymentManifest', 'mcp'];
    documents.push('receiptIdentity');
    // The form holds the tier.
    const others = OPERATION_LIST.filter(({ name }) => ![...documents, 'chunkUpload'].includes(name));
    expect([...requested].sort()).toEqual(others.map(({ method, path }) => `${method} ${path}`).sort());
  });
});
