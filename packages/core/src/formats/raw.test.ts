import { expect, it } from 'vitest';
import { type Chunk, chunkSync } from '../chunk.ts';
import type { Anchor } from '../regions/anchor.ts';
import { formatChunks } from './records.ts';

it('gives id, text and place, and nothing of the document', () => {
  const chunks = chunkSync('One sentence. Another one.', { size: 16, overlap: 0 });
  const { records, extras, warnings } = formatChunks(chunks, 'raw', { documentId: 'd', filename: 'a.txt' });
  expect(records).toEqual([
    {
      id: '8c132945-3c68-5734-8259-6d41ca8da520',
      text: 'One sentence.',
      metadata: { chunk_index: 0, char_count: 13, start_offset: 0, end_offset: 13 },
    },
    {
      id: '3a9f7f05-1047-50f5-9c5c-01d29df9a85f',
      text: 'Another one.',
      metadata: { chunk_index: 1, char_count: 12, start_offset: 14, end_offset: 26 },
    },
  ]);
  expect(extras).toEqual({});
  expect(warnings).toEqual([]);
});

it('tells pages, overlap, context and oversize where there are such', () => {
  const context = [
    { kind: 'heading-path', text: 'Basics > Setup', start: 0, end: 14 },
    { kind: 'table-header', text: '| a | b |', start: 20, end: 29 },
  ] as const;
  const metadata = { pageStart: 3, pageEnd: 4, oversize: true } as const;
  const { records } = formatChunks(
    [{ text: '| 1 | 2 |', start: 30, end: 39, overlap: 4, context, metadata }],
    'raw',
    {
      documentId: 'd',
      vectors: [[1, 0.5]],
    },
  );
  expect(records).toEqual([
    {
      id: '4bc69a7e-3e7b-50db-9882-080b18953c6b',
      text: 'Basics > Setup\n| a | b |\n\n| 1 | 2 |',
      metadata: {
        chunk_index: 0,
        char_count: 35,
        start_offset: 30,
        end_offset: 39,
        overlap_chars: 4,
        content_start: 26,
        page_start: 3,
        page_end: 4,
        heading_path: 'Basics > Setup',
        oversize: true,
      },
      context: [
        { kind: 'heading-path', text: 'Basics > Setup', start_offset: 0, end_offset: 14 },
        { kind: 'table-header', text: '| a | b |', start_offset: 20, end_offset: 29 },
      ],
      embedding: [1, 0.5],
    },
  ]);
  const [record] = records;
  expect(record?.text.slice(record.metadata.content_start)).toBe('| 1 | 2 |');
});

it('has the links of a chunk beside its metadata, and as one text in flat metadata', () => {
  const links = [{ start: 34, end: 38, href: 'https://a.example/\ud800b' }];
  const chunk = { text: 'see here', start: 30, end: 38, overlap: 0, metadata: { links } };
  const stored = [{ start_offset: 34, end_offset: 38, href: 'https://a.example/\ufffdb' }];
  const place = { chunk_index: 0, char_count: 8, start_offset: 30, end_offset: 38 };
  expect(formatChunks([chunk], 'raw', { documentId: 'd' }).records).toMatchObject([
    { metadata: place, links: stored },
  ]);
  expect(formatChunks([chunk], 'raw', { documentId: 'd' }).records[0]?.metadata).toEqual(place);
  expect(formatChunks([chunk], 'qdrant', { documentId: 'd' }).records).toMatchObject([
    { payload: { ...place, links: JSON.stringify(stored) } },
  ]);
});

it('has the boxes of a chunk beside its metadata, and as one text in flat metadata', () => {
  const regions = [[1, 7200, 7000, 52_330, 8420]] as const;
  const overlapRegions = [[1, 7200, 5000, 52_330, 6420]] as const;
  const header = { kind: 'table-header', text: '| a |', start: 2, end: 7, regions } as const;
  const title = { kind: 'title', text: 'Gauges', start: 0, end: 0 } as const;
  const metadata = { regions, overlapRegions };
  const chunk = { text: 'see here', start: 30, end: 38, overlap: 3, context: [title, header], metadata };
  const [record] = formatChunks([chunk], 'raw', { documentId: 'd' }).records;
  expect(record).toMatchObject({ regions, overlap_regions: overlapRegions });
  expect(record?.context?.map((part) => part.regions)).toEqual([undefined, regions]);
  expect(formatChunks([chunk], 'chroma', { documentId: 'd' }).records).toMatchObject([
    {
      metadata: {
        regions: JSON.stringify(regions),
        overlap_regions: JSON.stringify(overlapRegions),
        context_regions: JSON.stringify([[], regions]),
      },
    },
  ]);
});

it('has the anchor of a chunk among its metadata', () => {
  const chunkWith = (anchor: Anchor): Chunk => ({
    text: 'see here',
    start: 30,
    end: 38,
    overlap: 0,
    metadata: { anchor },
  });
  for (const anchor of [{ paragraph: 4 }, { fragment: ':~:text=see,here' }]) {
    const chunks = [chunkWith(anchor)];
    expect(formatChunks(chunks, 'raw', { documentId: 'd' }).records).toMatchObject([{ metadata: anchor }]);
    expect(formatChunks(chunks, 'qdrant', { documentId: 'd' }).records).toMatchObject([{ payload: anchor }]);
  }
});
