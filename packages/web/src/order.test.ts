import { describe, expect, it } from 'vitest';
import { orderFor, readOrder, type Sendable, sendingOf } from './order.ts';
import type { Overview } from './overview.ts';

const OVERVIEW = {
  tiers: [{ id: 'ai', path: '/chunk/ai' }],
  upload_types: ['txt', 'pdf'],
} as unknown as Overview;
const BASE = 'https://chunks.example/below/';
const options = { size: 500, overlap: 50, unit: 'tokens' } as const;
const file = new File(['x'], 'report.pdf');
const pdf: Sendable = {
  origin: { kind: 'file', file },
  reading: { text: 'The text', filename: 'report.pdf', mediaType: 'application/pdf' },
};
const word: Sendable = {
  origin: { kind: 'file', file: new File(['x'], 'letter.doc') },
  reading: { text: '# Text', filename: 'letter.doc', mediaType: 'application/msword' },
};
const link: Sendable = { origin: { kind: 'url', url: 'https://example.org/tides.txt' } };

describe('an order', () => {
  it('uploads a file of a kind that is taken', () => {
    expect(orderFor(pdf, 'ai', options, OVERVIEW).request).toEqual({
      kind: 'upload',
      file,
      fields: { chunk_size: '500', chunk_overlap: '50', unit: 'tokens' },
    });
  });

  it('sends the text of one that is not, as what it is', () => {
    expect(orderFor(word, 'ai', options, OVERVIEW).request).toEqual({
      kind: 'json',
      body: {
        text: '# Text',
        filename: 'letter.doc.md',
        tier: 'ai',
        chunk_size: 500,
        chunk_overlap: 50,
        unit: 'tokens',
      },
    });
  });

  it('says again what it was made with, in whatever form it is sent', () => {
    const read = (document: Sendable) => readOrder(orderFor(document, 'ai', options, OVERVIEW));
    expect(read(pdf)).toEqual({ tier: 'ai', options, filename: 'report.pdf' });
    expect(read(word)).toEqual({ tier: 'ai', options, filename: 'letter.doc.md' });
    const url = 'https://example.org/tides.txt';
    expect(read(link)).toEqual({ tier: 'ai', options, filename: url, url });
  });

  it('is sent below the address of the service, a file with its options before it', () => {
    const [url, { body }] = sendingOf(orderFor(pdf, 'ai', options, OVERVIEW), BASE);
    expect(url).toBe('https://chunks.example/below/chunk/ai');
    expect([...(body as FormData).keys()]).toEqual(['chunk_size', 'chunk_overlap', 'unit', 'file']);
    const [address, init] = sendingOf(orderFor(link, 'ai', options, OVERVIEW), BASE);
    expect(address).toBe('https://chunks.example/below/chunk');
    expect(JSON.parse(init.body as string)).toMatchObject({
      url: 'https://example.org/tides.txt',
      tier: 'ai',
    });
  });

  it('of a file by a tier that the service does not have is refused', () => {
    expect(() => sendingOf(orderFor(pdf, 'best', options, OVERVIEW), BASE)).toThrow('no tier best');
  });
});
