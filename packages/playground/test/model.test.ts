// The scripted model as its two kinds of client see it. What the library makes of its misdeeds is tested there.
import { chunk, type CompletionRequest, type Decisions } from '@grainline/core';
import { anthropicModel, openAiModel } from '@grainline/models/language';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '@grainline/testing/scripted-model/server';
import { type ScriptName, SCRIPTS } from '@grainline/testing/scripted-model/scripts';

const TEXT = [
  '# The harbour\n\nVessels leave it. Vessels come back.',
  '# Bread\n\nFlour rests. Flour rises.',
].join('\n\n');
const NUMBER: CompletionRequest = {
  messages: [{ role: 'user', content: 'What comes after six?' }],
  schema: {
    type: 'object',
    properties: { number: { type: 'integer' } },
    required: ['number'],
    additionalProperties: false,
  },
  maxTokens: 50,
};
const MAKERS = { openai: openAiModel, anthropic: anthropicModel } as const;

let scripted: ScriptedModel | undefined;
afterEach(async () => {
  await scripted?.stop();
  scripted = undefined;
});
async function start(dialect: keyof typeof MAKERS, options: ScriptedModelOptions = {}) {
  const running = await startScriptedModel({ retryAfterS: 0, slowMs: 1, ...options });
  scripted = running;
  const { baseUrl, model } = running;
  const complete = MAKERS[dialect]({ baseUrl, model, retries: 1, sleep: () => Promise.resolve() });
  return { running, complete };
}

describe.each(['openai', 'anthropic'] as const)('the scripted model in the dialect of %s', (dialect) => {
  it('cuts at headings and names itself', async () => {
    const { complete } = await start(dialect);
    let model = '';
    const onDecisions = (made: { model: string }): void => {
      model = made.model;
    };
    const chunks = await chunk(TEXT, { tier: 'ai', complete, onDecisions, min: 0 });
    expect(chunks.map(({ text }) => text.split('\n')[0])).toEqual(['# The harbour', '# Bread']);
    expect(model).toBe('scripted');
  });

  it('cuts a list and sentences without a common word in some places, and never everywhere', async () => {
    const words = 'harbour vessel anchor flour dough yeast judge verdict lawyer guitar violin trumpet'.split(
      ' ',
    );
    for (const line of [
      (word: string) => `- ${word}\n`,
      (word: string) => `The ${word} is here. `,
      (word: string) => `The ${`${word} `.repeat(40)}is here. `,
    ]) {
      const { complete } = await start(dialect);
      let decisions: Decisions | undefined;
      const onDecisions = (made: Decisions): void => void (decisions = made);
      await chunk(words.map(line).join(''), { tier: 'ai', complete, onDecisions });
      expect(decisions?.windows[0]).toMatchObject({ tries: 1, end: words.length });
      expect(decisions?.windows[0]?.cuts.length).toBeLessThan(words.length / 2);
      await scripted?.stop();
    }
  });

  it('counts tokens, and those that an earlier question began with as cached', async () => {
    const { complete } = await start(dialect);
    const requestEnding = (end: string): CompletionRequest => ({
      ...NUMBER,
      messages: [{ role: 'user', content: `${'word '.repeat(2000)}${end}` }],
    });
    const first = await complete(requestEnding('one'), {});
    const second = await complete(requestEnding('two'), {});
    expect(first.usage).toMatchObject({ cachedInput: 0 });
    expect(first.usage.input).toBeGreaterThan(1990);
    expect(second.usage.input - second.usage.cachedInput).toBeLessThan(40);
    expect((await complete(NUMBER, {})).usage.cachedInput).toBe(0);
    expect(scripted?.totals.questions).toBe(3);
  });

  const codes: Partial<Record<ScriptName, string>> = {
    truncated: 'truncated',
    refusing: 'refusal',
    'broken-json': 'wrong_answer',
    dying: 'unavailable',
    'wrong-key': 'rejected',
  };
  it.each(Object.keys(SCRIPTS) as ScriptName[])('behaves as the script %s says', async (script) => {
    const { complete, running } = await start(dialect, { script });
    const outcome = await complete(NUMBER, {}).then(
      ({ value }) => value,
      (error: unknown) => (error as { code: string }).code,
    );
    expect(outcome).toEqual(codes[script] ?? { number: 7 });
    expect(running.totals.questions).toBe(script === 'rate-limited' ? 2 : running.calls.length);
    running.play('right');
    expect((await complete(NUMBER, {})).value).toEqual({ number: 7 });
  });

  it('opens to its key alone', async () => {
    const { running, complete } = await start(dialect, { apiKey: 'sesame' });
    await expect(complete(NUMBER, {})).rejects.toMatchObject({ code: 'rejected', status: 401 });
    const { baseUrl, model } = running;
    const opened = MAKERS[dialect]({ baseUrl, model, apiKey: 'sesame' });
    expect((await opened(NUMBER, {})).value).toEqual({ number: 7 });
  });
});

describe('the scripted model', () => {
  it('misbehaves at a share of the questions, which the seed chooses', async () => {
    const refused = async (seed: number): Promise<string> => {
      const { complete } = await start('openai', { script: 'refusing', share: 0.5, seed });
      let pattern = '';
      for (let at = 0; at < 40; at++) {
        const messages = [{ role: 'user', content: `${at}?` }] as const;
        pattern += await complete({ ...NUMBER, messages }, {}).then(
          () => '.',
          () => 'x',
        );
      }
      await scripted?.stop();
      return pattern;
    };
    const [one, again, other] = [await refused(1), await refused(1), await refused(2)];
    expect(one).toBe(again);
    expect(one).not.toBe(other);
    expect(one.replaceAll('.', '').length).toBeGreaterThan(8);
    expect(one.replaceAll('.', '').length).toBeLessThan(32);
  });

  it('lists itself, and refuses what is no question', async () => {
    const { baseUrl } = (await start('openai')).running;
    const models = (await (await fetch(`${baseUrl}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['scripted']);
    const post = async (path: string, body: string): Promise<number> =>
      (await fetch(`${baseUrl}${path}`, { method: 'POST', body })).status;
    expect(await post('/chat/completions', 'nonsense')).toBe(400);
    expect(await post('/chat/completions', '{}')).toBe(400);
    expect(await post('/elsewhere', '{"messages": []}')).toBe(404);
  });
});
