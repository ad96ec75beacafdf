import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { writeZip } from '@grainline/testing/docx-writer';
import { openZip } from './zip.ts';

afterEach(() => vi.restoreAllMocks());

describe.each(['Node', 'a browser'])('a part, in %s', (where) => {
  beforeEach(() => {
    if (where === 'a browser') vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  });

  it('is unpacked whole, whatever size its archive declares', () => {
    const content = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.nat({ max: 200_000 }).map((length) => 'ab '.repeat(length / 3)),
    );
    const declared = fc.oneof(fc.constant(undefined), fc.nat({ max: 400_000 }), fc.constant(0xffffffff));
    fc.assert(
      fc.property(content, declared, (text, declaredSize) => {
        const zip = openZip(
          writeZip([{ name: 'a', content: text, ...(declaredSize !== undefined && { declaredSize }) }]),
        );
        expect(new TextDecoder().decode(zip.read('a'))).toBe(text);
      }),
      cases(100),
    );
  });

  it('that declares more than the bound is refused before any of it is unpacked', () => {
    // Damaged from its first byte: inflating would fail as corrupted.
    const bomb = (declaredSize: number): (() => unknown) => {
      const packed = writeZip([
        { name: 'a', content: new Uint8Array(2000).fill(0xff), method: 0, declaredSize },
      ]);
      const directory = Buffer.from(packed).readUInt32LE(packed.length - 6);
      packed[directory + 10] = 8;
      return () => openZip(packed, { maxEntries: 1, maxEntryBytes: 1e6, maxTotalBytes: 1e7 }).read('a');
    };
    expect(bomb(1e6 + 1)).toThrow('unpacks to more than is allowed');
    for (const size of [1e6, 2000 * 1032 + 1, 0xffffffff]) expect(bomb(size)).toThrow('cannot be unpacked');
  });

  it('with a changed byte is corrupted, stored or packed, small or read in pieces', () => {
    for (const text of ['some words', 'ab '.repeat(90_000)]) {
      const whole = writeZip([{ name: 'a', content: text }]);
      // The checksum stands 16 bytes into the entry of the directory.
      const directory = Buffer.from(whole).readUInt32LE(whole.length - 6);
      whole[directory + 16] = (whole[directory + 16] ?? 0) ^ 1;
      const zip = openZip(whole);
      for (const read of [() => zip.read('a'), () => [...zip.pieces('a')]])
        expect(read).toThrow('differs from its checksum');
    }
    const stored = writeZip([{ name: 'a', content: 'some words', method: 0 }]);
    const at = Buffer.from(stored).indexOf('words');
    stored[at] = 0x57;
    expect(() => openZip(stored).read('a')).toThrow('differs from its checksum');
  });
});
