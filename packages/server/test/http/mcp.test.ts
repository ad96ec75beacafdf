// The service as tools of the Model Context Protocol, by the official client over a real socket: lists, estimates,
// prices, payments, replays, and the requests that get nothing.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { parsePaymentRequired } from '@x402/core/schemas';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRateLimit } from '../../src/limits/rate.ts';
import { OFFERING_FACILITATOR, paidService } from '../payments/paid-service.ts';
import { type SellingService, startSelling } from '../payments/selling.ts';
import { ask, fakeService, paragraphs } from './fake-service.ts';

interface Result {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

let service: SellingService | undefined;
let client: Client | undefined;
afterEach(async () => {
  await client?.close();
  await service?.stop();
  service = client = undefined;
});

async function connect({ url }: { readonly url: string }, send = fetch): Promise<Client> {
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: send }));
  return client;
}

const call = async (name: string, given: object, payment?: unknown): Promise<Result> => {
  if (client === undefined) throw new Error('no client');
  const meta = payment === undefined ? {} : { _meta: { 'x402/payment': payment } };
  return (await client.callTool({ name, arguments: { ...given }, ...meta })) as unknown as Result;
};

describe('the tools of a service', () => {
  it('are listed, estimate, name their price, take a payment, and give the chunks', async () => {
    service = await startSelling();
    const { chain } = service;
    const { tools } = await (await connect(service)).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['chunk_text', 'chunk_url', 'estimate', 'cite', 'job_status', 'read_chunks'],
    ]);
    const request = { text: 'High water follows the moon.', tier: 'structure' };
    const { structuredContent: estimated } = await call('estimate', request);
    expect(estimated['tiers']).toMatchObject([{ id: 'structure', amount: 2000, refusals: [] }]);

    const unpaid = await call('chunk_text', request);
    expect(unpaid).toMatchObject({ isError: true, structuredContent: { code: 'payment_required' } });
    const { maxAmountRequired, extra } = unpaid.structuredContent['paymentRequirements'] as {
      maxAmountRequired: string;
      extra: { memo: string };
    };
    const signature = chain.pay(BigInt(maxAmountRequired), { memos: [extra.memo] });
    const paid = await call('chunk_text', request, signature);
    expect(paid.isError).toBeUndefined();
    expect(paid.structuredContent).toMatchObject({ success: true, chunks: [{ text: request.text }] });
    expect(paid._meta).toMatchObject({ 'x402/payment-response': { success: true, transaction: signature } });

    const again = await call('chunk_text', request, signature);
    expect(again.structuredContent).toEqual(paid.structuredContent);
    const other = await call('chunk_text', { ...request, text: 'Another text.' }, signature);
    expect(other).toMatchObject({ isError: true, structuredContent: { code: 'payment_already_used' } });
    expect(service.tasks).toHaveLength(1);
  });
});

it('a page of another origin may send every header of the client', async () => {
  service = await startSelling();
  const names = new Set<string>();
  await connect(service, (address, init) => {
    for (const [name] of new Headers(init?.headers)) names.add(name);
    return fetch(address, init);
  });
  await call('estimate', { text: 'High water.', tier: 'free' });
  const { headers } = await fetch(`${service.url}/mcp`, { method: 'OPTIONS' });
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
  // `accept` needs no permission (Fetch standard, CORS-safelisted request-headers).
  expect([...names].filter((name) => name !== 'accept' && !allowed.includes(name))).toEqual([]);
  expect(names).toContain('mcp-protocol-version');
  // Those of revision 2026-07-28.
  expect(allowed).toEqual(expect.arrayContaining(['mcp-method', 'mcp-name']));
});

