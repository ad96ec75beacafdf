import { sampleOf } from '@grainline/testing/cases';
import { describe, expect, it } from 'vitest';
import * as cl100k from './data/cl100k.ts';
import * as o200k from './data/o200k.ts';
import { countMerged } from './merge.ts';
import { LONGEST_RUN_TOKEN, RunRanks } from './runs.ts';
import { NO_RANK, unpackVocabulary, type Vocabulary } from './vocabulary.ts';

/** Tokens of a run by byte pair encoding, of whatever length the token is that a whole piece may be. */
function merged(vocabulary: Vocabulary, byte: number, length: number): number {
  const bytes = new Uint8Array(length).fill(byte);
  return vocabulary.rankOf(bytes, 0, length) === NO_RANK ? countMerged(vocabulary, bytes, length) : 1;
}

const BYTES = Array.from({ length: 128 }, (_, byte) => byte);

const VOCABULARIES = [
  ['cl100k', await unpackVocabulary(cl100k)],
  ['o200k', await unpackVocabulary(o200k)],
] as const;

describe.each(VOCABULARIES)('runs of one byte in %s', (_name, vocabulary) => {
  const runs = new RunRanks(vocabulary);

  it('count what merging them counts, every byte and length', () => {
    for (const byte of sampleOf(BYTES)) {
      for (let length = 1; length <= 300; length += byte % 7 === 0 ? 1 : 13)
        expect([byte, length, runs.count(byte, length)]).toEqual([
          byte,
          length,
          merged(vocabulary, byte, length),
        ]);
      for (const length of [1000, 1023, 1024, 1025, 4097, 20_011])
        expect([byte, length, runs.count(byte, length)]).toEqual([
          byte,
          length,
          merged(vocabulary, byte, length),
        ]);
    }
  });

  it('have no token longer than is looked for', () => {
    for (const byte of sampleOf(BYTES)) {
      const bytes = new Uint8Array(4 * LONGEST_RUN_TOKEN).fill(byte);
      for (let size = LONGEST_RUN_TOKEN + 1; size <= bytes.length; size++)
        expect(vocabulary.rankOf(bytes, 0, size)).toBe(NO_RANK);
    }
  });
});

describe('a vocabulary of runs with ranks in any order', () => {
  it('counts what merging them counts', () => {
    for (let seed = 1; seed < 200; seed++) {
      // Which lengths are tokens, and their ranks, by a small generator.
      let state = seed;
      const ranks = Array.from({ length: 40 }, (_, size) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return size > 1 && state % 3 !== 0 ? state % 1_000_003 : NO_RANK;
      });
      const vocabulary: Vocabulary = { rankOf: (_bytes, start, end) => ranks[end - start] ?? NO_RANK };
      const runs = new RunRanks(vocabulary);
      for (const length of [2, 3, 5, 17, 40, 97, 96, 333])
        expect([seed, length, runs.count(97, length)]).toEqual([
          seed,
          length,
          countMerged(vocabulary, new Uint8Array(length).fill(97), length),
        ]);
    }
  });
});
