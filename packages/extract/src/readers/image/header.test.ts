import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { headerOf, type ImageFormat } from '@grainline/testing/image-headers';
import { ExtractError } from '../../errors.ts';
import { writePng } from '../pdf/ocr/png.ts';
import { readHeader } from './header.ts';

const FORMATS: readonly ImageFormat[] = ['png', 'jpeg', 'webp', 'webp-lossless', 'webp-extended', 'tiff'];
const mediaTypeOf = (format: ImageFormat): string => `image/${format.split('-')[0]}`;
const codeOf = (bytes: Uint8Array): string | undefined => {
  try {
    readHeader(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof ExtractError) return error.code;
    throw error;
  }
};

describe('the header of a picture', () => {
  it('has the size of every format', () => {
    const side = fc.integer({ min: 1, max: 6000 });
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS), side, side, (format, width, height) => {
        expect(readHeader(headerOf(format, width, height))).toEqual({
          mediaType: mediaTypeOf(format),
          width,
          height,
          pages: 1,
        });
      }),
      cases(200),
    );
  });

  it('is that of a whole PNG too', () => {
    expect(readHeader(writePng(3, 2, new Uint8Array(6)))).toMatchObject({ width: 3, height: 2 });
  });

  it.each(FORMATS)('of a %s is rejected above 40 million pixels, and without pixels', (format) => {
    const [width, height] = format === 'png' || format === 'tiff' ? [100_000, 100_000] : [16_000, 16_000];
    expect(codeOf(headerOf(format, width, height))).toBe('too_large');
    expect(codeOf(headerOf(format, 8000, 5000))).toBeUndefined();
    expect(codeOf(headerOf(format, 8001, 5000))).toBe('too_large');
    if (!format.startsWith('webp')) expect(codeOf(headerOf(format, 0, 10))).toBe('corrupted');
  });

  it('is rejected with a code wherever it is cut, and for any bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS), fc.integer({ min: 0, max: 40 }), (format, length) => {
        const cut = headerOf(format, 10, 10).subarray(0, length);
        expect([undefined, 'corrupted']).toContain(codeOf(cut));
      }),
      cases(300),
    );
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS), fc.uint8Array({ maxLength: 200 }), (format, noise) => {
        const head = headerOf(format, 10, 10).subarray(0, 12);
        expect([undefined, 'corrupted', 'too_large']).toContain(codeOf(Uint8Array.from([...head, ...noise])));
      }),
      cases(500),
    );
  });

  it('of a TIFF counts its pictures, and ends in a circle', () => {
    expect(readHeader(headerOf('tiff', 10, 10, { pages: 3 })).pages).toBe(3);
    expect(readHeader(headerOf('tiff', 10, 10, { pages: 3, isCircle: true })).pages).toBe(3);
  });

  it('of a TIFF with huge tiles or samples is rejected', () => {
    expect(codeOf(headerOf('tiff', 10, 10, { tags: { 322: 100_000, 323: 100_000 } }))).toBe('corrupted');
    expect(codeOf(headerOf('tiff', 10, 10, { tags: { 258: 16, 277: 60_000 } }))).toBe('corrupted');
  });
});
