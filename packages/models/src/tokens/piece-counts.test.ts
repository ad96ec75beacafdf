import { describe, expect, it } from 'vitest';
import { createRandom } from '../../test/strings.ts';
import { writeUnits } from './characters.ts';
import * as packed from './data/cl100k.ts';
import { PieceCounts } from './piece-counts.ts';
import { cl100kPieceEnd } from './pieces.ts';
import { unpackVocabulary, type Vocabulary } from './vocabulary.ts';

const vocabulary = await unpackVocabulary(packed);

/** Counts of pieces by a vocabulary that records its lookups. */
function watched() {
  let requests = 0;
  const rankOf: Vocabulary['rankOf'] = (bytes, start, end) => {
    requests++;
    return vocabulary.rankOf(bytes, start, end);
  };
  const counts = new PieceCounts(cl100kPieceEnd, { rankOf });
  const count = (piece: string): { readonly tokens: number; readonly wasKnown: boolean } => {
    const units = new Int32Array(piece.length);
    writeUnits(piece, units);
    const before = requests;
    return { tokens: counts.countOf(units, 0, piece.length), wasKnown: requests === before };
  };
  return count;
}

const word = (random: (below: number) => number, length: number): string =>
  Array.from({ length }, () => String.fromCharCode(97 + random(26))).join('');

describe('pieces that have been counted', () => {
  it('are known from then on, up to 1024 units', () => {
    const count = watched();
    const random = createRandom(11);
    for (const length of [2, 3, 40, 1023, 1024]) {
      const piece = word(random, length);
      const first = count(piece);
      expect(first.wasKnown, String(length)).toBe(false);
      expect(count(piece)).toEqual({ tokens: first.tokens, wasKnown: true });
    }
    const long = word(random, 1025);
    expect(count(long)).toEqual(count(long));
    expect(count(long).wasKnown).toBe(false);
  });

  it('are told apart by each of their units', () => {
    const count = watched();
    for (const piece of ['grain', 'brain', 'grail', 'groin']) expect(count(piece).wasKnown).toBe(false);
    for (const piece of ['grain', 'brain', 'grail', 'groin']) expect(count(piece).wasKnown).toBe(true);
  });

  it('stay known when there are more than there was room for', () => {
    const count = watched();
    const random = createRandom(12);
    const pieces = [...new Set(Array.from({ length: 20_000 }, () => word(random, 6)))];
    const tokens = pieces.map((piece) => count(piece).tokens);
    // A piece that arrives while the cache is full is cached at its next use.
    const again = pieces.map((piece) => count(piece));
    expect(again.map((known) => known.tokens)).toEqual(tokens);
    expect(again.filter(({ wasKnown }) => !wasKnown).length).toBeLessThan(10);
  });
});
