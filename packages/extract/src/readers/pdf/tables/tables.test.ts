import { describe, expect, it } from 'vitest';
import { fixedCells } from './tables.ts';
import type { TextLine } from '../lines/text.ts';

const lineOf = (text: string, left: number, baseline: number, isFixedPitch = false): TextLine => {
  const style = { left, right: left + 5 * text.length, baseline, size: 10, isBold: false, isFixedPitch };
  return {
    text,
    isDivided: false,
    isTurned: false,
    isNumbered: false,
    ...style,
    cells: [{ text, ...style }],
  };
};
const code = (text: string, left: number, baseline: number): TextLine => lineOf(text, left, baseline, true);
const cellsOf = (...lines: readonly TextLine[]): string[] => [...fixedCells(lines)].map(({ text }) => text);

describe('lines in a fixed pitch are cells', () => {
  it('beside the text before them, and all of them where the first is', () => {
    expect(cellsOf(lineOf('Mask', 60, 700), code('pos1-', 180, 700), code('elmask', 180, 688))).toEqual([
      'pos1-',
      'elmask',
    ]);
    expect(cellsOf(lineOf('The last line', 60, 676), code('pos1-', 180, 700))).toEqual(['pos1-']);
  });

  it('but not below it, nor in the next column of the page', () => {
    expect(cellsOf(lineOf('Mask', 60, 700), code('pos1-', 180, 688))).toEqual([]);
    expect(cellsOf(lineOf('Mask', 60, 100), code('pos1-', 180, 700))).toEqual([]);
  });

  it('but not to the left of it, nor beside what is no word', () => {
    expect(cellsOf(lineOf('Mask', 60, 700), code('pos1-', 20, 700))).toEqual([]);
    expect(cellsOf(lineOf('12', 60, 700), code('pos1-', 180, 700))).toEqual([]);
  });
});
