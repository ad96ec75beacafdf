import type { JsonSchema } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { fromAiSdk } from '../../src/language/ai-sdk.ts';
import { modelChoice } from '../../src/language/environment.ts';
import { ModelError } from '../../src/errors.ts';
import { costUsd, priceOf } from '../../src/language/prices.ts';
import { issueIn, jsonIn } from '../../src/language/schema.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    cuts: { type: 'array', items: { type: 'integer' } },
    tone: { type: 'string', enum: ['dry', 'warm'] },
    sure: { type: 'boolean' },
    share: { type: 'number' },
  },
  required: ['cuts', 'tone', 'sure', 'share'],
  additionalProperties: false,
};

describe('the check of a schema', () => {
  const good = { cuts: [1, 2], tone: 'dry', sure: true, share: 0.5 };

  it('takes what is of the shape', () => {
    expect(issueIn(good, SCHEMA)).toBeUndefined();
    expect(issueIn({ ...good, cuts: [] }, SCHEMA)).toBeUndefined();
  });

  it.each([
    ['answer must be an object', []],
    ['answer must be an object', null],
    ['answer must have the key "cuts"', { tone: 'dry' }],
    ['answer.cuts must be an array', { ...good, cuts: { 0: 1 } }],
    ['answer.cuts[1] must be an integer', { ...good, cuts: [1, 1.5] }],
    ['answer.cuts[0] must be an integer', { ...good, cuts: ['1'] }],
    ['answer.tone must be one of ["dry","warm"]', { ...good, tone: 'cold' }],
    ['answer.sure must be true or false', { ...good, sure: 1 }],
    ['answer.share must be a number', { ...good, share: null }],
    ['answer must not have the key "more"', { ...good, more: 1 }],
  ])('says that %s', (issue, value) => {
    expect(issueIn(value, SCHEMA)).toBe(issue);
  });

  it('finds any object among words without braces', () => {
    const words = fc.string({ unit: 'grapheme' }).filter((text) => !/[{}`]/.test(text));
    const values = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(words, values, words, (before, value, after) => {
        const text = JSON.stringify(value);
        expect(jsonIn(`${before}x${text}x${after}`)?.value).toEqual(JSON.parse(text));
      }),
      cases(100),
    );
  });
});

describe('prices', () => {
  it('are found by name, without a date, and given ones first', () => {
    expect(priceOf('gpt-4o-mini-2024-07-18')).toEqual(priceOf('gpt-4o-mini'));
    expect(priceOf('gpt-4o-mini')?.input).toBe(0.15);
    expect(priceOf('gpt-4o-mini', { 'gpt-4o-mini': { input: 9, output: 9 } })?.input).toBe(9);
    for (const name of ['qwen3:8b', 'constructor', '']) expect(priceOf(name)).toBeUndefined();
  });

  it('add up without rounding, cached tokens at theirs', () => {
    const price = { input: 0.15, cachedInput: 0.075, output: 0.6 };
    expect(costUsd({ input: 1_000_000, cachedInput: 400_000, output: 0 }, price)).toBe(0.12);
    expect(costUsd({ input: 3, cachedInput: 1, output: 7 }, price)).toBe(0.000004575);
    expect(costUsd({ input: 10, cachedInput: 10, output: 0 }, { input: 2, output: 8 })).toBe(0.00002);
  });
});

describe('settings of the environment', () => {
  it('name a model, or none', () => {
    expect(modelChoice({})).toBeUndefined();
    expect(modelChoice({ AI_MODEL: ' ', AI_API_KEY: 'x' })).toBeUndefined();
    const choice = modelChoice({
      AI_PROVIDER: 'anthropic',
      AI_MODEL: 'one, two',
      AI_API_KEY: 'x',
      AI_MAX_COST_USD: '0.5',
      AI_PRICE: '1,5,0.1,2',
    });
    const price = { input: 1, output: 5, cachedInput: 0.1, cacheWrite: 2 };
    expect(choice).toMatchObject({
      provider: 'anthropic',
      options: { model: ['one', 'two'], apiKey: 'x', maxCostUsd: 0.5, prices: { one: price, two: price } },
    });
  });

  it.each(['1,5,x', '1,', '1,-5', '1,5,0.1,2,3', '1,1e-3', 'Infinity,5', '0x1,5', '1,5;0.1'])(
    'take no %s for a price',
    (AI_PRICE) => {
      expect(() => modelChoice({ AI_MODEL: 'a', AI_PRICE })).toThrow('AI_PRICE must be two to four numbers');
    },
  );

  it.each(['0', '-1', 'Infinity', '1e400', '$1'])('take no %s for what a document may cost', (usd) => {
    expect(() => modelChoice({ AI_MODEL: 'a', AI_MAX_COST_USD: usd })).toThrow('AI_MAX_COST_USD must be');
  });

  it('take amounts as people write them', () => {
    const choice = modelChoice({ AI_MODEL: 'a', AI_PRICE: ' .15 , 0.6 ', AI_MAX_COST_USD: '.02' });
    expect(choice?.options).toMatchObject({ prices: { a: { input: 0.15, output: 0.6 } }, maxCostUsd: 0.02 });
  });

  it('are refused all at once', () => {
    const wrong = {
      AI_MODEL: 'a,,b',
      AI_PROVIDER: 'gemini',
      AI_BASE_URL: 'localhost',
      AI_MAX_COST_USD: 'much',
      AI_PRICE: '1',
    };
    for (const name of Object.keys(wrong)) {
      expect(() => modelChoice(wrong)).toThrow(ModelError);
      expect(() => modelChoice(wrong), name).toThrow(name);
    }
  });
});

describe('a model of the AI SDK', () => {
  const request = {
    messages: [
      { role: 'system' as const, content: 'You count.' },
      { role: 'user' as const, content: 'Count.' },
    ],
    schema: { type: 'object', properties: {}, required: [], additionalProperties: false } as JsonSchema,
    maxTokens: 50,
  };
  const model = (...results: unknown[]) => {
    const requests: Record<string, unknown>[] = [];
    const doGenerate = (options: Record<string, unknown>): Promise<unknown> => {
      const result = results[requests.push(options) - 1];
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
    };
    return { requests, model: { modelId: 'm', doGenerate } };
  };
  const waits = { sleep: () => Promise.resolve(), random: () => 0 };

  it('answers in the words of the older and the newer specification', async () => {
    const text = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: '{}' },
    ];
    const older = {
      content: text,
      finishReason: 'stop',
      usage: { inputTokens: 9, cachedInputTokens: 4, outputTokens: 2 },
    };
    const newer = {
      content: text,
      finishReason: { unified: 'stop', raw: 'end_turn' },
      usage: { inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { total: 2 } },
      response: { modelId: 'm' },
    };
    for (const result of [older, newer]) {
      const { requests, model: of } = model(result);
      expect(await fromAiSdk(of)(request, {})).toEqual({
        value: {},
        model: 'm',
        usage: { input: 9, cachedInput: 4, output: 2 },
        stopReason: 'stop',
      });
      expect(requests[0]).toMatchObject({
        prompt: [
          { role: 'system', content: 'You count.' },
          { role: 'user', content: [{ type: 'text', text: 'Count.' }] },
        ],
        responseFormat: { type: 'json', schema: request.schema },
        maxOutputTokens: 50,
      });
    }
  });

  it('is asked again as its errors say, and else not', async () => {
    const again = Object.assign(new Error('busy'), {
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '2' },
    });
    const good = { content: [{ type: 'text', text: '{}' }], finishReason: 'stop' };
    const busy = model(again, good);
    expect((await fromAiSdk(busy.model, waits)(request, {})).value).toEqual({});
    expect(busy.requests).toHaveLength(2);
    const wrongKey = Object.assign(new Error('wrong key'), { statusCode: 401, isRetryable: false });
    const locked = model(wrongKey);
    await expect(fromAiSdk(locked.model, waits)(request, {})).rejects.toMatchObject({
      code: 'rejected',
      status: 401,
    });
    expect(locked.requests).toHaveLength(1);
    const long = model({ content: [], finishReason: { unified: 'length' } });
    await expect(fromAiSdk(long.model, waits)(request, {})).rejects.toMatchObject({ code: 'truncated' });
    expect(() => fromAiSdk('openai/gpt-4o' as never)).toThrow(ModelError);
  });
});
