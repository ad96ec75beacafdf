import { describe, expect, it } from 'vitest';
import { type Chunk, chunkSync } from '../chunk.ts';
import { formatChunks } from './records.ts';

const chunks = chunkSync('Grain.');
const properties = {
  text: 'Grain.',
  document_id: 'd',
  chunk_index: 0,
  total_chunks: 1,
  char_count: 6,
  start_offset: 0,
  end_offset: 6,
};

describe('weaviate', () => {
  it('gives objects of the class Chunk, with a vector only when there is one', () => {
    expect(formatChunks(chunks, 'weaviate', { documentId: 'd' }).records).toEqual([
      { class: 'Chunk', id: '7e16ad21-152b-5183-8f9b-0edb82f5240e', properties },
    ]);
    expect(formatChunks(chunks, 'weaviate', { documentId: 'd', vectors: [[1, 2]] }).records).toEqual([
      { class: 'Chunk', id: '7e16ad21-152b-5183-8f9b-0edb82f5240e', properties, vector: [1, 2] },
    ]);
  });

  it('leaves dates of the caller’s own as they are, for a property that is one', () => {
    const metadata = { published: '2024-05-01T10:00:00Z' };
    const options = { documentId: 'd', filename: '2024-05-01T10:00:00Z', metadata };
    const [record] = formatChunks(chunks, 'weaviate', options).records;
    expect(record?.properties).toMatchObject({ ...metadata, filename: '2024-05-01T10:00:00Z ' });
  });

  it('takes a class and a text field', () => {
    const [record] = formatChunks(chunks, 'weaviate', {
      documentId: 'd',
      collection: 'Handbook_2',
      textField: '_body',
    }).records;
    expect(record?.class).toBe('Handbook_2');
    expect(record?.properties['_body']).toBe('Grain.');
  });

  it.each(['handbook', 'Hand-book', '', 'Hand book', 'Ä', `A${'x'.repeat(255)}`])(
    'refuses the class %j',
    (collection) => {
      expect(() => formatChunks(chunks, 'weaviate', { documentId: 'd', collection })).toThrow(
        'collection must be a capital letter',
      );
    },
  );

  it.each([
    'id',
    '_id',
    '_additional',
    'body_searchable',
    'body_temp',
    'my-text',
    '1st',
    'chunk_index',
    `a${'x'.repeat(231)}`,
  ])('refuses the text field %j', (textField) => {
    expect(() => formatChunks(chunks, 'weaviate', { documentId: 'd', textField })).toThrow(
      'textField must be',
    );
  });

  it.each([
    '123e4567-e89b-12d3-a456-426614174000',
    '123E4567E89B12D3A456426614174000',
    'urn:uuid:123e4567-e89b-12d3-a456-426614174000',
    '{123e4567-e89b-12d3-a456-426614174000}',
    '2024-05-01T10:00:00Z',
    '2024-05-01T10:00:00.123+02:00',
  ])('keeps %j text in a collection that was never defined', (lookalike) => {
    const piece: Chunk = { text: lookalike, start: 0, end: lookalike.length, overlap: 0, metadata: {} };
    const [record] = formatChunks([piece], 'weaviate', {
      documentId: lookalike,
      filename: lookalike,
    }).records;
    const blank = `${lookalike} `;
    expect(record?.properties).toMatchObject({
      text: blank,
      document_id: blank,
      filename: blank,
      char_count: lookalike.length,
    });
    const [other] = formatChunks([piece], 'qdrant', { documentId: lookalike }).records;
    expect(other?.payload).toMatchObject({ text: lookalike, document_id: lookalike });
    expect(other?.id).toBe(record?.id);
  });

  it.each(['2024-05-01', '10:00:00', 'see 123e4567-e89b-12d3-a456-426614174000', 'deadbeef', ''])(
    'leaves %j alone',
    (text) => {
      const piece: Chunk = { text, start: 0, end: text.length, overlap: 0, metadata: {} };
      expect(formatChunks([piece], 'weaviate', { documentId: 'd' }).records[0]?.properties['text']).toBe(
        text,
      );
    },
  );
});
