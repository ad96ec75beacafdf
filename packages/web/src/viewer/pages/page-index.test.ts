import { type DocumentRegions, NO_PLACE } from '@grainline/core';
import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { describe, expect, it } from 'vitest';
import type { CutTable } from '../../document/cut-table.ts';
import { PageIndex } from './page-index.ts';

/** A line by hand: five points a character, ten high. */
interface HandLine {
  readonly start: number;
  readonly length: number;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly turn?: number;
  readonly isReversed?: boolean;
}

function regionsOf(lines: readonly HandLine[], pageCount: number): DocumentRegions {
  const offsets = [0];
  for (const { length } of lines) offsets.push((offsets.at(-1) ?? 0) + length);
  const edges = lines.flatMap(({ length, x, isReversed = false }) => {
    const letters = Array.from({ length }, (_, at) => [100 * (x + 5 * at), 100 * (x + 5 * at + 5)]);
    return (isReversed ? letters.reverse() : letters).flat();
  });
  return {
    pageSizes: Int32Array.from({ length: 2 * pageCount }, (_, at) => (at % 2 === 0 ? 60_000 : 80_000)),
    starts: Uint32Array.from(lines, ({ start }) => start),
    offsets: Uint32Array.from(offsets),
    pages: Uint16Array.from(lines, ({ page }) => page),
    turns: Uint8Array.from(lines, ({ turn = 0 }) => turn),
    extents: Int32Array.from(lines.flatMap(({ y }) => [100 * y, 100 * (y + 10)])),
    edges: Int32Array.from(edges),
  };
}

const cutsAt = (...starts: number[]): CutTable => ({
  starts: Uint32Array.from(starts.slice(0, -1)),
  ends: Uint32Array.from(starts.slice(1)),
  overlaps: new Uint32Array(starts.length - 1),
  contexts: new Map(),
  paths: [],
  pathOf: new Uint32Array(starts.length - 1),
});

/** Two lines on the first page and one on the second; a note of the first page stands last in the text. */
const LINES: HandLine[] = [
  { start: 2, length: 10, page: 1, x: 50, y: 100 },
  { start: 13, length: 10, page: 1, x: 50, y: 400 },
  { start: 24, length: 10, page: 2, x: 50, y: 200 },
  { start: 35, length: 10, page: 1, x: 50, y: 700 },
];
const PLACED = { text: ' '.repeat(45), pages: [0, 24], regions: regionsOf(LINES, 2) };

describe('the text of pages', () => {
  const index = new PageIndex(PLACED, 2);

  it('has the chunks of a page wherever its text stands in the document', () => {
    const cuts = cutsAt(0, 13, 24, 35, 45);
    expect(index.chunksOn(1, cuts)).toEqual([0, 1, 3]);
    expect(index.chunksOn(2, cuts)).toEqual([2]);
    expect(index.boxesOf({ start: 20, end: 40 }, 1)).toEqual([
      { page: 1, x0: 85, y0: 400, x1: 100, y1: 410 },
      { page: 1, x0: 50, y0: 700, x1: 75, y1: 710 },
    ]);
  });

  it('knows the room between a line and the text of the column before', () => {
    const columns = [
      { start: 0, length: 10, page: 1, x: 50, y: 100 },
      { start: 10, length: 10, page: 1, x: 120, y: 105 },
      { start: 20, length: 10, page: 1, x: 120, y: 120 },
      { start: 30, length: 10, page: 1, x: 300, y: 400 },
      { start: 40, length: 10, page: 1, x: 200, y: 400, isReversed: true },
    ];
    const placed = { text: ' '.repeat(50), pages: [0], regions: regionsOf(columns, 1) };
    const made = new PageIndex(placed, 1);
    const rooms = columns.map(({ start }) => made.roomBefore(made.startAt(start)!));
    expect(rooms).toEqual([undefined, 20, undefined, 50, 50]);
  });

  it('finds the place of text, and the text of a place', () => {
    expect(index.placeOf(0)).toEqual({ page: 1, y: 100 / 800 });
    expect(index.placeOf(30)).toEqual({ page: 2, y: 200 / 800 });
    expect(index.offsetAt({ page: 1, y: 0 })).toBe(2);
    expect(index.offsetAt({ page: 1, y: 0.2 })).toBe(13);
    expect(index.offsetAt({ page: 2, y: 0.9 })).toBe(PLACED.text.length);
    for (const { start } of LINES) expect(index.offsetAt(index.placeOf(start))).toBe(start);
  });

  it('says where a line begins, and in which direction it runs', () => {
    const other = new PageIndex(
      {
        ...PLACED,
        regions: regionsOf(
          [
            { start: 0, length: 4, page: 1, x: 50, y: 100 },
            { start: 5, length: 4, page: 1, x: 50, y: 200, isReversed: true },
            { start: 10, length: 4, page: 1, x: 50, y: 300, turn: 1 },
            { start: 15, length: 4, page: 1, x: 50, y: 400, turn: 3 },
          ],
          1,
        ),
      },
      1,
    );
    expect([0, 5, 10, 15].map((at) => other.startAt(at)?.towards)).toEqual(['right', 'left', 'down', 'up']);
    expect(other.startAt(6)?.letter).toMatchObject({ x0: 60, x1: 65 });
    expect(other.startAt(19)).toBeUndefined();
  });

  it('estimates places where there are no regions', () => {
    const bare = new PageIndex({ text: ' '.repeat(100), pages: [0, 60] }, 3);
    expect(bare.hasRegions).toBe(false);
    expect(bare.placeOf(30)).toEqual({ page: 1, y: 0.5 });
    expect(bare.offsetAt({ page: 2, y: 0.5 })).toBe(80);
    expect(bare.offsetAt({ page: 3, y: 0 })).toBe(100);
    expect(bare.chunksOn(1, cutsAt(0, 100))).toEqual([]);
  });

  it('finds the chunks that a search through all boxes finds', () => {
    const anyLines = fc
      .array(
        fc.record({
          gap: fc.nat(3),
          length: fc.integer({ min: 1, max: 12 }),
          page: fc.integer({ min: 1, max: 4 }),
        }),
        {
          maxLength: 25,
        },
      )
      .map((lines) => {
        let end = 0;
        return lines.map(({ gap, length, page }, at): HandLine => {
          const start = end + gap;
          end = start + length;
          return { start, length, page, x: 10, y: 12 * at };
        });
      });
    const law = fc.property(
      anyLines,
      fc.array(fc.nat(300), { minLength: 2, maxLength: 12 }),
      (lines, cuts) => {
        const table = cutsAt(...[...new Set(cuts), 301].sort((a, b) => a - b));
        const regions = regionsOf(lines, 4);
        expect(regions.edges).not.toContain(NO_PLACE);
        const made = new PageIndex({ text: ' '.repeat(301), pages: [0], regions }, 4);
        for (const page of [1, 2, 3, 4]) {
          const slow = Array.from(table.starts.keys()).filter(
            (chunk) =>
              made.boxesOf({ start: table.starts[chunk]!, end: table.ends[chunk]! }, page).length > 0,
          );
          expect(made.chunksOn(page, table)).toEqual(slow);
        }
      },
    );
    fc.assert(law, cases(200));
  });
});
