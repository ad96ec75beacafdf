// Unruled tables of PDFs whose cells have several lines: written cell by cell, as word processors and browsers do, or
// row by row of lines; headers of two levels; words that narrow cells break.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { drawLines, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

async function readDocument(...pages: readonly (readonly SetText[])[]): Promise<Document> {
  const bytes = writePdf({ pages: pages.map((texts) => ({ content: setText(texts) })) });
  const document = await extract(bytes, { filename: 'test.pdf', furniture: 'keep' });
  expectLawful(document);
  return document;
}

async function read(...pages: readonly (readonly SetText[])[]): Promise<string> {
  return (await readDocument(...pages)).text;
}

const PITCH = 12;
const PADDING = 5;

/** Rows of cells, the lines of a cell parted by `/`: cell after cell, each with its lines from above. */
function cellwise(rows: readonly (readonly string[])[], xs: readonly number[], top: number): SetText[] {
  let y = top;
  return rows.flatMap((cells) => {
    const lines = cells.map((cell) => cell.split('/'));
    const texts = lines.flatMap((cell, column) =>
      cell.flatMap((text, line) =>
        text === '' ? [] : [{ x: xs[column] ?? 0, y: y - PITCH * line, text: text.trim() }],
      ),
    );
    y -= PITCH * Math.max(...lines.map((cell) => cell.length)) + PADDING;
    return texts;
  });
}

/** The same, line after line over all columns. */
function linewise(...table: Parameters<typeof cellwise>): SetText[] {
  return cellwise(...table).sort((a, b) => b.y - a.y || a.x - b.x);
}

