import { describe, expect, it } from 'vitest';
import { TreeBuilder } from './builder.ts';
import { serialise } from './serialise.ts';

/** Rows of cells; a cell of rows holds a table. */
type Cell = string | Rows | { readonly text: string; readonly colspan?: number; readonly rowspan?: number };
type Rows = readonly (readonly Cell[])[];

function fill(builder: TreeBuilder, rows: Rows): void {
  builder.openTable();
  for (const cells of rows) {
    builder.openRow({ header: false });
    for (const cell of cells) {
      builder.openCell(typeof cell === 'string' || isRows(cell) ? {} : cell);
      if (isRows(cell)) fill(builder, cell);
      else builder.text(typeof cell === 'string' ? cell : cell.text);
      builder.close();
    }
    builder.close();
  }
  builder.close();
}

function isRows(cell: Cell): cell is Rows {
  return Array.isArray(cell);
}

/** The rows of the table; a dot is an empty cell. */
function grid(rows: Rows): string[] {
  const builder = new TreeBuilder();
  fill(builder, rows);
  const lines = serialise(builder.finish()).text.split('\n');
  return lines
    .filter((line) => !line.includes('---'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(/(?<!\\) \| /)
        .map((cell) => cell.trim() || '.')
        .join(' '),
    );
}

const INNER = [
  ['1', '2'],
  ['3', '4'],
];

describe('a table in a cell', () => {
  it('is part of the table around it', () => {
    expect(
      grid([
        ['a', 'b'],
        ['c', INNER],
      ]),
    ).toEqual(['a b .', 'c 1 2', '. 3 4']);
    expect(
      grid([
        ['a', 'b'],
        [INNER, 'c'],
      ]),
    ).toEqual(['a . b', '1 2 c', '3 4 .']);
    expect(
      grid([
        [INNER, INNER],
        ['a', 'b'],
      ]),
    ).toEqual(['1 2 1 2', '3 4 3 4', 'a . b .']);
  });

  it('is so at any depth', () => {
    const deep = [
      ['5', INNER],
      ['6', '7'],
    ];
    expect(
      grid([
        ['a', 'b'],
        [deep, 'c'],
      ]),
    ).toEqual(['a . . b', '5 1 2 c', '. 3 4 .', '6 7 . .']);
  });

  it('fills the rows and columns that its cell spans', () => {
    const wide = { text: 'w', colspan: 3 };
    const high = { text: 'h', rowspan: 3 };
    expect(
      grid([
        ['a', 'b', 'c'],
        [high, INNER, 'd'],
        ['e', 'f'],
        ['g', 'i'],
      ]),
    ).toEqual(['a b . c', 'h 1 2 d', '. 3 4 .', '. e . f', '. g . i']);
    expect(grid([[wide], ['a', INNER, 'b']])).toEqual(['w . . .', 'a 1 2 b', '. 3 4 .']);
    // Its last row and column reach to the end of a larger place, and cells behind gaps keep their columns.
    expect(grid([['a', 'b', 'c'], [{ text: 'd' }], [INNER, [['5', '6', '7'], ['8'], ['9']]]])).toEqual([
      'a . b . . c',
      'd . . . . .',
      '1 2 5 6 7 .',
      '3 4 8 . . .',
      '. . 9 . . .',
    ]);
  });

  it('is lines of its cell where the other rows would be mostly empty', () => {
    const rows = Array.from({ length: 20 }, (_, row) => [`a${row}`, `b${row}`]);
    const wide = Array.from({ length: 2 }, () => ['1', '2', '3', '4', '5']);
    expect(grid([...rows, ['c', wide]]).at(-1)).toBe(
      'c 1 \\| 2 \\| 3 \\| 4 \\| 5<br>1 \\| 2 \\| 3 \\| 4 \\| 5',
    );
  });
});
