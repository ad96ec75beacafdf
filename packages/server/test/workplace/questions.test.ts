// What the server believes of a child process that asks a language model: a document may have taken it over.
import type { Complete, CompletionRequest } from '@grainline/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { cases } from '../../../core/test/cases.ts';
import { createAllowance } from '../../src/workplace/allowance.ts';
import { createPool, type Pool } from '../../src/workplace/pool.ts';
import { readProgress } from '../../src/workplace/progress.ts';
import { askingModels, answerTo, readQuestion } from '../../src/workplace/questions.ts';
import { bytesTask, MISBEHAVING, SETTINGS } from './tasks.ts';

const REQUEST: CompletionRequest = {
  messages: [{ role: 'user', content: 'Where?' }],
  schema: {
    type: 'object',
    properties: { cuts: { type: 'array', items: { type: 'integer' } } },
    required: ['cuts'],
    additionalProperties: false,
  },
  maxTokens: 100,
  plan: { calls: 1, inputTokens: 10, outputTokens: 100 },
};
const COMPLETION = {
  value: { cuts: [2] },
  model: 'small',
  usage: { input: 10, cachedInput: 0, output: 5 },
  stopReason: 'stop',
} as const;
const none = new AbortController().signal;

let pool: Pool | undefined;
afterEach(async () => {
  await pool?.close();
  pool = undefined;
});

describe('a question of a child', () => {
  it('is what was asked when it is sound', () => {
    expect(readQuestion({ question: 3, request: REQUEST })).toEqual({ question: 3, request: REQUEST });
  });

  const schemaOf = (depth: number): object =>
    depth === 0 ? { type: 'integer' } : { type: 'array', items: schemaOf(depth - 1) };
  const ring: Record<string, unknown> = { type: 'array' };
  ring['items'] = ring;
  it.each([
    ['no messages', { messages: [] }],
    ['too many messages', { messages: Array.from({ length: 17 }, () => REQUEST.messages[0]) }],
    ['a role that nobody has', { messages: [{ role: 'tool', content: '' }] }],
    ['too much text', { messages: [{ role: 'user', content: 'x'.repeat(524_289) }] }],
    ['no number of tokens', { maxTokens: Number.NaN }],
    ['too many tokens', { maxTokens: 32_769 }],
    ['a schema that is too deep', { schema: schemaOf(9) }],
    ['a schema that is a ring', { schema: ring }],
    ['no schema', { schema: null }],
    ['a plan of nonsense', { plan: { calls: -1, inputTokens: 0, outputTokens: 0 } }],
    ['a plan without end', { plan: { calls: 1, inputTokens: Infinity, outputTokens: 0 } }],
  ])('is none with %s', (_, wrong) => {
    expect(readQuestion({ question: 0, request: { ...REQUEST, ...wrong } })).toBeUndefined();
  });

  it('is never more than it may be, and never throws, whatever a child says', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (request) => {
        const read = readQuestion({ question: 0, request });
        const { messages } = read !== undefined && 'request' in read ? read.request : REQUEST;
        expect(messages.length).toBeGreaterThan(0);
        readProgress({ progress: request });
      }),
      cases(2000),
    );
  });

  it('carries nothing that was not checked', () => {
    const schema = { ...REQUEST.schema, $ref: 'file:///etc/passwd' };
    const messages = [{ role: 'user', content: 'Where?', name: 'x' }];
    const read = readQuestion({ question: 0, request: { ...REQUEST, schema, messages, more: true } });
    expect(read).toEqual({ question: 0, request: REQUEST });
  });
});

describe('a line between child and server', () => {
  /** Both ends, without a process between them. */
  function join(complete: Complete) {
    let tell: (message: unknown) => void = () => undefined;
    const withdrawn: unknown[] = [];
    const asked = askingModels({
      send(message) {
        const copy = structuredClone(message);
        if ('withdrawn' in copy) withdrawn.push(copy.withdrawn);
        else void answerTo(copy, { complete }, none, 1000).then((answer) => tell(structuredClone(answer)));
      },
      onMessage: (listener) => (tell = listener),
    });
    return { complete: asked.complete, withdrawn };
  }

  it('brings answers with their usage, many at a time', async () => {
    const { complete } = join(({ maxTokens }) =>
      Promise.resolve({ ...COMPLETION, usage: { input: maxTokens, cachedInput: 1, output: 2 } }),
    );
    const answers = await Promise.all([1, 2, 3].map((maxTokens) => complete({ ...REQUEST, maxTokens }, {})));
    expect(answers.map(({ usage }) => usage.input)).toEqual([1, 2, 3]);
  });

  it('brings errors with their code and what they took', async () => {
    const usage = { input: 7, cachedInput: 0, output: 1 };
    const { complete } = join(() =>
      Promise.reject(Object.assign(new Error('no'), { code: 'refusal', usage, secret: 'key' })),
    );
    const error = await complete(REQUEST, {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'no', code: 'refusal', usage });
    expect(error).not.toHaveProperty('secret');
  });

  it('says when an answer is no longer waited for', async () => {
    const { complete, withdrawn } = join(() => new Promise(() => undefined));
    const gone = new AbortController();
    const asking = complete(REQUEST, { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(asking).rejects.toThrow('gone');
    expect(withdrawn).toEqual([0]);
  });
});

describe('an allowance', () => {
  it('ends what would never end', async () => {
    let calls = 0;
    const { complete } = createAllowance(() => (calls++, Promise.resolve(COMPLETION)), 1000);
    const asking = async (): Promise<void> => {
      for (;;) await complete(REQUEST, {});
    };
    await expect(asking()).rejects.toMatchObject({ code: 'too_expensive' });
    expect(calls).toBe(74);
  });

  it('has one plan, whatever plans a child tells', async () => {
    const plans = new Set<unknown>();
    const { complete } = createAllowance(({ plan }) => (plans.add(plan), Promise.resolve(COMPLETION)));
    for (const calls of [1, 2, 3])
      await complete({ ...REQUEST, plan: { calls, inputTokens: 0, outputTokens: 0 } }, {});
    const { plan, ...planless } = REQUEST;
    await complete(planless, {});
    expect([plan?.calls, plans.size]).toEqual([1, 1]);
  });
});

describe('a child process that was taken over', () => {
  const taken = (word: string, complete: Complete) => {
    pool = createPool({ ...SETTINGS, workers: 1 }, { ...MISBEHAVING, completeFor: () => complete });
    const task = bytesTask(
      new Uint8Array(1),
      {},
      { tier: 'ai', maxCharacters: 1000, records: { tierName: word } },
    );
    return pool.run(task, { signal: none });
  };

  it('is ended when it asks what no tier asks', async () => {
    let calls = 0;
    const running = taken('ask nonsense', () => (calls++, Promise.resolve(COMPLETION)));
    await expect(running).rejects.toMatchObject({ code: 'too_complex' });
    expect(calls).toBe(0);
  });

  it('is ended when it asks too much at once', async () => {
    let calls = 0;
    const running = taken('ask without waiting', () => (calls++, new Promise(() => undefined)));
    await expect(running).rejects.toMatchObject({ code: 'too_complex' });
    expect(calls).toBe(32);
  });

  it('cannot ask more than its document may', async () => {
    let calls = 0;
    const running = taken('ask for ever', () => (calls++, Promise.resolve(COMPLETION)));
    await running;
    expect(calls).toBe(74);
  });
});
