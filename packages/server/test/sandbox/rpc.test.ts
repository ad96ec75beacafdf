// The server's checks of calls from a child process, which a document may have taken over.
import type { Complete, CompletionRequest } from '@grainline/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { createModelQuota } from '../../src/sandbox/model-quota.ts';
import { createProcessPool, type ProcessPool } from '../../src/sandbox/process-pool.ts';
import { readProgress } from '../../src/sandbox/reply.ts';
import { createRemoteModels, executeCall, readCall } from '../../src/sandbox/rpc.ts';
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

let pool: ProcessPool | undefined;
afterEach(async () => {
  await pool?.close();
  pool = undefined;
});

describe('a call of a child', () => {
  it('keeps the valid request', () => {
    expect(readCall({ call: 3, request: REQUEST })).toEqual({ call: 3, request: REQUEST });
  });

  const schemaOf = (depth: number): object =>
    depth === 0 ? { type: 'integer' } : { type: 'array', items: schemaOf(depth - 1) };
  const ring: Record<string, unknown> = { type: 'array' };
  ring['items'] = ring;
  it.each([
    ['no messages', { messages: [] }],
    ['too many messages', { messages: Array.from({ length: 17 }, () => REQUEST.messages[0]) }],
    ['an unknown role', { messages: [{ role: 'tool', content: '' }] }],
    ['too much text', { messages: [{ role: 'user', content: 'x'.repeat(524_289) }] }],
    ['no number of tokens', { maxTokens: Number.NaN }],
    ['too many tokens', { maxTokens: 32_769 }],
    ['a schema that is too deep', { schema: schemaOf(9) }],
    ['a schema that is a ring', { schema: ring }],
    ['no schema', { schema: null }],
    ['a negative plan', { plan: { calls: -1, inputTokens: 0, outputTokens: 0 } }],
    ['a plan without end', { plan: { calls: 1, inputTokens: Infinity, outputTokens: 0 } }],
  ])('is none with %s', (_, wrong) => {
    expect(readCall({ call: 0, request: { ...REQUEST, ...wrong } })).toBeUndefined();
  });

  it('is bounded and never throws, whatever a child sends', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (request) => {
        const read = readCall({ call: 0, request });
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
    const read = readCall({ call: 0, request: { ...REQUEST, schema, messages, more: true } });
    expect(read).toEqual({ call: 0, request: REQUEST });
  });
});

describe('a channel between child and server', () => {
  /** Both ends, without a process between them. */
  function join(complete: Complete) {
    let deliver: (message: unknown) => void = () => undefined;
    const cancelled: unknown[] = [];
    const models = createRemoteModels({
      send(message) {
        const copy = structuredClone(message);
        if ('cancelled' in copy) cancelled.push(copy.cancelled);
        else
          void executeCall(copy, { complete }, none, 1000).then((result) => deliver(structuredClone(result)));
      },
      onMessage: (listener) => (deliver = listener),
    });
    return { complete: models.complete, cancelled };
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

  it('sends a cancellation for an aborted call', async () => {
    const { complete, cancelled } = join(() => new Promise(() => undefined));
    const gone = new AbortController();
    const call = complete(REQUEST, { signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    expect(cancelled).toEqual([0]);
  });
});

describe('a quota', () => {
  it('ends an endless loop of calls', async () => {
    let calls = 0;
    const { complete } = createModelQuota(() => (calls++, Promise.resolve(COMPLETION)), 1000);
    const loop = async (): Promise<void> => {
      for (;;) await complete(REQUEST, {});
    };
    await expect(loop()).rejects.toMatchObject({ code: 'too_expensive' });
    expect(calls).toBe(74);
  });

  it('has one plan, whatever plans a child sends', async () => {
    const plans = new Set<unknown>();
    const { complete } = createModelQuota(({ plan }) => (plans.add(plan), Promise.resolve(COMPLETION)));
    for (const calls of [1, 2, 3])
      await complete({ ...REQUEST, plan: { calls, inputTokens: 0, outputTokens: 0 } }, {});
    const { plan, ...planless } = REQUEST;
    await complete(planless, {});
    expect([plan?.calls, plans.size]).toEqual([1, 1]);
  });
});

describe('a child process that was taken over', () => {
  const taken = (word: string, complete: Complete) => {
    pool = createProcessPool({ ...SETTINGS, workers: 1 }, { ...MISBEHAVING, completeFor: () => complete });
    const task = bytesTask(
      new Uint8Array(1),
      {},
      { tier: 'ai', maxCharacters: 1000, records: { tierName: word } },
    );
    return pool.run(task, { signal: none });
  };

  it('is ended by an invalid call', async () => {
    let calls = 0;
    const running = taken('ask nonsense', () => (calls++, Promise.resolve(COMPLETION)));
    await expect(running).rejects.toMatchObject({ code: 'too_complex' });
    expect(calls).toBe(0);
  });

  it('is ended by too many open calls', async () => {
    let calls = 0;
    const running = taken('ask without waiting', () => (calls++, new Promise(() => undefined)));
    await expect(running).rejects.toMatchObject({ code: 'too_complex' });
    expect(calls).toBe(32);
  });

  it('cannot exceed the quota of its document', async () => {
    let calls = 0;
    const running = taken('ask for ever', () => (calls++, Promise.resolve(COMPLETION)));
    await running;
    expect(calls).toBe(74);
  });
});
