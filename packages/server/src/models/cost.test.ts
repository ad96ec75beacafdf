import { chunk, planCompletions } from '@grainline/core';
import { openAiModel, type PricedModel } from '@grainline/models/language';
import { tokenCounter } from '@grainline/models/tokens';
import { describe, expect, it } from 'vitest';
import { affordableCharacters } from './cost.ts';

/** Prose of so many UTF-16 units: sentences of usual lengths in paragraphs under headings. */
function prose(units: number): string {
  const words =
    'the harbour of a town is where its ships are loaded, and what they carry says how its people live; in the winter of that year fewer vessels came than in any before, because the ice had closed the river and no one could say when it would open'.split(
      ' ',
    );
  let text = '';
  for (let at = 0; text.length < units; at++) {
    const length = 8 + ((at * 7) % 23);
    const sentence = Array.from({ length }, (_, index) => words[(at * 13 + index * 5) % words.length]).join(
      ' ',
    );
    text += `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${at % 6 === 5 ? '\n\n' : ' '}`;
  }
  return text.slice(0, units);
}

const PRICES = {
  small: { input: 0.05, output: 0.4 },
  usual: { input: 0.1, output: 0.5 },
  large: { input: 0.4, output: 1.6 },
  free: { input: 0, output: 0 },
} as const;

describe('what a tier can take for what it may cost', () => {
  const cases = (['ai', 'ai-pro'] as const).flatMap((tier) =>
    (['small', 'usual', 'large'] as const).map((price) => [tier, price] as const),
  );

  it.each(cases)('is about what %s plans at a %s price, never more', async (tier, name) => {
    const price = PRICES[name];
    const maxCostUsd = tier === 'ai' ? 0.008 : 0.02;
    const most = affordableCharacters(tier, price, maxCostUsd);
    const { inputTokens, outputTokens } = await planCompletions(prose(most), { tier, kind: 'text' });
    const usd = (inputTokens * price.input + outputTokens * price.output) / 1e6;
    expect(usd).toBeLessThanOrEqual(maxCostUsd);
    expect(usd).toBeGreaterThan(maxCostUsd / 3);
  });

  it.each(cases)('can be asked about to its end: %s at a %s price', async (tier, name) => {
    const price = PRICES[name];
    const maxCostUsd = tier === 'ai' ? 0.008 : 0.02;
    const text = prose(affordableCharacters(tier, price, maxCostUsd));
    let billed = 0;
    const counter = await tokenCounter('o200k');
    /** Counts tokens like a service and answers with six tenths of the longest answer. */
    const complete: PricedModel = openAiModel({
      model: 'm',
      baseUrl: 'http://model.example/v1',
      prices: { m: price },
      maxCostUsd,
      fetch: (_, init) => {
        const body = typeof init?.body === 'string' ? init.body : '';
        const { max_tokens: longest, messages } = JSON.parse(body) as {
          max_tokens: number;
          messages: { content: string }[];
        };
        const prompt = messages.map(({ content }) => content).join('\n');
        const usage = {
          prompt_tokens: counter.count(prompt) + 100,
          completion_tokens: Math.ceil(0.6 * longest),
        };
        billed += (usage.prompt_tokens * price.input + usage.completion_tokens * price.output) / 1e6;
        const content = JSON.stringify(answerTo(body));
        const choices = [{ message: { content }, finish_reason: 'stop' }];
        return Promise.resolve(Response.json({ model: 'm', choices, usage }));
      },
    });
    expect((await chunk(text, { tier, kind: 'text', complete })).length).toBeGreaterThan(0);
    expect(billed).toBeLessThanOrEqual(maxCostUsd);
  });

  it('is less for ai-pro than for ai, and any length where the model costs nothing', () => {
    expect(affordableCharacters('ai-pro', PRICES.usual, 0.02)).toBeLessThan(
      affordableCharacters('ai', PRICES.usual, 0.02),
    );
    expect(affordableCharacters('ai-pro', PRICES.free, 0.02)).toBe(Infinity);
    expect(affordableCharacters('ai', PRICES.large, 1e-6)).toBe(0);
  });
});

/** The shortest valid answer to each kind of request. */
function answerTo(body: string): object {
  if (body.includes('"cuts"')) return { cuts: [] };
  if (body.includes('"gist"')) return { summary: 'A gist.', sections: [{ id: 1, gist: 'a gist' }] };
  const ids = /Describe the chunks ([\d, ]+)\./.exec(body)?.[1]?.split(', ').map(Number) ?? [];
  const chunks = ids.map((id) => ({
    id,
    context: 'a gist',
    title: 'a gist',
    summary: 'a gist',
    keywords: ['harbour'],
    questions: ['which gist?'],
    entities: [],
  }));
  return { chunks };
}
