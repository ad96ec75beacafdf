import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { describe, expect, it } from 'vitest';
import { type LineBox, pathOf, shapesOf } from './outlines.ts';

const line = (x0: number, y0: number, x1: number, y1 = y0 + 10): LineBox => ({ x0, y0, x1, y1 });

describe('outlines of lines', () => {
  it('makes one shape of the lines of a paragraph, without gap or overlap', () => {
    // The first two leave a gap, the last two overlap.
    const shapes = shapesOf([line(50, 0, 200), line(10, 12, 200), line(10, 21, 80)]);
    expect(shapes).toEqual([[line(50, 0, 200, 11), line(10, 11, 200, 21.5), line(10, 21.5, 80, 31)]]);
    expect(pathOf(shapes)).toBe(
      'M200 0L200 11L200 11L200 21.5L80 21.5L80 31L10 31L10 21.5L10 21.5L10 11L50 11L50 0Z',
    );
  });

  it('parts columns, far lines and lines beside each other', () => {
    expect(shapesOf([line(0, 0, 100), line(0, 40, 100)])).toHaveLength(2);
    expect(shapesOf([line(0, 500, 100), line(120, 0, 220)])).toHaveLength(2);
    expect(shapesOf([line(0, 0, 40), line(60, 11, 100)])).toHaveLength(2);
  });

  it('makes a row of the cells of a table', () => {
    expect(shapesOf([line(0, 0, 40), line(100, 0, 140), line(180, 1, 220)])).toEqual([[line(0, 0, 220, 11)]]);
  });

  it('makes the ragged sides of a justified column straight, and leaves the others', () => {
    const [shape] = shapesOf([line(12, 0, 198), line(10, 10, 200), line(10, 20, 120)]);
    expect(shape?.map(({ x0, x1 }) => [x0, x1])).toEqual([
      [10, 200],
      [10, 200],
      [10, 120],
    ]);
  });

  it('covers every box but for the border that it shares with the next line', () => {
    const box = fc
      .tuple(fc.nat(500), fc.nat(700), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 4, max: 30 }))
      .map(([x, y, width, height]) => line(x, y, x + width, y + height));
    const law = fc.property(fc.array(box, { maxLength: 20 }), (boxes) => {
      const parts = shapesOf(boxes).flat();
      for (const { x0, x1, y0, y1 } of boxes) {
        const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
        expect(parts.some((part) => part.x0 <= x && x <= part.x1 && part.y0 <= y && y <= part.y1)).toBe(true);
      }
      expect(parts.length).toBeLessThanOrEqual(boxes.length);
    });
    fc.assert(law, cases(300));
  });
});