describe('a call over /mcp', () => {
  const message = (name: string, given: object, payment?: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: given,
      ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }),
    },
  });
  const HEADERS = { accept: 'application/json, text/event-stream', host: '127.0.0.1:8402' };
  const send = (target: Parameters<typeof ask>[0], body: object, headers: Record<string, string> = {}) =>
    ask(target, 'POST /mcp', { body: JSON.stringify(body), headers: { ...HEADERS, ...headers } });
  const resultIn = ({ text }: { readonly text: string }): Result => {
    const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
    return (JSON.parse(json) as { result: Result }).result;
  };

  it('of the newer protocol is answered in JSON, and writes no line beside the log', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
    const { status, text } = await send(fakeService(), list, headers);
    expect([status, JSON.parse(text)]).toMatchObject([200, { result: { tools: expect.any(Array) as [] } }]);
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });

  it('with a price is answered as the transport of x402 says, and the offer describes the tool', async () => {
    const selling = paidService({}, {}, OFFERING_FACILITATOR);
    const result = resultIn(
      await send(selling, message('chunk_text', { text: 'Some text.', tier: 'structure' })),
    );
    expect(result.isError).toBe(true);
    expect(parsePaymentRequired(result.structuredContent).success).toBe(true);
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent);
    expect(result.structuredContent).toMatchObject({
      x402Version: 2,
      resource: { url: 'http://grainline.test/mcp' },
      accepts: [{ scheme: 'exact', amount: '2000' }],
      extensions: { bazaar: { info: { input: { type: 'mcp', toolName: 'chunk_text' } } } },
    });
    const { bazaar } = result.structuredContent['extensions'] as { bazaar: object };
    expect(JSON.stringify(bazaar).length).toBeLessThanOrEqual(1024);
  });

  it('reads the chunks of a large result in parts, and finds a quotation in it', async () => {
    const free = fakeService();
    const made = resultIn(await send(free, message('chunk_text', { text: paragraphs(100), tier: 'free' })));
    const id = String(made.structuredContent['download_url']).replace(/.*\//u, '');
    const texts: string[] = [];
    for (let from: unknown = 0; from !== undefined;) {
      const page = resultIn(await send(free, message('read_chunks', { result_id: id, from, limit: 40 })));
      const { chunks, next, total_chunks: total } = page.structuredContent;
      texts.push(...(chunks as { text: string }[]).map(({ text }) => text));
      expect(total).toBe(made.structuredContent['total_chunks']);
      from = next;
    }
    const { json } = await ask(free, `GET /results/${id}`);
    expect(texts).toEqual((json['chunks'] as { text: string }[]).map(({ text }) => text));
    const found = resultIn(await send(free, message('cite', { result_id: id, quote: '7 lorem ipsum' })));
    expect(found.structuredContent['found']).toBe(true);
  });

  it.each([
    ['an unknown job', 'job_status', { job_id: 'ai-pro_0123456789ab' }, 'job_not_found'],
    ['an unknown result', 'read_chunks', { result_id: 'free_0123456789ab' }, 'result_not_found'],
    ['no id', 'job_status', {}, 'invalid_fields'],
    ['a path as an id', 'read_chunks', { result_id: '../../etc/passwd' }, 'result_not_found'],
    ['a link for a text', 'chunk_text', { url: 'http://a.example/' }, 'invalid_fields'],
    ['another tool', '__proto__', {}, 'not_found'],
    ['a link into this machine', 'estimate', { url: 'http://127.0.0.1/', tier: 'gold' }, 'invalid_fields'],
  ])('for %s is an error of its code', async (_, name, given, code) => {
    const result = resultIn(await send(fakeService(), message(name, given)));
    expect(result).toMatchObject({ isError: true, structuredContent: { code } });
  });

  it('counts guessed ids as requests for results do', async () => {
    const target = fakeService();
    for (let guesses = 0; guesses < 60; guesses++)
      await send(target, message('read_chunks', { result_id: 'free_0123456789ab' }));
    const { json } = await ask(target, 'GET /results/free_0123456789ab');
    expect(json['code']).toBe('too_many_misses');
  });

  it.each([
    ['another Host', { host: 'rebound.example' }, {}],
    [
      'a Host that begins as ours',
      { host: 'chunks.example.evil.example' },
      { PUBLIC_URL: 'https://chunks.example' },
    ],
    ['a foreign Origin', { origin: 'https://evil.example' }, {}],
    ['the Origin null', { origin: 'null' }, {}],
  ])('with %s gets nothing', async (_, headers, environment) => {
    const { status, json } = await send(
      fakeService(environment),
      message('estimate', { text: 'a' }),
      headers,
    );
    expect([status, json['code']]).toEqual([403, 'forbidden_origin']);
  });

  it.each([
    [{ host: 'chunks.example' }, { PUBLIC_URL: 'https://chunks.example' }],
    [{ host: 'chunks.example', origin: 'https://chunks.example' }, { PUBLIC_URL: 'https://chunks.example' }],
    [{ host: '[::1]:8402', origin: 'http://localhost:3000' }, {}],
  ])('with %j is served', async (headers, environment) => {
    const result = resultIn(
      await send(fakeService(environment), message('estimate', { text: 'a' }), headers),
    );
    expect(result.structuredContent['kind']).toBe('txt');
  });

  it('is not paid with a description that its client has blown up', async () => {
    const selling = paidService({}, {}, OFFERING_FACILITATOR);
    const accepted = { scheme: 'exact', network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' };
    const extensions = { bazaar: { info: { input: { example: 'x'.repeat(16_384) } } } };
    const payment = { x402Version: 2, accepted, payload: { transaction: 'AQ==' }, extensions };
    const call = message('chunk_text', { text: 'a', tier: 'structure' }, payment);
    const result = resultIn(await send(selling, call));
    expect(result.structuredContent['error']).toContain('is longer than 16384 characters');
    expect(selling.chain.lookups).toEqual([]);
    expect(selling.tasks).toEqual([]);
  });

  it('is bounded: its bytes, its form, its rate', async () => {
    const target = fakeService({}, { rate: createRateLimit(60) });
    const large = message('chunk_text', { text: 'a'.repeat(1024 * 1024) });
    expect((await send(target, large)).json['code']).toBe('too_large');
    const form = await ask(target, 'POST /mcp', { body: new FormData(), headers: HEADERS });
    expect(form.json['code']).toBe('unsupported_media_type');
    expect((await ask(target, 'GET /mcp', { headers: HEADERS })).status).toBe(405);
    const flood = await Promise.all(
      Array.from({ length: 60 }, () => send(target, message('estimate', { text: 'a' }))),
    );
    expect(flood.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });
});
