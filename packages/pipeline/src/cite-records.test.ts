// A quotation is found in records of every format where it is found in their chunks.
import { cases } from '@grainline/testing/cases';
import { anyDocument } from '@grainline/testing/documents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, chunkSync, cite } from '@grainline/core';
import { formatChunks, type FormatId, FORMATS } from '@grainline/core/formats';
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

  it.each([
    ['no array', {}],
    ['no records', [1]],
    ['a record without a place', [{ id: 'a', text: 'Text.', metadata: {} }]],
    ['null', [null]],
  ])('refuses %s', (_, records) =>
    expect(() => citeRecords(records as never, 'its words')).toThrow(/records must be an array of records/u),
  );
});
