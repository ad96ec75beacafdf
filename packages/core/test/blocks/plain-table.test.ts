// Which lines of plain text are a table, and which only look like one.
import { describe, expect, it } from 'vitest';
import { cellContent } from '../../src/blocks/cells.ts';
import { plainBlocks } from '../../src/blocks/plain.ts';

/** Tables as cells by rows, `!` before a header; other blocks by their kind. */
function read(text: string): unknown[] {
  return plainBlocks(text).map(({ kind, children = [] }) =>
    kind !== 'table'
      ? kind
      : children.map(({ header, children: cells = [] }) => {
          const values = cells.map((cell) => {
            const { start, end } = cellContent(text, cell);
            return text.slice(start, end);
          });
          return header === true ? ['!', ...values] : values;
        }),
  );
}

const kinds = (text: string): string[] => plainBlocks(text).map(({ kind }) => kind);

describe('plain text has a table', () => {
  it('of columns that stand straight', () => {
    const text = `
      City        People     Area
      Berlin      3,755,251  891.7
      Hamburg     1,892,122  755.1
      Bremen        569,396  318.2`;
    expect(read(text)).toEqual([
      [
        ['!', 'City', 'People', 'Area'],
        ['Berlin', '3,755,251', '891.7'],
        ['Hamburg', '1,892,122', '755.1'],
        ['Bremen', '569,396', '318.2'],
      ],
    ]);
  });

  it('of tabs', () => {
    expect(read('Name\tAge\nAnn Lee\t3\nBob\t14\nCy\t5')).toEqual([
      [
        ['!', 'Name', 'Age'],
        ['Ann Lee', '3'],
        ['Bob', '14'],
        ['Cy', '5'],
      ],
    ]);
  });

  it('of pipes without a rule', () => {
    expect(read('| a | b |\n| c | d |\n| e | f |')).toEqual([
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
    ]);
    expect(read('Key | Count\nx | 1\ny | 2')).toEqual([
      [
        ['!', 'Key', 'Count'],
        ['x', '1'],
        ['y', '2'],
      ],
    ]);
  });

  it('of Markdown, whatever its cells hold', () => {
    expect(read('Set | $e_{5}$\n:-- | --:\na = b; | {7},\nc')).toEqual([
      [['!', 'Set', '$e_{5}$'], ['a = b;', '{7},'], ['c']],
    ]);
    expect(read('Results:\n|a|b|\n|-|-|\n|x=1|y|')).toEqual([
      'paragraph',
      [
        ['!', 'a', 'b'],
        ['x=1', 'y'],
      ],
    ]);
    expect(kinds('a | b;\n--- | --- | ---\nc | d;')).not.toContain('table');
  });

  it('whose first row stands above a line of dashes', () => {
    expect(read('Name     Colour\n-------  ------\nApple    red\nBanana   yellow')).toEqual([
      [
        ['!', 'Name', 'Colour'],
        ['Apple', 'red'],
        ['Banana', 'yellow'],
      ],
    ]);
    expect(read('+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n| e | f |\n+---+---+')).toEqual([
      [
        ['!', 'a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
    ]);
    // A column that is wrapped in the first row may be wrapped in the others.
    const rule = '+-----+-----+';
    expect(
      read(
        `${rule}\n| Low | Top |\n| ebb | sea |\n${rule}\n| a   | b   |\n| c   | d   |\n${rule}\n| e   | f   |\n${rule}`,
      ),
    ).toMatchObject([{ length: 3 }]);
  });

  it('below its caption', () => {
    expect(read('Table 2: Prices\nItem     Price   Tax\nApple    1.20    7\nBread    0.80    7')).toEqual([
      'paragraph',
      [
        ['!', 'Item', 'Price', 'Tax'],
        ['Apple', '1.20', '7'],
        ['Bread', '0.80', '7'],
      ],
    ]);
  });
});

describe('a table that is drawn with lines', () => {
  const drawn = (...lines: string[]): unknown => read(lines.join('\n'))[0];

  it('has a row between each two rules, however many lines that takes', () => {
    const text = [
      '┌─────────┬────────┐',
      '│ Command │ Effect │',
      '├─────────┼────────┤',
      '│ install │ brings │',
      '│         │ it     │',
      '├─────────┼────────┤',
      '│ remove  │ takes  │',
      '│ all     │ it     │',
      '└─────────┴────────┘',
    ].join('\n');
    expect(read(text)).toEqual([
      [
        ['!', 'Command', 'Effect'],
        ['install', 'brings'],
        ['remove', 'takes'],
      ],
    ]);
    const rows = plainBlocks(text)[0]?.children ?? [];
    expect(rows.map(({ start, end }) => text.slice(start, end).split('\n').length)).toEqual([3, 3, 3]);
    expect(rows.at(-1)?.end).toBe(text.length);
  });

  it('has a header of several lines, and rules that part some columns alone', () => {
    expect(
      drawn(
        '+--------------+',
        '| Name | Flags |',
        '|      | set   |',
        '|------+-------|',
        '| one  | a     |',
        '|      |-------|',
        '|      | b     |',
        '|------+-------|',
        '| two  | c     |',
        '+--------------+',
      ),
    ).toEqual([
      ['!', 'Name', 'Flags'],
      ['one', 'a'],
      ['two', 'c'],
    ]);
  });

  it('has a row on each line below a lone rule, as databases draw it', () => {
    const body = [
      ['!', 'id', 'name'],
      ['1', 'Ann'],
      ['2', 'Bob'],
    ];
    expect(
      drawn(
        '+----+------+',
        '| id | name |',
        '+----+------+',
        '| 1  | Ann  |',
        '| 2  | Bob  |',
        '+----+------+',
      ),
    ).toEqual(body);
    expect(
      drawn(
        '╔════╦══════╗',
        '║ id ║ name ║',
        '╠════╬══════╣',
        '║ 1  ║ Ann  ║',
        '║ 2  ║ Bob  ║',
        '╚════╩══════╝',
      ),
    ).toEqual(body);
  });

  it('ends above what a database says below it', () => {
    const text =
      '+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n|  2 | b    |\n+----+------+\n2 rows in set';
    expect(
      plainBlocks(text).map(({ kind, start, end }) => [kind, text.slice(start, end).split('\n').length]),
    ).toEqual([
      ['table', 6],
      ['paragraph', 1],
    ]);
    expect(kinds(text.replace('2 rows', 'No row\n2 rows'))).toEqual(['paragraph']);
    expect(kinds('+----+----+\n2 rows in set')).toEqual(['paragraph']);
  });

  it('has no header where reStructuredText has none', () => {
    const rows = ['+---+---+', '| a | b |', '+---+---+', '| c | d |', '+---+---+', '| e | f |', '+---+---+'];
    expect(drawn(...rows)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
    expect(drawn('+---+---+', '| a | b |', '+===+===+', '| c | d |', '|   | e |', '+---+---+')).toEqual([
      ['!', 'a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('has a row on each line where further rules part a sum or groups, and none of their cells is empty', () => {
    const groups = (below: string): unknown =>
      drawn(
        '+------+-----+',
        '| Name | Qty |',
        below,
        '| a    | 1   |',
        '| b    | 2   |',
        '+------+-----+',
        '| Sum  | 3   |',
        '+------+-----+',
      );
    const rows = [
      ['!', 'Name', 'Qty'],
      ['a', '1'],
      ['b', '2'],
      ['Sum', '3'],
    ];
    expect(groups('+------+-----+')).toEqual(rows);
    expect(groups('+======+=====+')).toEqual(rows);
  });

  it('has a header of several rows above a double rule, but no header above a sum', () => {
    const lines = [
      '+------+-------------+',
      '| Port | High water  |',
      '|      +------+------+',
      '|      | time | m    |',
      '+------+------+------+',
      '| see  | UTC  | LAT  |',
      '+======+======+======+',
      '| Hull | 4:10 | 6.1  |',
      '+------+------+------+',
      '| Ryde | 9:50 | 4.2  |',
      '+------+------+------+',
      '| Deal | 9:10 | 5.9  |',
      '+------+------+------+',
    ];
    const body = [
      ['Hull', '4:10', '6.1'],
      ['Ryde', '9:50', '4.2'],
      ['Deal', '9:10', '5.9'],
    ];
    expect(drawn(...lines)).toEqual([['!', 'Port', 'High water'], ['!', 'see', 'UTC', 'LAT'], ...body]);
    const sum = ['+---+---+', '| a | b |', '+---+---+', '| c | 1 |', '+===+===+', '| d | 1 |', '+---+---+'];
    expect(drawn(...sum)).toEqual([
      ['!', 'a', 'b'],
      ['c', '1'],
      ['d', '1'],
    ]);
  });

  it('is none where packets are drawn below a ruler of bits, with its numbers or without', () => {
    const packet = [
      '+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+',
      '|F|  Kind |    Window     | Flags |',
      '+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+',
      '|      Length   |      Sum      |',
      '+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+',
    ];
    for (const above of [[], ['Figure 1: A header'], [' 0 1 2 3 4 5 6 7 8 9', '+-+-+-+-+-+-+-+']])
      expect(kinds([...above, ...packet].join('\n'))).toEqual(['paragraph']);
    expect(drawn('+-+-+-+', '|a|b|c|', '+-+-+-+', '|1|2|3|', '+-+-+-+')).toEqual([
      ['!', 'a', 'b', 'c'],
      ['1', '2', '3'],
    ]);
  });

  it('has no row that says nothing', () => {
    expect(
      drawn(
        '+-----+-----+',
        '| a   | b   |',
        '+-----+-----+',
        '| c   | d   |',
        '|     |-----|',
        '| e   | f   |',
        '|     |     |',
        '| g   | h   |',
        '+-----+-----+',
      ),
    ).toEqual([
      ['!', 'a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['g', 'h'],
    ]);
    const padded = [
      '╔═══╦═══╗',
      '║ a ║ b ║',
      '╠═══╬═══╣',
      '║   ║   ║',
      '║ c ║ d ║',
      '║   ║   ║',
      '╚═══╩═══╝',
    ];
    expect(drawn(...padded)).toEqual([
      ['!', 'a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('says in its first cell what stands below its upper line, whatever that is drawn with', () => {
    const body = [
      ['!', 'a', 'b'],
      ['c', 'd'],
    ];
    const frames = [
      ['┌───┬───┐', '│ a │ b │', '├───┼───┤', '│ c │ d │', '└───┴───┘'],
      ['+===+===+', '| a | b |', '+===+===+', '| c | d |', '+===+===+'],
      ['|---+---|', '| a | b |', '|---+---|', '| c | d |', '|---+---|'],
      ['+---+---+', '│ a │ b │', '+---+---+', '│ c │ d │', '+---+---+'],
    ];
    for (const lines of frames)
      for (const end of ['\n', '\r\n', '  \n']) expect(read(lines.join(end))).toEqual([body]);
  });

  it('is none where boxes stand in a diagram', () => {
    const boxes = [
      '+-----------+',
      '|    VM     |',
      '+--+-----+--+',
      '   |     |',
      '+--+--+--+--+',
      '| tap | tap |',
      '+-----+-----+',
    ];
    expect(kinds(boxes.join('\n'))).toEqual(['paragraph']);
  });

  it('is none where no rule parts columns, though bars stand in the text of a box', () => {
    expect(
      kinds('+--------------------+\n| Usage: foo [a|b]   |\n| That is all of it. |\n+--------------------+'),
    ).toEqual(['paragraph']);
  });

  it('is none with a single column, without its last rule, or with a line that no bar ends', () => {
    for (const text of [
      '┌──────┐\n│ Note │\n│ this │\n└──────┘',
      '┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ c │ d │',
      '┌───┬───┐\n│ a │ b\n└───┴───┘',
      '└── src\n├── a.ts\n└── b.ts',
    ])
      expect(kinds(text)).not.toContain('table');
  });
});

describe('plain text has no table', () => {
  it.each([
    ['prose', 'It was  a long day.\nNobody came.  And then\nit was over.'],
    [
      'verse',
      'Hwæt! We Gardena    in geardagum\nþeodcyninga         þrym gefrunon\nhu ða æþelingas    ellen fremedon',
    ],
    ['two addresses', 'Ann Lee        Acme Ltd\n12 Main St     5 Side Rd\nLondon         Leeds'],
    ['a table of contents', 'Introduction     1\nMethod           4\nResults         12\nIndex           40'],
    [
      'a table of contents with dots',
      '1  Introduction ..... 1\n2  Method ........... 4\n3  Results .......... 2',
    ],
    ['code', 'int a    = 1;\nint bcd  = 20;\nint ef   = 300;'],
    ['assignments', 'a    = 1\nbcd  = 20\nef   = 300'],
    ['constants', "'a'   1   x,\n'bc'  2   y,\n'd'   3   z,"],
    ['a pipeline', 'cat a | sort\ncat b | sort\ncat c | sort'],
    ['a pattern', '(a|b|c)\n(d|e|f)\n(g|h|i)'],
    [
      'prose in columns',
      'The committee met on Monday    and found that nothing could\nwas no other business to do    be done before the end of 12\nin the afternoon of a day 5    and so on and so forth, they',
    ],
    ['a glossary', 'apple      a fruit\nbread      a food\ncar        a machine'],
    ['rows of different length', 'a  1  2\nb  3\nc  4  5'],
    ['columns that do not stand straight', 'a     1  2\nbcd  30  4\ne  5    60'],
    ['one row', 'a    1    2'],
    ['one row above a line', 'a   1   2   3   4   5   6\n--  --  --  --  --  --  --'],
  ])('in %s', (_, text) => {
    expect(kinds(text)).not.toContain('table');
  });

  it('in a list whose items are parted', () => {
    expect(kinds('- apple   1.20   7\n- bread   0.80   7\n- cake    3.10   7')).toEqual(['list']);
  });
});
