// Tables of PDFs whose columns stand close together, and whose cells are centred beside cells of several lines.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

async function read(texts: readonly SetText[]): Promise<string> {
  const document = await extract(writePdf({ pages: [{ content: setText(texts) }] }), {
    filename: 'test.pdf',
  });
  expectLawful(document);
  return document.text;
}

const PROSE = [
  'The table shows the harvest of the four farms by the river in both years,',
  'in tons of grain, as the farmers have reported it to the office in autumn.',
];

/** Figures of Helvetica are 5.56 points wide at 10 points: the second column ends 4 points before the third. */
const XS = [60, 112, 138];
const row = (cells: readonly string[], y: number): SetText[] =>
  cells.map((text, column) => ({ x: XS[column] ?? 0, y, text, size: 10 }));
const ROWS = [
  ['Farm', '2018', '2019'],
  ['Upper mill', '1021', '1140'],
  ['Old bridge', '988', '1002'],
  ['West field', '1177', '1093'],
];
const table = (rows: readonly (readonly string[])[], top: number): SetText[] =>
  rows.flatMap((cells, index) => row(cells, top - 16 * index));
const prose = (lines: readonly string[], top: number): SetText[] =>
  lines.map((text, line) => ({ x: 60, y: top - 12 * line, text, size: 10 }));

describe('columns that stand closer than justified words', () => {
  it('are columns where the file has the blanks of its words, and none between the cells', async () => {
    const text = await read([...prose(PROSE, 700), ...table(ROWS, 650)]);
    expect(text).toBe(
      `${PROSE.join(' ')}\n\n| Farm | 2018 | 2019 |\n| --- | --- | --- |\n| Upper mill | 1021 | 1140 |\n` +
        '| Old bridge | 988 | 1002 |\n| West field | 1177 | 1093 |',
    );
  });

  it('are columns where texts begin right behind the edge at which figures end', async () => {
    const rows = [
      ['Upper mill', '1021', 'The wheel was new in that year'],
      ['Old bridge', '98', 'A flood in spring has hurt the grain'],
      ['West field', '117', 'As good a harvest as ever'],
    ];
    const texts = rows.flatMap(([farm = '', tons = '', remark = ''], at): SetText[] => [
      { x: 60, y: 650 - 16 * at, text: farm, size: 10 },
      { x: 160 - 5.56 * tons.length, y: 650 - 16 * at, text: tons, size: 10 },
      { x: 163, y: 650 - 16 * at, text: remark, size: 10 },
    ]);
    const text = await read([...prose(PROSE, 700), ...texts]);
    for (const cells of rows) expect(text).toContain(`| ${cells.join(' | ')} |`);
  });

  it('are words where the file writes no blanks at all', async () => {
    const words = PROSE.flatMap((line, index) => {
      let x = 60;
      return line.split(' ').map((text): SetText => {
        const place = { x, y: 700 - 12 * index, text, size: 10 };
        x += 5.2 * text.length + 5;
        return place;
      });
    });
    expect(await read([...words, ...table(ROWS, 650)])).not.toContain('| The |');
  });
});

