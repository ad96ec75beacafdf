import { chunkSync, documentFromText, indexedText } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { chunkAt, countOf, firstEndingAfter, contextBefore, pathOf, spanOf } from './cut-table.ts';
import { sizesOf } from './sizes.ts';
import { chunksOf, cutsOf } from './chunks.ts';

const words = fc
  .array(fc.constantFrom('tide', 'harbour', 'a', '\n\n', '# Depths\n\n', '😀', '.', 'pilot boards'), {
    minLength: 1,
    maxLength: 300,
  })
  .map((list) => list.join(' '));

describe('cuts as numbers', () => {
  it('say of every chunk what core says', () => {
    const table = `# Depths\n\n| ChunkSpan | Depth |\n|---|---|\n${'| Bar | 10.5 |\n'.repeat(60)}`;
    const chunks = chunkSync(table, { tier: 'structure', size: 300 });
    const cuts = cutsOf(chunks);
    expect(countOf(cuts)).toBe(chunks.length);
    expect(chunks.some(({ context }) => context !== undefined)).toBe(true);
    const back = chunksOf({ cuts, text: table, pages: [] });
    for (const [index, chunk] of chunks.entries()) {
      expect(contextBefore(cuts, index) + chunk.text).toBe(indexedText(chunk));
      expect(pathOf(cuts, index)).toBe(chunk.metadata.headingPath?.join(' > '));
      expect(back[index]).toMatchObject({ text: chunk.text, start: chunk.start, end: chunk.end });
      expect(indexedText(back[index]!)).toBe(indexedText(chunk));
    }
  });

  it('say on which pages a chunk stands, and nothing of pages where there are none', () => {
    const text = 'A line of the tide tables.\n'.repeat(20);
    const pages = [0, 100, 300];
    const chunks = chunkSync(documentFromText(text, { pages }), { tier: 'free', size: 90 });
    expect(chunksOf({ cuts: cutsOf(chunks), text, pages })).toEqual(chunks);
    for (const { metadata } of chunksOf({ cuts: cutsOf(chunks), text, pages: [] }))
      expect(metadata).toStrictEqual({});
  });

  it('are found by offset as a look at each one finds them', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 80 }), fc.nat(10), (text, size, overlap) => {
        const cuts = cutsOf(chunkSync(text, { size, overlap }));
        const places = Array.from({ length: countOf(cuts) }, (_, index) => spanOf(cuts, index));
        for (let offset = 0; offset <= text.length; offset++) {
          expect(chunkAt(cuts, offset)).toBe(places.findLastIndex((at) => at.start + at.overlap <= offset));
          const after = places.findIndex(({ end }) => end > offset);
          expect(firstEndingAfter(cuts, offset)).toBe(after === -1 ? places.length : after);
        }
      }),
      cases(30),
    );
  });

  it('give a histogram in which every chunk is once', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 200 }), (text, size) => {
        const cuts = cutsOf(chunkSync(text, { size }));
        const { bars, least, median, most } = sizesOf(cuts, size);
        expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(countOf(cuts));
        expect(least).toBeLessThanOrEqual(median);
        expect(median).toBeLessThanOrEqual(most);
        expect(bars.at(-1)?.below).toBeGreaterThan(Math.max(size, most));
      }),
      cases(100),
    );
  });
});
