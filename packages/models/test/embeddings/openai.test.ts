// Tests against a real server on a real socket with scripted answers.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chunk } from '@grainline/core';
import { afterEach, describe, expect, it } from 'vitest';
import { ModelError } from '../../src/errors.ts';
import { openAiEmbedder, type OpenAiOptions } from '../../src/embeddings/openai.ts';
import { staticEmbedder } from '../../src/embeddings/static.ts';
import { describeContract } from './contract.ts';
import { wordOf } from '@grainline/testing/generated-text';
import { rejectionOf } from '@grainline/testing/rejection';

interface SentRequest {
  readonly headers: IncomingHttpHeaders;
  readonly path: string | undefined;
  readonly body: { readonly model: string; readonly input: string[]; readonly dimensions?: number };
}
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** No answer at all. */
  readonly hangs?: true;
}
/** The answers in place of vectors, request by request. */
type Script = (requests: SentRequest, number: number) => Reply | undefined;

const KEY = 'sk-very-secret';
let server: Server | undefined;
let requests: SentRequest[] = [];

async function start(script: Script = () => undefined): Promise<string> {
  const embed = await staticEmbedder();
  requests = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void (async () => {
        const body = JSON.parse(Buffer.concat(parts).toString()) as SentRequest['body'];
        const one = { headers: request.headers, path: request.url, body };
        const reply = script(one, requests.push(one) - 1);
        if (reply?.hangs === true) return;
        const { vectors } = await embed(body.input, {});
        const data = vectors.map((vector, index) => ({ index, embedding: Array.from(vector) })).reverse();
        response.writeHead(reply?.status ?? 200, reply?.headers);
        const sent = reply?.body ?? { data };
        response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
      })();
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

const make = (baseUrl: string, more: Partial<OpenAiOptions> = {}) => {
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const embed = openAiEmbedder({ baseUrl, model: 'm', apiKey: KEY, sleep, ...more });
  return { embed, waits };
};

const errorOf = (work: Promise<unknown>): Promise<ModelError> => rejectionOf(work, ModelError);
const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `Text number ${at}.`);

