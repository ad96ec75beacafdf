import { describe, expect, it } from 'vitest';
import type { CellShape } from './containers.ts';
import { TreeBuilder } from './builder.ts';
import { serialise, type Serialised } from './serialise.ts';

type Cell = string | (CellShape & { readonly text: string });

function table(
  rows: readonly (readonly Cell[])[],
  fill?: (builder: TreeBuilder, text: string) => void,
): string {
  return write(rows, fill).text;
}

function write(
  rows: readonly (readonly Cell[])[],
  fill?: (builder: TreeBuilder, text: string) => void,
): Serialised {
  const builder = new TreeBuilder();
  builder.openTable();
  for (const cells of rows) {
    builder.openRow({ header: false });
    for (const cell of cells) {
      const shape = typeof cell === 'string' ? { text: cell } : cell;
      builder.openCell(shape);
      if (fill === undefined) builder.text(shape.text);
      else fill(builder, shape.text);
      builder.close();
    }
    builder.close();
  }
  return serialise(builder.finish());
}

/** Its cells by rows, with their properties: `!` of a header, `a×2` of two columns, `a↓3` of three rows. */
function cellsOf(rows: readonly (readonly Cell[])[]): string[] {
  const { text, blocks } = write(rows);
  return (blocks[0]?.children ?? []).map(({ header, children = [] }) => {
    const cells = children.map(({ start, end, columnSpan, rowSpan }) => {
      const lines = text.slice(start, end).split('\n');
      const line = lines.find((part) => !/^[| -]*$/.test(part)) ?? '';
      return (
        line.replaceAll(/^[| ]+|[| ]+$/g, '') +
        (columnSpan === undefined ? '' : `×${columnSpan}`) +
        (rowSpan === undefined ? '' : `↓${rowSpan}`)
      );
    });
    return (header === true ? '!' : '') + cells.join(' ');
  });
}

const th = (text: string): Cell => ({ text, header: true });

