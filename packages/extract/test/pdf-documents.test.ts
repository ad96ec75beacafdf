// Parts of real documents besides prose: lists of contents, running heads, chapters, data sheets, drawn bullets.
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type PdfSpec, type SetText } from '@grainline/testing/pdf-writer';

const PROSE = [
  'The river rises in the hills and runs for sixty miles before it meets the',
  'sea. Its water was measured at nine places, twice a week, for three years,',
  'and every value was written down by hand and read again by somebody else.',
];
const PITCH = 12;

async function readPdf(spec: PdfSpec): Promise<Document> {
  const document = await extract(writePdf(spec), { filename: 'test.pdf' });
  expectLawful(document);
  return document;
}

async function read(...pages: readonly (readonly SetText[])[]): Promise<string> {
  return (await readPdf({ pages: pages.map((texts) => ({ content: setText(texts) })) })).text;
}

/** Lines one below the other. */
const column = (lines: readonly string[], y: number, more: Partial<SetText> = {}): SetText[] =>
  lines.map((text, row) => ({ x: 60, y: y - PITCH * row, text, ...more }));

/** Rows of cells, one line each. */
const table = (
  rows: readonly (readonly string[])[],
  xs: readonly number[],
  y: number,
  more: Partial<SetText> = {},
): SetText[] =>
  rows.flatMap((cells, row) =>
    cells.flatMap((text, at) => (text === '' ? [] : [{ x: xs[at] ?? 0, y: y - PITCH * row, text, ...more }])),
  );

const headingsOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('#'));
const VALUES = Array.from({ length: 6 }, (_, row) => [`Place ${row}`, `${row}.5`, `${row + 1}.1`]);
const XS = [60, 200, 300];

describe('dots that lead to a page', () => {
  it('are one sign, and an ellipsis is what it was', async () => {
    const lines = [
      '1 The river . . . . . . . . . . . . . . . . . . . 3',
      '1.1 Where it rises...............................4',
      'Index . . 87, 91',
      'and then . . . nothing ... at all',
      'Name ........... Town ...........',
    ];
    expect(await read(column(lines, 700))).toBe(
      [
        '1 The river … 3',
        '1.1 Where it rises … 4',
        'Index … 87, 91',
        'and then . . . nothing ... at all',
        'Name … Town …',
      ].join('\n'),
    );
  });

  it('may be a hundred thousand', async () => {
    const { text } = await readPdf({
      pages: [{ content: setText(column(['x ' + '. '.repeat(100_000)], 700)) }],
    });
    expect(text).toBe('x …');
  });

  it('may be missing: entries whose pages rise are no table', async () => {
    const rows = ['Introduction', 'The river', 'Its water', 'What was found', 'Tables'].map((title, row) => [
      `${row + 1} ${title}`,
      String(4 * row + 1),
    ]);
    const text = await read(table(rows, [60, 400], 700, { font: 'B' }), column(PROSE, 700));
    expect(text).not.toContain('|');
    expect(headingsOf(text)).toEqual([]);
  });
});

it('ligatures that a font of TeX leaves as codes are letters', async () => {
  const { text } = await readPdf({
    toUnicode: { Q: '000B', X: '000C', Z: '000E' },
    pages: [{ lines: ['diQerent Xelds in the oZce', 'Xve of them'] }],
  });
  expect(text).toBe('different fields in the office five of them');
  const ending = await readPdf({
    toUnicode: { Q: '000B' },
    pages: [{ lines: ['they turned it oQ', 'and on'] }],
  });
  expect(ending.text).toBe('they turned it off and on');
});

it('signs that a font of TeX in the Cork encoding leaves as codes are what they show', async () => {
  const { text } = await readPdf({
    toUnicode: {
      Q: '001B',
      X: '001C',
      Y: '001D',
      Z: '001E',
      W: '001F',
      '<': '0010',
      '>': '0011',
      '=': '0015',
    },
    pages: [{ lines: ['diQerent Xelds, Yat, in the oZce', 'a baWed man of 50=59, a <spike> = no more'] }],
  });
  expect(text).toBe('different fields, flat, in the office\na baffled man of 50–59, a “spike” – no more');
});

