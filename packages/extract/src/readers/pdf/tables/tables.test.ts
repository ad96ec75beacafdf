import { describe, expect, it } from 'vitest';
import { findTables, fixedCells } from './tables.ts';
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
/** A line of a name in a fixed pitch at 60 and a text at 180, or of the text alone. */
const entry = (name: string, text: string, baseline: number): TextLine => {
  const cells = [
    ...(name === '' ? [] : code(name, 60, baseline).cells),
    ...lineOf(text, 180, baseline).cells,
  ];
  return { ...lineOf(`${name} ${text}`, name === '' ? 180 : 60, baseline), cells };
};
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

describe('names in a fixed pitch beside texts', () => {
  const tablesOf = (...entries: readonly (readonly [string, string])[]): number =>
    findTables(
      entries.map(([name, text], at) => entry(name, text, 700 - 12 * at)),
      [],
      () => false,
    ).length;

  it('are a table where the texts explain them, although these begin with small letters', () => {
    expect(
      tablesOf(
        ['R = qr(A)', 'upper triangular factor of A'],
        ['R = qr(A,0)', 'the economy variant of the factor'],
        ['x = qr(A,B)', 'least-squares solution, with several right'],
        ['', 'sides'],
        ['p = qr(A,3)', 'permutation that reduces the fill-in'],
        ['h = qr(A,4)', 'the factor as reflections of vectors'],
      ),
    ).toBe(1);
  });

  it('are none where they stand in the margin of a running text', () => {
    expect(
      tablesOf(
        ['\\upper', 'the numbering in capital letters is written by this'],
        ['\\lower', 'command, and its lower case by the next one, which'],
        ['', 'is the usual form in all of these languages, as also'],
        ['\\digits', 'for the digits of the language that are set by the'],
        ['', 'last command, unless the option says that the digits'],
        ['\\arabic', 'of the main language are to be used in all documents'],
      ),
    ).toBe(0);
  });
});