describe('an embedder behind HTTP', () => {
  describe('keeps the contract', () => {
    describeContract(async () => {
      server?.closeAllConnections();
      server?.close();
      return make(await start()).embed;
    });
  });

  it('sends the model, the texts and the key, and nothing before it is called', async () => {
    const { embed } = make(await start(), { dimensions: 160, headers: { 'x-team': 'a' } });
    expect(requests).toEqual([]);
    const { model, dimensions, vectors } = await embed(['One.', 'Two.'], {});
    expect({ model, dimensions, count: vectors.length }).toEqual({ model: 'm', dimensions: 160, count: 2 });
    expect(requests[0]?.path).toBe('/v1/embeddings');
    expect(requests[0]?.body).toEqual({
      model: 'm',
      input: ['One.', 'Two.'],
      encoding_format: 'float',
      dimensions: 160,
    });
    expect(requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'a' });
  });

  it('puts texts in requests by count and by tokens, in order', async () => {
    const url = await start();
    await make(url, { maxTexts: 4, concurrency: 1 }).embed(texts(10), {});
    expect(requests.map(({ body }) => body.input.length)).toEqual([4, 4, 2]);
    expect(requests.flatMap(({ body }) => body.input)).toEqual(texts(10));
    requests = [];
    const countTokens = (text: string): number => (text.includes('3') ? 99 : 4);
    await make(url, { maxTokens: 10, concurrency: 1, countTokens }).embed(texts(6), {});
    expect(requests.map(({ body }) => body.input.length)).toEqual([2, 1, 1, 2]);
  });

  it('never has more requests on the way than it may', async () => {
    let [running, most] = [0, 0];
    const counted: typeof fetch = async (input, init) => {
      most = Math.max(most, ++running);
      return fetch(input, init).finally(() => running--);
    };
    await make(await start(), { maxTexts: 1, concurrency: 3, fetch: counted }).embed(texts(20), {});
    expect(requests).toHaveLength(20);
    expect(most).toBe(3);
  });

  it('waits as long as Retry-After says, in seconds or until a date', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const headers = ['7', 'Thu, 01 Jan 2026 00:00:30 GMT', undefined];
    const { embed, waits } = make(
      await start((_, number) => {
        if (number > 2) return undefined;
        const after = headers[number];
        return {
          status: number === 2 ? 503 : 429,
          ...(after === undefined ? {} : { headers: { 'retry-after': after } }),
        };
      }),
      { now: () => now },
    );
    expect((await embed(['One.'], {})).vectors).toHaveLength(1);
    expect(waits).toEqual([7000, 30_000, 2000]);
  });

  it('gives up when asked to wait too long, or too often, with the status', async () => {
    const long = make(await start(() => ({ status: 429, headers: { 'retry-after': '3600' } })));
    expect(await errorOf(long.embed(['One.'], {}))).toMatchObject({ code: 'unavailable', status: 429 });
    expect(requests).toHaveLength(1);
    server?.close();
    const failing = make(await start(() => ({ status: 500, body: 'broken' })), { retries: 2 });
    expect(await errorOf(failing.embed(['One.'], {}))).toMatchObject({
      code: 'unavailable',
      status: 500,
      message: 'The embedding service answered 500: broken.',
    });
    expect(requests).toHaveLength(3);
    expect(failing.waits).toEqual([500, 1000]);
  });

  it('does not ask again what was refused, and never shows the key', async () => {
    const body = { error: { message: `Incorrect API key provided: ${KEY}` } };
    const { embed } = make(await start(() => ({ status: 401, body })));
    const error = await errorOf(embed(['One.'], {}));
    expect(error).toMatchObject({ code: 'refused', status: 401 });
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(KEY);
    expect(requests).toHaveLength(1);
  });

  it('shows a service’s words on one line, and those alone where the key is empty', async () => {
    const { embed } = make(await start(() => ({ status: 400, body: 'No\n  such model.' })), { apiKey: '' });
    const { message } = await errorOf(embed(['One.'], {}));
    expect(message).toBe('The embedding service answered 400: No such model.');
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('shows no part of a key that is cut off with the rest of a long answer', async () => {
    const { embed } = make(await start(() => ({ status: 401, body: `${'x'.repeat(190)} ${KEY} is wrong` })));
    expect((await errorOf(embed(['One.'], {}))).message).not.toContain(KEY.slice(0, 5));
  });

  it('reads no more of an answer than vectors can have', async () => {
    const { embed } = make(await start(() => ({ body: ' '.repeat(3 << 20) })));
    const error = await errorOf(embed(['One.', 'Two.'], {}));
    expect(error).toMatchObject({ code: 'wrong_answer' });
    expect(error.message).toContain('more than 1048576 bytes a text');
  });

  const WRONG: Readonly<Record<string, unknown>> = {
    'no JSON': '<html>',
    'no list': {},
    'too few vectors': { data: [{ index: 0, embedding: [1] }] },
    'an index twice': { data: [0, 0].map((index) => ({ index, embedding: [1] })) },
    'an index that is none': { data: [0, 7].map((index) => ({ index, embedding: [1] })) },
    'no vector': { data: [{ index: 0, embedding: [1] }, { index: 1 }] },
    null: 'null',
  };
  for (const [what, body] of Object.entries(WRONG)) {
    it(`refuses an answer with ${what}`, async () => {
      const { embed } = make(await start(() => ({ body })));
      expect((await errorOf(embed(['One.', 'Two.'], {}))).code).toBe('wrong_answer');
    });
  }

  it('gives up on a service that hangs', async () => {
    // Counted where they leave: on a busy machine a try may be over before it has reached the service.
    let tries = 0;
    const { embed } = make(await start(() => ({ hangs: true })), {
      timeoutMs: 20,
      retries: 1,
      fetch: (input, init) => {
        tries++;
        return fetch(input, init);
      },
    });
    expect((await errorOf(embed(['One.'], {}))).code).toBe('timed_out');
    expect(tries).toBe(2);
  });

  it('ends with the signal, and ends its requests', async () => {
    const stop = new AbortController();
    const { embed } = make(
      await start(() => {
        stop.abort(new Error('enough'));
        return { hangs: true };
      }),
    );
    await expect(embed(['One.'], { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('names a service that cannot be reached, and the reason', async () => {
    const address = new URL(await start());
    server?.close();
    const { embed } = make(`http://${address.host}/v1`, { retries: 0 });
    expect((await errorOf(embed(['One.'], {}))).message).toBe(
      `The embedding service at ${address.host} could not be reached (ECONNREFUSED).`,
    );
  });

  it('follows no redirect', async () => {
    const { embed } = make(
      await start(() => ({ status: 307, headers: { location: 'http://127.0.0.1:1/' } })),
      { retries: 0 },
    );
    expect((await errorOf(embed(['One.'], {}))).code).toBe('unavailable');
  });

  it('refuses an address with a user, which fetch refuses, and keeps its password', () => {
    for (const baseUrl of ['https://me:hush@models.example/v1', 'https://hush@models.example', 'me:hush@x']) {
      const make = (): unknown => openAiEmbedder({ baseUrl, model: 'm' });
      expect(make).toThrow(/baseUrl must (?:have no user and no password; give|be an http)/);
      expect(make).not.toThrow('hush');
    }
  });

  it('says everything that is wrong with its options', () => {
    const wrong = { baseUrl: 'ftp://x', model: '', concurrency: 0, retries: -1, timeoutMs: 1.5 };
    expect(() => openAiEmbedder(wrong)).toThrow(/baseUrl.*model.*concurrency|baseUrl.*model.*timeoutMs/);
  });

  it('ends a call of chunk with the batch and its own error as the cause', async () => {
    const { embed } = make(await start((_, number) => (number === 1 ? { status: 400 } : undefined)));
    // Pieces that differ in numbers alone are embedded once.
    const lines = Array.from({ length: 12 }, (_, at) => `Text ${wordOf(at)} is here.`);
    const text = lines.join(' It goes on and on, since short paragraphs stay whole. ');
    const work = chunk(text, { tier: 'semantic', embed, embedBatch: 5 });
    await expect(work).rejects.toMatchObject({
      code: 'embedding_failed',
      batch: { index: 1, of: 3 },
      cause: { code: 'refused', status: 400 },
    });
  });
});