describe('pages of browsers, which write each character by itself', () => {
  /** A text with each of its characters as a text object. */
  const characters = ({ x, y, text, font = 'F' }: SetText): string =>
    `BT /${font} 10 Tf 1 0 0 1 ${x} ${y} Tm ${Array.from(text, (letter) => `(${letter}) Tj`).join(' ')} ET`;
  const readCharacters = async (texts: readonly SetText[]): Promise<string> => {
    const content = texts.map(characters).join('\n');
    const document = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
    expectLawful(document);
    return document.text;
  };
  /** "Module Identifier:" ends 3 points before the second column. */
  const pairs = (rows: readonly (readonly [string, string])[]): SetText[] =>
    rows.flatMap(([label, value], at) => [
      { x: 60, y: 650 - 15 * at, text: label },
      { x: 138.8, y: 650 - 15 * at, text: value },
    ]);
  const rows = [
    ['Status:', 'Extension'],
    ['Module Identifier:', 'echo_module'],
    ['Source File:', 'mod_echo.c'],
  ] as const;

  it('have a column at a gap as narrow as a blank where others show its edge', async () => {
    expect(await readCharacters([...prose(PROSE, 700), ...pairs(rows)])).toBe(
      `${PROSE.join(' ')}\n\n| Status: | Extension |\n| --- | --- |\n` +
        '| Module Identifier: | echo_module |\n| Source File: | mod_echo.c |',
    );
  });

  it('have none where all gaps are as narrow', async () => {
    const texts = pairs(rows.map(([, value]) => ['Module Identifier:', value]));
    expect(await readCharacters([...prose(PROSE, 700), ...texts])).not.toContain('|');
  });

  it('have a column of names behind types that end at one edge, as narrow as the gap is', async () => {
    const types = ['Item *', 'void', 'const char *', 'int'];
    // The widths of their letters in Helvetica, at 10 points.
    const widths = [31.68, 20.01, 56.13, 10.56];
    const names = ['item_new', 'item_set_label', 'item_get_label', 'item_get_count'];
    const texts = types.flatMap((text, at) => [
      { x: 140 - (widths[at] ?? 0), y: 650 - 15 * at, text },
      { x: 143, y: 650 - 15 * at, text: names[at] ?? '' },
    ]);
    expect(await readCharacters([...prose(PROSE, 700), ...texts])).toContain(
      '| void | item_set_label |\n| const char * | item_get_label |',
    );
  });

  it('have no table in labels of empty fields, nor in numbered references', async () => {
    const side = (left: readonly string[], right: readonly string[], x: number): SetText[] =>
      left.flatMap((text, at) => [
        { x: 60, y: 640 - 16 * at, text },
        { x, y: 640 - 16 * at, text: right[at] ?? '' },
      ]);
    const fields = side(
      ['Surname:', 'Street:', 'Town:', 'Mail:'],
      ['Name:', 'Number:', 'Code:', 'Date:'],
      300,
    );
    expect(await readCharacters([...prose(PROSE, 700), ...fields])).not.toContain('|');
    const pages = ['mill', 'ford', 'weir', 'bridge'].map((name) => `https://example.org/docs/of/the/${name}`);
    const references = side(['[1]', '[2]', '[3]', '[4]'], pages, 90);
    expect(await readCharacters([...prose(PROSE, 700), ...references])).not.toContain('|');
  });

  it('have long names of code in two columns', async () => {
    const names = [
      'parser.util.read_all_lines',
      'parser.ext.table.first_row',
      'parser.ext.names.of_column',
      'parser.core.blocks.last',
    ];
    const texts = names.flatMap((name, at) =>
      [name, `${at + 3}.1`, `grain.${name.replace('parser', 'reader')}`].map((text, column) => ({
        x: [60, 240, 300][column] ?? 0,
        y: 640 - 12 * at,
        text,
      })),
    );
    expect(await readCharacters([...prose(PROSE, 700), ...texts])).toContain(
      `| ${names[1] ?? ''} | 4.1 | grain.reader.ext.table.first_row |`,
    );
  });

  it('have labels with texts that begin with small letters', async () => {
    const texts = [
      ['ctx:', 'a context of the parser, which is not changed'],
      ['msg:', 'the message to show and to keep in the log'],
      ['handler:', 'the function to call with each error that is met'],
      ['data:', 'the data of the caller, for the function'],
    ] as const;
    expect(await readCharacters([...prose(PROSE, 700), ...pairs(texts)])).toContain(
      '| ctx: | a context of the parser, which is not changed |\n| --- | --- |\n| msg: |',
    );
  });

  it('have tables of two rows, of three columns and more, where the first is bold or all have one left edge', async () => {
    const two = (xs: readonly number[], names: readonly string[], values: readonly string[]): SetText[] =>
      [names, values].flatMap((cells, row) =>
        cells.map((text, at) => ({
          x: (xs[at] ?? 0) + 8 * (1 - row) * at * Number(names[0] === 'Prev'),
          y: 640 - 15 * row,
          text,
        })),
      );
    const table = two([60, 160, 300], ['type', 'default', 'mandatory'], ['string', 'of the host', 'no']);
    expect(await readCharacters([...prose(PROSE, 700), ...table])).toContain(
      '| type | default | mandatory |\n| --- | --- | --- |\n| string | of the host | no |',
    );
    const links = two([60, 160, 300], ['Prev', 'Up', 'Next'], ['Chapter One', 'Home of it', 'Chapter Three']);
    expect(await readCharacters([...prose(PROSE, 700), ...links])).not.toContain('|');
  });

  it('have no table in the names and offices of those who sign', async () => {
    const signed = (names: readonly string[], offices: readonly string[]): SetText[] =>
      [names, offices].flatMap((texts, row) =>
        texts.map((text, at) => ({ x: 60 + 130 * at, y: 640 - 15 * row, text })),
      );
    const offices = ['Treasurer', 'Chair of the Board', 'Secretary'];
    const read = (names: readonly string[]): Promise<string> =>
      readCharacters([...prose(PROSE, 700), ...signed(names, offices)]);
    expect(await read(['Maria Keller', 'Thomas Avery', 'Nora Quinn'])).not.toContain('|');
    expect(await read(['treasurer', 'chair', 'secretary'])).toContain('| Treasurer | Chair of the Board |');
  });

  it('have long texts in two columns where the rows are no lines of a text', async () => {
    const long = [
      ['read_table path or buffer, separator', 'Read a general file with a separator into a frame.'],
      ['read_csv path or buffer, separator', 'Read a file of values with commas into a frame.'],
      ['read_fwf path or buffer, columns', 'Read a table of formatted lines into a frame.'],
    ] as const;
    const rowsApart = (pitch: number): SetText[] =>
      long.flatMap(([name, text], at) => [
        { x: 60, y: 650 - pitch * at, text: name },
        { x: 260, y: 650 - pitch * at, text },
      ]);
    expect(await readCharacters(rowsApart(30))).toContain(`| ${long[2].join(' | ')} |`);
    expect(await readCharacters(rowsApart(12))).not.toContain('|');
  });

  it('have rows as close as lines, where labels of groups are further apart', async () => {
    const groups = ['A', 'B', 'C', 'D'].map((group, at): SetText[] => [
      { x: 60, y: 650 - 80 * at, text: group },
      ...['mill', 'ford', 'bridge', 'weir'].flatMap((word, row): SetText[] => [
        { x: 70, y: 636 - 80 * at - 13 * row, text: `${group}${word}` },
        { x: 112, y: 636 - 80 * at - 13 * row, text: `${row + 1} Of the river` },
      ]),
    ]);
    const text = await readCharacters(groups.flat());
    expect(text).toContain('| Aford | 2 Of the river |\n| Abridge | 3 Of the river |\n| Aweir |');
  });

  /** Cells of one line each, at these distances from the left. */
  const cells = (texts: readonly string[], xs: readonly number[], y: number, font?: 'B' | 'C'): SetText[] =>
    texts.flatMap((text, at) =>
      text === '' ? [] : [{ x: xs[at] ?? 0, y, text, ...(font === undefined ? undefined : { font }) }],
    );

  it('have names that are centred above the texts of their columns', async () => {
    const texts = [
      ...cells(['Attribute', 'Description', 'Required'], [64, 290, 470], 640, 'B'),
      ...cells(['name', 'Name of the part', 'Yes'], [60, 120, 482], 625),
      ...cells(['value', 'Value of the part', 'Yes'], [60, 120, 482], 610),
    ];
    expect(await readCharacters([...prose(PROSE, 700), ...texts])).toContain(
      '| Attribute | Description | Required |\n| --- | --- | --- |\n| name | Name of the part | Yes |\n| value |',
    );
  });

  it('have rows of their own for labels in small letters beside texts', async () => {
    const texts = [
      ...cells(['Attribute', 'Description', 'Required'], [60, 160, 400], 640, 'B'),
      ...cells(['value', 'Value of the part.', 'Yes'], [60, 160, 400], 625),
      ...cells(['unit', 'unit of the value.'], [60, 160], 610),
      ...cells(['path', 'path of the part.', 'No'], [60, 160, 400], 595),
    ];
    expect(await readCharacters([...prose(PROSE, 700), ...texts])).toContain(
      '| unit | unit of the value. |  |\n| path | path of the part. | No |',
    );
  });

  it('have cells in a fixed pitch below bold names, and code where the blanks are written', async () => {
    const xs = [60, 240];
    const options = [
      ['resource', 'standard output'],
      ['attributeCountLimit', '128'],
      ['processors', 'none'],
    ];
    const rows = options.flatMap((texts, at) => cells(texts, xs, 625 - 15 * at, 'C'));
    const code = ['resource    = other', 'processors  = some'].map((text, at): SetText => ({
      x: 60,
      y: 500 - 12 * at,
      text,
      font: 'C',
    }));
    const text = await readCharacters([
      ...prose(PROSE, 700),
      ...cells(['Option', 'Default'], [90, 260], 640, 'B'),
      ...rows,
      ...code,
    ]);
    expect(text).toContain(
      '| resource | standard output |\n| attributeCountLimit | 128 |\n| processors | none |',
    );
    expect(text).toContain('```\nresource    = other\nprocessors  = some\n```');
  });

  it('have names and types in a fixed pitch beside texts of several lines', async () => {
    const rows = ['bash', 'dot', 'flags', 'nocase'].flatMap((name, at) => [
      ...cells([name, 'boolean', 'false'], [60, 130, 200], 625 - 40 * at, 'C'),
      ...cells(['', '', '', `Follows the rules of ${name}`], [60, 130, 200, 270], 630 - 40 * at),
      ...cells(['', '', '', 'more strictly.'], [60, 130, 200, 270], 618 - 40 * at),
    ]);
    const names = cells(['Option', 'Type', 'Default', 'Description'], [60, 130, 200, 300], 645, 'B');
    expect(await readCharacters([...prose(PROSE, 700), ...names, ...rows])).toContain(
      '| bash | boolean | false | Follows the rules of bash more strictly. |\n| dot | boolean |',
    );
  });

  it('have a row that begins on the next page where the label before it left room', async () => {
    const xs = [60, 160, 400];
    const row = (name: string, y: number): SetText[] => [
      ...cells([name, `sets the ${name} and its`], xs, y),
      ...cells(['', 'folder, if it is given'], xs, y - 12),
      ...cells(['', '', 'No'], xs, y),
    ];
    const pages = [
      [
        ...prose(PROSE, 700),
        ...cells(['Attribute', 'Description', 'Required'], xs, 150, 'B'),
        ...row('reloadstylesheet', 130),
        ...row('path', 95),
        ...row('style', 60),
      ],
      [...row('fileset', 740), ...row('mode', 705)],
    ];
    const spec = { pages: pages.map((texts) => ({ content: texts.map(characters).join('\n') })) };
    const document = await extract(writePdf(spec), { filename: 'test.pdf' });
    expectLawful(document);
    expect(document.text).toContain(
      'given | No |\n| fileset | sets the fileset and its folder, if it is given | No |',
    );
  });
});

