// Injected context in the records of every format: part of the text, told apart by `content_start`.
import { chunkSync, indexedText } from '@grainline/core';
import { FORMATS, type FormatId, toRecords } from '@grainline/core/formats';
import { describe, expect, it } from 'vitest';

const TEXT = [
  '# Handbook',
  '## Trains',
  'Rail Travel Allowance (RTA) is paid for every journey, whatever its length and whoever made it.',
  '### Claims',
  'Claims are made on paper. The desk on the second floor takes them until noon of every working day.',
  'They are answered within a week. Every RTA that is late by more than that counts as granted to all.',
].join('\n\n');
const chunks = chunkSync(TEXT, { tier: 'professional', kind: 'markdown', size: 240, target: 100 });
const last = chunks.at(-1)!;

/** The record's text and its metadata, wherever a format puts them. */
function partsOf(record: unknown): Record<string, unknown> {
  const { document, metadata, payload, properties, ...rest } = record as Record<
    string,
    Record<string, unknown>
  >;
  return {
    ...rest,
    ...(document === undefined ? undefined : { text: document }),
    ...metadata,
    ...payload,
    ...properties,
  };
}

it('is what the tier says it is', () => {
  expect(last.context?.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'title: Handbook',
    'heading-path: Trains',
    'heading-path: Claims',
    'antecedent: The desk on the second floor takes',
  ]);
});

describe.each(Object.keys(FORMATS) as FormatId[])('context in %s', (format) => {
  const records = toRecords(chunks, format, { documentId: 'd', filename: 'handbook.md' }).map(partsOf);

  it('stands in the text before the slice of the document', () => {
    for (const [index, piece] of chunks.entries()) {
      const record = records[index] ?? {};
      const text = String(record['text']);
      expect(text).toBe(indexedText(piece));
      expect(text.slice(Number(record['content_start'] ?? 0))).toBe(piece.text);
      expect(text.slice(Number(record['content_start'] ?? 0))).toBe(
        TEXT.slice(Number(record['start_offset']), Number(record['end_offset'])),
      );
      expect(record['char_count']).toBe(text.length);
      expect('content_start' in record).toBe(piece.context !== undefined);
    }
  });

  it('leaves the heading path whole', () => {
    expect(records.at(-1)?.['heading_path']).toBe('Handbook > Trains > Claims');
  });
});

it('is told part by part in raw records, absent where there is none', () => {
  const records = toRecords(chunks, 'raw', { documentId: 'd' });
  for (const [index, { context }] of records.entries()) {
    expect(context?.map(({ text }) => text)).toEqual(chunks[index]?.context?.map(({ text }) => text));
    for (const { text, start_offset, end_offset } of context ?? [])
      expect(TEXT.slice(start_offset, end_offset)).toBe(text);
  }
  expect(Object.keys(records[0]!)).toEqual(['id', 'text', 'metadata']);
});

it('is in no other format than raw, which keep metadata flat', () => {
  for (const format of ['pinecone', 'weaviate', 'chroma', 'qdrant'] as const) {
    for (const record of toRecords(chunks, format, { documentId: 'd' }))
      expect(partsOf(record)).not.toHaveProperty('context');
  }
});
