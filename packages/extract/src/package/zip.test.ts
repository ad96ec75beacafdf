import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { writeZip } from '@grainline/testing/docx-writer';
import { openZip } from './zip.ts';

describe('a part', () => {
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
});
