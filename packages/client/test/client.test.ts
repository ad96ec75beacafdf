// The calls of the client against replies of this test: bodies, answers, errors, retries.
import { rejectionOf } from '@grainline/testing/rejection';
import { type OptionName, optionsOf } from '@grainline/core/options';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { createClient, type ClientOptions } from '../src/client.ts';
import { ClientError } from '../src/errors.ts';
import type { ChunkRequestOptions, DocumentInput } from '../src/request.ts';
import {
  BASE,
  chunkAnswer,
  type FakeReply,
  fakeFetch,
  jumpingClock,
  json,
  networkError,
} from './fake-service.ts';

const SOURCE = { text: 'High water.' };

function open(replies: readonly FakeReply[], options: Partial<ClientOptions> = {}) {
  const { fetch, sent } = fakeFetch(...replies);
  const clock = jumpingClock();
  return { client: createClient({ url: BASE, fetch, clock, ...options }), sent, waits: clock.waits };
}

const failing = (...replies: readonly FakeReply[]): Promise<ClientError> =>
  rejectionOf(open(replies, { tries: 1 }).client.chunk(SOURCE), ClientError);

async function bodyOf(body: RequestInit['body']): Promise<unknown> {
  if (body instanceof FormData) return [...body];
  return JSON.parse(await (body as Blob).text());
}

describe('a request for chunks', () => {
  const options = {
    tier: 'ai',
    size: 300,
    target: 200,
    documentId: 'a',
    textField: 'body',
    embeddings: true,
    blend: 0.4,
    parents: true,
  } as const;
  const fields = {
    tier: 'ai',
    chunk_size: 300,
    chunk_target: 200,
    document_id: 'a',
    text_field: 'body',
    embeddings: true,
    blend: 0.4,
    parents: true,
  };

  it.each([
    ['text', { text: 'High.', filename: 'a.md' }],
    ['link', { url: 'https://example.org/a.pdf' }],
  ])('of a %s is JSON with the names of the wire, without what is not given', async (_, source) => {
    const { client, sent } = open([json(chunkAnswer())]);
    await client.chunk(source, { ...options, overlap: undefined });
    expect(sent[0]).toMatchObject({ method: 'POST', url: `${BASE}chunk` });
    expect((sent[0]?.body as Blob).type).toBe('application/json');
    expect(await bodyOf(sent[0]?.body)).toEqual({ ...source, ...fields });
  });

  it.each<[string, DocumentInput, string, string]>([
    ['a File', { file: new File(['x'], 'a.pdf', { type: 'application/pdf' }) }, 'a.pdf', 'application/pdf'],
    ['a File under another name', { file: new File(['x'], 'a.pdf'), filename: 'b.pdf' }, 'b.pdf', ''],
    ['a Blob', { file: new Blob(['x']) }, 'document', ''],
    [
      'bytes',
      { bytes: new Uint8Array([120]), filename: 'c.txt', contentType: 'text/plain; charset=x' },
      'c.txt',
      'text/plain; charset=x',
    ],
  ])('of %s is a form with the options before the file', async (_, source, name, type) => {
    const { client, sent } = open([json(chunkAnswer())]);
    await client.chunk(source, options);
    const parts = (await bodyOf(sent[0]?.body)) as [string, string | File][];
    const [, file] = parts.pop() as [string, File];
    expect(parts).toEqual(Object.entries(fields).map(([field, value]) => [field, String(value)]));
    expect([file.name, file.type, await file.text()]).toEqual([name, type, 'x']);
  });

  it('has every option of the wire by its name there', async () => {
    const options = optionsOf('wire').map(({ key, name }) => [key, name] as const);
    const { client, sent } = open([json(chunkAnswer())]);
    await client.chunk(SOURCE, Object.fromEntries(options));
    expect(await bodyOf(sent[0]?.body)).toEqual({
      ...SOURCE,
      ...Object.fromEntries(options.map(([, name]) => [name, name])),
    });
    expectTypeOf<Exclude<keyof ChunkRequestOptions, OptionName>>().toBeNever();
  });

  it('passes an option on that only a newer service knows', async () => {
    const { client, sent } = open([json(chunkAnswer())]);
    await client.chunk(SOURCE, { tier: 'free', colour: 'red' } as object);
    expect(await bodyOf(sent[0]?.body)).toEqual({ ...SOURCE, tier: 'free', colour: 'red' });
  });

  it('has the headers of the client', async () => {
    const { client, sent } = open([json(chunkAnswer())], { headers: { Authorization: 'Bearer x' } });
    await client.chunk(SOURCE);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer x');
    expect(sent[0]?.headers.get('accept')).toBe('application/json');
  });
});

