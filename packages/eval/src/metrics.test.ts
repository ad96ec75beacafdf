// The measures against a naive implementation that counts single characters.
import type { Span } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type IndexedChunk,
  mergeSpans,
  overlapWith,
  precisionOmega,
  recallWithin,
} from './metrics.ts';

const LENGTH = 60;

const anySpan = fc
  .tuple(fc.nat(LENGTH - 1), fc.integer({ min: 1, max: LENGTH }))
  .map(([start, length]) => ({ start, end: Math.min(LENGTH, start + length) }));

const anyAnswer = fc
  .array(anySpan, { minLength: 1, maxLength: 4 })
  .map((spans): Answer => ({ document: 0, spans: mergeSpans(spans) }));

const anyChunks = fc.array(
  fc
    .tuple(anySpan, fc.nat(1), fc.nat(5), fc.integer({ min: 1, max: 20 }))
    .map(([span, document, contextTokens, own]): IndexedChunk => ({
      ...span,
      document,
      text: '',
      contextTokens,
      tokens: contextTokens + own,
    })),
  { maxLength: 8 },
);

const charactersOf = (spans: readonly Span[]): Set<number> =>
  new Set(
    spans.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index)),
  );
const shared = (ours: ReadonlySet<number>, theirs: ReadonlySet<number>): number =>
  [...ours].filter((character) => theirs.has(character)).length;
const own = (chunks: readonly IndexedChunk[]): IndexedChunk[] =>
  chunks.filter(({ document }) => document === 0);

describe('the measures of retrieval', () => {
  it('merge spans to disjoint ones in order with the same characters', () => {
    const holds = fc.property(fc.array(anySpan), (spans) => {
      const merged = mergeSpans(spans);
      expect(charactersOf(merged)).toEqual(charactersOf(spans));
      for (const [index, { start, end }] of merged.entries()) {
        expect(start).toBeLessThan(end);
        expect(start).toBeGreaterThan(merged[index - 1]?.end ?? -1);
      }
    });
    fc.assert(holds, cases(200));
  });

  it('are those of sets of characters', () => {
    const holds = fc.property(anyAnswer, anyChunks, (answer, chunks) => {
      const wanted = charactersOf(answer.spans);
      const found = shared(wanted, charactersOf(own(chunks)));
      const retrieved = chunks.reduce((sum, { start, end }) => sum + end - start, 0);
      const { recall, precision, iou } = overlapWith(answer, chunks);
      expect(recall).toBeCloseTo(found / wanted.size, 12);
      expect(precision).toBeCloseTo(retrieved === 0 ? 0 : found / retrieved, 12);
      expect(iou).toBeCloseTo(found / (retrieved + wanted.size - found), 12);
      const touching = own(chunks).filter((chunk) => shared(charactersOf([chunk]), wanted) > 0);
      const cover = charactersOf(touching);
      expect(precisionOmega(answer, own(chunks))).toBeCloseTo(
        shared(cover, wanted) / new Set([...cover, ...wanted]).size,
        12,
      );
    });
    fc.assert(holds, cases(300));
  });

  it('read tokens one by one until the budget ends', () => {
    const holds = fc.property(
      anyAnswer,
      anyChunks,
      fc.integer({ min: 1, max: 60 }),
      (answer, chunks, budget) => {
        const read = new Set<number>();
        let left = budget;
        for (const chunk of chunks) {
          let ownTokens = 0;
          for (let token = 0; token < chunk.tokens && left > 0; token++, left--)
            if (token >= chunk.contextTokens) ownTokens++;
          const share = ownTokens / (chunk.tokens - chunk.contextTokens);
          const end = Math.round(chunk.start + (chunk.end - chunk.start) * share);
          if (chunk.document === 0) for (let at = chunk.start; at < end; at++) read.add(at);
        }
        const wanted = charactersOf(answer.spans);
        expect(recallWithin(answer, chunks, budget)).toBeCloseTo(shared(wanted, read) / wanted.size, 12);
      },
    );
    fc.assert(holds, cases(300));
  });

  it('grow with the budget and reach the recall of all chunks', () => {
    const holds = fc.property(anyAnswer, anyChunks, (answer, chunks) => {
      const recalls = [1, 5, 20, 1000].map((budget) => recallWithin(answer, chunks, budget));
      expect(recalls).toEqual(recalls.toSorted((a, b) => a - b));
      expect(recalls.at(-1)).toBeCloseTo(overlapWith(answer, chunks).recall, 12);
    });
    fc.assert(holds, cases(200));
  });
});
