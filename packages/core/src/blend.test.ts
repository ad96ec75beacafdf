// Blended vectors: the formula against a slow version of it, the option of `chunk`, and what cannot be blended.
import { wordEmbedder } from '@grainline/testing/embedders';
import { scripted } from '@grainline/testing/language-models';
import { describe, expect, it } from 'vitest';
import { blendVectors } from './blend.ts';
import { chunk, indexedText } from './chunk.ts';
import type { Embed } from './embed.ts';
import { vectorsOf } from './formats/index.ts';

const unit = (vector: readonly number[]): number[] => vector.map((value) => value / Math.hypot(...vector));

/** The formula, vector by vector. */
function slowly(vectors: readonly (readonly number[])[], blend: number): number[][] {
  const units = vectors.map(unit);
  return units.map((own, index) =>
    unit(
      own.map((value, at) => {
        const sides = [units[index - 1], units[index + 1]].map((side) => side?.[at] ?? 0);
        return value + (blend / 2) * (sides[0]! + sides[1]!);
      }),
    ),
  );
}

const VECTORS = Array.from({ length: 9 }, (_, index) =>
  Array.from({ length: 5 }, (_, at) => (index + 1) * Math.sin(1 + index * 0.9 + at * 1.7)),
);
const TEXT = Array.from({ length: 12 }, (_, at) => `Paragraph ${at} is about tides and pilots ${at}.`).join(
  '\n\n',
);

describe('blendVectors', () => {
  it.each([0, 0.3, 1])('adds half the weight %d of each neighbour and makes the length 1', (blend) => {
    const expected = slowly(VECTORS, blend);
    for (const [index, vector] of blendVectors(VECTORS, blend).entries())
      for (const [at, value] of vector.entries()) expect(value).toBeCloseTo(expected[index]![at]!, 6);
  });

  it('shares nothing between sections', () => {
    const sections = [undefined, undefined, 'A', 'A', 'A', 'A > B', 'A', 'C', 'C'];
    const runs = [VECTORS.slice(0, 2), VECTORS.slice(2, 5), [VECTORS[5]!], [VECTORS[6]!], VECTORS.slice(7)];
    const expected = runs.flatMap((run) => blendVectors(run, 0.4));
    expect(blendVectors(VECTORS, 0.4, sections)).toEqual(expected);
  });

  it('takes typed vectors, one vector, and none', () => {
    expect(blendVectors([Float32Array.of(3, 4)], 0.5)[0]).toEqual([0.6, 0.8].map((x) => Math.fround(x)));
    expect(blendVectors([], 0.5)).toEqual([]);
  });

  it('leaves a vector that its neighbours cancel out as it is', () => {
    expect(blendVectors([[-1, 0], [1, 0], [-1, 0]], 1)[1]).toEqual([1, 0]); // prettier-ignore
  });

  it('refuses weights outside 0 to 1, and vectors without a direction or of two lengths', () => {
    for (const blend of [-0.1, 1.1, NaN, '0.5'])
      expect(() => blendVectors(VECTORS, blend as number)).toThrow('blend must be a number from 0 to 1');
    expect(() => blendVectors(VECTORS, 0.4, ['A'])).toThrow(
      'sections.length must be the number of vectors, 9',
    );
    expect(() => blendVectors([[1], [0]], 0.5)).toThrow('Vector 1 is all zeros.');
    expect(() => blendVectors([[1], [1, 2]], 0.5)).toThrow('Vector 1 has 2 numbers, and the first has 1.');
  });
});

describe('the option blend', () => {
  const options = { tier: 'semantic', size: 60, embeddings: true, embed: wordEmbedder } as const;

  it('blends the vectors of the chunks, says so, and changes neither cuts nor requests', async () => {
    const sent = { plain: [] as string[], blended: [] as string[] };
    const listening =
      (texts: string[]): Embed =>
      (batch, run) => {
        texts.push(...batch);
        return wordEmbedder(batch, run);
      };
    const plain = await chunk(TEXT, { ...options, embed: listening(sent.plain), blend: 0 });
    const blended = await chunk(TEXT, { ...options, embed: listening(sent.blended), blend: 0.4 });
    expect(sent.blended).toEqual(sent.plain);
    expect(blended.map(indexedText)).toEqual(plain.map(indexedText));
    const { vectors = [], embedding } = vectorsOf(blended) ?? {};
    expect(embedding).toEqual({ ...vectorsOf(plain)?.embedding, blend: 0.4 });
    expect(vectors.length).toBeGreaterThan(3);
    const expected = blendVectors(vectorsOf(plain)?.vectors ?? [], 0.4);
    for (const [index, vector] of vectors.entries())
      for (const [at, value] of vector.entries()) expect(value).toBeCloseTo(expected[index]![at]!, 4);
  });

  it('blends inside sections', async () => {
    const text = `# Tides\n\n${TEXT}\n\n# Pilots\n\n${TEXT}`;
    const plain = await chunk(text, { ...options, blend: 0 });
    const sections = plain.map(({ metadata }) => metadata.headingPath?.join(' > '));
    expect(new Set(sections).size).toBeGreaterThan(1);
    const expected = blendVectors(vectorsOf(plain)?.vectors ?? [], 0.4, sections);
    const { vectors = [] } = vectorsOf(await chunk(text, { ...options, blend: 0.4 })) ?? {};
    for (const [index, vector] of vectors.entries())
      for (const [at, value] of vector.entries()) expect(value).toBeCloseTo(expected[index]![at]!, 4);
  });

  it('has a default for each tier: 0 where a model writes context into the chunks', async () => {
    const chunksBy = (tier: 'semantic' | 'ai' | 'ai-pro', blend?: number) =>
      chunk(TEXT, { ...options, tier, blend, ...(tier === 'semantic' ? {} : { complete: scripted }) });
    for (const [tier, usual] of [
      ['semantic', 0.4],
      ['ai', 0.4],
      ['ai-pro', 0],
    ] as const)
      // prettier-ignore
      expect(await chunksBy(tier)).toEqual(await chunksBy(tier, usual));
    expect(await chunksBy('semantic')).not.toEqual(await chunksBy('semantic', 0));
  });

  it('is refused without vectors, and outside 0 to 1', async () => {
    const without = chunk(TEXT, { ...options, embeddings: false, blend: 0.4 });
    await expect(without).rejects.toThrow('blend must be 0 without embeddings, but is 0.4');
    await expect(chunk(TEXT, { ...options, blend: 2 })).rejects.toThrow('a number from 0 to 1, but is 2');
  });
});
