import { scaled } from '@grainline/testing/cases';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../test/strings.ts';
import * as packed from './data/cl100k.ts';
import { countMerged } from './merge.ts';
import { NO_RANK, unpackVocabulary, type Vocabulary } from './vocabulary.ts';

const vocabulary = await unpackVocabulary(packed);

/** Byte pair encoding as it is defined: look through all neighbours, merge the lowest rank, begin again. */
function countSlowly(bytes: Uint8Array): number {
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at);
  for (;;) {
    const ranks = starts
      .slice(0, -2)
      .map((start, part) => vocabulary.rankOf(bytes, start, starts[part + 2]!));
    const lowest = ranks.reduce((best, rank, part) => (rank < ranks[best]! ? part : best), 0);
    if ((ranks[lowest] ?? NO_RANK) === NO_RANK) return starts.length - 1;
    starts.splice(lowest + 1, 1);
  }
}

/** A vocabulary that counts its lookups. */
function counting(): { readonly vocabulary: Vocabulary; readonly requests: () => number } {
  let requests = 0;
  const rankOf: Vocabulary['rankOf'] = (bytes, start, end) => {
    requests++;
    return vocabulary.rankOf(bytes, start, end);
  };
  return { vocabulary: { rankOf }, requests: () => requests };
}

describe('countMerged', () => {
  it('merges as byte pair encoding is defined, in short and in long pieces', () => {
    const random = createRandom(3);
    for (let index = 0; index < 400; index++) {
      const letters = 2 + random(25);
      const bytes = Uint8Array.from({ length: 1 + random(300) }, () =>
        random(8) === 0 ? random(256) : 97 + random(letters),
      );
      expect(countMerged(vocabulary, bytes, bytes.length)).toBe(countSlowly(bytes));
    }
  });

  it.each([
    ['one letter', () => 97],
    ['two letters in turn', (at: number) => 97 + (at % 2)],
    ['bytes that never merge far', (at: number) => (at * 31) & 0xff],
  ])('asks for a number of ranks in proportion to an unbroken run of %s', (_, byteAt) => {
    const lookupsFor = (length: number): number => {
      const { vocabulary: counted, requests } = counting();
      countMerged(
        counted,
        Uint8Array.from({ length }, (__, at) => byteAt(at)),
        length,
      );
      return requests();
    };
    const length = scaled(500_000);
    const once = lookupsFor(length);
    expect(once).toBeLessThan(3 * length);
    expect(lookupsFor(2 * length)).toBeLessThan(2.01 * once);
  });
});