const markdown = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) => `| ${cells.map((cell) => cell.replace(/\s*\/\s*/g, ' ')).join(' | ')} |`)
    .flatMap((row, index) => (index === 0 ? [row, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`] : [row]))
    .join('\n');

const XS = [60, 180, 300];
const ROWS = [
  ['Channel', 'Medium', 'Examples'],
  ['Direct', 'Physical', 'meetings,/listening sessions,/letters to/members,/visits'],
  ['Indirect', 'Digital or/on paper', 'news articles,/social media,/notices'],
  ['Events', 'Physical', 'talks,/panels,/training,/open days,/fairs'],
];

describe('cells of several lines', () => {
  it('hold all of them where they are written cell by cell, however many the last one has', async () => {
    expect(await read(cellwise(ROWS, XS, 700))).toBe(markdown(ROWS));
  });

  it('do so where they are written line by line and rows stand further apart than lines', async () => {
    const rows = [
      ['Place', 'What was seen', 'By whom'],
      ['Easton', 'A mill and/Two bridges', 'The miller/Of the village'],
      ['Weston', 'A church and/A tower', 'The priest'],
      ['Norton', 'A ford', 'Somebody/Else'],
    ];
    expect(await read(linewise(rows, XS, 700))).toBe(markdown(rows));
  });

  it('end with the table: what follows it is a paragraph', async () => {
    const after = [
      'The river rises in the hills and runs for sixty miles before it meets the',
      'sea. Its water was measured at nine places, twice a week, for three years.',
    ].map((text, row) => ({ x: 60, y: 400 - PITCH * row, text }));
    const text = await read([...cellwise(ROWS, XS, 700), ...after]);
    expect(text).toBe(`${markdown(ROWS)}\n\n${after.map((line) => line.text).join(' ')}`);
  });

  it('may be long in more than one column, and begin with small letters', async () => {
    const rows = [
      ['Stage', 'What is done in it', 'What comes of it'],
      [
        'One',
        'the type of document is chosen and/a project is made of it',
        'people in charge can go on with/the whole of the work',
      ],
      [
        'Two',
        'the data are stored, shown and/searched by their marks',
        'data that are used can be kept/apart from others',
      ],
      [
        'Three',
        'labels are set on pages of data/and looked at again',
        'somebody else can do the work/of labelling',
      ],
    ];
    expect(await read(cellwise(rows, [60, 140, 360], 700))).toBe(markdown(rows));
  });

  it('do not take in the next row where figures stand below figures, however close', async () => {
    const rows = Array.from({ length: 6 }, (_, row) => [
      row % 3 === 0 ? `Group ${row}` : '',
      `${row}.5`,
      `1${row}`,
    ]);
    const texts = rows.flatMap((cells, row) =>
      cells.flatMap((text, column) =>
        text === '' ? [] : [{ x: XS[column] ?? 0, y: 700 - PITCH * row - (row > 2 ? 8 : 0), text }],
      ),
    );
    const text = await read(texts);
    for (const [, value = ''] of rows) expect(text).toContain(`| ${value} |`);
  });

  it('go on from a label that is written in a line of its own', async () => {
    const rows = [
      ['Cause', 'Men', 'Women'],
      ['Accidents on roads', '12', '7'],
      ['Accidents at work, on the way/to it and at home', '14', '9'],
      ['Others', '3', '2'],
    ];
    // The values stand beside the last line of their label.
    const texts = rows.flatMap(([label = '', ...values], row) => {
      const lines = label.split('/');
      const y = 700 - 2 * PITCH * row;
      return [
        ...lines.map((text, line) => ({ x: 60, y: y - PITCH * line, text })),
        ...values.map((text, at) => ({ x: 300 + 80 * at, y: y - PITCH * (lines.length - 1), text })),
      ];
    });
    expect(await read(texts)).toBe(markdown(rows));
  });
});

describe('values', () => {
  it('are arrows, ticks and letters for yes and no, too', async () => {
    const rows = [
      ['Country', 'Reserved', 'Owned', 'Reported'],
      ['Argentina', 'Y', 'N', 'Y'],
      ['Australia', 'N', 'Y', 'Y'],
      ['Austria', 'Y', 'Y', 'N'],
    ];
    expect(await read(cellwise(rows, [60, 180, 260, 340], 700))).toBe(markdown(rows));
  });
});

describe('cells in a fixed pitch', () => {
  const rows = [
    ['Item', 'Meaning', 'Option'],
    ['Mask', 'The angle in degrees/below which nothing/is measured.', 'pos1-/elmask'],
    ['Tides', 'Whether the tides/are taken off.', 'pos1-/tidecorr'],
    ['Filter', 'Which way/values are read.', 'pos1-/soltype'],
  ];
  const texts = cellwise(rows, XS, 700).map((text): SetText =>
    /^(?:pos1|elmask|tidecorr|soltype)/.test(text.text) ? { ...text, font: 'C' } : text,
  );

  it('are cells where the stream has them right beside a text', async () => {
    expect(await read(texts)).toBe(markdown(rows));
  });

  it('are names to the left of texts, in one column, of up to three lines', async () => {
    const named = [
      ['Package', 'Size', 'What it does'],
      ['network/manager', '5570', 'Manages the network,/with windows.'],
      ['ifupdown', '199', 'Brings networks up/and down.'],
      ['wireless-tools', '292', 'Sets up cards.'],
    ];
    const isName = (text: string): boolean => /^[a-z]/.test(text) && !text.includes(' ');
    const names = cellwise(named, XS, 700).map((text): SetText =>
      isName(text.text) ? { ...text, font: 'C' } : text,
    );
    const code = ['up = yes', 'down = no'].map((text, at): SetText => ({
      x: 60,
      y: 500 - 12 * at,
      text,
      font: 'C',
    }));
    const text = await read([...names, ...code]);
    expect(text).toContain('| network manager | 5570 | Manages the network, with windows. |\n| ifupdown |');
    expect(text).toContain('```\nup = yes\ndown = no\n```');
  });

  it('are code where they stand below it', async () => {
    const text = await read([
      ...cellwise(
        [
          ['Item', 'Meaning'],
          ['Mask', 'The angle'],
          ['Tides', 'Whether'],
        ],
        XS,
        700,
      ),
      ...['pos1 = mask', 'pos2 = tides'].map((text, row) => ({
        x: 60,
        y: 640 - 12 * row,
        text,
        font: 'C' as const,
      })),
    ]);
    expect(text).toContain('```\npos1 = mask\npos2 = tides\n```');
  });
});

describe('what three level lines of one length frame', () => {
  const draw = (content: string, ys: readonly number[]): string =>
    `${drawLines(ys.map((y) => [55, y, 395, y]))}\n${content}`;
  const readFramed = async (content: string, ys: readonly number[]): Promise<string> => {
    const document = await extract(writePdf({ pages: [{ content: draw(content, ys) }] }), {
      filename: 'test.pdf',
      furniture: 'keep',
    });
    return document.text;
  };

  it('is a table though other rows stand right below it', async () => {
    const rows = [
      ['Option', 'Meaning'],
      ['report', 'a report of a year'],
      ['letter', 'a letter to a member'],
      ['review', 'a review of a book'],
    ];
    const below = ['american', 'british', 'welsh'].flatMap((label, row): SetText[] => [
      { x: 20, y: 615 - PITCH * row, text: label },
      { x: 90, y: 615 - PITCH * row, text: 'Two more ways to write have been added since, as is told below' },
    ]);
    const content = setText([...cellwise(rows, [60, 200], 700), ...below]);
    expect(await readFramed(content, [715, 692, 642])).toContain(`${markdown(rows)}\n\n`);
    expect(await readFramed(content, [])).not.toContain(markdown(rows));
  });

  it('holds signs that are no values elsewhere', async () => {
    const rows = [
      ['Section', 'Book', 'Letter', 'Review'],
      ['Findings', '+', 'o', '='],
      ['Summary', '+', 'o', '='],
      ['Sources', 'o', '+', '+'],
      ['Thanks', '=', '=', '+'],
    ];
    const content = setText(linewise(rows, [60, 180, 260, 340], 700));
    expect(await readFramed(content, [715, 692, 625])).toContain(markdown(rows));
    expect(await readFramed(content, [])).not.toContain('|');
  });
});

describe('headers', () => {
  const values = [
    ['Easton', '12.5', '3.1', '13.0', '3.3'],
    ['Weston', '11.0', '2.9', '10.7', '3.0'],
    ['Norton', '14.2', '4.0', '13.9', '4.4'],
    ['Sutton', '9.1', '2.2', '9.4', '2.0'],
  ];
  const xs = [60, 180, 250, 320, 390];

  it('of two levels are two rows where a cell covers columns and another both rows', async () => {
    const header = [
      { x: 60, y: 700, text: 'Place' },
      ...['Values of', 'the first year'].map((text, line) => ({
        x: 180,
        y: 700 - PITCH * line,
        text: `${text} measured`,
      })),
      ...['Values of', 'the second year'].map((text, line) => ({
        x: 320,
        y: 700 - PITCH * line,
        text: `${text} measured`,
      })),
      ...['Which of', 'them are', 'greater'].map((text, line) => ({ x: 480, y: 700 - PITCH * line, text })),
      ...['Chloride', 'Nitrate', 'Chloride', 'Nitrate'].map((text, at) => ({
        x: xs[at + 1] ?? 0,
        y: 676,
        text,
      })),
    ];
    const rows = values.map((cells, row) => [...cells, row % 2 === 0 ? 'first' : 'second']);
    const text = await read([...header, ...cellwise(rows, [...xs, 480], 650)]);
    expect(text.split('\n').slice(0, 4)).toEqual([
      '| Place | Values of measured the first year measured |  | Values of measured the second year measured |  | Which of them are greater |',
      '| --- | --- | --- | --- | --- | --- |',
      '|  | Chloride | Nitrate | Chloride | Nitrate |  |',
      '| Easton | 12.5 | 3.1 | 13.0 | 3.3 | first |',
    ]);
  });
});

describe('words', () => {
  it('that columns break without a hyphen are whole', async () => {
    // In a fixed pitch lines of nine letters are equally full.
    const rows = [
      ['No.', 'Registrat/ion', 'Candidate/s in town'],
      ['1', 'Cambodian/People', '28'],
      ['2', 'Constitut/nts', '23'],
      ['3', 'Nationali/st Party', '9'],
    ];
    const text = await read(cellwise(rows, [60, 110, 200], 700).map((one) => ({ ...one, font: 'C' })));
    expect(text).toBe(
      [
        '| No. | Registration | Candidates in town |',
        '| --- | --- | --- |',
        '| 1 | Cambodian People | 28 |',
        '| 2 | Constitutnts | 23 |',
        '| 3 | Nationalist Party | 9 |',
      ].join('\n'),
    );
  });

  it('are whole where one breaks within a common ending', async () => {
    const rows = [
      ['Reading', 'Recommendat/ion', 'Group'],
      ['Saccharometer', '12', 'Health'],
      ['Thermometer', '23', 'Significan/t effects'],
      ['Barometer', '9', 'Sales'],
    ];
    const text = await read(cellwise(rows, [60, 200, 300], 700).map((one) => ({ ...one, font: 'C' })));
    expect(text).toBe(markdown(rows.map((cells) => cells.map((cell) => cell.replace('/', '')))));
  });

  it('and the signs of units below them stay apart', async () => {
    const rows = [
      ['Food', 'Protein/g', 'Production/t', 'Patients/n'],
      ['Bread', '12', '100', '31'],
      ['Cheese', '11', '200', '29'],
      ['Apples', '14', '300', '40'],
    ];
    expect(await read(cellwise(rows, [60, 180, 300, 400], 700))).toBe(markdown(rows));
  });

  it('and the parts of an address are one where it fills the lines of its cell', async () => {
    const cell = (top: number, lines: readonly string[], year: string): SetText[] => [
      ...lines.map((text, line) => ({ x: 60, y: top - PITCH * line, text })),
      { x: 300, y: top, text: year },
    ];
    const texts = [
      ...cell(720, ['Source'], 'Year'),
      ...cell(700, ['Mill Trust', 'https://mills', 'ri', 'ver.example//', '2016'], '2016'),
      ...cell(630, ['Ford Trust', 'https://f.org', 'and more'], '2017'),
      ...cell(580, ['Lock Trust'], '2018'),
    ];
    const text = await read(texts.map((one) => ({ ...one, font: 'C' })));
    expect(text).toContain('| Mill Trust https://millsriver.example//2016 | 2016 |');
    expect(text).toContain('| Ford Trust https://f.org and more | 2017 |');
  });

  it('and years with a hyphen at the end of a line stand together', async () => {
    const rows = [
      ['Place', '2000-/2004', '2004-/2009', 'Eco-/Schools'],
      ['Easton', '12', '31', '1'],
      ['Weston', '11', '29', '2'],
      ['Norton', '14', '40', '3'],
    ];
    const text = await read(cellwise(rows, [60, 180, 300, 400], 700));
    expect(text).toContain('| Place | 2000-2004 | 2004-2009 | Eco-Schools |');
  });

  it('are left alone where the column is as wide as its longest word', async () => {
    const rows = [
      ['Number/of rivers', 'Amount/paid', 'Length/mm'],
      ['12', '100', '31'],
      ['11', '200', '29'],
      ['14', '300', '40'],
    ];
    expect(await read(cellwise(rows, [60, 180, 300], 700))).toBe(markdown(rows));
  });
});

describe('no tables are', () => {
  it('paragraphs behind their numbers', async () => {
    const clause =
      'The borrower repays what is/lent on the day agreed, and/pays what was agreed for it/at the end of each year.';
    const rows = Array.from({ length: 6 }, (_, row) => [`${row + 1}.1`, clause]);
    expect(await read(cellwise(rows, [60, 110], 700))).not.toContain('|');
  });
});

describe('tables that go on over the end of a page', () => {
  const header = ['Place', 'Chloride', 'Nitrate'];
  const value = (row: number): string[] => [`Place ${row}`, `${row}.5`, `${row + 1}.1`];
  const values = (from: number, count: number): string[][] =>
    Array.from({ length: count }, (_, row) => value(from + row));
  const prose = [
    'The river rises in the hills and runs for sixty miles before it meets the',
    'sea. Its water was measured at nine places, twice a week, for three years.',
  ];
  const page = (
    number: number,
    rows: readonly (readonly string[])[],
    more: readonly SetText[] = [],
  ): SetText[] => [
    { x: 60, y: 780, text: 'Report on Rivers' },
    ...cellwise(rows, XS, 740),
    ...more,
    { x: 300, y: 40, text: String(number) },
  ];
  const after = prose.map((text, row) => ({ x: 60, y: 300 - PITCH * row, text }));

  it('are one, with the header once and each row on its page', async () => {
    const { text, pages, blocks } = await readDocument(
      page(1, [header, ...values(1, 8)]),
      page(2, [header, ...values(9, 8)]),
      page(3, [header, ...values(17, 4)], after),
    );
    expect(text).toContain(markdown([header, ...values(1, 20)]));
    expect(text.match(/Chloride/g)).toHaveLength(1);
    expect(pages[1]).toBe(text.indexOf('| Place 9 '));
    expect(pages[2]).toBe(text.indexOf('| Place 17 '));
    const table = blocks.find(({ kind }) => kind === 'table');
    expect(table?.children?.map((row) => row.page)).toEqual([
      ...new Array<number>(9).fill(1),
      ...new Array<number>(8).fill(2),
      ...new Array<number>(4).fill(3),
    ]);
    expect(text.slice(0, table?.start)).toMatch(/(?:^|\n)1\n/);
    expect(text.trimEnd().endsWith('3')).toBe(true);
  });

  it('go on without a header, with a single row, and below the word for it', async () => {
    const continued = [{ x: 60, y: 756, text: 'Table 3 (continued)' }];
    const { text } = await readDocument(
      page(1, [header, ...values(1, 8)]),
      page(2, values(9, 8)),
      page(3, values(17, 5), continued),
      page(4, [['Total', '99.5', '88.1']], after),
    );
    expect(text).toContain(markdown([header, ...values(1, 21), ['Total', '99.5', '88.1']]));
  });

  it('go on with a single row below the header that comes again', async () => {
    const { text } = await readDocument(
      page(1, [header, ...values(1, 8)]),
      page(2, [header, value(9)], after),
    );
    expect(text).toContain(markdown([header, ...values(1, 9)]));
    expect(text.match(/Chloride/g)).toHaveLength(1);
  });

  it.each([0, 1])(
    'begin with %d rows before the page end below names that the next page repeats',
    async (count) => {
      const head = { x: 60, y: 780, text: 'Report on Rivers' };
      const { text, pages, blocks } = await readDocument(
        [head, ...after, ...cellwise([header, ...values(1, count)], XS, 120), { x: 300, y: 40, text: '1' }],
        page(2, [header, ...values(1 + count, 8)], after),
      );
      expect(text).toContain(markdown([header, ...values(1, 8 + count)]));
      expect(text.match(/Chloride/g)).toHaveLength(1);
      expect(pages[1]).toBe(text.indexOf(`| Place ${String(1 + count)} `));
      expect(blocks.filter(({ kind }) => kind === 'table')).toHaveLength(1);
    },
  );

  it('have a row that is cut put together again; its page ends within the cell', async () => {
    const { text, pages } = await readDocument(
      page(1, [...ROWS.slice(0, 3), ['Events', 'Physical', 'talks,/panels and']]),
      page(
        2,
        [
          ['', '', 'training,/open days,/fairs'],
          ['Others', 'Digital', 'none'],
        ],
        after,
      ),
    );
    expect(text).toContain(
      '| Events | Physical | talks, panels and training, open days, fairs |\n| Others |',
    );
    expect(text.slice(pages[1])).toMatch(/^training, open days/);
  });

  it('have a row put together again that goes on right below the names that come again', async () => {
    const names = ['Kind of event', 'Place', 'Content'];
    const rows = [names, ...ROWS.slice(1, 3)];
    const { text } = await readDocument(
      page(1, [...rows, ['Events', 'Physical', 'talks,/panels and']]),
      page(
        2,
        [names, ['', '', 'training,'], ['Others', 'Digital', 'none'], ['Online', 'Digital', 'films']],
        after,
      ),
    );
    expect(text).toContain(
      '| Events | Physical | talks, panels and training, |\n| Others | Digital | none |',
    );
  });

  it('keep a row that begins as the first one does and has a text below no name', async () => {
    const [first, other] = [
      ['Town', 'Easton', ''],
      ['Town', 'Easton', 'Easton'],
    ];
    const rest = [
      ['Place', 'mill', '12'],
      ['of it', '3.5', 'and'],
      ['Place', 'and', 'mill'],
    ];
    const { text } = await readDocument(page(1, [first, ...values(1, 6)]), page(2, [other, ...rest], after));
    expect(text.match(/Easton/g)).toHaveLength(3);
  });

  it('are found where a column is empty on the next page', async () => {
    const rows = [
      ['Norton', '', '4.0'],
      ['Sutton', '', '2.2'],
      ['Aston', '', '1.9'],
      ['Upton', '', '1.0'],
    ];
    expect(await read(page(1, [header, ...values(1, 8)]), page(2, rows, after))).toContain(
      markdown([header, ...values(1, 8), ...rows]),
    );
  });

  it.each([
    ['another header', [['Town', 'People', 'Houses'], ...values(9, 6)]],
    ['other columns', values(9, 6).map((row) => [...row, 'x'])],
    ['a text', [[prose.join('/'), '', '']]],
  ])('end with it before %s', async (_, rows) => {
    const { text, pages } = await readDocument(page(1, [header, ...values(1, 8)]), page(2, rows, after));
    expect(text.slice(0, pages[1])).toContain(`${markdown([header, ...values(1, 8)])}\n`);
    expect(text.slice(pages[1])).toMatch(/^Report on Rivers/);
  });

  it('lose no word and keep each row on its page, whatever they hold', async () => {
    const cell = fc.constantFrom('Easton', 'mill', 'and', '12', '3.5', '', 'a tower.', 'of the');
    const row = fc
      .tuple(fc.constantFrom('Place', 'Town', 'of it', ''), cell, cell)
      .map((cells) => [...cells]);
    // Rows that a page begins with as the one before it does are its header again, and told once.
    const rows = fc.uniqueArray(row, {
      minLength: 4,
      maxLength: 36,
      selector: (cells) => cells.filter(Boolean).join(),
    });
    const parted = fc
      .tuple(rows, fc.integer({ min: 2, max: 4 }))
      .map(([all, pages]) =>
        Array.from({ length: pages }, (_, at) =>
          all.slice(Math.floor((at * all.length) / pages), Math.floor(((at + 1) * all.length) / pages)),
        ),
      );
    await fc.assert(
      fc.asyncProperty(parted, async (tables) => {
        const { text, pages } = await readDocument(...tables.map((some, at) => page(at + 1, some)));
        expect(pages).toHaveLength(tables.length);
        const wordsOf = (some: string): string[] => (some.match(/[a-z]+/gi) ?? []).sort();
        const whole = tables.map((some) => ['Report on Rivers', ...some.flat()].join(' ')).join(' ');
        expect(wordsOf(text.replace(/<br>/g, ' '))).toEqual(wordsOf(whole));
      }),
      cases(60),
    );
  });
});
