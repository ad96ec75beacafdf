import { describe, expect, it } from 'vitest';
import { vocabularyOf } from './vocabulary.ts';
import { wordChangesOf } from './word-changes.ts';

const SEA = [
  'harbour vessel anchor',
  'vessel sailor harbour',
  'anchor sailor current',
  'harbour current vessel',
];
const BREAD = ['flour oven dough', 'dough yeast flour', 'crust oven yeast', 'flour crust dough'];
const PIECES = [...SEA, ...BREAD];
const ROWS = Int32Array.from([0, 1, 2, 3, -1, 4, 5, 6, 7]);
const PRIOR = 0.1;
/** A word of a quarter of the pieces is a stop word. */
const MOST_PIECES = 2;

describe('the change of words', () => {
  it('is the ratio of the likelihoods of both windows apart and together, each in the slow way', () => {
    const vocabulary = vocabularyOf(PIECES);
    for (const reach of [1, 2, 3, 20]) {
      const changes = wordChangesOf(vocabulary, ROWS, reach);
      for (let gap = 1; gap < ROWS.length; gap++) {
        const before = wordsIn(Math.max(0, gap - reach), gap);
        const after = wordsIn(gap, gap + reach);
        const slow = likelihood(before) + likelihood(after) - likelihood([...before, ...after]);
        expect(changes[gap]).toBeCloseTo(slow, 9);
      }
    }
  });

  it('is the greatest between two topics, and 0 without words', () => {
    const changes = wordChangesOf(vocabularyOf(PIECES), ROWS, 3);
    const greatest = Math.max(...changes);
    expect([4, 5].map((gap) => changes[gap])).toContain(greatest);
    expect(greatest).toBeGreaterThan(0);
    expect([...wordChangesOf(vocabularyOf(['', '.']), Int32Array.from([0, 1, 0]), 2)]).toEqual([0, 0, 0]);
  });
});

function wordsIn(from: number, end: number): string[] {
  const words = [...ROWS.subarray(from, end)].flatMap((row) => PIECES[row]?.split(' ') ?? []);
  return words.filter((word) => PIECES.filter((piece) => piece.includes(word)).length <= MOST_PIECES);
}

/** The likelihood of words drawn one after the other, each by the counts so far. */
function likelihood(words: readonly string[]): number {
  const size = new Set(PIECES.flatMap((piece) => piece.split(' '))).size;
  let sum = 0;
  for (const [at, word] of words.entries()) {
    const count = words.slice(0, at).filter((other) => other === word).length;
    sum += Math.log((count + PRIOR) / (at + PRIOR * size));
  }
  return sum;
}