describe('an answer', () => {
  it('is given as it came', async () => {
    expect(await open([json(chunkAnswer())]).client.chunk(SOURCE)).toEqual(chunkAnswer());
  });

  it('that the service keeps has its id', async () => {
    const kept = json(chunkAnswer(), 200, { 'Content-Location': '/results/structure_0123456789ab' });
    expect(await open([kept]).client.chunk(SOURCE)).toHaveProperty('result_id', 'structure_0123456789ab');
  });

  it('behind a link is fetched by its id from the address of the client, whatever the link says', async () => {
    const link = {
      success: true,
      total_chunks: 1,
      download_url: 'http://169.254.169.254/results/free_0123456789ab',
    };
    const { client, sent } = open([json(link), json(chunkAnswer())]);
    expect(await client.chunk(SOURCE)).toMatchObject({ total_chunks: 1, result_id: 'free_0123456789ab' });
    expect(sent[1]?.url).toBe(`${BASE}results/free_0123456789ab`);
  });

  it.each<[string, unknown]>([
    ['no JSON object', []],
    ['not the chunks that it says', { ...chunkAnswer(), total_chunks: 2 }],
    ['chunks that are none', { ...chunkAnswer(), chunks: [null] }],
    ['no tier', { ...chunkAnswer(), tier: 7 }],
    ['no metadata', { ...chunkAnswer(), metadata: null }],
    ['warnings that are none', { ...chunkAnswer(), warnings: [{ code: 'x' }] }],
    ['no payment', { ...chunkAnswer(), payment: undefined }],
    ['a link that leads nowhere', { download_url: 'file:///etc/passwd?x' }],
    ['a job without an id', { async: true, status: 'processing', job_id: 7 }],
  ])('with %s is a bad answer', async (_, body) => {
    expect(await failing(json(body))).toMatchObject({ code: 'bad_answer', retryable: false });
  });

  it('that is no JSON is a bad answer', async () => {
    expect(await failing(new Response('<html>'))).toMatchObject({
      code: 'bad_answer',
      message: 'The service gives an answer that cannot be read: status 200, and no JSON object.',
    });
  });

  it('with characters that are cut between two pieces is read whole', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(chunkAnswer('Ebbe für 🌊.')));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const answer = await open([() => new Response(body)]).client.chunk(SOURCE);
    expect(answer.chunks[0]?.text).toBe('Ebbe für 🌊.');
  });

  it('without end is left after 4 MiB where it is a refusal', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const error = await failing(() => new Response(endless, { status: 400 }));
    expect(error.message).toContain('it has more than 4194304 bytes');
    expect(pulled).toBeLessThan(10);
  });
});

describe('a refusal', () => {
  it('has the code, the words, the status, the request and the members of the service', async () => {
    const body = {
      error: 'Payload Too Large',
      code: 'too_many_characters',
      message: 'The text is too long.',
      request_id: 'r-1',
      retryable: false,
      limit: { max_characters: 10, characters: 11 },
    };
    expect(await failing(json(body, 413))).toMatchObject({
      code: 'too_many_characters',
      message: 'The text is too long.',
      status: 413,
      requestId: 'r-1',
      retryable: false,
      payment: undefined,
      details: { limit: { max_characters: 10, characters: 11 } },
    });
  });

  it('of nothing that can be read has the status', async () => {
    expect(await failing(json({}, 418))).toMatchObject({ code: '418', message: 'no reason is given' });
    expect(await failing(new Response('<html>', { status: 502 }))).toMatchObject({
      code: 'bad_answer',
      status: 502,
      retryable: true,
    });
  });

  it('has no more words than anybody reads', async () => {
    const { code, message } = await failing(json({ code: 'x'.repeat(1e6), message: '🌊'.repeat(1e5) }, 400));
    expect([code.length, message.length, message.isWellFormed()]).toEqual([1001, 1001, true]);
  });

  it('of a price has what to pay', async () => {
    const offer = {
      code: 'payment_required',
      message: 'Pay.',
      paymentRequirements: { maxAmountRequired: '2000' },
    };
    const error = await failing(json(offer, 402));
    expect(error).toMatchObject({ code: 'payment_required', status: 402, retryable: false });
    expect(error.details['paymentRequirements']).toEqual({ maxAmountRequired: '2000' });
  });

  it.each([
    ['https://user:key@other.example/chunk?key=x', 'https://other.example/chunk.'],
    ['/elsewhere', 'another address.'],
  ])('to another address, %s, is not followed', async (location, shown) => {
    const { client, sent } = open([new Response(null, { status: 307, headers: { location } })]);
    const error = await rejectionOf(client.chunk(SOURCE), ClientError);
    expect(error).toMatchObject({
      code: 'redirected',
      message: `The service sends the request on to ${shown}`,
    });
    expect(sent).toHaveLength(1);
  });
});

