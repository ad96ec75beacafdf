// The laws with limits in tokens: of real encodings, and of counters that break whatever a tier might assume of one.
import { tokenCounter } from '@grainline/models/tokens';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from './cases.ts';
import { chunkSync, indexedText } from '../src/chunk.ts';
import type { TokenCounter } from '../src/measure.ts';
import type { Chunk } from '../src/slice.ts';
import type { TierId } from '../src/tiers/index.ts';
import { NASTY } from './counters.ts';
import { chunksBy, SYNCHRONOUS_TIERS, TIER_IDS } from './tiers.ts';
import { corpusTexts, DOCUMENTS, packageTexts } from './documents.ts';
import {
  violationsOfCoverage,
  violationsOfGraphemes,
  violationsOfOrder,
  violationsOfSlices,
} from './laws.ts';

const COUNTERS = [...NASTY, await tokenCounter('o200k'), await tokenCounter('cl100k')];

interface TokenLimits {
  readonly size: number;
  readonly overlap: number;
}

const limits: fc.Arbitrary<TokenLimits> = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 2000 }),
    ),
    fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  )
  .map(([size, share]) => ({ size, overlap: Math.min(size - 1, Math.floor(share * size)) }));

describe.each(TIER_IDS)('laws of the tier %s in tokens', (tier) => {
  describe.each(COUNTERS.map((measure) => [measure.name, measure] as const))('%s', (_name, measure) => {
    it.each(Object.entries(DOCUMENTS))(`hold on %s`, async (_kind, documents) => {
      const holds = fc.asyncProperty(documents, limits, (text, given) =>
        expectLaws(text, tier, measure, given),
      );
      await fc.assert(holds, cases(4));
    });
  });
});

const real = [...packageTexts().slice(0, 8), ...corpusTexts()];
const encodings = COUNTERS.slice(NASTY.length);

it.each(TIER_IDS)(
  'the tier %s keeps the laws in tokens on real documents',
  { timeout: 120_000 },
  async (tier) => {
    expect(real.length).toBeGreaterThan(0);
    for (const [index, { text }] of real.entries()) {
      const measure = encodings[index % encodings.length]!;
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
      const once = workOf(tier, part, 5000, size);
      const twice = workOf(tier, part, 10_000, size);
      expect(twice, `${part} at ${size}`).toBeLessThanOrEqual(2.5 * once + 5000);
    }
  }
});

it.each(SYNCHRONOUS_TIERS)(
  'the tier %s takes 512 tokens for a maximum when it is given a counter and no size',
  (tier) => {
    const text = 'Word after word, and so on. '.repeat(400);
    const [measure] = encodings;
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
  const [measure] = encodings;
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
function workOf(tier: TierId, part: string, length: number, size: number): number {
  const [counter] = encodings;
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

async function expectLaws(
  text: string,
  tier: TierId,
  measure: TokenCounter,
  given: TokenLimits,
): Promise<void> {
  const chunks = await chunksBy(tier, text, { measure, ...given });
  const count = (part: string): number => measure.count(part);
  const violations = [
    ...violationsOfOrder(chunks),
    ...violationsOfCoverage(text, chunks),
    ...violationsOfSlices(text, chunks),
    ...violationsOfTokens(chunks, count, given.size),
    ...(tier === 'free' ? [] : violationsOfOverlap(chunks, count, given.overlap)),
    ...violationsOfGraphemes(text, chunks, given.size, count),
  ];
  expect(violations.slice(0, 5)).toEqual([]);
  expect(await chunksBy(tier, text, { measure, ...given }), 'equal input, equal output').toEqual(chunks);
}

function* violationsOfTokens(
  chunks: readonly Chunk[],
  count: (text: string) => number,
  size: number,
): Generator<string> {
  for (const [index, chunk] of chunks.entries()) {
    const tokens = count(indexedText(chunk));
    const { tokenCount, oversize = false } = chunk.metadata;
    if (tokenCount !== tokens) yield `chunk ${index} has ${tokens} tokens and says ${tokenCount}`;
    if (oversize !== tokens > size) yield `chunk ${index} has ${tokens} tokens and a wrong oversize flag`;
    if (oversize && (Array.from(chunk.text).length > 1 || chunk.context !== undefined))
      yield `chunk ${index} has ${tokens} tokens and could be cut`;
  }
}

function* violationsOfOverlap(
  chunks: readonly Chunk[],
  count: (text: string) => number,
  most: number,
): Generator<string> {
  for (const [index, { text, overlap }] of chunks.entries())
    if (count(text.slice(0, overlap)) > most) yield `chunk ${index} repeats more than ${most} tokens`;
}
