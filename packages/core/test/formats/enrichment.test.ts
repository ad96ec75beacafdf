// The enrichment of a chunk by a language model, in every format.
import { describe, expect, it } from 'vitest';
import { chunkSync } from '../../src/chunk.ts';
import { toRecords } from '../../src/formats/records.ts';
import type { Chunk } from '../../src/slice.ts';

const [plain] = chunkSync('The vessel left the harbour.');
const ENRICHMENT = {
  title: 'Leaving',
  summary: 'A vessel leaves.',
  keywords: ['vessel', 'harbour'],
  questions: ['What left?', 'Where from?'],
  entities: [],
  context: 'From the log of a voyage.',
};
const described: Chunk = { ...plain!, enrichment: ENRICHMENT, enrichmentStatus: 'complete' };
const failed: Chunk = {
  ...plain!,
  enrichmentStatus: 'failed',
  enrichmentReasons: [{ reason: 'refusal' }],
};
const options = { documentId: 'log.txt' };
const FLAT = {
  title: 'Leaving',
  summary: 'A vessel leaves.',
  keywords: 'vessel, harbour',
  questions: 'What left?\nWhere from?',
  context: 'From the log of a voyage.',
  enrichment_status: 'complete',
};
const TEXT = 'From the log of a voyage.\n\nThe vessel left the harbour.';

describe('records of chunks that a model has described', () => {
  it('have it as it is in raw', () => {
    expect(toRecords([described, failed], 'raw', options)).toMatchObject([
      { text: TEXT, metadata: { content_start: 27 }, enrichment: ENRICHMENT, enrichment_status: 'complete' },
      { text: plain?.text, enrichment_status: 'failed', enrichment_reasons: [{ reason: 'refusal' }] },
    ]);
    expect(toRecords([failed], 'raw', options)[0]).not.toHaveProperty('enrichment');
    expect(toRecords([plain!], 'raw', options)[0]).not.toHaveProperty('enrichment_status');
  });

  it('have it flat for databases, absent where there is nothing to say', () => {
    const [pinecone] = toRecords([described], 'pinecone', options);
    const [weaviate] = toRecords([described], 'weaviate', options);
    const [chroma] = toRecords([described], 'chroma', options);
    const [qdrant] = toRecords([described], 'qdrant', options);
    for (const flat of [pinecone, weaviate?.properties, chroma?.metadata, qdrant?.payload]) {
      expect(flat).toMatchObject(FLAT);
      expect(flat).not.toHaveProperty('entities');
      for (const value of Object.values(flat ?? {})) expect(value).not.toBeTypeOf('object');
    }
    const [lost] = toRecords([failed], 'qdrant', options);
    expect(lost?.payload).toMatchObject({ enrichment_status: 'failed' });
    expect(lost?.payload).not.toHaveProperty('title');
  });

  it('cannot have their text under a name of its own', () => {
    expect(() => toRecords([described], 'qdrant', { ...options, textField: 'summary' })).toThrow('summary');
  });
});