describe('headings', () => {
  const bookmark = (title: string, more = '', view = '/Fit'): string =>
    `<</Title(${title})/Parent 900 0 R/Dest[10 0 R${view}]${more}>>`;

  it('are those of an outline that leaves their numbers out', async () => {
    const texts = [
      ...column(['1.1. Linear models'], 740),
      ...column(PROSE, 720),
      ...column(['1.2. Example'], 660),
      ...column(PROSE, 640),
      ...column(['Example'], 580),
    ];
    const { text } = await readPdf({
      pages: [{ content: setText(texts) }],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 902 0 R/Count 2>>',
        901: bookmark('Linear models', '/Next 902 0 R'),
        902: bookmark('Example'),
      },
    });
    expect(headingsOf(text).slice(0, 2)).toEqual(['# 1.1. Linear models', '# 1.2. Example']);
  });

  it('are one line for each title of the outline, the one in the strongest type', async () => {
    const texts = [
      ...column(['History'], 740),
      ...column(PROSE, 720),
      ...column(['History'], 640, { size: 16 }),
      ...column(PROSE, 620),
    ];
    const { text } = await readPdf({
      pages: [{ content: setText(texts) }],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 901 0 R/Count 1>>',
        901: bookmark('History'),
      },
    });
    expect(headingsOf(text)).toEqual(['# History']);
    expect(text.indexOf('# History')).toBeGreaterThan(text.indexOf(PROSE[0] ?? ''));
  });

  it('are the lines that the outline points to, when more than their title stands in them', async () => {
    const texts = [
      ...column(['open{name}[mode]'], 740),
      ...column(PROSE, 718),
      ...column(['close{name}'], 640),
      ...column(PROSE, 618),
      ...column(PROSE, 540),
      ...column(['B'], 440, { font: 'B' }),
      ...column(PROSE, 420),
    ];
    const { text, outline } = await readPdf({
      pages: [{ content: setText(texts) }],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 904 0 R/Count 4>>',
        901: bookmark('open', '/Next 902 0 R', '/XYZ 50 755 null'),
        902: bookmark('close', '/Next 903 0 R', '/FitH 655'),
        903: bookmark(PROSE[0]?.split(' ')[0] ?? '', '/Next 904 0 R', '/XYZ 50 555 null'),
        904: bookmark('B'),
      },
    });
    expect(headingsOf(text)).toEqual(['# open{name}[mode]', '# close{name}', '# B']);
    expect(outline?.map(({ start }) => start)).toEqual([
      0,
      text.indexOf('# close'),
      undefined,
      text.indexOf('# B'),
    ]);
  });

  it('with numbers that the outline lacks are below those that it has', async () => {
    const texts = [
      ...column(['The river'], 740, { size: 24 }),
      ...column(['1 Places'], 700, { size: 18 }),
      ...column(['1.1 The weir'], 670, { size: 14 }),
      ...column(PROSE, 650),
      ...column(['1.1.1 The gate'], 590, { font: 'B' }),
      ...column(PROSE, 570),
    ];
    const { text } = await readPdf({
      pages: [{ content: setText(texts) }],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 901 0 R/Count 1>>',
        901: bookmark('Places', '/First 902 0 R/Last 902 0 R/Count 1'),
        902: bookmark('The weir'),
      },
    });
    expect(headingsOf(text).slice(1)).toEqual(['# 1 Places', '## 1.1 The weir', '### 1.1.1 The gate']);
  });

  it('of one series of numbers have one level, with an abbreviation in capitals among them', async () => {
    const titles = ['ABBREVIATIONS', 'TERMS AND DEFINITIONS', '1 Overview', '2 LRS', '3 Places'];
    const texts = titles.flatMap((title, index) => [
      ...column([title], 740 - 140 * index, { size: 16 }),
      ...column(PROSE, 720 - 140 * index),
    ]);
    const { text } = await readPdf({ pages: [{ content: setText(texts) }] });
    expect(headingsOf(text).slice(2)).toEqual(['## 1 Overview', '## 2 LRS', '## 3 Places']);
  });

  it('of chapters are no deeper than the number above them', async () => {
    const chapter = (number: number, title: string): SetText[] => [
      ...column([`Chapter ${number}`], 740, { size: 14 }),
      ...column([title], 700, { size: 24 }),
      ...column(PROSE, 660),
    ];
    expect(headingsOf(await read(chapter(1, 'The river'), chapter(2, 'Its water')))).toEqual([
      '# Chapter 1',
      '# The river',
      '# Chapter 2',
      '# Its water',
    ]);
  });

  it('are larger than the tables of a document that has no other text', async () => {
    const text = await read([
      ...column(['Register of places'], 740, { size: 18 }),
      ...table(VALUES, XS, 700),
    ]);
    expect(headingsOf(text)).toEqual(['# Register of places']);
  });

  it('are bold labels of a crowded page without large type, with text below each', async () => {
    const labels = Array.from({ length: 10 }, (_, entry) => `Label ${'bcdefghijk'[entry] ?? ''}`);
    const texts = labels.flatMap((label, entry) => [
      ...column([label], 700 - 60 * entry, { font: 'B' }),
      ...column(PROSE.slice(0, 3), 685 - 60 * entry),
    ]);
    expect(headingsOf(await read(texts))).toEqual(labels.map((label) => `# ${label}`));
  });

  it('in large type stay on a page that is crowded with bold labels', async () => {
    const entries = Array.from({ length: 10 }, (_, entry) => [
      ...column([`Label ${'abcdefghij'[entry] ?? ''}`], 660 - 60 * entry, { font: 'B' }),
      ...column(
        ['A value in some words', 'Another one of these', 'The last of the values'],
        645 - 60 * entry,
      ),
    ]).flat();
    const texts = [
      ...column(['Anna Berg'], 740, { size: 24 }),
      ...column(['Experience'], 690, { size: 16 }),
      ...column(PROSE.slice(0, 1), 675),
      ...entries,
    ];
    expect(headingsOf(await read(texts))).toEqual(['# Anna Berg', '## Experience']);
  });

  it('are found between paragraphs that stand as far apart as they do', async () => {
    const texts = Array.from({ length: 4 }, (_, entry) => [
      ...column(
        [`${entry + 1}. ${['Parties', 'Services', 'Charges', 'Term'][entry] ?? ''}`],
        740 - 96 * entry,
        { font: 'B' },
      ),
      ...column([...PROSE.slice(0, 1), 'and ends here.'], 716 - 96 * entry),
      ...column([...PROSE.slice(1, 2), 'or there.'], 680 - 96 * entry),
    ]).flat();
    expect(headingsOf(await read(texts))).toHaveLength(4);
  });
});

