import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { describe, expect, it } from 'vitest';
import { boundedZoom, FULL_SIZE, layOutPages, pageAtHeight, zoomStep } from './page-layout.ts';

const MARGINS = { between: 10, around: 20, below: 60 };
const LETTER = [612, 792];
const sizesOf = (...pages: number[][]): Float32Array => Float32Array.from(pages.flat());

describe('the layout of pages', () => {
  it('makes most pages as wide as the window, and wider ones no wider', () => {
    const { boxOf, width } = layOutPages(sizesOf(LETTER, LETTER, [1224, 792]), 'fit', 652, MARGINS);
    expect(boxOf(1)).toEqual({ left: 20, top: 20, width: 612, height: 792 });
    expect(boxOf(3)).toMatchObject({ left: 20, width: 612, height: 396 });
    expect(width).toBe(652);
  });

  it('has pages of any size below each other, without overlap, within its width and height', () => {
    const page = fc.tuple(fc.integer({ min: 1, max: 14_400 }), fc.integer({ min: 1, max: 14_400 }));
    const zoom = fc.oneof(fc.constant('fit' as const), fc.double({ min: 0.2, max: 6, noNaN: true }));
    const law = fc.property(
      fc.array(page, { minLength: 1, maxLength: 60 }),
      zoom,
      fc.integer({ min: 100, max: 3000 }),
      (pages, by, window) => {
        const sizes = sizesOf(...pages);
        const layout = layOutPages(sizes, by, window, MARGINS);
        let end = 0;
        for (let number = 1; number <= layout.count; number++) {
          const box = layout.boxOf(number);
          expect(box.top).toBeGreaterThanOrEqual(end + (number === 1 ? 20 : 9.99));
          expect(box.left).toBeGreaterThanOrEqual(19.99);
          expect(box.left + box.width).toBeLessThanOrEqual(layout.width - 19.99);
          const [width = 1, height = 1] = pages[number - 1] ?? [];
          expect(box.height / box.width / (height / width)).toBeCloseTo(1, 2);
          expect(pageAtHeight(layout, box.top)).toBe(number);
          expect(pageAtHeight(layout, box.top + box.height)).toBe(number);
          end = box.top + box.height;
        }
        expect(layout.height).toBeCloseTo(end + 60, 3);
        expect(layout.height).toBeLessThan(15_100_000);
        if (by === 'fit') expect(layout.width).toBeLessThanOrEqual(window + 0.01);
      },
    );
    fc.assert(law, cases(200));
  });

  it('stays within what a browser can scroll, however many pages there are', () => {
    const sizes = Float32Array.from({ length: 2 * 50_000 }, (_, at) => LETTER[at % 2]!);
    expect(layOutPages(sizes, 4, 1000, MARGINS).height).toBeLessThan(16_000_000);
  });

  it('zooms by steps that end, and come back', () => {
    const seen = [FULL_SIZE];
    for (let at = FULL_SIZE; zoomStep(at, 1) > at; at = zoomStep(at, 1)) seen.push(zoomStep(at, 1));
    expect(seen.at(-1)).toBe(4 * FULL_SIZE);
    let back = 4 * FULL_SIZE;
    for (const at of seen.reverse().slice(1)) expect((back = zoomStep(back, -1))).toBeCloseTo(at);
    expect([boundedZoom(100), boundedZoom(0.001)]).toEqual([4 * FULL_SIZE, FULL_SIZE / 4]);
  });
});
