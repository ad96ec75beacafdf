// The contract of both dialects over real sockets: one suite against a scripted server that misbehaves in every way.
import { chunk, type CompletionRequest, type JsonSchema } from '@grainline/core';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropicModel } from '../../src/language/anthropic.ts';
import { ModelError } from '../../src/errors.ts';
import type { HttpModelOptions } from '../../src/language/http.ts';
import { openAiModel } from '../../src/language/openai.ts';
import { ANTHROPIC } from '../../src/language/anthropic.ts';
import { OPENAI } from '../../src/language/openai.ts';
import { probeModel } from '../../src/language/probe.ts';
import type { DialectName } from '@grainline/testing/scripted-model/model-call';
import type { Script } from '@grainline/testing/scripted-model/scripts';
import { type ScriptedModel, startScriptedModel } from '@grainline/testing/scripted-model/server';
import { rejectionOf } from '@grainline/testing/rejection';

const KEY = 'sk-very-secret';
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { number: { type: 'integer' } },
  required: ['number'],
  additionalProperties: false,
};
const REQUEST: CompletionRequest = {
  messages: [
    { role: 'system', content: 'You count.' },
    { role: 'user', content: 'What comes after six?' },
  ],
  schema: SCHEMA,
  maxTokens: 100,
};
const MAKERS = { openai: openAiModel, anthropic: anthropicModel } as const;

let server: ScriptedModel | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function start(dialect: DialectName, script?: Script, more: Partial<HttpModelOptions> = {}) {
  const running = await startScriptedModel({ script: script ?? 'right', cachedTokens: 3 });
  server = running;
  const waits: number[] = [];
  let time = 0;
  const complete = MAKERS[dialect]({
    baseUrl: running.baseUrl,
    model: 'scripted',
    apiKey: KEY,
    random: () => 0.5,
    now: () => time,
    sleep: (ms) => {
      waits.push(ms);
      time += ms;
      return Promise.resolve();
    },
    ...more,
  });
  return { complete, waits, requests: running.calls, baseUrl: running.baseUrl };
}

const errorOf = (work: Promise<unknown>): Promise<ModelError> => rejectionOf(work, ModelError);