describe('a value beside the middle of a cell of several lines', () => {
  const lines = (texts: readonly string[], y: number): SetText[] =>
    texts.map((text, line) => ({ x: 60, y: y - 12 * line, text, size: 10 }));
  const value = (text: string, x: number, y: number): SetText => ({ x, y, text, size: 10 });

  it('is in the row of that cell', async () => {
    const text = await read([
      ...lines(['Farm'], 700),
      value('2018', 200, 700),
      value('2019', 260, 700),
      ...lines(['Mill above the river', 'West Bank'], 680),
      value('1021', 200, 674),
      value('1140', 260, 674),
      ...lines(['Farm at the bridge', 'North Bank', 'Summer Fields'], 645),
      value('988', 200, 633),
      value('1002', 260, 633),
    ]);
    expect(text).toBe(
      '| Farm | 2018 | 2019 |\n| --- | --- | --- |\n| Mill above the river West Bank | 1021 | 1140 |\n' +
        '| Farm at the bridge North Bank Summer Fields | 988 | 1002 |',
    );
  });

  it('far below a cell is none of its lines', async () => {
    const rows = [...ROWS.slice(0, 1), ['', '(tons)', ''], ...ROWS.slice(1)];
    const far = rows.flatMap((cells, index) =>
      cells.flatMap((text, column) =>
        text === '' ? [] : [{ x: [60, 160, 260][column] ?? 0, y: 700 - 30 * index, text, size: 10 }],
      ),
    );
    expect(await read(far)).toContain('| Farm | 2018 | 2019 |\n| --- | --- | --- |\n|  | (tons) |  |\n');
  });
});

