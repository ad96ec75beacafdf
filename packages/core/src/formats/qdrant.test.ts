import { describe, expect, it } from 'vitest';
import { chunkSync } from '../chunk.ts';
import { batches } from './batches.ts';
import { formatChunks } from './records.ts';

const chunks = chunkSync('Grain.');
const payload = {
  text: 'Grain.',
  document_id: 'd',
  chunk_index: 0,
  total_chunks: 1,
  char_count: 6,
  start_offset: 0,
  end_offset: 6,
};

describe('qdrant', () => {
  it('gives points; without vectors the vector is an empty object, which Qdrant stores as payload only', () => {
    expect(formatChunks(chunks, 'qdrant', { documentId: 'd' }).records).toEqual([
      { id: '7e16ad21-152b-5183-8f9b-0edb82f5240e', vector: {}, payload },
    ]);
    expect(formatChunks(chunks, 'qdrant', { documentId: 'd', vectors: [[0, 1]] }).records).toEqual([
      { id: '7e16ad21-152b-5183-8f9b-0edb82f5240e', vector: [0, 1], payload },
    ]);
  });

  it.each(['a.b', 'a b', 'ä', '', '9a', 'document_id'])(
    'refuses the text field %j, which filters could not name',
    (textField) => {
      expect(() => formatChunks(chunks, 'qdrant', { documentId: 'd', textField })).toThrow(
        'textField must be',
      );
    },
  );

  it('takes the text field that other tools expect', () => {
    const [record] = formatChunks(chunks, 'qdrant', { documentId: 'd', textField: 'page_content' }).records;
    expect(record?.payload['page_content']).toBe('Grain.');
  });

  it('counts bytes, not points', () => {
    const many = chunkSync('One short paragraph.\n\n'.repeat(9000), { size: 30 });
    const { records, extras } = formatChunks(many, 'qdrant', { documentId: 'd' });
    expect(extras).toEqual({});
    expect([...batches(records, 'qdrant')]).toHaveLength(1);
    const long = chunkSync('漢'.repeat(12_000_000), { tier: 'free', size: 1_000_000 });
    const formatted = formatChunks(long, 'qdrant', { documentId: 'd' });
    const slices = [...batches(formatted.records, 'qdrant')];
    expect(formatted.extras.upsert).toEqual({ calls: 2, max_records: 11 });
    expect(slices.map(({ length }) => length)).toEqual([11, 1]);
    for (const points of slices)
      expect(Buffer.byteLength(JSON.stringify({ points }))).toBeLessThanOrEqual(32 * 2 ** 20);
  });
});
