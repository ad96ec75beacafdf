import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { type DocumentRegions, NO_PLACE, type Region } from '../document.ts';
import { packRegions, unpackRegions } from './pack.ts';
import { pageSizeOf, regionsOf } from './regions.ts';

/** A run by hand: its place, and for each unit its two edges, or none. */
interface Run {
  readonly start: number;
  readonly page: number;
  readonly turn: number;
  readonly extent: readonly [number, number];
  readonly edges: readonly (readonly [number, number] | undefined)[];
}

function regionsFrom(runs: readonly Run[], pageSizes: readonly number[] = [61200, 79200]): DocumentRegions {
  const offsets = [0];
  for (const { edges } of runs) offsets.push((offsets.at(-1) ?? 0) + edges.length);
  return {
    pageSizes: Int32Array.from(pageSizes),
    starts: Uint32Array.from(runs, ({ start }) => start),
    offsets: Uint32Array.from(offsets),
    pages: Uint16Array.from(runs, ({ page }) => page),
    turns: Uint8Array.from(runs, ({ turn }) => turn),
    extents: Int32Array.from(runs.flatMap(({ extent }) => extent)),
    edges: Int32Array.from(
      runs.flatMap(({ edges }) => edges.flatMap((edge) => edge ?? [NO_PLACE, NO_PLACE])),
    ),
  };
}

/** Units of one width, one after another. */
const row = (from: number, count: number, width = 500): [number, number][] =>
  Array.from({ length: count }, (_, at) => [from + at * width, from + (at + 1) * width]);

/** `## Tide\nturns` as two lines, and the mark of the heading without a place. */
const TWO_LINES = regionsFrom([
  { start: 3, page: 1, turn: 0, extent: [7000, 8200], edges: row(7200, 4) },
  { start: 8, page: 1, turn: 0, extent: [8300, 9500], edges: row(7200, 5) },
]);

describe('regionsOf', () => {
  it('gives a box for each line, in points', () => {
    expect(regionsOf({ regions: TWO_LINES }, { start: 0, end: 13 })).toEqual([
      { page: 1, x0: 72, y0: 70, x1: 92, y1: 82 },
      { page: 1, x0: 72, y0: 83, x1: 97, y1: 95 },
    ]);
  });

  it('cuts the first and the last line at the character', () => {
    expect(regionsOf({ regions: TWO_LINES }, { start: 5, end: 10 })).toEqual([
      { page: 1, x0: 82, y0: 70, x1: 92, y1: 82 },
      { page: 1, x0: 72, y0: 83, x1: 82, y1: 95 },
    ]);
  });

  it('gives none for text without a place, for an empty span, and without regions', () => {
    for (const span of [
      { start: 0, end: 3 },
      { start: 7, end: 8 },
      { start: 13, end: 99 },
      { start: 4, end: 4 },
    ])
      expect(regionsOf({ regions: TWO_LINES }, span)).toEqual([]);
    expect(regionsOf({}, { start: 0, end: 13 })).toEqual([]);
    expect(regionsOf({ regions: regionsFrom([]) }, { start: 0, end: 13 })).toEqual([]);
  });

  it('leaves units without a place out of a box', () => {
    const edges = [undefined, [100, 200], undefined, [250, 300], undefined] as const;
    const regions = regionsFrom([{ start: 0, page: 2, turn: 0, extent: [0, 1000], edges }]);
    expect(regionsOf({ regions }, { start: 0, end: 5 })).toEqual([{ page: 2, x0: 1, y0: 0, x1: 3, y1: 10 }]);
    expect(regionsOf({ regions }, { start: 2, end: 3 })).toEqual([]);
  });

  it('cuts upright text between top and bottom', () => {
    const regions = regionsFrom([
      { start: 0, page: 1, turn: 1, extent: [1000, 2000], edges: row(500, 4) },
      { start: 4, page: 1, turn: 3, extent: [3000, 4000], edges: row(500, 4).reverse() },
    ]);
    expect(regionsOf({ regions }, { start: 0, end: 1 })).toEqual([
      { page: 1, x0: 10, y0: 5, x1: 20, y1: 10 },
    ]);
    expect(regionsOf({ regions }, { start: 4, end: 5 })).toEqual([
      { page: 1, x0: 30, y0: 20, x1: 40, y1: 25 },
    ]);
  });

  it('cuts text from right to left at the character', () => {
    const regions = regionsFrom([
      { start: 0, page: 1, turn: 0, extent: [0, 1000], edges: row(0, 4).reverse() },
    ]);
    expect(regionsOf({ regions }, { start: 0, end: 1 })).toEqual([
      { page: 1, x0: 15, y0: 0, x1: 20, y1: 10 },
    ]);
  });

  it('gives the boxes that a search through all units gives', () => {
    const same = fc.property(anyRuns, anySpan, (runs, span) => {
      expect(regionsOf({ regions: regionsFrom(runs) }, span)).toEqual(slowRegions(runs, span));
    });
    fc.assert(same, cases(300));
  });

  it('gives parts of a span boxes that reach as far as those of the span', () => {
    const parts = fc.property(anyRuns, anySpan, fc.nat(80), (runs, { start, end }, cut) => {
      const regions = regionsFrom(runs);
      const middle = Math.min(end, Math.max(start, cut));
      const halves = [
        { start, end: middle },
        { start: middle, end },
      ].flatMap((part) => regionsOf({ regions }, part));
      expect(hulls(halves)).toEqual(hulls(regionsOf({ regions }, { start, end })));
    });
    fc.assert(parts, cases(300));
  });

  it('reads a number of runs that grows with the logarithm of the document', () => {
    const count = 1 << 12;
    const runs = regionsFrom(
      Array.from({ length: count }, (_, at) => {
        return { start: 5 * at, page: 1, turn: 0, extent: [0, 1000], edges: row(0, 4) } as const;
      }),
    );
    let reads = 0;
    const starts = new Proxy(runs.starts, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, target) as unknown;
      },
    });
    const span = { start: 5 * 2000, end: 5 * 2000 + 8 };
    expect(regionsOf({ regions: { ...runs, starts } }, span)).toHaveLength(2);
    expect(reads).toBeLessThan(20);
  });
});

