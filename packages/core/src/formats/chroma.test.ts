import { describe, expect, it } from 'vitest';
import { chunkSync } from '../chunk.ts';
import { batches } from './batches.ts';
import { columnsOf } from './chroma.ts';
import { formatChunks } from './records.ts';

const chunks = chunkSync('Grain. Line.', { size: 6 });
const metadata = (index: number, start: number, end: number) => ({
  document_id: 'd',
  total_chunks: 2,
  chunk_index: index,
  char_count: end - start,
  start_offset: start,
  end_offset: end,
});

describe('chroma', () => {
  it('gives entries, and beside them the columns that its call takes', () => {
    const { records, extras } = formatChunks(chunks, 'chroma', { documentId: 'd' });
    expect(records).toEqual([
      { id: '7e16ad21-152b-5183-8f9b-0edb82f5240e', document: 'Grain.', metadata: metadata(0, 0, 6) },
      { id: '67f43510-ad29-580a-9c32-d26c9a15bc47', document: 'Line.', metadata: metadata(1, 7, 12) },
    ]);
    expect(extras).toEqual({
      columns: {
        ids: ['7e16ad21-152b-5183-8f9b-0edb82f5240e', '67f43510-ad29-580a-9c32-d26c9a15bc47'],
        documents: ['Grain.', 'Line.'],
        metadatas: [metadata(0, 0, 6), metadata(1, 7, 12)],
      },
    });
  });

  it('has embeddings in entries and columns when there are vectors', () => {
    const { records, extras } = formatChunks(chunks, 'chroma', { documentId: 'd', vectors: [[1], [2]] });
    expect(records.map(({ embedding }) => embedding)).toEqual([[1], [2]]);
    expect(extras.columns.embeddings).toEqual([[1], [2]]);
  });

  it('takes neither collection nor text field: the client names the one, Chroma the other', () => {
    const options = { documentId: 'd', collection: 'c', textField: 't' };
    expect(() => formatChunks(chunks, 'chroma', options)).toThrow(
      /collection must be left out.*textField must be left out/,
    );
  });

  it('has no columns for the records of another format', () => {
    const { records } = formatChunks(chunks, 'qdrant', { documentId: 'd' });
    expect(() => columnsOf(records as never)).toThrow(
      'records must be those of the format chroma, but is an array of 2',
    );
  });

  it('slices at 5461 records, and columnsOf turns each slice into a call', () => {
    const many = chunkSync('Short.\n\n'.repeat(6000), { size: 10 });
    const { records, extras } = formatChunks(many, 'chroma', { documentId: 'd' });
    expect(extras.upsert).toEqual({ calls: 2, max_records: 5461 });
    const columns = [...batches(records, 'chroma')].map(columnsOf);
    expect(
      columns.map(({ ids, documents, metadatas }) => [ids.length, documents.length, metadatas.length]),
    ).toEqual([
      [5461, 5461, 5461],
      [539, 539, 539],
    ]);
  });
});
