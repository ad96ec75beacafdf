// The cost of a document on the tier ai-pro, counted by the scripted model as a service would count it: linear in the
// pages, predicted, and mostly for cached tokens.
import { chunk, type CompletionPlan, planCompletions } from '@grainline/core';
import { openAiModel } from '@grainline/models/language';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesOf } from '@grainline/testing/generated-text';
import { type ScriptedModel, startScriptedModel } from '@grainline/testing/scripted-model/server';

let scripted: ScriptedModel;
beforeAll(async () => {
  scripted = await startScriptedModel();
});
afterAll(() => scripted.stop());

interface Cost {
  readonly pages: number;
  readonly plan: CompletionPlan;
  readonly calls: number;
  readonly input: number;
  /** Of the bytes of enrichment requests, those that repeat the beginning of an earlier one. */
  readonly repeated: number;
}

async function costOf(pages: number): Promise<Cost> {
  const text = pagesOf(pages);
  const plan = await planCompletions(text, { tier: 'ai-pro' });
  const before = { ...scripted.totals };
  const complete = openAiModel({ baseUrl: scripted.baseUrl, model: scripted.model });
  await chunk(text, { tier: 'ai-pro', complete });
  const calls = scripted.totals.questions - before.questions;
  const bodies = scripted.calls
    .slice(-calls)
    .filter(({ texts }) => texts[0]?.startsWith('You describe') === true)
    .map(({ body }) => Buffer.from(JSON.stringify(body)));
  const all = bodies.reduce((sum, { length }) => sum + length, 0);
  const [first = Buffer.alloc(0), ...rest] = bodies;
  // All begin alike, so that the first says what an earlier one had: no less than this is repeated.
  const repeated = rest.reduce((sum, body) => sum + commonBytes(first, body), 0);
  return { pages, plan, calls, input: scripted.totals.input - before.input, repeated: repeated / all };
}

function commonBytes(one: Buffer, other: Buffer): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

describe('the cost of the tier ai-pro', () => {
  it(
    'is linear in the pages, foreseen within 15 %, and of text that a cache has',
    { timeout: 300_000 },
    async () => {
      const costs: Cost[] = [];
      for (const pages of [25, 50, 100, 200]) costs.push(await costOf(pages));
      for (const { pages, plan, calls, input, repeated } of costs) {
        console.info(
          `${pages} pages: ${calls} calls (${plan.calls} foreseen), ${input} tokens in (${plan.inputTokens} foreseen), ${(100 * repeated).toFixed(1)} % of bytes repeated`,
        );
        expect(Math.abs(plan.inputTokens / input - 1)).toBeLessThanOrEqual(0.15);
        expect(repeated).toBeGreaterThanOrEqual(0.7);
      }
      for (const [at, { calls, input }] of costs.slice(1).entries()) {
        expect(calls / (costs[at]?.calls ?? 0)).toBeGreaterThan(1.7);
        expect(calls / (costs[at]?.calls ?? 0)).toBeLessThan(2.2);
        expect(input / (costs[at]?.input ?? 0)).toBeLessThan(2.2);
      }
    },
  );
});
