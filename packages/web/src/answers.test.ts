import { chunkSync } from '@grainline/core';
import { toRecords } from '@grainline/core/formats';
import { describe, expect, it } from 'vitest';
import { cutsFromChunks, documentOfChunks, fits, readAnswer } from './answers.ts';
import { cutsOf } from './worker/chunks.ts';

const TEXT = `# Depths\n\n${'The tide turns at noon. The pilot boards at two.\n\n'.repeat(12)}| Place | Depth |\n|---|---|\n${'| Bar | 10.5 |\n'.repeat(60)}`;
const chunks = chunkSync(TEXT, { tier: 'structure', size: 300, overlap: 40 });
const body = {
  success: true,
  tier: 'structure',
  total_chunks: chunks.length,
  metadata: { filename: 'depths.md', content_type: 'text/markdown', estimated_pages: 2 },
  chunks: toRecords(chunks, 'raw', { documentId: 'depths' }),
};

function chunked() {
  const answer = readAnswer(structuredClone(body));
  if (answer.kind !== 'chunks') throw new Error(answer.kind);
  return answer;
}

describe('an answer of the service', () => {
  it('gives the same cuts as core gives here', () => {
    const { enrichments, ...cuts } = cutsFromChunks(chunked().chunks);
    expect(enrichments?.size).toBe(0);
    expect(cuts).toEqual(cutsOf(chunks));
  });

  it('fits the text that it was cut from, and no other', () => {
    expect(fits(chunked().chunks, TEXT)).toBe(true);
    expect(fits(chunked().chunks, ` ${TEXT}`)).toBe(false);
  });

  it('holds its text, up to what is blank', () => {
    const { text, filename } = documentOfChunks(chunked());
    expect(filename).toBe('depths.md');
    expect(text.replaceAll(/\s/g, '')).toBe(TEXT.replaceAll(/\s/g, ''));
    expect(fits(chunked().chunks, text)).toBe(true);
  });

  it('is known for a link or a job by what it holds', () => {
    const download_url = 'https://elsewhere.example/results/structure_0123456789ab';
    expect(readAnswer({ success: true, download_url })).toEqual({
      kind: 'link',
      resultId: 'structure_0123456789ab',
    });
    expect(readAnswer({ success: true, async: true, job_id: 'ai-pro_0123456789ab' })).toEqual({
      kind: 'job',
      jobId: 'ai-pro_0123456789ab',
    });
  });

  it('that is none is refused in words for people', () => {
    for (const wrong of [
      null,
      7,
      {},
      { tier: 'free', chunks: [{ text: 'a', metadata: {} }] },
      { tier: 'free', chunks: 1 },
    ])
      expect(() => readAnswer(wrong)).toThrow('does not understand');
  });
});
