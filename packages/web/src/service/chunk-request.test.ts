import type { Overview } from '@grainline/client';
import { describe, expect, it } from 'vitest';
import {
  createTierRequest,
  excessOf,
  sentOptions,
  summarize,
  type RequestedDocument,
} from './chunk-request.ts';
import { requestKey } from './paid-answers.ts';

const OVERVIEW = {
  upload_types: ['txt', 'pdf'],
} as unknown as Overview;
const options = { size: 500, overlap: 50, unit: 'tokens' } as const;
const file = new File(['x'], 'report.pdf');
const pdf: RequestedDocument = {
  origin: { kind: 'file', file },
  reading: { text: 'The text', filename: 'report.pdf', mediaType: 'application/pdf', documentId: 'a1' },
};
const word: RequestedDocument = {
  origin: { kind: 'file', file: new File(['x'], 'letter.doc') },
  reading: { text: '# Text', filename: 'letter.doc', mediaType: 'application/msword', documentId: 'b2' },
};
const link: RequestedDocument = { origin: { kind: 'url', url: 'https://example.org/tides.txt' } };

describe('an order', () => {
  it('uploads a file of a kind that is taken', () => {
    expect(createTierRequest(pdf, 'ai', options, OVERVIEW)).toMatchObject({
      tier: 'ai',
      source: { file },
      options,
    });
  });

  it('sends the text of one that is not, as what it is', () => {
    const { source } = createTierRequest(word, 'ai', options, OVERVIEW);
    expect(source).toEqual({ text: '# Text', filename: 'letter.doc.md' });
  });

  it('says how a file was read with the file alone, and only what changes its kind', () => {
    const by = { pages: '2-', content: 'main' } as const;
    const sent = (document: RequestedDocument) =>
      sentOptions(createTierRequest({ ...document, by }, 'ai', options, OVERVIEW));
    expect(sent(pdf)).toEqual({ tier: 'ai', ...options, pages: '2-' });
    expect(sent({ ...pdf, origin: { kind: 'text' } })).toEqual({ tier: 'ai', ...options });
    const keyOf = (document: RequestedDocument) =>
      requestKey(summarize(createTierRequest(document, 'ai', options, OVERVIEW)));
    expect(keyOf({ ...pdf, by })).not.toBe(keyOf(pdf));
    expect(keyOf({ ...pdf, by: { content: 'main' } })).toBe(keyOf(pdf));
  });

  it('says again what it was made with, in whatever form it is sent', () => {
    const read = (document: RequestedDocument) =>
      summarize(createTierRequest(document, 'ai', options, OVERVIEW));
    expect(read(pdf)).toEqual({ tier: 'ai', options, reading: {}, filename: 'report.pdf', documentId: 'a1' });
    expect(read(word)).toEqual({
      tier: 'ai',
      options,
      reading: {},
      filename: 'letter.doc.md',
      documentId: 'b2',
    });
    const url = 'https://example.org/tides.txt';
    expect(read(link)).toEqual({ tier: 'ai', options, reading: {}, filename: url, documentId: url, url });
  });
});

describe('the excess of a document', () => {
  const overview = {
    ...OVERVIEW,
    tiers: [{ id: 'ai', max_characters: 100 }],
    limits: { max_upload_bytes: 60, max_json_bytes: 2090 },
  } as unknown as Overview;
  const excess = (text: string, bytes?: number, mediaType = 'application/pdf') => {
    const sent = new File(['x'.repeat(bytes ?? 0)], 'a');
    const reading = { text, filename: 'a', mediaType, documentId: 'a1' };
    const origin = bytes === undefined ? { kind: 'text' as const } : { kind: 'file' as const, file: sent };
    return excessOf(createTierRequest({ origin, reading }, 'ai', options, overview), text);
  };

  it('is none up to the limits, and is that of the tier, the upload or the JSON text', () => {
    expect(excess('x'.repeat(100), 60)).toBeUndefined();
    expect(excess('x'.repeat(101), 60)).toEqual({ unit: 'characters', size: 101, most: 100 });
    expect(excess('x', 61)).toEqual({ unit: 'bytes', size: 61, most: 60 });
    // A file of a kind that the service does not take is sent as its text.
    expect(excess('x', 61, 'application/msword')).toBeUndefined();
    expect(excess('x'.repeat(88))).toBeUndefined();
    expect(excess('é'.repeat(45))).toEqual({ unit: 'bytes', size: 92, most: 90 });
  });
});
