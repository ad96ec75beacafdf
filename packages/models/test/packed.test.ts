import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { PACKED } from '../src/embeddings/data/static.ts';
import { unpack, unpackAnywhere } from '../src/packed.ts';

const ways = [
  { name: 'by what Node has', unpack },
  { name: 'by what browsers have', unpack: unpackAnywhere },
];

describe.each(ways)('unpacking $name', ({ unpack: unpackBytes }) => {
  it('gives the bytes that were packed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        const unpacked = await unpackBytes(deflateRawSync(bytes).toString('base64'));
        expect(unpacked).toEqual(new Uint8Array(bytes));
      }),
      cases(50),
    );
  });

  it('rejects what is cut short', async () => {
    const packed = deflateRawSync(Buffer.from('a text that is longer than its beginning'));
    await expect(unpackBytes(packed.subarray(0, -8).toString('base64'))).rejects.toThrow();
  });
});

it('unpacking goes one way and the other to the same table', async () => {
  const [bytes, others] = [await unpack(PACKED), await unpackAnywhere(PACKED)];
  expect(Buffer.compare(bytes, others)).toBe(0);
});