describe('running heads', () => {
  const page = (number: number, rows: readonly (readonly string[])[]): SetText[] => [
    { x: 60, y: 770, text: 'Report on Rivers' },
    { x: 400, y: 770, text: String(number) },
    ...table(rows, XS, 745),
    ...column(PROSE, 600),
  ];

  it('are no rows of the tables that pages begin with', async () => {
    const other = VALUES.map(([place = '', ...values]) => [`Other ${place}`, ...values]);
    const text = await read(page(1, VALUES), page(2, other));
    expect(text).toContain('| Place 0 | 0.5 | 1.1 |');
    expect(text).toContain('| Other Place 0 | 0.5 | 1.1 |');
    expect(text).not.toMatch(/\|[^\n]*Report/);
  });

  it('may stand as close as the rows of a table and change from page to page, when they count the pages', async () => {
    const titles = ['Streams', 'Vectors', 'Bodies'];
    const pages = titles.map((title, at) => [
      { x: 60, y: 757, text: title },
      { x: 300, y: 757, text: String(at + 41) },
      ...table(
        VALUES.map(([place = '', ...values]) => [`${title} ${place}`, ...values]),
        XS,
        745,
      ),
    ]);
    const text = await read(...pages);
    expect(text).toContain('| Vectors Place 0 | 0.5 | 1.1 |');
    for (const number of ['41', '42', '43']) expect(text).not.toMatch(new RegExp(`\\|[^\\n]*${number}`));
  });
});

