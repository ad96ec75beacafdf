// The limit on what a document may cost, against services that take as much as they can: random texts of all scripts,
// random usage up to a token for each byte, answers that are of no use, broken connections, processes that die. The
// bill is made out by the test.
import type { CompletionRequest, JsonSchema } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { anthropicModel } from '../../src/language/anthropic.ts';
import type { HttpModelOptions } from '../../src/language/http.ts';
import type { PricedModel } from '../../src/language/model.ts';
import { openAiModel } from '../../src/language/openai.ts';
import { tokenCounter } from '../../src/tokens/counter.ts';

const MAKERS = { openai: openAiModel, anthropic: anthropicModel } as const;
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { number: { type: 'integer' } },
  required: ['number'],
  additionalProperties: false,
};
/** The tokens that a service adds to a request: some ten a turn, and words of its own about the schema. */
const AROUND = { turn: 20, question: 400 } as const;

/** Texts of many kinds: words, ideographs, a token or more for each character, any bytes read as text. */
const texts = fc.oneof(
  fc.lorem({ maxCount: 40 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom('潮', '汐', '鱻', 'ᚠ', '𒀀', '🫥', '�', 'ﷺ', '\u0000', '\n'),
    maxLength: 200,
  }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => new TextDecoder('latin1').decode(bytes)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
);

const shares = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));

/** The behaviour of a service for one request. */
const conducts = fc.record({
  ends: fc.constantFrom(
    'right',
    'right',
    'right',
    'wrong',
    'truncated',
    'uncounted',
    'breaks',
    'late',
    'busy',
    'dies',
  ),
  input: shares,
  cached: shares,
  written: shares,
  output: shares,
});
const PLAIN = { ends: 'right', input: 1, cached: 0, written: 0, output: 1 } as const;

const worlds = fc.record({
  dialect: fc.constantFrom('openai' as const, 'anthropic' as const),
  questions: fc.array(fc.record({ text: texts, maxTokens: fc.integer({ min: 1, max: 2000 }) }), {
    minLength: 1,
    maxLength: 8,
  }),
  price: fc.record(
    {
      input: fc.constantFrom(0, 0.05, 0.1, 1, 3),
      output: fc.constantFrom(0, 0.4, 1.6, 15),
      cachedInput: fc.constantFrom(0, 0.01, 0.3, 4),
      cacheWrite: fc.constantFrom(0, 0.5, 9),
    },
    { requiredKeys: ['input', 'output', 'cachedInput'] },
  ),
  maxCostUsd: fc.constantFrom(0.0001, 0.001, 0.004, 0.02),
  concurrency: fc.integer({ min: 1, max: 4 }),
  conducts: fc.array(conducts, { minLength: 1, maxLength: 30 }),
  hasPlan: fc.boolean(),
});

