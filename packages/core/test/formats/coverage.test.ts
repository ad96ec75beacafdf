// The proof beside records, against a rebuild from the records alone.
import { createHash } from 'node:crypto';
import { type Chunk, chunkSync } from '@grainline/core';
import { coverageOf, type SourceCoverage, toRecords } from '@grainline/core/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { anyDocument, limits } from '@grainline/testing/documents';
import { chunksBy, TIER_IDS } from '@grainline/testing/tiers';

const tiers = fc.constantFrom(...TIER_IDS);

/**
 * The source from records of the format raw and what stands beside them, as a client makes it that has nothing else.
 */
function rebuilt(chunks: readonly Chunk[], { gaps }: SourceCoverage): string {
  const records = toRecords(chunks, 'raw', { documentId: 'd' });
  const own = records.map(({ text, metadata }, index) => {
    const { content_start: from = 0, overlap_chars: repeated = 0 } = metadata;
    return (gaps[index] ?? '?') + text.slice(from + repeated);
  });
  return own.join('') + (gaps.at(-1) ?? '?');
}

describe('coverageOf', () => {
  it('tells all that is needed to make the source again, and its hash', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, tiers, limits, async (source, tier, given) => {
        const text = source.replaceAll('\0', '');
        const chunks = await chunksBy(tier, text, given);
        const coverage = coverageOf(text, chunks);
        expect(rebuilt(chunks, coverage)).toBe(text);
        expect(coverage.gaps).toHaveLength(chunks.length + 1);
        expect(coverage.gaps.join('').trim()).toBe('');
        expect(coverage.characters).toBe(text.length);
        expect(coverage.sha256).toBe(createHash('sha256').update(text).digest('hex'));
      }),
      cases(200),
    );
  });

  it('hashes NUL as the records have it', () => {
    const text = 'a\0b';
    const coverage = coverageOf(text, chunkSync(text));
    expect(coverage.sha256).toBe(createHash('sha256').update('a\uFFFDb').digest('hex'));
    expect(rebuilt(chunkSync(text), coverage)).toBe('a\uFFFDb');
  });

  it('takes a document', () => {
    const text = 'One.\n\nTwo.';
    const document = { text, blocks: [], pages: [], mediaType: 'text/plain', warnings: [] };
    const chunks = chunkSync(document, { size: 5 });
    expect(coverageOf(document, chunks)).toEqual(coverageOf(text, chunks));
    expect(coverageOf(document, chunks)).toMatchObject({ characters: 10, gaps: ['', '\n\n', ''] });
  });

  it('refuses chunks that are not all of the text, and says what is wrong', () => {
    const text = 'One. Two.';
    const chunks = chunkSync(text, { size: 4 });
    expect(() => coverageOf(text, chunks.slice(1))).toThrow(
      expect.objectContaining({ code: 'not_covered', message: expect.stringContaining('chunk 0') as string }),
    );
    expect(() => coverageOf(`${text} Three.`, chunks)).toThrow('the law of tail');
  });
});
