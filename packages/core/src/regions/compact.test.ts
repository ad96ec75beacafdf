import { describe, expect, it } from 'vitest';
import type { DocumentRegions } from '../document.ts';
import { chunkRegions, MAX_REGION_BYTES } from './compact.ts';

/** Lines of ten units of five points, from a left edge and a top in points, on pages. */
function regionsFrom(
  lines: readonly (readonly [page: number, x: number, y: number, units?: number])[],
): DocumentRegions {
  const offsets = [0];
  for (const [, , , units = 10] of lines) offsets.push((offsets.at(-1) ?? 0) + units);
  return {
    pageSizes: Int32Array.from([]),
    starts: Uint32Array.from(offsets.slice(0, -1)),
    offsets: Uint32Array.from(offsets),
    pages: Uint16Array.from(lines, ([page]) => page),
    turns: new Uint8Array(lines.length),
    extents: Int32Array.from(lines.flatMap(([, , y]) => [100 * y, 100 * y + 1000])),
    edges: Int32Array.from(
      lines.flatMap(([, x, , units = 10]) =>
        Array.from({ length: units }, (_, at) => [100 * x + 500 * at, 100 * x + 500 * (at + 1)]).flat(),
      ),
    ),
  };
}

const NONE = { content: [], overlap: [], context: [] };
const paragraph = [0, 1, 2, 3].map((line) => [1, 72, 100 + 12 * line] as const);

describe('chunkRegions', () => {
  it('joins lines right below each other, and leaves cut lines apart', () => {
    const regions = regionsFrom(paragraph);
    expect(chunkRegions({ regions }, { start: 0, end: 40, overlap: 0 })).toEqual({
      ...NONE,
      content: [[1, 7200, 10_000, 12_200, 14_600]],
    });
    expect(chunkRegions({ regions }, { start: 4, end: 36, overlap: 0 })).toEqual({
      ...NONE,
      content: [
        [1, 9200, 10_000, 12_200, 11_000],
        [1, 7200, 11_200, 12_200, 13_400],
        [1, 7200, 13_600, 10_200, 14_600],
      ],
    });
  });

  it('joins lines that end before their column does, and the cells of a row', () => {
    const ragged = [
      [1, 72, 100, 10],
      [1, 80, 112, 7],
      [1, 72, 124, 4],
    ] as const;
    const whole = chunkRegions({ regions: regionsFrom(ragged) }, { start: 0, end: 21, overlap: 0 });
    expect(whole).toEqual({ ...NONE, content: [[1, 7200, 10_000, 12_200, 13_400]] });
    const rows = [0, 1].flatMap((row) => [72, 172, 272].map((x) => [1, x, 100 + 14 * row, 5] as const));
    const table = chunkRegions({ regions: regionsFrom(rows) }, { start: 0, end: 30, overlap: 0 });
    expect(table).toEqual({ ...NONE, content: [[1, 7200, 10_000, 29_700, 12_400]] });
    const part = chunkRegions({ regions: regionsFrom(rows) }, { start: 5, end: 30, overlap: 0 });
    expect(part).toEqual({
      ...NONE,
      content: [
        [1, 17_200, 10_000, 29_700, 11_000],
        [1, 7200, 11_400, 29_700, 12_400],
      ],
    });
  });

  it('joins neither columns, nor lines far apart, nor those of different pages', () => {
    const lines = [
      [1, 72, 100],
      [1, 300, 60],
      [1, 300, 90],
      [2, 300, 102],
    ] as const;
    const { content } = chunkRegions({ regions: regionsFrom(lines) }, { start: 0, end: 40, overlap: 0 });
    expect(content).toHaveLength(4);
  });

  it('points overlap and each part of the context at their own places', () => {
    const regions = regionsFrom(paragraph);
    const context = [
      { start: 0, end: 10 },
      { start: 90, end: 99 },
    ];
    expect(chunkRegions({ regions }, { start: 10, end: 30, overlap: 10, context })).toEqual({
      content: [[1, 7200, 12_400, 12_200, 13_400]],
      overlap: [[1, 7200, 11_200, 12_200, 12_200]],
      context: [[[1, 7200, 10_000, 12_200, 11_000]], []],
    });
  });

  it('has nothing for text that no page shows', () => {
    const regions = regionsFrom(paragraph);
    expect(chunkRegions({ regions }, { start: 40, end: 50, overlap: 0 })).toEqual(NONE);
    expect(chunkRegions({}, { start: 0, end: 40, overlap: 0 })).toEqual(NONE);
  });

  it('never exceeds its bound: a box a page then, and the first pages', () => {
    const scattered = Array.from(
      { length: 2000 },
      (_, at) => [1 + Math.floor(at / 500), 72 + (at % 7) * 60, at] as const,
    );
    const few = chunkRegions({ regions: regionsFrom(scattered) }, { start: 0, end: 20_000, overlap: 0 });
    expect(few.content.map(([page, , top]) => [page, top])).toEqual([
      [1, 0],
      [2, 50_000],
      [3, 100_000],
      [4, 150_000],
    ]);
    const pages = Array.from({ length: 3000 }, (_, at) => [at + 1, 72, 100] as const);
    const many = chunkRegions({ regions: regionsFrom(pages) }, { start: 0, end: 30_000, overlap: 0 });
    expect(JSON.stringify(many).length).toBeLessThanOrEqual(MAX_REGION_BYTES);
    expect(many.content.slice(0, 2).map(([page]) => page)).toEqual([1, 2]);
  });
});
