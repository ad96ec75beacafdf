// Search against slow and obvious implementations.
import { cases } from '@grainline/testing/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexedChunk } from '../metrics.ts';
import { indexWords, wordsOf } from './bm25.ts';
import { bestOf } from './ranking.ts';
import { indexVectors } from './vectors.ts';

const anyTexts = fc.array(
  fc.array(fc.constantFrom('tide', 'moon', 'Moon', 'sea', 'x1', '–'), { maxLength: 12 }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

describe('keyword search', () => {
  it('gives the sums of the formula of BM25', () => {
    const holds = fc.property(anyTexts, (lists) => {
      const texts = lists.map((words) => words.join(' '));
      const words = texts.map(wordsOf);
      const average = words.reduce((sum, list) => sum + list.length, 0) / words.length;
      const scores = indexWords(texts)('The moon, the MOON and a tide');
      for (const [index, list] of words.entries()) {
        let sum = 0;
        for (const word of ['moon', 'tide']) {
          const holders = words.filter((other) => other.includes(word)).length;
          const count = list.filter((other) => other === word).length;
          const idf = Math.log(1 + (words.length - holders + 0.5) / (holders + 0.5));
          if (count > 0) sum += (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * list.length) / average));
        }
        expect(scores[index]).toBeCloseTo(sum, 10);
      }
    });
    fc.assert(holds, cases(200));
  });

  it('finds words of scripts without blanks by pairs of characters', () => {
    expect(wordsOf('潮の満ち引き A1')).toContain('満ち');
    const [high, low] = indexWords(['月は潮を引く。', '港に船がある。'])('潮を引く');
    expect(high).toBeGreaterThan(low ?? 0);
  });

  it('has no special words', () => {
    expect(indexWords(['constructor', 'toString'])('constructor __proto__')[0]).toBeGreaterThan(0);
  });
});

describe('the best of many scores', () => {
  it('are the first of a stable sort', () => {
    const holds = fc.property(fc.array(fc.nat(9)), fc.integer({ min: 1, max: 8 }), (scores, most) => {
      const sorted = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
      expect(bestOf(scores, most)).toEqual(sorted.slice(0, most));
    });
    fc.assert(holds, cases(300));
  });
});

describe('search by vectors', () => {
  it('scores by cosine, and blends neighbours of the same document only', () => {
    const chunk = (document: number): IndexedChunk => ({
      document,
      start: 0,
      end: 1,
      text: '',
      tokens: 1,
      contextTokens: 0,
    });
    const chunks = [chunk(0), chunk(0), chunk(1)];
    const vectors = [
      [2, 0],
      [0, 3],
      [0, 1],
    ];
    const queries = new Map([['east', [1, 0]]]);
    expect([...indexVectors(chunks, vectors, 0, queries)('east')]).toEqual([1, 0, 0]);
    const [first, second, third] = indexVectors(chunks, vectors, 1, queries)('east');
    expect(first).toBeCloseTo(1 / Math.hypot(1, 0.5), 6);
    expect(second).toBeCloseTo(0.5 / Math.hypot(1, 0.5), 6);
    expect(third).toBe(0);
  });
});
