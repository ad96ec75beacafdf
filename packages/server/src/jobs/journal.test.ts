import type { Completion, CompletionRequest } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { openAiModel, type PricedModel } from '@grainline/models/language';
import { createJournal, type Journal } from './journal.ts';

const request = (content: string, plan?: CompletionRequest['plan']): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  maxTokens: 10,
  ...(plan === undefined ? {} : { plan }),
});
const completion = (value: unknown): Completion => ({
  value,
  model: 'model',
  usage: { input: 3, cachedInput: 1, output: 2 },
  stopReason: 'stop',
});
const never = new AbortController().signal;

/** A model that answers with how often it was asked, and a journal whose answers outlive it. */
function kept(complete?: PricedModel) {
  const requests: string[] = [];
  const answers = new Map<string, Uint8Array>();
  const model: PricedModel =
    complete ??
    ((question) => {
      requests.push(question.messages[0]?.content ?? '');
      return Promise.resolve(completion(requests.length));
    });
  const keep = (key: string, bytes: Uint8Array): Promise<void> => {
    answers.set(key, bytes);
    return Promise.resolve();
  };
  const open = (): Journal =>
    createJournal({
      complete: model,
      answers: new Map(answers),
      record: keep,
      recordCost: keep,
    });
  return { requests, answers, open };
}

