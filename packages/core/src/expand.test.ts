// Passages around found chunks: slices, in budget, apart from each other, and grown as far as the budget allows.
import { cases } from '@grainline/testing/cases';
import { anyDocument } from '@grainline/testing/documents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NASTY } from '../test/counters.ts';
import { chunkSync } from './chunk.ts';
import { expand } from './expand.ts';

const [BYTES] = NASTY;
const measure = BYTES!;
const TEXT = Array.from({ length: 10 }, (_, at) => `Number ${at} has five words.`).join('\n\n');
const CHUNKS = chunkSync(TEXT, { tier: 'standard', size: 30 });
const passagesOf = (found: readonly number[], tokens: number) =>
  expand(CHUNKS, { text: TEXT, found, tokens, measure }).map(({ first, last }) => [first, last]);

describe('expand', () => {
  it('grows a found chunk on both sides, first behind it', () => {
    expect(CHUNKS).toHaveLength(10);
    const words = measure.count(CHUNKS[0]!.text);
    const tokensOf = (chunks: number): number => measure.count(TEXT.slice(0, CHUNKS[chunks - 1]!.end));
    expect(passagesOf([4], words)).toEqual([[4, 4]]);
    expect(passagesOf([4], tokensOf(2))).toEqual([[4, 5]]);
    expect(passagesOf([4], tokensOf(3))).toEqual([[3, 5]]);
    expect(passagesOf([0], tokensOf(3))).toEqual([[0, 2]]);
    expect(passagesOf([9, 0], tokensOf(10))).toEqual([[0, 9]]);
    expect(passagesOf([6, 1], 2 * tokensOf(2))).toEqual([[6, 7], [1, 2]]); // prettier-ignore
    expect(passagesOf([6, 1], words - 1)).toEqual([]);
  });

  it('joins passages that meet, and counts them once', () => {
    expect(passagesOf([3, 8, 4], 1000)).toEqual([[0, 9]]);
    expect(passagesOf([3, 3, 4], measure.count(TEXT.slice(CHUNKS[3]!.start, CHUNKS[4]!.end)))).toEqual([
      [3, 4],
    ]);
  });

  it('gives slices within the budget, apart from each other, as large as it allows, for any document', () => {
    const budgets = fc.integer({ min: 1, max: 200 });
    const holds = fc.property(
      anyDocument,
      budgets,
      fc.array(fc.nat(), { maxLength: 5 }),
      fc.nat(20),
      fc.constantFrom(...NASTY),
      (text, tokens, places, overlap, counter) => {
        const chunks = chunkSync(text, { tier: 'structure', size: 60, overlap });
        const found = chunks.length === 0 ? [] : places.map((place) => place % chunks.length);
        const passages = expand(chunks, { text, found, tokens, measure: counter });
        const total = passages.reduce((sum, { text: own }) => sum + counter.count(own), 0);
        expect(total).toBeLessThanOrEqual(tokens);
        for (const { start, end, text: own, first, last } of passages) {
          expect([start, end]).toEqual([chunks[first]?.start, chunks[last]?.end]);
          expect(own).toBe(text.slice(start, end));
          expect(found.some((index) => index >= first && index <= last)).toBe(true);
          const more = chunks[last + 1];
          const isFree = passages.every((other) => other.first !== last + 2 && other.first !== last + 1);
          if (more !== undefined && isFree) {
            const grown = counter.count(text.slice(start, more.end)) - counter.count(own);
            expect(total + grown).toBeGreaterThan(tokens);
          }
        }
        const sorted = passages.toSorted((one, other) => one.first - other.first);
        for (const [index, { first }] of sorted.slice(1).entries())
          expect(first).toBeGreaterThan(sorted[index]!.last + 1);
      },
    );
    fc.assert(holds, cases(100));
  });

  it('names every wrong option', () => {
    const wrong = { text: 7, found: [10], tokens: 0, measure: () => 1, budget: 5 } as never;
    expect(() => expand(CHUNKS, wrong)).toThrow(
      /text must be .*found must be an array of indexes from 0 to 9.*tokens must be .*measure must be .*budget/,
    );
  });
});