describe('tables', () => {
  it('give the value of a span once and empty cells after it', () => {
    expect(
      table([
        [th('a'), th('b'), th('c')],
        [
          { text: 'd', rowspan: 2 },
          { text: 'e', colspan: 2 },
        ],
        ['f', 'g'],
      ]),
    ).toBe('| a | b | c |\n| --- | --- | --- |\n| d | e |  |\n|  | f | g |');
  });

  it('know their header rows, also two, and what a cell spans', () => {
    expect(
      cellsOf([
        [
          { text: 'a', rowspan: 2, header: true },
          { text: 'b', colspan: 2, header: true },
        ],
        [th('c'), th('d')],
        [{ text: 'e', rowspan: 3 }, 'f', 'g'],
        [{ text: 'h', colspan: 2 }],
        ['i', ''],
      ]),
    ).toEqual(['!a↓2 b×2', '!c d', 'e↓3 f g', 'h×2', 'i ']);
  });

  it('count as spans only rows and columns that are there', () => {
    expect(
      cellsOf([
        [
          { text: 'a', rowspan: 9 },
          { text: 'b', colspan: 9 },
        ],
        ['', ''],
        ['c', 'd'],
      ]),
    ).toEqual(['a↓2 b×2', 'c d']);
    expect(cellsOf([[{ text: 'a', colspan: 1000 }], ['b']])).toEqual(['a', 'b']);
  });

  it('have no header when all rows are, but for the first', () => {
    expect(cellsOf([[th('a')], [th('b')], [th('c')]])).toEqual(['!a', 'b', 'c']);
    expect(
      cellsOf([
        ['a', 'b'],
        [th('c'), '1'],
      ]),
    ).toEqual(['a b', 'c 1']);
  });

  it('have a first row in bold type as header, also under a title, but no column of bold names', () => {
    const bold = (...texts: string[]): string[] => texts.map((text) => (text === '' ? '' : `**${text}**`));
    expect(cellsOf([bold('2019', '2020'), ['1', '2']])).toEqual(['!**2019** **2020**', '1 2']);
    expect(cellsOf([bold('Services'), ['Tea'], ['Coffee']])).toEqual(['!**Services**', 'Tea', 'Coffee']);
    expect(
      cellsOf([[{ text: 'Prices', colspan: 2 }], bold('Tea', 'Tea'), ['1', '2']]).map((row) => row[0]),
    ).toEqual(['!', '!', '1']);
    expect(
      cellsOf([
        ['**Name**', 'Ann'],
        ['**Role**', 'Engineer'],
      ]),
    ).toEqual(['**Name** Ann', '**Role** Engineer']);
  });

  it('have no header whose labels stand before their values or reach over rows', () => {
    expect(
      cellsOf([
        ['Name:', 'Ann'],
        ['Role:', 'Engineer'],
      ]),
    ).toEqual(['Name: Ann', 'Role: Engineer']);
    expect(cellsOf([[{ text: 'Fruit', rowspan: 2 }, 'Apple'], ['Pear']])).toEqual(['Fruit↓2 Apple', 'Pear']);
  });

  it('have names in tiers as header: groups of columns beside names that reach over all tiers', () => {
    const over = (text: string): Cell => ({ text, rowspan: 2 });
    const group = (text: string): Cell => ({ text, colspan: 2 });
    expect(
      cellsOf([
        [over('Country'), group('Growth'), over('Total')],
        ['2019', '2020'],
        ['Chad', '1 %', '2 %', '3'],
      ]),
    ).toEqual(['!Country↓2 Growth×2 Total↓2', '!2019 2020', 'Chad 1 % 2 % 3']);
    expect(
      cellsOf([
        [over('Country'), group('Growth')],
        ['2019', '2020'],
        ['Chad', '1 %', '2 %'],
      ])[1],
    ).toBe('!2019 2020');
    // A photograph beside a form, values beside their groups, and a group without a name.
    for (const rows of [
      [
        [over('Photo'), group('Application')],
        ['Name', 'Ann'],
        ['Role', 'Engineer', 'Berlin'],
      ],
      [
        [over('Photo'), group('Application')],
        ['Name:', 'Ann'],
        ['1', '2', '3'],
      ],
      [
        [over('Fruit'), 'Apple', '3'],
        ['Pear', '4'],
        ['Nut', 'Hazel', '5'],
      ],
      [
        [over('Country'), group('Growth'), over('Total')],
        ['2019', ''],
        ['Chad', '1', '2', '3'],
      ],
      [
        [over('Country'), group('Growth'), over('Total')],
        ['2019', '2020'],
      ],
    ])
      expect(
        cellsOf(rows).some((row) => row.startsWith('!')),
        JSON.stringify(rows),
      ).toBe(false);
  });

  it('count rows that marked names reach into as header, but not all of them', () => {
    const tall: Cell = { text: 'Region', rowspan: 2, header: true };
    expect(
      cellsOf([
        [tall, { text: 'Sales', colspan: 2, header: true }],
        ['2023', '2024'],
        ['North', '1', '2'],
      ]),
    ).toEqual(['!Region↓2 Sales×2', '!2023 2024', 'North 1 2']);
    expect(cellsOf([[tall, th('Sales')], ['2023']])).toEqual(['!Region↓2 Sales', '2023']);
  });

  it('escape pipes and backticks, and write line ends as <br>', () => {
    const text = table(
      [
        [th('a|b'), th('`c`')],
        ['d', 'e'],
      ],
      (builder, cell) => {
        builder.text(cell);
        builder.lineBreak();
        builder.text('more');
      },
    );
    expect(text).toBe('| a\\|b<br>more | \\`c\\`<br>more |\n| --- | --- |\n| d<br>more | e<br>more |');
  });

  it('have the header that the author marks, else a first row of different labels, else none', () => {
    const people = [
      ['Name', 'Age'],
      ['Ann', '3'],
    ];
    expect(table(people)).toBe('| Name | Age |\n| --- | --- |\n| Ann | 3 |');
    expect(cellsOf(people)).toEqual(['!Name Age', 'Ann 3']);
    const years = [
      ['2019', '2020'],
      ['1', '2'],
    ];
    expect(table(years)).toBe('| 2019 | 2020 |\n| --- | --- |\n| 1 | 2 |');
    expect(cellsOf(years)).toEqual(['2019 2020', '1 2']);
    const person = [
      [th('Name'), 'Ann'],
      [th('Age'), '3'],
    ];
    expect(cellsOf(person)).toEqual(['Name Ann', 'Age 3']);
  });

  it('leave out rows without text and columns in which nothing begins', () => {
    expect(
      table([
        ['a', { text: 'b', colspan: 1_000_000_000 }],
        ['', ' '],
        ['c', 'd'],
      ]),
    ).toBe('| a | b |\n| --- | --- |\n| c | d |');
  });

  it('flatten blocks in cells and small tables in cells', () => {
    const text = table(
      [
        [th('a'), th('b')],
        ['list', 'table'],
      ],
      (builder, cell) => {
        if (cell === 'list') {
          builder.openList({ ordered: true, start: 3 });
          for (const word of ['x', 'y']) {
            builder.openItem();
            builder.text(word);
            builder.close();
          }
          builder.close();
        } else if (cell === 'table') {
          builder.openTable();
          for (const word of ['p', 'q']) {
            builder.openRow({ header: false });
            builder.openCell();
            builder.text(word);
            builder.close();
            builder.openCell();
            builder.text(word);
            builder.close();
            builder.close();
          }
          builder.close();
          builder.openCode();
          builder.text('one\n  two');
          builder.closeCode();
        } else builder.text(cell);
      },
    );
    expect(text).toBe('| a | b |\n| --- | --- |\n| 3. x<br>4. y | p \\| p<br>q \\| q<br>`one`<br>`two` |');
  });

  it('keep rows of tables in cells apart, also of tables in those', () => {
    const builder = new TreeBuilder();
    const open = (...texts: string[]): void => {
      builder.openRow({ header: false });
      for (const text of texts) {
        builder.openCell();
        builder.text(text);
        builder.close();
      }
    };
    builder.openTable();
    open('A', 'B');
    builder.close();
    open('C');
    builder.openCell();
    for (const words of [
      ['p', ''],
      ['q', 'r'],
    ]) {
      builder.openTable();
      open(...words);
      builder.openCell();
      builder.openTable();
      open('x', 'y');
      builder.close();
      open('z');
      for (let end = 0; end < 5; end++) builder.close();
    }
    expect(serialise(builder.finish()).text).toBe(
      '| A | B |\n| --- | --- |\n| C | p \\|  \\| x, y; z<br>q \\| r \\| x, y; z |',
    );
  });

  it('of one column or row are rows while they are short, and where nothing is drawn they are none', () => {
    const write = (rows: readonly string[][], isFramed?: boolean): string => {
      const builder = new TreeBuilder();
      builder.openTable({ isFramed });
      for (const cells of rows) {
        builder.openRow({ header: false });
        for (const text of cells) {
          builder.openCell();
          for (const paragraph of text.split('\n')) {
            builder.text(paragraph);
            builder.boundary();
          }
          builder.close();
        }
        builder.close();
      }
      return serialise(builder.finish()).text;
    };
    const column = [['Hot'], ['Choose one:\n[x] Tea\n[ ] Coffee']];
    const rows = '| Hot |\n| --- |\n| Choose one:<br>[x] Tea<br>[ ] Coffee |';
    expect(write(column)).toBe(rows);
    expect(write(column, true)).toBe(rows);
    expect(write(column, false)).toBe('Hot\n\nChoose one:\n\n[x] Tea\n\n[ ] Coffee');
    expect(write([['Hot'], ['word '.repeat(60)]], true)).not.toContain('|');
    expect(write([['left', 'right']], true)).toBe('| left | right |\n| --- | --- |');
    expect(write([['left', 'right']], false)).toBe('left\n\nright');
    expect(
      write(
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
        false,
      ),
    ).toContain('| a | b |');
  });

  it('with sections in their cells are frames', () => {
    const section = (builder: TreeBuilder, text: string): void => {
      builder.openHeading(2);
      builder.text(text);
      builder.closeHeading();
      builder.text('word '.repeat(150));
    };
    const cards = [
      ['a', 'b'],
      ['c', 'd'],
    ];
    expect(table(cards, section).match(/^## \w$/gm)).toEqual(['## a', '## b', '## c', '## d']);
  });

  it('that are mere layout give their blocks one after another', () => {
    const page = 'word '.repeat(200).trim();
    const frame = table([['menu', 'page']], (builder, cell) => {
      builder.openHeading(1);
      builder.text(cell);
      builder.closeHeading();
      builder.text(page);
    });
    expect(frame).toBe(`# menu\n\n${page}\n\n# page\n\n${page}`);
    expect(table([['one cell']])).toBe('one cell');
    // Tables and lists around nothing hold nothing.
    const nested = table([['a', 'b']], (builder, cell) => {
      if (cell === 'a') builder.text('alone');
      else {
        builder.openTable();
        builder.openRow({ header: false });
        builder.openCell();
        builder.openList({ ordered: false });
        builder.openItem();
        for (let open = 0; open < 5; open++) builder.close();
      }
    });
    expect(nested).toBe('alone');
  });
});

describe('hostile spans', () => {
  const blow = (rows: readonly (readonly Cell[])[]): number => table(rows).length;

  it('write no more than a few characters a cell, whatever they claim', () => {
    const wall: Cell[] = Array.from({ length: 1000 }, () => ({ text: 'x', rowspan: 65_534 }));
    const walled = [wall, ...Array.from({ length: 20_000 }, () => ['y'])];
    expect(blow(walled)).toBeLessThan(60_000 + 20 * 21_000);
    const wide = Array.from({ length: 20_000 }, () => [{ text: 'x', colspan: 1e9, rowspan: 1e9 }, 'y']);
    expect(blow(wide)).toBeLessThan(60_000 + 20 * 40_000);
    const narrow = [
      Array.from({ length: 20_000 }, () => 'x'),
      ...Array.from({ length: 20_000 }, () => ['y']),
    ];
    expect(blow(narrow)).toBeLessThan(60_000 + 20 * 40_000);
  });

  it('keep all text', () => {
    const rows = Array.from({ length: 300 }, (_, row) =>
      Array.from({ length: 7 }, (_, column) => ({
        text: `r${row}c${column}`,
        colspan: column * 100,
        rowspan: row,
      })),
    );
    const text = table(rows);
    for (const cell of rows.flat()) expect(text).toContain(`| ${cell.text} `);
  });

  it('count as one when they are no positive number', () => {
    expect(
      table([
        [
          { text: 'a', colspan: 0, rowspan: -1 },
          { text: 'b', colspan: Number.NaN },
        ],
        ['c', 'd'],
      ]),
    ).toBe('| a | b |\n| --- | --- |\n| c | d |');
  });
});
