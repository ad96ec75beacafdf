// A quotation is found in records of every format where it is found in their chunks.
import { cases } from '@grainline/testing/cases';
import { anyDocument } from '@grainline/testing/documents';
import { writePdf } from '@grainline/testing/pdf-writer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, chunkSync, cite, regionsOf } from '@grainline/core';
import { formatChunks, type FormatId, FORMATS } from '@grainline/core/formats';
import { chunkSource } from './chunk-source.ts';
import { citeRecords } from './cite-records.ts';

const TEXT = [
  '# Limits',
  'The limiter counts requests, page by page, and refuses the eleventh.',
  '## Windows',
  'A better form keeps a window that slides. It was measured in 1998.',
  'No other form was tried. The window is ten minutes long.',
].join('\n\n');
const IDS = Object.keys(FORMATS) as FormatId[];

function recordsOf(chunks: readonly Chunk[], format: FormatId, textField?: string): readonly object[] {
  const vectors = chunks.map(() => [0.5, 1]);
  const withText = { documentId: 'd', filename: 'a.md', ...(textField !== undefined && { textField }) };
  return [undefined, vectors].flatMap((given) => [
    formatChunks(chunks, format, { ...withText, ...(given && { vectors: given }) }).records as object[],
  ])[chunks.length % 2]!;
}

describe('citeRecords', () => {
  it.each(IDS)('finds in records of %s what cite finds in their chunks', (format) => {
    const holds = fc.property(
      anyDocument,
      fc.nat(),
      fc.integer({ min: 4, max: 200 }),
      fc.integer({ min: 20, max: 300 }),
      fc.constantFrom(undefined, 'body', 'metadata', 'payload'),
      (text, at, length, size, textField) => {
        const chunks = chunkSync(text.toWellFormed().replaceAll('\0', ' '), {
          tier: 'structure',
          size,
          overlap: 5,
        });
        const start = at % (text.length + 1);
        const quote = text.slice(start, start + length);
        const named = FORMATS[format].names;
        const records = recordsOf(chunks, format, 'textField' in named ? textField : undefined);
        const found = citeRecords(records.toReversed(), quote);
        const expected = cite(chunks, quote);
        expect(found?.score).toBe(expected?.score);
        const ranges = found?.passages.map(({ start_offset: from, end_offset: to }) => [from, to]);
        expect(ranges).toEqual(expected?.spans.map(({ start: from, end: to }) => [from, to]));
      },
    );
    fc.assert(holds, cases(40));
  });

  it('names the records that hold a passage, with its text', () => {
    const chunks = chunkSync(TEXT, { tier: 'professional', size: 90, overlap: 0 });
    const { records } = formatChunks(chunks, 'raw', { documentId: 'd' });
    const [passage] =
      citeRecords(records, 'a window that slides. It was measured in 1998. No other form')?.passages ?? [];
    const ids = records
      .filter(
        ({ metadata }) =>
          metadata.end_offset > passage!.start_offset && metadata.start_offset < passage!.end_offset,
      )
      .map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(1);
    expect(passage?.chunk_ids).toEqual(ids);
    expect(passage?.text).toBe('a window that slides. It was measured in 1998. No other form');
  });

  it('finds nothing in injected context, which is no text of the place', () => {
    const chunks = chunkSync(TEXT, { tier: 'professional', size: 110, overlap: 0 });
    const { records } = formatChunks(chunks, 'raw', { documentId: 'd' });
    const last = records.at(-1)!;
    expect(last.text).toContain('Limits');
    expect(citeRecords([last], 'Limits')).toBeUndefined();
  });

  it.each(IDS)('gives the boxes that hold a quotation, from records of %s', async (format) => {
    const line = (page: number) => (_: unknown, at: number) =>
      `On page ${page} the gauge ${at * 7} of the harbour stood at ${at * 13} centimetres.`;
    const pages = [1, 2].map((page) => ({ lines: Array.from({ length: 30 }, line(page)) }));
    const options = { size: 400, overlap: 120, regions: true };
    const { document, chunks } = await chunkSource({ bytes: writePdf({ pages }) }, options);
    const records = recordsOf(chunks, format);
    const widths: number[] = [];
    for (let at = 0; at + 90 < document.text.length; at += 41) {
      const [passage] = citeRecords(records, document.text.slice(at, at + 90))?.passages ?? [];
      if (passage === undefined) continue;
      const boxes = passage.regions ?? [];
      for (const { page, x0, y0, x1, y1 } of regionsOf(document, {
        start: passage.start_offset,
        end: passage.end_offset,
      })) {
        const middle = [50 * (x0 + x1), 50 * (y0 + y1)] as const;
        const isHeld = boxes.some(
          ([on, left, top, right, bottom]) =>
            on === page && left <= middle[0] && middle[0] <= right && top <= middle[1] && middle[1] <= bottom,
        );
        expect(isHeld).toBe(true);
      }
      const [holder] = chunks.filter(
        ({ start, overlap }) =>
          start <= passage.start_offset && passage.end_offset <= start + overlap && overlap > 0,
      );
      if (holder !== undefined) expect(boxes).toEqual(holder.metadata.overlapRegions);
      widths.push(boxes.length);
    }
    expect(widths.length).toBeGreaterThan(50);
  });

  it.each([
    ['guide.html', '<h1>Gauge</h1><p>It was read at dawn.</p><p>It was mended at noon.</p>', 'fragment'],
    ['guide.txt', 'It was read at dawn. It was mended at noon.', undefined],
  ] as const)('gives the anchor of the chunk in %s', async (filename, text, kind) => {
    const bytes = new TextEncoder().encode(text);
    const { chunks } = await chunkSource({ bytes, filename }, { size: 30, regions: true });
    const records = formatChunks(chunks, 'chroma', { documentId: 'd' }).records;
    const [passage] = citeRecords(records, 'mended at noon')?.passages ?? [];
    const holder = chunks.find((chunk) => chunk.text.includes('mended'));
    expect(passage).toMatchObject(holder?.metadata.anchor ?? {});
    expect(passage?.fragment).toBe(kind && ':~:text=It%20was%20mended%20at%20noon.');
  });

  it.each([
    ['no regions', undefined],
    ['a key of the caller', 'north'],
    ['boxes of another kind', { content: [[1, 2]] }],
    ['boxes of four numbers', [[1, 2, 3, 4]]],
    ['a null', null],
  ])('gives no boxes for %s', (_, regions) => {
    const { records } = formatChunks(chunkSync(TEXT, { size: 90 }), 'raw', { documentId: 'd' });
    const odd = records.map((record) => ({ ...record, regions }));
    const { passages = [] } = citeRecords(odd, 'No other form was tried') ?? {};
    expect(passages).toHaveLength(1);
    expect(passages[0]).not.toHaveProperty('regions');
  });

  it.each([
    ['no array', {}],
    ['no records', [1]],
    ['a record without a place', [{ id: 'a', text: 'Text.', metadata: {} }]],
    ['null', [null]],
  ])('refuses %s', (_, records) =>
    expect(() => citeRecords(records as never, 'its words')).toThrow(/records must be an array of records/u),
  );
});
