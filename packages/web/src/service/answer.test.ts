import { chunkSync } from '@grainline/core';
import { toRecords } from '@grainline/core/formats';
import { describe, expect, it } from 'vitest';
import { checkAnswer, cutsFromChunks, documentOfChunks, fits } from './answer.ts';
import type { RawAnswer } from './chunk-request.ts';
import { cutsOf } from '../document/chunks.ts';

const TEXT = `# Depths\n\n${'The tide turns at noon. The pilot boards at two.\n\n'.repeat(12)}| ChunkSpan | Depth |\n|---|---|\n${'| Bar | 10.5 |\n'.repeat(60)}`;
const chunks = chunkSync(TEXT, { tier: 'structure', size: 300, overlap: 40 });
const answer: RawAnswer = {
  tier: 'structure',
  total_chunks: chunks.length,
  metadata: { filename: 'depths.md', content_type: 'text/markdown', size_bytes: 1, estimated_pages: 2 },
  chunks: toRecords(chunks, 'raw', { documentId: 'depths' }),
  payment: { amount: 0, asset: 'USDC', network: 'solana-mainnet' },
};

describe('an answer of the service', () => {
  it('gives the same cuts as core gives here', () => {
    const { enrichments, ...cuts } = cutsFromChunks(answer.chunks);
    expect(enrichments?.size).toBe(0);
    expect(cuts).toEqual(cutsOf(chunks));
  });

  it('fits the text that it was cut from, and no other', () => {
    expect(fits(answer.chunks, TEXT)).toBe(true);
    expect(fits(answer.chunks, ` ${TEXT}`)).toBe(false);
  });

  it('holds its text, up to what is blank', () => {
    const { text, filename } = documentOfChunks(answer);
    expect(filename).toBe('depths.md');
    expect(text.replaceAll(/\s/g, '')).toBe(TEXT.replaceAll(/\s/g, ''));
    expect(fits(answer.chunks, text)).toBe(true);
  });

  it('that is none is refused in words for people', () => {
    expect(() => checkAnswer(answer)).not.toThrow();
    for (const wrong of [{}, { text: 'a' }, { text: 'a', metadata: {} }, { ...answer.chunks[0], text: 1 }])
      expect(() => checkAnswer({ ...answer, chunks: [wrong] } as unknown as RawAnswer)).toThrow(
        'does not understand',
      );
  });
});
