import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { inReadingOrder } from './columns.ts';
import type { Cell, TextLine } from '../lines/text.ts';

const SIZE = 10;

/** A line of pieces, each with its left edge. */
function lineOf(baseline: number, pieces: readonly (readonly [number, string])[]): TextLine {
  const cells = pieces.map(([left, text]): Cell => {
    const style = { size: SIZE, isBold: false, isFixedPitch: false };
    return { text, left, right: left + (SIZE / 2) * text.length, baseline, ...style };
  });
  return {
    text: cells.map(({ text }) => text).join(' '),
    isDivided: false,
    baseline,
    isTurned: false,
    isNumbered: false,
    left: cells[0]?.left ?? 0,
    right: cells.at(-1)?.right ?? 0,
    size: SIZE,
    isBold: false,
    isFixedPitch: false,
    cells,
  };
}

const ROWS = Array.from({ length: 10 }, (_, row) => row);
const order = (lines: readonly TextLine[]): string[] =>
  inReadingOrder(lines, new Map()).map(({ text }) => text);
const name = (side: string, row: number): string => `${side}${row}`.padEnd(40, ' word');

describe('the reading order', () => {
  it('has the right column first in writings that run from right to left', () => {
    const rows = (left: string, right: string): TextLine[] =>
      ROWS.map((row) =>
        lineOf(700 - 12 * row, [
          [50, name(left, row)],
          [320, name(right, row)],
        ]),
      );
    expect(order(rows('a', 'b'))).toEqual(['a', 'b'].flatMap((side) => ROWS.map((row) => name(side, row))));
    expect(order(rows('א', 'ב'))).toEqual(['ב', 'א'].flatMap((side) => ROWS.map((row) => name(side, row))));
  });

  it('of one column is that of the stream, and the lines are the same ones', () => {
    const lines = ROWS.map((row) => lineOf(700 - 12 * row, [[50, name('a', row)]]));
    expect(inReadingOrder(lines, new Map())).toBe(lines);
  });

  it('of columns that are written one after the other leaves their lines whole', () => {
    const lines = [50, 320].flatMap((x) => ROWS.map((row) => lineOf(700 - 12 * row, [[x, name('c', row)]])));
    expect(inReadingOrder(lines, new Map())).toBe(lines);
  });

  it('holds each piece once, wherever the pieces stand', () => {
    const place = fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 40 }).map((step) => step * 15) },
      { weight: 1, arbitrary: fc.constantFrom(1e38, -1e38) },
    );
    const piece = fc.tuple(place, fc.integer({ min: 1, max: 60 }));
    const line = fc.tuple(place, fc.array(piece, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(line, { minLength: 12, maxLength: 60 }), (drawn) => {
        let count = 0;
        const lines = drawn.map(([baseline, pieces]) =>
          lineOf(
            baseline,
            pieces.map(([left, length]) => [left, `${count++}`.padEnd(length, 'x')] as const),
          ),
        );
        const pieces = (some: readonly TextLine[]): string[] =>
          some.flatMap(({ cells }) => cells.map(({ text }) => text)).sort();
        const found = inReadingOrder(lines, new Map());
        expect(pieces(found)).toEqual(pieces(lines));
        for (const { text, cells } of found) expect(text).toBe(cells.map((cell) => cell.text).join(' '));
      }),
      cases(300),
    );
  });
});
