import { describe, expect, it } from 'vitest';
import { type Chunk, chunkSync } from '../chunk.ts';
import { batches } from './batches.ts';
import { formatChunks } from './records.ts';

const chunks = chunkSync('Grain.');
const about = {
  documentId: 'd',
  filename: 'a.txt',
  sourceUrl: 'https://example.com/a',
  tier: 'free',
  contentType: 'text/plain',
};
const flat = {
  document_id: 'd',
  filename: 'a.txt',
  source_url: 'https://example.com/a',
  chunk_index: 0,
  total_chunks: 1,
  char_count: 6,
  start_offset: 0,
  end_offset: 6,
  tier: 'free',
  content_type: 'text/plain',
};

describe('pinecone', () => {
  it('without vectors gives what upsertRecords takes: everything on the top level', () => {
    const { records } = formatChunks(chunks, 'pinecone', about);
    expect(records).toEqual([{ _id: '7e16ad21-152b-5183-8f9b-0edb82f5240e', text: 'Grain.', ...flat }]);
  });

  it('with vectors gives what upsert takes: values, and the text among the metadata', () => {
    const { records } = formatChunks(chunks, 'pinecone', {
      ...about,
      language: 'en',
      reader: 'pdf-3',
      vectors: [[0.1, 0.2]],
    });
    expect(records).toEqual([
      {
        id: '7e16ad21-152b-5183-8f9b-0edb82f5240e',
        values: [0.1, 0.2],
        metadata: { text: 'Grain.', ...flat, language: 'en', reader: 'pdf-3' },
      },
    ]);
  });

  it('puts the text under the chosen field', () => {
    const [record] = formatChunks(chunks, 'pinecone', { ...about, textField: 'chunk_text' }).records;
    expect(record).toMatchObject({ chunk_text: 'Grain.' });
    expect(record).not.toHaveProperty('text');
  });

  it.each(['$text', '', '_id', 'id', 'filename', 'tier', 'x'.repeat(256), 'a\0', 'a\uD800'])(
    'refuses the text field %j',
    (textField) => {
      expect(() => formatChunks(chunks, 'pinecone', { ...about, textField })).toThrow('textField must be');
    },
  );

  it('takes no collection: the client names the index', () => {
    expect(() => formatChunks(chunks, 'pinecone', { ...about, collection: 'Docs' })).toThrow(
      'collection must be left out',
    );
  });

  it('refuses a vector of zeros and one of more than 20,000 dimensions, as Pinecone does', () => {
    expect(() => formatChunks(chunks, 'pinecone', { ...about, vectors: [[0, 0]] })).toThrow(
      'vectors[0] must be not all zeros',
    );
    const long = Array.from({ length: 20_001 }, () => 1);
    expect(() => formatChunks(chunks, 'pinecone', { ...about, vectors: [long] })).toThrow(
      'of 1 to 20000 numbers',
    );
    expect(formatChunks(chunks, 'pinecone', { ...about, vectors: [long.slice(1)] }).records).toHaveLength(1);
  });

  it('sends 96 records a request without vectors, 1000 with, and never 2 MB', () => {
    const many = chunkSync('One short paragraph.\n\n'.repeat(2500), { size: 30 });
    expect(many).toHaveLength(2500);
    const text = formatChunks(many, 'pinecone', about);
    expect(text.extras.upsert).toEqual({ calls: 27, max_records: 96 });
    expect([...batches(text.records, 'pinecone')].map(({ length }) => length)).toEqual([
      ...Array<number>(26).fill(96),
      4,
    ]);
    const vector = formatChunks(many, 'pinecone', { ...about, vectors: many.map(() => [1, 2]) });
    expect([...batches(vector.records, 'pinecone')].map(({ length }) => length)).toEqual([1000, 1000, 500]);
    const wide = formatChunks(many, 'pinecone', {
      ...about,
      vectors: many.map((_, i) => Array.from({ length: 384 }, (_, d) => Math.sin(1 + i + d))),
    });
    for (const slice of batches(wide.records, 'pinecone')) {
      expect(
        Buffer.byteLength(JSON.stringify({ vectors: slice, namespace: 'x'.repeat(500) })),
      ).toBeLessThanOrEqual(2_000_000);
    }
    expect(wide.extras.upsert?.max_records).toBeLessThan(1000);
  });

  it('warns of a record whose metadata Pinecone will refuse, and never truncates it', () => {
    const piece = (text: string): Chunk => ({ text, start: 0, end: text.length, overlap: 0, metadata: {} });
    const { records, warnings } = formatChunks(
      [piece('漢'.repeat(13_000)), piece('漢'.repeat(14_000))],
      'pinecone',
      about,
    );
    expect(warnings).toEqual([
      {
        code: 'record_too_large',
        message: expect.stringMatching(
          /^Record 1 \("[0-9a-f-]{36}"\) takes \d+ bytes, but pinecone/,
        ) as string,
      },
    ]);
    expect(records[1]?.['text']).toHaveLength(14_000);
    expect(() => [...batches(records, 'pinecone')]).toThrow(
      expect.objectContaining({ code: 'record_too_large' }),
    );
  });
});
