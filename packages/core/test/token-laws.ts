// The laws with limits in tokens: of real encodings, and of counters that break whatever a tier might assume of one.
// The tiers share them out among several files, which run side by side.
import { tokenCounter } from '@grainline/models/tokens';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { indexedText } from '../src/chunk.ts';
import type { TokenCounter } from '../src/measure.ts';
import type { Chunk } from '../src/slice.ts';
import type { TierId } from '../src/tiers/registry.ts';
import { NASTY } from './counters.ts';
import { DOCUMENTS } from '@grainline/testing/documents';
import { violationsOfGraphemes, violationsOfTiling } from './laws.ts';
import { chunksBy } from '@grainline/testing/tiers';

/** Counters of real encodings. */
export const ENCODINGS = [await tokenCounter('o200k'), await tokenCounter('cl100k')];
const COUNTERS = [...NASTY, ...ENCODINGS];

/** A maximum and an overlap in tokens. */
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

/** Declares the laws as tests of some tiers. */
export function describeTokenLaws(tiers: readonly TierId[]): void {
  describe.each(tiers)('laws of the tier %s in tokens', (tier) => {
    describe.each(COUNTERS.map((measure) => [measure.name, measure] as const))('%s', (_name, measure) => {
      it.each(Object.entries(DOCUMENTS))(`hold on %s`, async (_kind, documents) => {
        const holds = fc.asyncProperty(documents, limits, (text, given) =>
          expectLaws(text, tier, measure, given),
        );
        await fc.assert(holds, cases(4));
      });
    });
  });
}

/** Throws when a tier breaks a law on a text. */
export async function expectLaws(
  text: string,
  tier: TierId,
  measure: TokenCounter,
  given: TokenLimits,
): Promise<void> {
  const chunks = await chunksBy(tier, text, { measure, ...given });
  const count = (part: string): number => measure.count(part);
  const violations = [
    ...violationsOfTiling(text, chunks),
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