describe('the limit on what a document may cost', () => {
  it('is kept to the last token, whatever a service takes and however often a process dies', async () => {
    let [sent, refused, deaths] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const { dialect, questions, price, maxCostUsd, concurrency, hasPlan } = world;
        const plan = { calls: questions.length, inputTokens: 0, outputTokens: 0 };
        const requests: CompletionRequest[] = questions.map(({ text, maxTokens }, at) => ({
          messages: [{ role: 'user', content: `${at} ${text}`, repeated: 1 }],
          schema: SCHEMA,
          maxTokens,
          ...(hasPlan ? { plan } : {}),
        }));
        const service = createService(world);
        /** The content of a journal: the latest cost of each request. */
        const kept = new Map<number, number>();
        const answered = new Set<number>();
        for (let isOver = false; !isOver;) {
          const process = service.process();
          const complete = MAKERS[dialect]({
            model: 'm',
            baseUrl: 'http://model.example/v1',
            prices: { m: price },
            maxCostUsd,
            concurrency,
            retries: 2,
            sleep: () => Promise.resolve(),
            fetch: process.fetch,
          });
          const before = [...kept.values()].reduce((sum, usd) => sum + usd, 0);
          const spentUsd = hasPlan ? before : 0;
          const run = runAll(complete, requests, { answered, kept, spentUsd, process });
          const ended = await Promise.race([run, process.death]);
          isOver = ended !== 'died';
          if (!isOver) deaths++;
          // Without a plan each question is a work of its own, and a process that dies ends it.
          if (!hasPlan) isOver = true;
        }
        sent += service.bills.length;
        if (answered.size < questions.length) refused++;
        if (hasPlan) {
          const bill = service.bills.reduce((sum, usd) => sum + usd, 0);
          expect(bill).toBeLessThanOrEqual(maxCostUsd * (1 + 1e-9));
        } else {
          for (const usd of service.billsByQuestion.values())
            expect(usd).toBeLessThanOrEqual(maxCostUsd * (1 + 1e-9));
        }
      }),
      cases(600),
    );
    // The worlds are not all of one kind.
    for (const count of [sent, refused, deaths]) expect(count).toBeGreaterThan(cases(600).numRuns / 20);
  });

  it('lets questions wait that fit once others have given back what they did not need', async () => {
    const bodies: string[] = [];
    let [out, most] = [0, 0];
    const complete = openAiModel({
      model: 'm',
      prices: { m: { input: 1, output: 4 } },
      // Three of these questions at their dearest, $0.0035 each, or all eight as they are.
      maxCostUsd: 0.0106,
      concurrency: 8,
      fetch: async (_, init) => {
        bodies.push(bodyOf(init));
        most = Math.max(most, ++out);
        await new Promise((resolve) => setImmediate(resolve));
        out--;
        return answerOf('openai', '{"number":7}', { input: 600, output: 10 });
      },
    });
    const plan = { calls: 8, inputTokens: 4800, outputTokens: 800 };
    const question = (at: number): CompletionRequest => ({
      messages: [{ role: 'user', content: `${at} ${'word '.repeat(480)}` }],
      schema: SCHEMA,
      maxTokens: 100,
      plan,
    });
    const all = await Promise.all(Array.from({ length: 8 }, (_, at) => complete(question(at), {})));
    expect(all.map(({ value }) => value)).toEqual(all.map(() => ({ number: 7 })));
    expect(bodies).toHaveLength(8);
    expect(most).toBe(3);
  });

  it('refuses before the first question what would not come to its end', async () => {
    let calls = 0;
    const complete = openAiModel({
      model: 'm',
      prices: { m: { input: 1, output: 0 } },
      maxCostUsd: 0.003,
      fetch: () => Promise.resolve(answerOf('openai', `${++calls}`, { input: 1, output: 1 })),
    });
    // The plan has 2000 tokens, but the last request may take 2500 by itself.
    const plan = { calls: 4, inputTokens: 2000, outputTokens: 0 };
    const messages = [{ role: 'user' as const, content: 'word'.repeat(500) }];
    const work = complete({ messages, schema: SCHEMA, maxTokens: 1, plan }, {});
    await expect(work).rejects.toMatchObject({ code: 'too_expensive' });
    expect(calls).toBe(0);
  });

  it('stops to wait with its signal', async () => {
    const stop = new AbortController();
    const complete = openAiModel({
      model: 'm',
      prices: { m: { input: 1, output: 1 } },
      maxCostUsd: 0.0015,
      fetch: (_, init) =>
        new Promise((_, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
        ),
    });
    const plan = { calls: 1, inputTokens: 0, outputTokens: 0 };
    const request = {
      messages: [{ role: 'user' as const, content: 'A' }],
      schema: SCHEMA,
      maxTokens: 100,
      plan,
    };
    const both = [1, 2].map(() => complete(request, { signal: stop.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    for (const work of both) await expect(work).rejects.toThrow('enough');
  });

  it.each(['o200k', 'cl100k'] as const)(
    'rests on %s, which makes no more tokens of a text than it has bytes',
    async (name) => {
      const counter = await tokenCounter(name);
      fc.assert(
        fc.property(texts, (text) => {
          const whole = text.toWellFormed();
          expect(counter.count(whole)).toBeLessThanOrEqual(Buffer.byteLength(whole));
        }),
        cases(500),
      );
    },
  );
});

const bodyOf = (init: RequestInit | undefined): string => (typeof init?.body === 'string' ? init.body : '');

interface World {
  readonly answered: Set<number>;
  readonly kept: Map<number, number>;
  readonly spentUsd: number;
  readonly process: Pick<RequestingProcess, 'isDead'>;
}

/** Asks what is not answered yet, and keeps what each question costs, as a journal would. */
async function runAll(
  complete: PricedModel,
  requests: readonly CompletionRequest[],
  { answered, kept, spentUsd, process }: World,
): Promise<'done'> {
  await Promise.all(
    requests.map(async (request, at) => {
      if (answered.has(at)) return;
      const earlier = kept.get(at) ?? 0;
      const onCost = (usd: number): void => {
        if (!process.isDead()) kept.set(at, earlier + usd);
      };
      // Why there is no answer does not matter here.
      await complete(request, { spentUsd, onCost }).then(
        () => {
          if (!process.isDead()) answered.add(at);
        },
        () => undefined,
      );
    }),
  );
  return 'done';
}

describe('a question that a service may write to its cache', () => {
  it.each([
    ['anthropic', 'too_expensive'],
    ['openai', 'asked'],
  ] as const)('is foreseen at the price of writing: of %s it is %s', async (dialect, outcome) => {
    let requests = 0;
    const complete = MAKERS[dialect]({
      model: 'm',
      apiKey: 'k',
      prices: { m: { input: 1, output: 0 } },
      // Above what a hundred thousand tokens cost, below what they cost with a quarter more.
      maxCostUsd: 0.115,
      fetch: () => {
        requests++;
        return Promise.resolve(answerOf(dialect, '{"number":7}', { input: 1, output: 1 }));
      },
    });
    const messages = [{ role: 'user', content: 'x'.repeat(100_000) }] as const;
    const answer = complete({ messages, schema: SCHEMA, maxTokens: 1 }, {});
    if (outcome === 'asked') await expect(answer).resolves.toMatchObject({ value: { number: 7 } });
    else await expect(answer).rejects.toMatchObject({ code: outcome });
    expect(requests).toBe(outcome === 'asked' ? 1 : 0);
  });
});

/** One that asks, until it dies. */
interface RequestingProcess {
  readonly fetch: NonNullable<HttpModelOptions['fetch']>;
  readonly isDead: () => boolean;
  readonly death: Promise<'died'>;
}

interface BillingService {
  readonly process: () => RequestingProcess;
  /** US dollars of each request that was answered, or may have been. */
  readonly bills: number[];
  /** By the text of the question. */
  readonly billsByQuestion: Map<string, number>;
}

function createService({
  dialect,
  price,
  conducts: list,
}: typeof worlds extends fc.Arbitrary<infer Value> ? Value : never): BillingService {
  const bills: number[] = [];
  const billsByQuestion = new Map<string, number>();
  let requests = 0;

  const answer = (init: RequestInit | undefined, die: () => void): Promise<Response> => {
    const conduct = list[requests++ % list.length] ?? PLAIN;
    const {
      messages,
      max_tokens: short,
      max_completion_tokens: long,
    } = JSON.parse(bodyOf(init)) as {
      messages: { content: string | { text: string }[] }[];
      max_tokens?: number;
      max_completion_tokens?: number;
    };
    const turns = messages.map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
    );
    const bytes = [...turns, JSON.stringify(SCHEMA)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const most = bytes + AROUND.question + AROUND.turn * turns.length;
    const input = Math.max(1, Math.floor(conduct.input * most));
    const cached = Math.floor(conduct.cached * input);
    const written = dialect === 'anthropic' ? Math.floor(conduct.written * (input - cached)) : 0;
    const output = Math.max(1, Math.floor(conduct.output * (short ?? long ?? 0)));
    const usd =
      ((input - cached - written) * price.input +
        cached * price.cachedInput +
        written * (price.cacheWrite ?? 1.25 * price.input) +
        output * price.output) /
      1e6;
    const bill = (): void => {
      bills.push(usd);
      const [question = ''] = turns;
      billsByQuestion.set(question, (billsByQuestion.get(question) ?? 0) + usd);
    };
    const usage = { input, cached, written, output };
    switch (requests > 200 ? 'right' : conduct.ends) {
      case 'wrong':
        bill();
        return Promise.resolve(answerOf(dialect, 'Seven.', usage));
      case 'truncated':
        bill();
        return Promise.resolve(answerOf(dialect, '{"num', usage, true));
      case 'uncounted':
        bill();
        return Promise.resolve(answerOf(dialect, '{"number":7}', {}));
      case 'breaks':
        bill();
        return Promise.reject(new TypeError('terminated'));
      case 'late':
        bill();
        return Promise.resolve(new Response('', { status: 504 }));
      case 'busy':
        return Promise.resolve(new Response('', { status: 503 }));
      case 'dies':
        bill();
        die();
        return new Promise(() => undefined);
      default:
        bill();
        return Promise.resolve(answerOf(dialect, '{"number":7}', usage));
    }
  };

  const process = (): RequestingProcess => {
    const death = Promise.withResolvers<'died'>();
    let isDead = false;
    const die = (): void => {
      isDead = true;
      death.resolve('died');
    };
    const nothing = new Promise<never>(() => undefined);
    return {
      fetch: (_, init) => (isDead ? nothing : answer(init, die)),
      isDead: () => isDead,
      death: death.promise,
    };
  };
  return { process, bills, billsByQuestion };
}

interface Counted {
  readonly input?: number;
  readonly cached?: number;
  readonly written?: number;
  readonly output?: number;
}

function answerOf(
  dialect: keyof typeof MAKERS,
  text: string,
  { input, cached = 0, written = 0, output }: Counted,
  isCut = false,
): Response {
  if (dialect === 'openai')
    return Response.json({
      model: 'm',
      choices: [{ message: { content: text }, finish_reason: isCut ? 'length' : 'stop' }],
      ...(input === undefined
        ? {}
        : {
            usage: {
              prompt_tokens: input,
              completion_tokens: output,
              prompt_tokens_details: { cached_tokens: cached },
            },
          }),
    });
  return Response.json({
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: isCut ? 'max_tokens' : 'end_turn',
    ...(input === undefined
      ? {}
      : {
          usage: {
            input_tokens: input - cached - written,
            cache_read_input_tokens: cached,
            cache_creation_input_tokens: written,
            output_tokens: output,
          },
        }),
  });
}
