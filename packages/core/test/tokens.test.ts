// Limits in tokens: on real documents, in proportion to the length, and where a counter is odd. The laws on random
// texts are in token-laws.ts.
import { expect, it } from 'vitest';
import { chunkSync, indexedText } from '../src/chunk.ts';
import type { TokenCounter } from '../src/measure.ts';
import type { SyncTierId } from '../src/tiers/registry.ts';
import { NASTY } from './counters.ts';
import { sampleOf, scaled } from '@grainline/testing/cases';
import { corpusTexts, packageTexts } from '@grainline/testing/documents';
import { violationsOfOrder } from './laws.ts';
import { ENCODINGS, expectLaws } from './token-laws.ts';
import { SYNCHRONOUS_TIERS, TIER_IDS } from '@grainline/testing/tiers';

const real = sampleOf([...packageTexts().slice(0, 8), ...corpusTexts()]);

it.each(TIER_IDS)(
  'the tier %s keeps the laws in tokens on real documents',
  { timeout: 120_000 },
  async (tier) => {
    expect(real.length).toBeGreaterThan(0);
    for (const [index, { text }] of real.entries()) {
      const measure = ENCODINGS[index % ENCODINGS.length]!;
      for (const given of [
        { size: 512, overlap: 0 },
        { size: 60, overlap: 20 },
        { size: 7, overlap: 0 },
      ])
        await expectLaws(text.slice(0, 6000).toWellFormed(), tier, measure, given);
    }
  },
);

it.each(SYNCHRONOUS_TIERS)('the tier %s counts in proportion to the length', (tier) => {
  for (const part of [
    'a',
    'word after word ',
    'Yes. No.\n\n',
    '| a | b |\n',
    '# a\n\nb\n\n',
    '😀',
    '\n',
    '{("',
  ]) {
    for (const size of [1, 200]) {
      const length = scaled(5000);
      const once = workOf(tier, part, length, size);
      const twice = workOf(tier, part, 2 * length, size);
      expect(twice, `${part} at ${size}`).toBeLessThanOrEqual(2.5 * once + 5000);
    }
  }
});

it.each(SYNCHRONOUS_TIERS)(
  'the tier %s takes 512 tokens for a maximum when it is given a counter and no size',
  (tier) => {
    const text = 'Word after word, and so on. '.repeat(400);
    const [measure] = ENCODINGS;
    const options = { tier, measure: measure! };
    expect(chunkSync(text, options)).toEqual(chunkSync(text, { ...options, size: 512 }));
    expect(chunkSync(text, options)).not.toEqual(chunkSync(text, { ...options, size: 400 }));
  },
);

it('starts no two chunks at one place, whatever is dearer than what holds it', () => {
  const odd = (text: string): number => (text.length % 2 === 1 ? 2 * text.length : text.length / 2);
  const measure: TokenCounter = {
    name: 'odd',
    count: odd,
    measure: (text) => ({
      text,
      count: (start, end) => odd(text.slice(start, end)),
      longestPrefix: (start) => start,
    }),
  };
  const text = 'sed\n  class A extends B {\n        */\n';
  for (let size = 2; size < 60; size++) {
    const chunks = chunkSync(text, { tier: 'free', measure, size, overlap: size - 1 });
    expect([...violationsOfOrder(chunks)]).toEqual([]);
  }
});

it('leaves no chunk of the tier ai over the maximum where a part has more tokens than the whole', async () => {
  const text = 'a\n\nDr.\nend. naïve boundary\nboundary\nend.';
  for (const measure of NASTY)
    for (let size = 1; size < 45; size++) await expectLaws(text, 'ai', measure, { size, overlap: 0 });
});

it('counts the header of a table that a chunk has as context', () => {
  const rows = Array.from({ length: 60 }, (_, row) => `| number ${row} | of many rows |`).join('\n');
  const [measure] = ENCODINGS;
  const chunks = chunkSync(`| first column | second |\n|---|---|\n${rows}`, {
    tier: 'structure',
    measure: measure!,
    size: 100,
  });
  const below = chunks.filter(({ context }) => context !== undefined);
  expect(below.length).toBeGreaterThan(2);
  for (const piece of below) {
    expect(piece.metadata.tokenCount).toBe(measure!.count(indexedText(piece)));
    expect(piece.metadata.tokenCount).toBeGreaterThan(measure!.count(piece.text));
  }
});

/** Units of all ranges that a counter is asked about while a tier cuts so much of one part after another. */
function workOf(tier: SyncTierId, part: string, length: number, size: number): number {
  const [counter] = ENCODINGS;
  let work = 0;
  const measure: TokenCounter = {
    name: 'counting',
    count: (text) => ((work += text.length), counter!.count(text)),
    measure: (text) => {
      const measured = counter!.measure(text);
      return {
        text,
        count: (start, end) => ((work += end - start), measured.count(start, end)),
        longestPrefix(start, end, most) {
          const prefix = measured.longestPrefix(start, end, most);
          work += prefix - start;
          return prefix;
        },
      };
    },
  };
  chunkSync(part.repeat(length / part.length), { tier, measure, size, overlap: Math.floor(size / 4) });
  return work;
}
