import fc from 'fast-check';
import { chunkSync } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { boundariesOf, compareBoundaries } from './compare.ts';
import { cutsOf } from './chunks.ts';

const offsets = fc.uniqueArray(fc.nat(200)).map((list) => list.sort((a, b) => a - b));

describe('comparing boundaries', () => {
  it('puts every boundary into one of three lists, as sets say it', () => {
    fc.assert(
      fc.property(offsets, offsets, (first, second) => {
        const { shared, onlyFirst, onlySecond, agreement } = compareBoundaries(first, second);
        const [a, b] = [new Set(first), new Set(second)];
        expect(shared).toEqual([...a.intersection(b)]);
        expect(onlyFirst).toEqual([...a.difference(b)]);
        expect(onlySecond).toEqual([...b.difference(a)]);
        const all = a.union(b).size;
        expect(agreement).toBe(all === 0 ? 1 : shared.length / all);
      }),
      cases(100),
    );
  });

  it('is the same whichever comes first, and whole with itself', () => {
    fc.assert(
      fc.property(offsets, offsets, (first, second) => {
        expect(compareBoundaries(first, second).agreement).toBe(compareBoundaries(second, first).agreement);
        expect(compareBoundaries(first, first)).toMatchObject({
          agreement: 1,
          onlyFirst: [],
          onlySecond: [],
        });
      }),
      cases(100),
    );
  });

  it('takes a cut before a line break and one behind it for the same', () => {
    const text = 'One.\n\nTwo.';
    const cuts = (start: number) => ({
      ...cutsOf(chunkSync(text, { size: 10 })),
      starts: Uint32Array.of(0, start),
      ends: Uint32Array.of(start, 10),
      overlaps: Uint32Array.of(0, 0),
    });
    expect(boundariesOf(cuts(4), text)).toEqual([6]);
    expect(boundariesOf(cuts(6), text)).toEqual([6]);
  });

  it('counts where the own text of a chunk begins, behind what it repeats', () => {
    const text = 'The tide turns at noon. The pilot boards at two. The ship sails at six.';
    const cut = (overlap: number) => boundariesOf(cutsOf(chunkSync(text, { size: 30, overlap })), text);
    for (const at of cut(10)) expect(text.charAt(at)).not.toMatch(/\s/);
    expect(cut(0).length).toBeGreaterThan(1);
  });
});
