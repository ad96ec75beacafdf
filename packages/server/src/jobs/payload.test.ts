import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { deploymentOf } from '../catalog.ts';
import type { RequestSource } from '../requests/chunk-request.ts';
import { decodePayload, encodePayload, type JobPayload } from './payload.ts';

const DEPLOYMENT = deploymentOf({ deployment: 'primary', payments: 'off', payTo: undefined });
const [, structure] = DEPLOYMENT.tiers;
const request = (source: RequestSource, tier = structure!): JobPayload => ({
  request: { tier, options: { format: 'raw', size: 1000, overlap: 0, collection: 'ä"\n' }, source },
  origin: 'https://example.org',
  amount: 25_000n,
  settlement: { transaction: 'key', payer: 'payer' },
});
const wellFormed = fc.string({ unit: 'grapheme', maxLength: 200 });
const bytes = fc.uint8Array({ maxLength: 300 });
const SOURCES: fc.Arbitrary<RequestSource> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: wellFormed, filename: wellFormed }),
  fc.record({
    kind: fc.constant('upload' as const),
    upload: fc.record({
      bytes,
      filename: fc.option(wellFormed, { nil: undefined }),
      contentType: wellFormed,
    }),
  }),
  fc.record({ kind: fc.constant('link' as const), url: fc.webUrl() }),
  fc.record({
    kind: fc.constant('link' as const),
    url: fc.webUrl(),
    fetched: fc.record({ bytes, filename: wellFormed, contentType: wellFormed }),
  }),
);

describe('an order', () => {
  it('comes back as it was, from whatever source', async () => {
    await fc.assert(
      fc.asyncProperty(SOURCES, async (source) => {
        const given = request(source);
        const back = await decodePayload(await encodePayload(given), DEPLOYMENT);
        expect(plain(back)).toEqual(plain(given));
      }),
      cases(100),
    );
  });

  it('is smaller than its text, and as large as a file that does not compress', async () => {
    const text = 'High water follows the moon. '.repeat(1000);
    const small = await encodePayload(request({ kind: 'text', text, filename: 'a.txt' }));
    expect(small.length).toBeLessThan(text.length / 10);
    const file = {
      bytes: new Uint8Array(100_000).fill(255),
      filename: 'a.pdf',
      contentType: 'application/pdf',
    };
    const large = await encodePayload(request({ kind: 'upload', upload: file }));
    expect(large.length - file.bytes.length).toBeLessThan(1000);
  });

  it('for a tier that is no longer offered says so', async () => {
    const gone = { ...structure!, id: 'gone' };
    const bytes = await encodePayload(request({ kind: 'link', url: 'https://a.example/' }, gone));
    await expect(decodePayload(bytes, DEPLOYMENT)).rejects.toMatchObject({ code: 'tier_unavailable' });
  });
});

/** With bytes as lists, whatever class they are of, and without members that are undefined. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (typeof value === 'bigint' || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, plain(member)]),
  );
}