describe('a journal', () => {
  it('answers a job that is worked on again as it was answered before, without a question', async () => {
    const { requests, open } = kept();
    const questions = ['a', 'b', 'c'].map((text) => request(text));
    const answerAll = async (journal: Journal) =>
      Promise.all(questions.map((question) => journal.complete(question, { signal: never })));
    const first = await answerAll(open());
    expect(first).toEqual([completion(1), completion(2), completion(3)]);
    expect(await answerAll(open())).toEqual(first);
    expect(requests).toEqual(['a', 'b', 'c']);
  });

  it('takes the same question for another one when it is asked again, and the plan for none', async () => {
    const { requests, open } = kept();
    const journal = open();
    const plan = { calls: 1, inputTokens: 2, outputTokens: 3 };
    const run = { signal: never };
    expect((await journal.complete(request('a'), run)).value).toBe(1);
    expect((await journal.complete(request('a', plan), run)).value).toBe(2);
    const again = open();
    expect((await again.complete(request('a', plan), run)).value).toBe(1);
    expect((await again.complete(request('a'), run)).value).toBe(2);
    expect((await again.complete(request('a'), run)).value).toBe(3);
    expect(requests).toEqual(['a', 'a', 'a']);
  });

  it.each(['wrong_answer', 'refusal', 'truncated', 'content_filter'])(
    'keeps %s, which was paid for, with what it took',
    async (code) => {
      let calls = 0;
      const usage = { input: 5, cachedInput: 0, output: 7 };
      const { open } = kept(() => {
        calls++;
        return Promise.reject(Object.assign(new Error('No use.'), { code, usage, status: 200 }));
      });
      for (let run = 0; run < 2; run++)
        await expect(open().complete(request('a'), { signal: never })).rejects.toMatchObject({
          code,
          message: 'No use.',
          usage,
        });
      expect(calls).toBe(1);
    },
  );

  it.each(['unavailable', 'timed_out', 'rejected', 'too_expensive', undefined])(
    'keeps nothing of a failure of the moment (%s)',
    async (code) => {
      const { answers, open } = kept(() => Promise.reject(Object.assign(new Error('Not now.'), { code })));
      await expect(open().complete(request('a'), { signal: never })).rejects.toThrow('Not now.');
      expect(answers.size).toBe(0);
    },
  );

  it('gives no answer that is not kept', async () => {
    const { requests } = kept();
    const journal = createJournal({
      complete: () => Promise.resolve(completion(requests.length)),
      answers: new Map(),
      record: () => Promise.reject(new Error('The job is lost.')),
      recordCost: () => Promise.resolve(),
    });
    await expect(journal.complete(request('a'), { signal: never })).rejects.toThrow('The job is lost.');
  });

  it('settles when what was asked is kept, and asks nothing more', async () => {
    const answer = Promise.withResolvers<Completion>();
    let calls = 0;
    const { answers, open } = kept(() => {
      calls++;
      return answer.promise;
    });
    const journal = open();
    const stop = new AbortController();
    const first = journal.complete(request('a'), { signal: stop.signal });
    let isSettled = false;
    const settled = journal.drain().then(() => (isSettled = true));
    const second = journal.complete(request('b'), { signal: stop.signal });
    await Promise.resolve();
    expect(isSettled).toBe(false);
    answer.resolve(completion('late'));
    await settled;
    expect((await first).value).toBe('late');
    expect(answers.size).toBe(1);
    stop.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    expect(calls).toBe(1);
  });

  it('pays no question twice but those in flight, however often its process dies', async () => {
    const worlds = fc.record({
      questions: fc.array(fc.nat(5), { minLength: 1, maxLength: 12 }),
      atOnce: fc.integer({ min: 1, max: 4 }),
      /** After how many answers each process dies. */
      deaths: fc.array(fc.nat(6), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ questions, atOnce, deaths }) => {
        let paid = 0;
        const answers = new Map<string, Uint8Array>();
        const valueOf = (question: CompletionRequest): string =>
          `answer to ${question.messages[0]?.content ?? ''}`;
        /** Works until everything is answered, or so many answers are kept: then nothing ever resolves again. */
        const runOnce = async (dieAfter: number): Promise<unknown[]> => {
          let count = 0;
          const isDead = (): boolean => count >= dieAfter;
          const death = new Promise<never>(() => undefined);
          const journal = createJournal({
            answers: new Map(answers),
            complete: async (question) => {
              if (isDead()) return death;
              paid++;
              await Promise.resolve();
              return isDead() ? death : completion(valueOf(question));
            },
            recordCost: () => Promise.resolve(),
            record: (key, answer) => {
              if (isDead()) return death;
              count++;
              answers.set(key, answer);
              return isDead() ? death : Promise.resolve();
            },
          });
          const values: unknown[] = [];
          const queue = questions.entries();
          const worker = async (): Promise<void> => {
            for (const [index, text] of queue)
              values[index] = (await journal.complete(request(`${text}`), { signal: never })).value;
          };
          const done = Promise.all(Array.from({ length: atOnce }, worker)).then(() => values);
          const died = (async () => {
            for (let turn = 0; turn < 500; turn++) await Promise.resolve();
            return [];
          })();
          return Promise.race([done, ...(dieAfter === Infinity ? [] : [died])]);
        };
        for (const dieAfter of deaths) await runOnce(dieAfter);
        const values = await runOnce(Infinity);
        expect(values).toEqual(questions.map((text) => `answer to ${text}`));
        expect(paid - questions.length).toBeLessThanOrEqual(deaths.length * atOnce);
      }),
      cases(300),
    );
  });

  it('tells a model that costs something what earlier processes have spent, those that died with a question out too', async () => {
    const received: (number | undefined)[] = [];
    const answers = new Map<string, Uint8Array>();
    const insert = (key: string, bytes: Uint8Array): Promise<void> => {
      if (!answers.has(key)) answers.set(key, bytes);
      return Promise.resolve();
    };
    /** Each request may cost 5 and costs 2, unless it gets no answer. */
    const open = (dies = false): Journal =>
      createJournal({
        answers: new Map(answers),
        record: insert,
        recordCost: insert,
        complete: async (_, { spentUsd, onCost }) => {
          received.push(spentUsd);
          await onCost?.(5, false);
          if (dies) return new Promise(() => undefined);
          await onCost?.(2, true);
          return completion('said');
        },
      });
    const run = { signal: never };
    await open().complete(request('a'), run);
    void open(true).complete(request('b'), run);
    await vi.waitFor(() => expect(answers.size).toBe(3));
    void open(true).complete(request('b'), run);
    await vi.waitFor(() => expect(answers.size).toBe(4));
    const last = open();
    await last.complete(request('a'), run);
    await last.complete(request('b'), run);
    await open().complete(request('c'), run);
    // 2 for the first; 5 for each time that a process died with the second; 2 for its answer.
    expect(received).toEqual([0, 2, 7, 12, 14]);
  });

  it('gives back what was set aside for a request without an answer', async () => {
    const received: (number | undefined)[] = [];
    const { open } = kept(async (_, { spentUsd, onCost }) => {
      received.push(spentUsd);
      await onCost?.(5, false);
      await onCost?.(0, true);
      throw Object.assign(new Error('Not now.'), { code: 'unavailable' });
    });
    for (let time = 0; time < 2; time++)
      await expect(open().complete(request('a'), { signal: never })).rejects.toThrow('Not now.');
    expect(received).toEqual([0, 0]);
  });

  it('keeps a job below its limit, however often and whenever its process dies', async () => {
    const worlds = fc.record({
      texts: fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 8 }),
      atOnce: fc.integer({ min: 1, max: 4 }),
      /** At which request of it each process dies. */
      deaths: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 8 }),
      /** Tokens of an answer to those that may be. */
      taken: fc.double({ min: 0, max: 1, noNaN: true }),
      maxCostUsd: fc.constantFrom(0.002, 0.005, 0.02),
    });
    const random = cases(300);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(worlds, async ({ texts, atOnce, deaths, taken, maxCostUsd }) => {
        const answers = new Map<string, Uint8Array>();
        let billed = 0;
        const runOnce = async (diesAt: number): Promise<void> => {
          const death = Promise.withResolvers<string>();
          let requests = 0;
          const isDead = (): boolean => requests >= diesAt;
          const nothing = new Promise<never>(() => undefined);
          const insert = (key: string, bytes: Uint8Array): Promise<void> => {
            if (isDead()) return nothing;
            if (!answers.has(key)) answers.set(key, bytes);
            return Promise.resolve();
          };
          const complete = openAiModel({
            model: 'm',
            prices: { m: { input: 1, output: 4 } },
            maxCostUsd,
            fetch: () => {
              if (isDead()) return nothing;
              requests++;
              const usage = { prompt_tokens: 600, completion_tokens: Math.max(1, Math.floor(taken * 100)) };
              billed += (usage.prompt_tokens + 4 * usage.completion_tokens) / 1e6;
              if (isDead()) {
                death.resolve('died');
                return nothing;
              }
              const choices = [{ message: { content: '{}' }, finish_reason: 'stop' }];
              return Promise.resolve(Response.json({ model: 'm', choices, usage }));
            },
          });
          const journal = createJournal({
            complete,
            answers: new Map(answers),
            record: insert,
            recordCost: insert,
          });
          const plan = { calls: texts.length, inputTokens: 0, outputTokens: 0 };
          const queue = texts.entries();
          const worker = async (): Promise<void> => {
            for (const [at, text] of queue)
              await journal.complete(
                { ...request(`${at} ${text}`, plan), maxTokens: 100 },
                { signal: never },
              );
          };
          const done = Promise.all(Array.from({ length: atOnce }, worker)).catch(() => {
            refused++;
          });
          await Promise.race([done, death.promise]);
        };
        for (const diesAt of deaths) await runOnce(diesAt);
        await runOnce(Infinity);
        expect(billed).toBeLessThanOrEqual(maxCostUsd + 1e-12);
      }),
      random,
    );
    expect(refused).toBeGreaterThan(random.numRuns / 30);
  });
});