it('a number that a narrow cell breaks is one number', async () => {
  const cells = (texts: readonly (readonly [text: string, column: number])[], y: number): SetText[] =>
    texts.flatMap(([text, column]) =>
      text.split('/').map((line, at) => ({ x: 60 + 90 * column, y: y - 12 * at, text: line, size: 10 })),
    );
  const text = await read([
    ...cells(
      [
        ['Farm', 0],
        ['2018', 1],
        ['2019', 2],
      ],
      700,
    ),
    ...cells(
      [
        ['Upper mill', 0],
        ['$207,5/99', 1],
        ['1,460,/116', 2],
      ],
      680,
    ),
    ...cells(
      [
        ['Old bridge', 0],
        ['$237,4/16', 1],
        ['(304/,397)', 2],
      ],
      650,
    ),
    ...cells(
      [
        ['West field', 0],
        ['12.5', 1],
        ['31', 2],
      ],
      620,
    ),
  ]);
  expect(text).toBe(
    '| Farm | 2018 | 2019 |\n| --- | --- | --- |\n| Upper mill | $207,599 | 1,460,116 |\n' +
      '| Old bridge | $237,416 | (304,397) |\n| West field | 12.5 | 31 |',
  );
});

describe('cells of several lines that the stream has behind all others', () => {
  const rows = [
    ['Upper mill', '1021', ['The wheel was new,', 'and it ran all', 'through the year']],
    ['Old bridge', '988', ['A flood in spring']],
    ['West field', '1177', ['As good a harvest', 'as ever']],
    ['Low meadow', '940', ['Hay alone']],
  ] as const;
  const markdown = rows.map(([farm, tons, lines]) => `| ${farm} | ${tons} | ${lines.join(' ')} |`).join('\n');

  it.each([
    ['end', (top: number, lines: number) => top - 12 * (lines - 1)],
    ['begin', (top: number) => top],
  ] as const)('stand in the rows whose other cells they %s with', async (_, baseline) => {
    let top = 640;
    const values: SetText[] = [];
    const late: SetText[] = [];
    for (const [farm, tons, lines] of rows) {
      const y = baseline(top, lines.length);
      values.push({ x: 60, y, text: farm, size: 10 }, { x: 160, y, text: tons, size: 10 });
      if (lines.length === 1) values.push({ x: 220, y, text: lines[0], size: 10 });
      else for (const [at, text] of lines.entries()) late.push({ x: 220, y: top - 12 * at, text, size: 10 });
      top -= 12 * lines.length + 2;
    }
    const header = ['Farm', 'Tons', 'Remarks'].map((text, at) => ({
      x: [60, 160, 220][at] ?? 0,
      y: 656,
      text,
    }));
    expect(await read([...header, ...values, ...late])).toContain(markdown);
  });
});