describe('a request that fails for the moment', () => {
  const busy = (headers: Record<string, string> = {}): Response => json({ code: 'busy' }, 503, headers);

  it.each<[string, FakeReply, number[]]>([
    ['says when, in seconds', busy({ 'Retry-After': '7' }), [7000, 7000]],
    ['says when, as a date', () => busy({ 'Retry-After': 'Tue, 14 Nov 2023 22:13:30 GMT' }), [10_000, 0]],
    ['does not say when', busy(), [500, 1000]],
    ['says nothing that can be read', new Response('', { status: 504 }), [500, 1000]],
    ['breaks off', networkError(), [500, 1000]],
    ['is made offline in a browser', new TypeError('Failed to fetch'), [500, 1000]],
    ['says that it may succeed later', json({ retryable: true }, 409), [500, 1000]],
  ])(
    'is made again after the wait that the service asks for, or longer each time: it %s',
    async (_, reply, waits) => {
      const seen = open([reply, reply, json(chunkAnswer())]);
      expect((await seen.client.chunk(SOURCE)).total_chunks).toBe(1);
      expect(seen.waits).toEqual(waits);
    },
  );

  it('is made five times, unless the client or the call says otherwise', async () => {
    const seen = open([busy()]);
    await rejectionOf(seen.client.chunk(SOURCE), ClientError);
    expect([seen.sent.length, seen.waits]).toEqual([5, [500, 1000, 2000, 4000]]);
    const two = open([busy()], { tries: 2 });
    await rejectionOf(two.client.chunk(SOURCE), ClientError);
    expect(two.sent).toHaveLength(2);
    await rejectionOf(two.client.chunk(SOURCE, {}, { tries: 1 }), ClientError);
    expect(two.sent).toHaveLength(3);
  });

  it.each<[string, FakeReply, string]>([
    [
      'waits longer than a minute',
      json({ code: 'quota_exceeded' }, 429, { 'Retry-After': '61' }),
      'quota_exceeded',
    ],
    ['says that it cannot succeed', json({ code: 'x', retryable: false }, 503), 'x'],
    ['is refused', json({ code: 'not_found' }, 404), 'not_found'],
    ['breaks in the service', json({ code: '500' }, 500), '500'],
    ['meets no service', networkError('ECONNREFUSED'), 'unreachable'],
    ['meets no host', networkError('ENOTFOUND'), 'unreachable'],
    ['meets a wrong certificate', networkError('CERT_HAS_EXPIRED'), 'unreachable'],
    [
      'is refused by fetch itself',
      new TypeError('fetch failed', { cause: new Error('bad port') }),
      'unreachable',
    ],
  ])('is not made again when it %s', async (_, reply, code) => {
    const { client, sent } = open([reply]);
    expect(await rejectionOf(client.chunk(SOURCE), ClientError)).toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  it('whose answer breaks off is made again, unless it was work', async () => {
    const broken = (): Response =>
      new Response(new ReadableStream({ start: (controller) => controller.error(networkError()) }));
    const reading = open([broken, json(chunkAnswer())]);
    await reading.client.result('free_1');
    expect(reading.sent).toHaveLength(2);
    const working = open([broken, json(chunkAnswer())]);
    expect(await rejectionOf(working.client.chunk(SOURCE), ClientError)).toMatchObject({
      code: 'unreachable',
    });
    expect(working.sent).toHaveLength(1);
  });

  it('keeps the cause of a failed connection', async () => {
    const cause = networkError('ECONNREFUSED');
    expect((await failing(cause)).cause).toBe(cause);
  });

  it('that is a defect is passed on as it is', async () => {
    await expect(open([new RangeError('oops')]).client.chunk(SOURCE)).rejects.toThrow(RangeError);
  });
});

describe('an aborted signal', () => {
  const reason = new Error('enough');

  it('ends a call before, during and between its requests, with its reason', async () => {
    for (const abortAt of [0, 1, 2, 3]) {
      const gone = new AbortController();
      let turns = 0;
      const turn = (): void => {
        if (turns++ === abortAt) gone.abort(reason);
      };
      const { fetch, sent } = fakeFetch(() => {
        turn();
        return json({}, 503);
      });
      const clock = {
        ...jumpingClock(),
        wait: async (_: number, signal?: AbortSignal): Promise<void> => {
          turn();
          await Promise.resolve();
          signal?.throwIfAborted();
        },
      };
      const client = createClient({ url: BASE, fetch, clock });
      await expect(client.chunk(SOURCE, {}, { signal: gone.signal })).rejects.toBe(reason);
      expect(sent).toHaveLength(Math.floor(abortAt / 2) + 1);
    }
    const { client, sent } = open([json(chunkAnswer())]);
    await expect(client.chunk(SOURCE, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(sent).toEqual([]);
  });

  it('ends a wait at once and leaves no timer', async () => {
    const gone = new AbortController();
    const { fetch } = fakeFetch(json({}, 503, { 'Retry-After': '60' }));
    const call = createClient({ url: BASE, fetch }).chunk(SOURCE, {}, { signal: gone.signal });
    setTimeout(() => gone.abort(reason), 5);
    await expect(call).rejects.toBe(reason);
  });
});

describe('a client', () => {
  it('has an address with or without a slash at its end, and no other thing', () => {
    for (const url of ['https://a.example/b', 'https://a.example/b//', new URL('https://a.example/b/')])
      expect(createClient({ url }).url).toBe('https://a.example/b/');
    expect(() => createClient({ url: 'a.example' })).toThrow(TypeError);
  });

  it('uses the fetch of the moment', async () => {
    const { fetch } = fakeFetch(json(chunkAnswer()));
    const before = globalThis.fetch;
    const client = createClient({ url: BASE });
    globalThis.fetch = fetch as typeof globalThis.fetch;
    try {
      expect((await client.chunk(SOURCE)).total_chunks).toBe(1);
    } finally {
      globalThis.fetch = before;
    }
  });

  it('refuses an overview without tiers', async () => {
    const { client } = open([json({ name: 'grainline' })]);
    expect(await rejectionOf(client.tiers(), ClientError)).toMatchObject({ code: 'bad_answer' });
  });
});

describe('a transfer', () => {
  it('is made ready, sent and looked for', async () => {
    const { client, sent } = open([
      json({ transaction: 'AQ==', last_valid_block_height: 7 }),
      json({ signature: 'sig' }),
      json({ state: 'paid', signature: 'sig' }),
      json({ state: 'unpaid' }),
    ]);
    const { transfers } = client;
    expect(await transfers.prepare({ payer: 'p', tier: 'ai', memo: 'm' })).toEqual({
      transaction: 'AQ==',
      lastValidBlockHeight: 7,
    });
    expect(await transfers.send('AQ==')).toBe('sig');
    expect(await transfers.find({ tier: 'ai', memo: 'm' })).toEqual({ state: 'paid', signature: 'sig' });
    const except = Array.from({ length: 20 }, (_, index) => `s${index}`);
    expect(await transfers.find({ tier: 'ai', memo: 'm', except, lastValidBlockHeight: 7 })).toEqual({
      state: 'unpaid',
    });
    expect(sent.map(({ url }) => url.slice(BASE.length))).toEqual([
      'payment/transaction',
      'payment/send',
      'payment/find',
      'payment/find',
    ]);
    expect(await bodyOf(sent[3]?.body)).toEqual({
      tier: 'ai',
      memo: 'm',
      except: except.slice(4),
      last_valid_block_height: 7,
    });
  });

  it('of which the service says nothing that can be read is a bad answer', async () => {
    const { transfers } = open([json({})]).client;
    for (const call of [
      transfers.prepare({ payer: 'p', tier: 'ai', memo: 'm' }),
      transfers.send('AQ=='),
      transfers.find({ tier: 'ai', memo: 'm' }),
    ])
      expect(await rejectionOf(call, ClientError)).toMatchObject({ code: 'bad_answer' });
  });
});