describe('pageSizeOf', () => {
  it('gives the size of each page that was read', () => {
    const regions = regionsFrom([], [61200, 79200, 0, 0, 84189, 59528]);
    const sizes = [0, 1, 2, 3, 4].map((page) => pageSizeOf({ regions }, page));
    expect(sizes).toEqual([
      undefined,
      { width: 612, height: 792 },
      undefined,
      { width: 841.89, height: 595.28 },
      undefined,
    ]);
    expect(pageSizeOf({}, 1)).toBeUndefined();
  });
});

describe('regions', () => {
  it('pass through structuredClone', () => {
    expect(structuredClone(TWO_LINES)).toEqual(TWO_LINES);
  });

  it('pass through JSON as a string', () => {
    const same = fc.property(anyRuns, fc.array(fc.nat(2_000_000), { maxLength: 6 }), (runs, sizes) => {
      const regions = regionsFrom(runs, sizes.length % 2 === 0 ? sizes : sizes.slice(1));
      const json = JSON.stringify({ regions: packRegions(regions) });
      expect(unpackRegions((JSON.parse(json) as { regions: string }).regions)).toEqual(regions);
    });
    fc.assert(same, cases(300));
  });

  it('take some four characters of JSON for each unit of a usual line', () => {
    const lines = Array.from({ length: 100 }, (_, at) => {
      const extent = [7000 + 1400 * (at % 50), 8100 + 1400 * (at % 50)] as const;
      return { start: 81 * at, page: 1 + Math.floor(at / 50), turn: 0, extent, edges: row(7200, 80) };
    });
    expect(packRegions(regionsFrom(lines)).length).toBeLessThan(4.3 * 81 * 100);
  });

  it('are refused when a string holds something else', () => {
    const packed = packRegions(TWO_LINES);
    for (const wrong of [
      '',
      'Ag==',
      '€',
      packed.slice(0, -8),
      `${packed.slice(0, -4)}AAAA`,
      packed.slice(0, 8),
    ])
      expect(() => unpackRegions(wrong)).toThrow(RangeError);
    const hostile = fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const string = btoa(String.fromCharCode(1, ...bytes));
      try {
        expect(packRegions(unpackRegions(string))).toBeTypeOf('string');
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    });
    fc.assert(hostile, cases(300));
  });
});

const anyEdges = fc.array(
  fc.option(
    fc
      .tuple(fc.integer({ min: -500, max: 5000 }), fc.nat(40))
      .map(([near, width]) => [near, near + width] as const),
    { nil: undefined, freq: 4 },
  ),
  { minLength: 1, maxLength: 9 },
);

const anyRuns = fc
  .array(
    fc.record({
      gap: fc.nat(3),
      page: fc.integer({ min: 1, max: 3 }),
      turn: fc.nat(3),
      top: fc.integer({ min: -100, max: 80_000 }),
      height: fc.nat(2000),
      edges: anyEdges,
    }),
    { maxLength: 12 },
  )
  .map((runs) => {
    let at = 0;
    return runs.map(({ gap, top, height, edges, page, turn }): Run => {
      const start = at + gap;
      at = start + edges.length;
      return { start, page, turn, extent: [top, top + height], edges };
    });
  });

const anySpan = fc
  .tuple(fc.nat(80), fc.nat(80))
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

/** The boxes of a span by all units of all runs. */
function slowRegions(runs: readonly Run[], span: { readonly start: number; readonly end: number }): Region[] {
  return runs.flatMap(({ start, page, turn, extent: [top, bottom], edges }) => {
    const inside = edges.flatMap((edge, at) =>
      edge !== undefined && start + at >= span.start && start + at < span.end ? [edge] : [],
    );
    if (inside.length === 0) return [];
    const [low, high] = [
      Math.min(...inside.map(([near]) => near)),
      Math.max(...inside.map(([, far]) => far)),
    ];
    const box = turn % 2 === 0 ? [low, top, high, bottom] : [top, low, bottom, high];
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = box.map((edge) => edge / 100);
    return [{ page, x0, y0, x1, y1 }];
  });
}

/** The smallest box around all boxes of a page. */
function hulls(boxes: readonly Region[]): Map<number, Region> {
  const found = new Map<number, Region>();
  for (const { page, x0, y0, x1, y1 } of boxes) {
    const hull = found.get(page) ?? { page, x0, y0, x1, y1 };
    found.set(page, {
      page,
      x0: Math.min(hull.x0, x0),
      y0: Math.min(hull.y0, y0),
      x1: Math.max(hull.x1, x1),
      y1: Math.max(hull.y1, y1),
    });
  }
  return found;
}