describe('tables', () => {
  const HEADER = ['Place', 'Chloride', 'Nitrate'];

  it('have labels above figures for a header, and no figures', async () => {
    expect(await read(table([HEADER, ...VALUES], XS, 700))).toContain(
      '| Place | Chloride | Nitrate |\n| --- | --- | --- |\n| Place 0 |',
    );
    const { blocks } = await readPdf({ pages: [{ content: setText(table(VALUES, XS, 700)) }] });
    expect(blocks[0]?.children?.some(({ header }) => header === true)).toBe(false);
  });

  it('have a bold row above others for a header', async () => {
    const words = [
      ['North', 'clear', 'cold'],
      ['South', 'muddy', 'warm'],
      ['East', 'brown', 'cool'],
    ];
    const rows = [...table([HEADER], XS, 700, { font: 'B' }), ...table(words, XS, 688)];
    const { blocks } = await readPdf({ pages: [{ content: setText(rows) }] });
    expect(blocks[0]?.children?.map(({ header }) => header === true)).toEqual([true, false, false, false]);
  });

  it('end at a title in larger type, and begin again below it', async () => {
    const texts = [
      ...table(VALUES, XS, 700),
      ...column(['2.1 Ordering information'], 700 - 6 * PITCH - 4, { size: 13 }),
      ...table(VALUES, XS, 700 - 8 * PITCH),
      ...column(PROSE, 400),
    ];
    const text = await read(texts);
    expect(headingsOf(text)).toEqual(['# 2.1 Ordering information']);
    expect(text.match(/\| Place 0 /g)).toHaveLength(2);
  });

  it('keep sums in rows of their own', async () => {
    const rows = [
      ['Item', 'Price', 'Amount'],
      ['Drill', '12.50', '25.00'],
      ['Saw', '8.00', '8.00'],
    ];
    const sums = [
      ['', 'Subtotal', '33.00'],
      ['', 'Tax', '6.60'],
      ['', 'Total', '39.60'],
    ];
    const text = await read(table([...rows, ...sums], XS, 700));
    expect(text).toContain(
      '| Saw | 8.00 | 8.00 |\n|  | Subtotal | 33.00 |\n|  | Tax | 6.60 |\n|  | Total | 39.60 |',
    );
  });

  it('part the rows beside a label of several lines, which comes first', async () => {
    const groups = ['Supply current', 'Output current', 'Leakage current'];
    const texts = groups.flatMap((label, group): SetText[] => {
      const y = 680 - 44 * group;
      return [
        ...column([label, 'in operation'], y - PITCH / 2),
        ...table(
          [
            ['hot', `1.${group}`, `2.${group}`],
            ['cool', `3.${group}`, `4.${group}`],
            ['cold', `5.${group}`, `6.${group}`],
          ],
          [200, 300, 400],
          y,
        ),
      ];
    });
    const text = await read([
      ...table([['Name', 'State', 'Low', 'High']], [60, 200, 300, 400], 700),
      ...texts,
    ]);
    for (const [group, label] of groups.entries())
      expect(text).toContain(
        `| ${label} in operation | hot | 1.${group} | 2.${group} |\n|  | cool | 3.${group} | 4.${group} |\n|  | cold | 5.${group} | 6.${group} |`,
      );
  });

  it('are code where a document sets its code in a fixed pitch', async () => {
    const output = table([['', 'Value', 'Error'], ...VALUES], [60, 150, 240], 700, { font: 'C' });
    const text = await read([...column(PROSE, 760), ...output, ...column(PROSE, 560)]);
    expect(text).not.toContain('|');
    expect(text).toMatch(/```\n +Value +Error\nPlace 0 +0\.5 +1\.1\n/);
  });
});

it('blank lines of code stay', async () => {
  const code = [
    ...column(['a = 1', 'b = 2'], 700, { font: 'C' }),
    ...column(['c = 3', 'd = 4'], 664, { font: 'C' }),
  ];
  expect(await read([...column(PROSE, 760), ...code])).toContain('```\na = 1\nb = 2\n\nc = 3\nd = 4\n```');
});

describe('numbered lines of code', () => {
  const CODE = ['if wet:', '  measure(river)', '', 'else:', '  wait()'];
  const numbered = (y: number, size: number, lines = CODE): SetText[] =>
    lines.flatMap((text, row): SetText[] => {
      const at = { y: y - PITCH * row };
      const number: SetText = { ...at, x: 60, text: `${row + 1}`, size };
      const indent = text.length - text.trimStart().length;
      return text === '' ? [number] : [number, { ...at, x: 80 + 6 * indent, text: text.trim(), font: 'C' }];
    });

  it('are code with their numbers and their indentation, empty lines with them', async () => {
    const text = await read([...column(PROSE, 760), ...numbered(700, 6), ...column(PROSE, 600)]);
    expect(text).toContain(
      '```\n1 if wet:\n2   measure(river)\n3\n4 else:\n5   wait()\n```\n\nThe river rises',
    );
    expect(text).not.toContain('|');
  });

  it('are no typewriting, however many they are', async () => {
    const pages = Array.from({ length: 4 }, () => [...numbered(700, 6), ...numbered(600, 6)]);
    expect(await read([...column(PROSE.slice(0, 1), 760)], ...pages)).toContain(
      '```\n1 if wet:\n2   measure',
    );
  });

  it('are told by numbers as large as the code where eight of them count', async () => {
    const lines = [...CODE.filter(Boolean), 'stop()', 'close(river)', 'close(weir)', 'print(all)'];
    const text = await read([...column(PROSE, 760), ...numbered(700, 10, lines), ...column(PROSE, 560)]);
    expect(text).toContain('```\n1 if wet:\n2   measure(river)\n3 else:\n');
    expect(text).not.toContain('|');
  });

  it('are told by numbers that are set smaller: others are names of rows', async () => {
    const text = await read([...column(PROSE, 760), ...numbered(700, 10), ...column(PROSE, 600)]);
    expect(text).not.toMatch(/1 +if wet:/);
  });
});

