// Records against core's formats: the same, with the names of the document and the vectors of its chunks.
import { chunk, ChunkError } from '@grainline/core';
import { formatChunks, FORMATS, type FormatId, vectorsOf } from '@grainline/core/formats';
import { describe, expect, it } from 'vitest';
import { wordEmbedder } from '@grainline/testing/embedders';
import { chunkSource } from './chunk-source.ts';
import { recordsFor } from './records.ts';

const IDS = Object.keys(FORMATS) as FormatId[];
const TEXT = '# Tides\n\nHigh water follows the moon.\n\n'.repeat(20);
const NAMES = { documentId: 'tides', tier: 'structure' };

describe('recordsFor', () => {
  it.each(IDS)(
    'makes the records of formatChunks, with the name and type of the document: %s',
    async (format) => {
      const result = await chunkSource(
        { text: TEXT, filename: 'tides.md' },
        { tier: 'structure', size: 100 },
      );
      const { reader } = result.document;
      const about = { ...NAMES, filename: 'tides.md', contentType: 'text/markdown', reader };
      expect(recordsFor(result, format, NAMES)).toEqual(formatChunks(result.chunks, format, about));
    },
  );

  it.each(IDS)('gives the records the vectors of the chunks, and says what they are: %s', async (format) => {
    const options = {
      tier: 'semantic',
      size: 100,
      embeddings: true,
      blend: 0.5,
      embed: wordEmbedder,
    } as const;
    const chunks = await chunk(TEXT, options);
    const { embedding, vectors } = vectorsOf(chunks)!;
    const document = { mediaType: 'text/plain' };
    const { extras, ...formatted } = formatChunks(chunks, format, {
      ...NAMES,
      contentType: 'text/plain',
      vectors,
      embedding,
    });
    expect(recordsFor({ document, chunks }, format, NAMES)).toEqual({
      ...formatted,
      extras: { ...extras, embedding },
    });
  });

  it('prefers the names that are given', async () => {
    const result = await chunkSource({ text: 'High water.', filename: 'a.md' });
    const names = { ...NAMES, filename: 'tides.md', contentType: 'text/x-tide', sourceUrl: undefined };
    const [record] = recordsFor(result, 'qdrant', names).records;
    expect(record?.payload).toMatchObject({ filename: 'tides.md', content_type: 'text/x-tide' });
    expect(record?.payload).not.toHaveProperty('source_url');
  });

  it('names the reader of a document, and none of a text that no reader has read', async () => {
    const bytes = new TextEncoder().encode('High water.');
    const read = await chunkSource({ bytes, filename: 'a.txt' });
    expect(read.document.reader).toMatch(/^txt-\d+$/);
    const [record] = recordsFor(read, 'chroma', NAMES).records;
    expect(record?.metadata).toMatchObject({ reader: read.document.reader });
    const unread = recordsFor(
      { document: { mediaType: 'text/plain' }, chunks: read.chunks },
      'chroma',
      NAMES,
    );
    expect(unread.records[0]?.metadata).not.toHaveProperty('reader');
  });

  it('refuses names that the format does not take', async () => {
    const result = await chunkSource({ text: 'High water.' });
    expect(() => recordsFor(result, 'raw', { documentId: '', collection: 'Tides' })).toThrow(ChunkError);
    expect(recordsFor(result, 'weaviate', { documentId: 'a', collection: 'Tides' }).warnings).toEqual([]);
  });
});
