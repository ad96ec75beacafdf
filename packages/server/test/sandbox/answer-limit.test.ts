// MAX_ANSWER_BYTES: an answer above it is refused before its vectors and records are made.
import type { Embed } from '@grainline/core';
import { FORMATS, type FormatId } from '@grainline/core/formats';
import { wordEmbedder } from '@grainline/testing/embedders';
import { wordOf } from '@grainline/testing/generated-text';
import { describe, expect, it } from 'vitest';
import type { WorkError } from '../../src/sandbox/index.ts';
import { runPipeline } from '../../src/sandbox/run-pipeline.ts';
import { textTask } from './tasks.ts';

/** Paragraphs that differ in more than numbers, so that the tier embeds each. */
const TEXT = Array.from({ length: 400 }, (_, index) => `Tide ${wordOf(index)} turns twice a day.`).join(
  '\n\n',
);

/** An embedder that records the number of texts of each call. */
function countedEmbedder(): { readonly embed: Embed; readonly calls: number[] } {
  const calls: number[] = [];
  const embed: Embed = (texts, run) => {
    calls.push(texts.length);
    return wordEmbedder(texts, run);
  };
  return { embed, calls };
}

describe('an answer with vectors', () => {
  const task = { tier: 'semantic', size: 30, embeddings: true } as const;

  it('is refused before its chunks are embedded', async () => {
    const { embed, calls } = countedEmbedder();
    await runPipeline(textTask(TEXT, {}, { ...task, embeddings: false }), { embed });
    const forCuts = [...calls];
    calls.length = 0;
    const run = runPipeline(textTask(TEXT, {}, { ...task, maxAnswerBytes: 100_000 }), { embed });
    const { code, message, limit } = (await run.catch((error: unknown) => error)) as WorkError;
    expect(code).toBe('answer_too_large');
    // 400 chunks of 48 numbers.
    expect(limit?.['answer_bytes']).toBeGreaterThanOrEqual(400 * 48 * 15);
    expect(message).toMatch(/at most 100000 .* chunk_size, leave out embeddings.*MAX_ANSWER_BYTES/);
    expect(calls).toEqual(forCuts);
  });

  it('is refused after the first batch where the tier itself embeds nothing', async () => {
    const { embed, calls } = countedEmbedder();
    // Two pieces cannot be compared, so the first vectors are those of the chunks.
    const text = `${'a'.repeat(70_000)} ${'b'.repeat(70_000)}`;
    const limited = textTask(text, {}, { ...task, size: 10, maxAnswerBytes: 4_000_000 });
    await expect(runPipeline(limited, { embed })).rejects.toMatchObject({ code: 'answer_too_large' });
    expect(calls).toEqual([1024]);
  });
});

describe.each(Object.keys(FORMATS) as FormatId[])('an answer in the format %s', (format) => {
  it.each([
    ['without vectors', { tier: 'free', size: 40, overlap: 10 }],
    ['with vectors', { tier: 'semantic', size: 40, embeddings: true }],
  ] as const)('%s is never larger than was computed, and fits exactly', async (_, options) => {
    const { embed } = countedEmbedder();
    const sized = (maxAnswerBytes: number) =>
      runPipeline(textTask(TEXT, {}, { ...options, format, maxAnswerBytes }), { embed });
    const { limit } = (await sized(50_000).catch((error: unknown) => error)) as WorkError;
    // The first refusal may count the vectors alone.
    const second = (await sized(limit?.['answer_bytes'] ?? 0).catch((error: unknown) => error)) as WorkError;
    const computed = second.limit?.['answer_bytes'] ?? limit?.['answer_bytes'] ?? 0;
    const { members } = await sized(computed);
    expect(Buffer.byteLength(members)).toBeLessThanOrEqual(computed);
    await expect(sized(computed - 1)).rejects.toMatchObject({
      code: 'answer_too_large',
      limit: { max_answer_bytes: computed - 1, answer_bytes: computed },
    });
  });
});