it('a line of code by itself ends its paragraph', async () => {
  const text = await read([
    ...column([...PROSE, 'It is told as follows:'], 760),
    ...column(['measure --river easton'], 712, { font: 'C' }),
    ...column(PROSE, 700),
  ]);
  expect(text).toContain('follows:\n\nmeasure --river easton\n\nThe river rises');
});

it('a name in a fixed pitch that ends a paragraph is no code', async () => {
  const code = column(['> f(x)', '[1] 2'], 680, { font: 'C' });
  const text = await read([
    ...column(['Its value is told by the function that is called'], 724),
    ...column(['get.'], 712, { font: 'C' }),
    ...code,
    ...column(PROSE, 640),
  ]);
  expect(text).toContain('that is called get.\n\n```\n> f(x)\n[1] 2\n```');
});

describe('bullets that are drawn', () => {
  const ITEMS = ['a first thing', 'a second one', 'a third'];
  const disc = (x: number, y: number, size: number): string => `${x} ${y} ${size} ${size} re f`;

  it('make items', async () => {
    const discs = ITEMS.map((_, item) => disc(50, 702 - PITCH * item, 3)).join('\n');
    const { text } = await readPdf({ pages: [{ content: `${discs}\n${setText(column(ITEMS, 700))}` }] });
    expect(text).toBe('- a first thing\n- a second one\n- a third');
  });

  it('are as large as one, stand beside the text and are not alone', async () => {
    const marks: [number, number, number][][] = [
      [[50, 702, 3]],
      ITEMS.map((_, item) => [50, 702 - PITCH * item, 9]),
      ITEMS.map((_, item) => [20, 702 - PITCH * item, 3]),
      ITEMS.map((_, item) => [50, 696 - PITCH * item, 3]),
    ];
    for (const places of marks) {
      const discs = places.map((place) => disc(...place)).join('\n');
      const { text } = await readPdf({ pages: [{ content: `${discs}\n${setText(column(ITEMS, 700))}` }] });
      expect(text).toBe(ITEMS.join(' '));
    }
  });

  it('are found on pages that write each letter as an object of its own', async () => {
    const letters = Array.from({ length: 5000 }, (_, at) => ({
      x: 60 + 5 * (at % 90),
      y: 650 - 10 * Math.floor(at / 90),
      text: 'x',
      size: 8,
    }));
    const discs = ITEMS.map((_, item) => disc(50, 702 - PITCH * item, 3)).join('\n');
    const content = `${setText(letters)}\n${setText(column(ITEMS, 700))}\n${discs}`;
    expect((await readPdf({ pages: [{ content }] })).text).toContain(
      '- a first thing\n- a second one\n- a third',
    );
  });
});

it('a document names its reader and the version of that reader', async () => {
  const pdf = await extract(writePdf({ pages: [{ lines: ['One line.'] }] }), {});
  expect(pdf.reader).toBe('pdf-13');
  const text = await extract(new TextEncoder().encode('One line.'), { filename: 'a.txt' });
  expect(text.reader).toBe('txt-1');
  expect({ ...text }).toMatchObject({ reader: 'txt-1', mediaType: 'text/plain' });
});