describe.each(['openai', 'anthropic'] as const)('a language model in the dialect of %s', (dialect) => {
  it('answers a checked value, with what it took', async () => {
    const { complete, requests } = await start(dialect);
    const { usage, ...answer } = await complete(REQUEST, {});
    expect(answer).toEqual({ value: { number: 7 }, model: 'scripted', stopReason: 'stop' });
    expect(usage.cachedInput).toBe(3);
    expect(usage.input).toBeGreaterThan(usage.cachedInput);
    expect(usage.output).toBeGreaterThan(0);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      path: dialect === 'openai' ? '/v1/chat/completions' : '/v1/messages',
      texts: ['You count.', 'What comes after six?'],
      schema: SCHEMA,
      maxTokens: 100,
      body: { temperature: 0 },
    });
    const sent = requests[0]?.headers;
    expect(dialect === 'openai' ? sent?.authorization : sent?.['x-api-key']).toContain(KEY);
  });

  const wrongs: Readonly<Record<string, string>> = {
    'no JSON': 'It is seven.',
    'half of JSON': '{"number": 7',
    'JSON of another shape': '{"number": "seven"}',
    'a key too many': '{"number": 7, "more": 1}',
    nothing: '',
  };
  for (const [what, says] of Object.entries(wrongs)) {
    it(`repairs an answer that is ${what} once, and gives up then`, async () => {
      const { complete, requests } = await start(dialect, (_, number) =>
        number === 0 ? { says } : undefined,
      );
      const { value, usage } = await complete(REQUEST, {});
      expect(value).toEqual({ number: 7 });
      expect(usage.cachedInput).toBe(6);
      expect(requests[1]?.texts.at(-1)).toContain('JSON Schema');
      expect(requests[1]?.texts).toHaveLength(4);
      await server?.stop();
      const never = await start(dialect, () => ({ says }));
      const error = await errorOf(never.complete(REQUEST, {}));
      expect(error.code).toBe('wrong_answer');
      expect(error.usage?.cachedInput).toBe(6);
      expect(never.requests).toHaveLength(2);
    });
  }

  it('finds JSON in a fence or among words', async () => {
    for (const says of ['```json\n{"number": 7}\n```', 'Here you are: {"number": 7} As you wished.']) {
      const { complete, requests } = await start(dialect, () => ({ says }));
      expect((await complete(REQUEST, {})).value).toEqual({ number: 7 });
      expect(requests).toHaveLength(1);
      await server?.stop();
    }
  });

  const ends = {
    truncated: 'truncated',
    refusal: 'refusal',
    content_filter: dialect === 'openai' ? 'content_filter' : 'refusal',
  } as const;
  for (const [end, code] of Object.entries(ends)) {
    it(`has a code for an answer that ends by ${end}`, async () => {
      const { complete, requests } = await start(dialect, () => ({
        says: 'I',
        ends: end as keyof typeof ends,
      }));
      const error = await errorOf(complete(REQUEST, {}));
      expect(error.code).toBe(code);
      expect(error.usage?.output).toBeGreaterThan(0);
      expect(requests).toHaveLength(1);
    });
  }

  it('waits as a service asks, else by doubling with chance', async () => {
    const replies = [
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503 },
      { status: 529, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:20 GMT' } },
    ];
    const { complete, waits } = await start(dialect, (_, number) => replies[number]);
    expect((await complete(REQUEST, {})).value).toEqual({ number: 7 });
    // By the clock of the test it is 8,500 ms after 1970 began when the date is read.
    expect(waits).toEqual([7000, 1500, 11_500]);
  });

  it.each([408, 409, 425, 429, 500, 529])('asks again after status %i', async (status) => {
    const { complete, requests } = await start(dialect, (_, number) =>
      number === 0 ? { status } : undefined,
    );
    expect((await complete(REQUEST, {})).value).toEqual({ number: 7 });
    expect(requests).toHaveLength(2);
  });

  it.each([400, 401, 404, 413, 426])('takes status %i for the last word', async (status) => {
    const { complete, requests } = await start(dialect, () => ({ status }));
    expect(await errorOf(complete(REQUEST, {}))).toMatchObject({ code: 'rejected', status });
    expect(requests).toHaveLength(1);
  });

  it('gives up after so many tries, before a wait that is too long, and at the deadline', async () => {
    const always = await start(dialect, () => ({ status: 500, body: { error: { message: `no, ${KEY}` } } }));
    const error = await errorOf(always.complete(REQUEST, {}));
    expect(error).toMatchObject({ code: 'unavailable', status: 500 });
    expect(error.message).toContain('no, …');
    expect(always.requests).toHaveLength(4);
    await server?.stop();
    const long = await start(dialect, () => ({ status: 429, headers: { 'retry-after': '61' } }));
    expect((await errorOf(long.complete(REQUEST, {}))).code).toBe('unavailable');
    expect(long.waits).toEqual([]);
    await server?.stop();
    const short = await start(dialect, () => ({ status: 500 }), { deadlineMs: 1000, retries: 50 });
    expect((await errorOf(short.complete(REQUEST, {}))).code).toBe('unavailable');
    expect(short.waits).toEqual([750]);
  });

  it('is not asked again what it has rejected', async () => {
    for (const status of [400, 401, 403, 404]) {
      const { complete, requests } = await start(dialect, () => ({
        status,
        body: { error: { message: 'no such thing' } },
      }));
      expect(await errorOf(complete(REQUEST, {}))).toMatchObject({ code: 'rejected', status });
      expect(requests).toHaveLength(1);
      await server?.stop();
    }
  });

  it('leaves out what the service does not know, from then on', async () => {
    const message = {
      temperature: "Unsupported value: 'temperature'",
      schema: 'json_schema is not supported here',
    };
    const { complete, requests } = await start(dialect, ({ body, hasSchemaField, texts }) => {
      if ('temperature' in body) return { status: 400, body: { error: { message: message.temperature } } };
      if (hasSchemaField) return { status: 422, body: { error: { message: message.schema } } };
      return texts[0]?.includes('JSON Schema') === true ? undefined : { says: 'Seven.' };
    });
    for (const count of [3, 4]) {
      expect((await complete(REQUEST, {})).value).toEqual({ number: 7 });
      expect(requests).toHaveLength(count);
    }
  });

  it('is asked again when it breaks off, and is given up when it hangs', async () => {
    const { complete, requests } = await start(dialect, (_, number) =>
      number === 0 ? { breaks: true } : undefined,
    );
    expect((await complete(REQUEST, {})).value).toEqual({ number: 7 });
    expect(requests).toHaveLength(2);
    await server?.stop();
    const hanging = await start(dialect, () => ({ hangs: true }), { timeoutMs: 300, retries: 1 });
    expect((await errorOf(hanging.complete(REQUEST, {}))).code).toBe('timed_out');
    expect(hanging.requests).toHaveLength(2);
  });

  it('says when there is no service at all', async () => {
    const complete = MAKERS[dialect]({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm', retries: 0 });
    expect(await errorOf(complete(REQUEST, {}))).toMatchObject({ code: 'unavailable' });
  });

  it('reads no more of an answer than the limit', async () => {
    const { complete, requests } = await start(dialect, () => ({ padding: 50_000_000 }), {
      maxAnswerBytes: 100_000,
    });
    const error = await errorOf(complete(REQUEST, {}));
    expect(error.code).toBe('wrong_answer');
    expect(error.message).toContain('100000 bytes');
    expect(requests).toHaveLength(1);
  });

  it('takes no other JSON for an answer', async () => {
    for (const body of ['<html>', {}, [], { choices: [] }, { content: 7 }, null]) {
      const { complete } = await start(dialect, () => ({ body: body ?? 'null' }));
      expect((await errorOf(complete(REQUEST, {}))).code).toBe('wrong_answer');
      await server?.stop();
    }
  });

  it('asks the same whether or not it is told what questions have in common', async () => {
    const { complete, requests } = await start(dialect);
    const messages = [{ role: 'user', content: 'The same. What comes after six?', repeated: 9 }] as const;
    expect((await complete({ ...REQUEST, messages }, {})).value).toEqual({ number: 7 });
    expect(requests[0]?.texts).toEqual(['The same. What comes after six?']);
    const sent = JSON.stringify(requests[0]?.body['messages']);
    expect(sent.includes('"text":"The same.","cache_control":{"type":"ephemeral"}')).toBe(
      dialect === 'anthropic',
    );
    expect(sent).not.toContain('repeated');
  });

  it('has nothing kept where questions have nothing in common, or all', async () => {
    const { complete, requests } = await start(dialect);
    const content = 'What comes after six?';
    for (const repeated of [-1, 0, content.length, content.length + 1])
      await complete({ ...REQUEST, messages: [{ role: 'user', content, repeated }] }, {});
    for (const { body } of requests) expect(body['messages']).toContainEqual({ role: 'user', content });
    expect(requests).toHaveLength(4);
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const { complete } = await start(dialect, () => {
      stop.abort(new Error('enough'));
      return { hangs: true };
    });
    await expect(complete(REQUEST, { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('is asked no more at the same time than allowed, whoever asks', async () => {
    let [now, most] = [0, 0];
    const { complete } = await start(
      dialect,
      async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        return undefined;
      },
      { concurrency: 2 },
    );
    await Promise.all(Array.from({ length: 12 }, () => complete(REQUEST, {})));
    expect(most).toBe(2);
  });

  it('lets waiting questions go when others end by their signal', async () => {
    const stop = new AbortController();
    const { complete, requests } = await start(
      dialect,
      (_, number) => (number === 0 ? { hangs: true } : undefined),
      {
        concurrency: 1,
      },
    );
    const first = complete(REQUEST, { signal: stop.signal });
    const second = complete(REQUEST, { signal: stop.signal });
    const third = complete(REQUEST, {});
    const both = Promise.allSettled([first, second]);
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await third).value).toEqual({ number: 7 });
    expect(requests).toHaveLength(2);
  });

  it('hands over to the next model of the list, except for a wrong key', async () => {
    const model = ['first', 'second'];
    const { complete, requests } = await start(
      dialect,
      (one) => (one.model === 'first' ? { status: 404 } : undefined),
      { model },
    );
    expect(await complete(REQUEST, {})).toMatchObject({ value: { number: 7 }, model: 'second' });
    expect(requests.map((one) => one.model)).toEqual(['first', 'second']);
    await server?.stop();
    const locked = await start(dialect, () => ({ status: 401 }), { model });
    expect((await errorOf(locked.complete(REQUEST, {}))).status).toBe(401);
    expect(locked.requests).toHaveLength(1);
  });

  it('refuses work over its limit of cost before the first question', async () => {
    const prices = { scripted: { input: 1, output: 4 } };
    const plan = { calls: 10, inputTokens: 30_000, outputTokens: 10_000 };
    const dear = await start(dialect, undefined, { prices, maxCostUsd: 0.0699 });
    const error = await errorOf(dear.complete({ ...REQUEST, plan }, {}));
    expect(error.code).toBe('too_expensive');
    expect(error.message).toContain('$0.0700');
    expect(dear.requests).toHaveLength(0);
    await server?.stop();
    const cheap = await start(dialect, undefined, { prices, maxCostUsd: 0.07 });
    expect((await cheap.complete({ ...REQUEST, plan }, {})).value).toEqual({ number: 7 });
    await server?.stop();
    const unknown = await start(dialect, undefined, { maxCostUsd: 5 });
    expect((await errorOf(unknown.complete(REQUEST, {}))).message).toMatch(/No price of the model scripted/);
    expect(unknown.requests).toHaveLength(0);
  });

  it('stops work that has used up its limit by asking again', async () => {
    const prices = { scripted: { input: 0, output: 1_000_000 } };
    // Each question may take 100 tokens, a dollar each.
    const plan = { calls: 1, inputTokens: 0, outputTokens: 100 };
    const { complete, requests } = await start(dialect, () => ({ breaks: true }), {
      prices,
      maxCostUsd: 250,
    });
    expect((await errorOf(complete({ ...REQUEST, plan }, {}))).code).toBe('too_expensive');
    expect(requests).toHaveLength(2);
  });

  it('says what a service can do by one small question', async () => {
    const dialects = { openai: OPENAI, anthropic: ANTHROPIC };
    const probe = async (script?: Script) => {
      const { baseUrl, requests } = await start(dialect, script);
      let time = 0;
      const found = await probeModel(dialects[dialect], {
        baseUrl,
        model: 'scripted',
        now: () => (time += 40),
      });
      return { ...found, requests: requests.length };
    };
    expect(await probe()).toMatchObject({
      model: 'scripted',
      structuredOutput: 'enforced',
      temperature: true,
      contextTokens: 131_072,
      latencyMs: 40,
      price: undefined,
      requests: 1,
    });
    await server?.stop();
    expect((await probe(() => ({ says: 'It is seven.' }))).structuredOutput).toBe('ignored');
    await server?.stop();
    const refusing: Script = ({ hasSchemaField }) =>
      !hasSchemaField
        ? undefined
        : { status: 400, body: { error: { message: 'unknown field json_schema' } } };
    expect((await probe(refusing)).structuredOutput).toBe('refused');
    await server?.stop();
    const { baseUrl } = await start(dialect, () => ({
      status: 401,
      body: { error: { message: 'wrong key' } },
    }));
    const error = await errorOf(probeModel(dialects[dialect], { baseUrl, model: 'scripted', apiKey: KEY }));
    expect(error).toMatchObject({ code: 'rejected', status: 401 });
  });

  it('says everything that is wrong with its options', () => {
    const wrong = {
      baseUrl: 'ftp://x',
      model: '',
      concurrency: 0,
      retries: -1,
      timeoutMs: 1.5,
      maxCostUsd: -1,
      temperature: NaN,
    };
    for (const name of Object.keys(wrong))
      expect(() => MAKERS[dialect](wrong), name).toThrow(
        expect.objectContaining({ message: expect.stringContaining(name) as string }),
      );
  });

  it('cuts a document where its topics change', async () => {
    const sea = Array.from(
      { length: 8 },
      (_, at) => `The vessel left the harbour at ${at} with its sailors.`,
    ).join(' ');
    const bread = Array.from(
      { length: 8 },
      (_, at) => `Flour and yeast rest ${at} hours before baking.`,
    ).join(' ');
    const { complete, requests } = await start(dialect);
    const chunks = await chunk(`${sea} ${bread}`, { tier: 'ai', complete, kind: 'text' });
    expect(chunks.map(({ text }) => text)).toEqual([sea, bread]);
    expect(requests).toHaveLength(1);
  });

  it('ends a call of chunk with its own error as the cause', async () => {
    const { complete } = await start(dialect, () => ({
      status: 401,
      body: { error: { message: 'wrong key' } },
    }));
    await expect(chunk('One thing. Another thing.', { tier: 'ai', complete })).rejects.toMatchObject({
      code: 'completion_failed',
      cause: { code: 'rejected', status: 401 },
    });
  });
});

describe('chat completions of others than OpenAI', () => {
  it('pass on a failure of another service in an answer', async () => {
    const failure = { error: { code: 502, message: 'upstream is down' } };
    const { complete, requests } = await start('openai', (_, number) =>
      number === 0 ? { body: failure } : undefined,
    );
    expect((await complete(REQUEST, {})).value).toEqual({ number: 7 });
    expect(requests).toHaveLength(2);
  });

  it('may know the longest answer by its newer name alone', async () => {
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    const { complete, requests } = await start('openai', ({ body }) =>
      'max_tokens' in body ? { status: 400, body: { error: { message } } } : undefined,
    );
    expect((await complete(REQUEST, {})).value).toEqual({ number: 7 });
    expect(requests[1]?.maxTokens).toBe(100);
  });

  it('that complain of something else each time are given up', async () => {
    const message = 'max_tokens: use max_completion_tokens instead; unknown max_tokens';
    const { complete, requests } = await start('openai', (_, number) => ({
      status: 400,
      body: { error: { message: number % 2 === 0 ? message : 'unrecognized max_tokens' } },
    }));
    expect((await errorOf(complete(REQUEST, {}))).code).toBe('rejected');
    expect(requests.length).toBeLessThanOrEqual(5);
  });
});
