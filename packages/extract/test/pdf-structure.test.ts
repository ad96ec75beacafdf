// Headings and tables of PDFs: what is one, what is none, and what hostile pages do to neither.
import { describe, expect, it } from 'vitest';
import type { Block } from '@grainline/core';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { drawLines, setText, writePdf, type PdfSpec, type SetText } from '@grainline/testing/pdf-writer';

const PROSE = [
  'The river rises in the hills and runs for sixty miles before it meets the',
  'sea. Its water was measured at nine places, twice a week, for three years,',
  'and every value was written down by hand and read again by somebody else.',
];

/** Sets texts one below the other; a number moves down by so many points, a text is a line of prose at 10 points. */
function column(
  parts: readonly (number | string | Omit<SetText, 'x' | 'y'>)[],
  x = 60,
  top = 740,
): SetText[] {
  let y = top;
  return parts.flatMap((part): SetText[] => {
    if (typeof part === 'number') y -= part;
    else {
      const text = typeof part === 'string' ? { text: part } : part;
      y -= 1.2 * (text.size ?? 10);
      return [{ x, y, ...text }];
    }
    return [];
  });
}

async function read(spec: PdfSpec): Promise<{ text: string; blocks: readonly Block[] }> {
  const document = await extract(writePdf(spec), { filename: 'test.pdf' });
  expectLawful(document);
  return document;
}

const page = (...parts: Parameters<typeof column>[0]): { content: string } => ({
  content: setText(column(parts)),
});
const headingsOf = ({ text }: { text: string }): string[] =>
  text.split('\n').filter((line) => /^#+ /.test(line));
const large = (text: string, size = 18): { text: string; size: number } => ({ text, size });
const bold = (text: string, size = 10): Omit<SetText, 'x' | 'y'> => ({ text, size, font: 'B' });

describe('headings', () => {
  it('are ranked by their size, bold lines of body size below all', async () => {
    const document = await read({
      pages: [
        page(large('The River and its Water', 24), 10, large('Where it was measured', 16), 6, ...PROSE, 12),
        page(large('What was found', 16), 6, ...PROSE, 12, bold('Chloride in winter'), 4, ...PROSE),
      ],
    });
    expect(headingsOf(document)).toEqual([
      '# The River and its Water',
      '## Where it was measured',
      '## What was found',
      '### Chloride in winter',
    ]);
    expect(document.blocks.map(({ kind, depth, page: number }) => [kind, depth, number])).toEqual([
      ['heading', 1, 1],
      ['heading', 2, 1],
      ['paragraph', undefined, 1],
      ['heading', 2, 2],
      ['paragraph', undefined, 2],
      ['heading', 3, 2],
      ['paragraph', undefined, 2],
    ]);
  });

  it('of several lines are one', async () => {
    const document = await read({
      pages: [page(large('A long title that does not fit'), large('on a single line'), 10, ...PROSE)],
    });
    expect(headingsOf(document)).toEqual(['# A long title that does not fit on a single line']);
  });

  it('go as deep as their numbers', async () => {
    const section = (title: string): Parameters<typeof column>[0] => [14, bold(title, 12), 4, ...PROSE];
    const document = await read({
      pages: [
        page(large('Title of the Report', 20), ...section('1 Introduction'), ...section('1.1 Aims')),
        page(...section('1.1.1 Older aims'), ...section('2 Methods')),
      ],
    });
    expect(headingsOf(document)).toEqual([
      '# Title of the Report',
      '## 1 Introduction',
      '### 1.1 Aims',
      '#### 1.1.1 Older aims',
      '## 2 Methods',
    ]);
  });

  it('that repeat a title are told apart by their numbers', async () => {
    const section = (title: string): Parameters<typeof column>[0] => [14, bold(title, 12), 4, ...PROSE];
    const titles = ['Easton', 'Weston', 'Norton', 'Sutton'].flatMap((place, index) => [
      `${index + 1} ${place}`,
      `${index + 1}.1 What was found`,
    ]);
    const document = await read({
      pages: [
        page(...titles.slice(0, 4).flatMap(section)),
        page(...titles.slice(4).flatMap(section), ...PROSE),
      ],
    });
    expect(headingsOf(document).map((heading) => heading.replace(/^#+ /, ''))).toEqual(titles);
  });

  it('are the titles of chapters, and not the running heads that repeat them', async () => {
    const title = 'Chapter 2. Where the Water was Measured';
    const document = await read({
      pages: [
        page(large('Chapter 1. The River', 20), 10, ...PROSE),
        page(large(title, 20), 10, ...PROSE),
        ...[3, 4, 5].map(() => page(bold(title), 20, ...PROSE, ...PROSE)),
      ],
    });
    expect(headingsOf(document)).toEqual(['# Chapter 1. The River', `# ${title}`]);
  });

  it('go on above words in small letters, where a gap parts them', async () => {
    const document = await read({
      pages: [page(...PROSE, 14, bold('Options'), 8, 'river --easton', 'river --weston', 8, ...PROSE)],
    });
    expect(headingsOf(document)).toEqual(['# Options']);
  });

  describe('that nothing but their number tells', () => {
    const chapter = [large('2 The Commands', 16), 8, ...PROSE];
    it.each([
      ['are names in small letters', [14, bold('2.1 river --easton'), 6, ...PROSE], '## 2.1 river --easton'],
      ['are set as the text is', [14, '2.1 The measured places', 8, ...PROSE], '## 2.1 The measured places'],
      [
        'come after others',
        [14, bold('2.1 The places'), 6, ...PROSE, 14, '2.2 river', 8, ...PROSE],
        '## 2.1 The places\n## 2.2 river',
      ],
    ])('%s', async (_, parts, expected) => {
      const document = await read({ pages: [page(...chapter, ...parts), page(...PROSE, ...PROSE)] });
      expect(headingsOf(document).slice(1).join('\n')).toBe(expected);
    });

    it.each([
      ['are none where the number is not due', [14, '4.7 The measured places', 8, ...PROSE]],
      ['are none where it is a price', [14, '2.00 Pounds', 8, ...PROSE]],
      ['are none where it is the number of a value', [14, bold('1.5 million litres'), 6, ...PROSE]],
      ['are none where a sentence follows in the line', [14, '2.1 Places. They are many', 8, ...PROSE]],
      ['are none with no white above them', ['2.1 The measured places', 8, ...PROSE]],
      ['are none above others of their kind', [14, '2.1 The places', 14, '2.2 The days', 14, '2.3 The end']],
      [
        'are none where a sentence goes on below',
        [14, '2.1 The places where', 'the water was found', ...PROSE],
      ],
    ])('%s', async (_, parts) => {
      const document = await read({ pages: [page(...chapter, ...parts), page(...PROSE, ...PROSE)] });
      expect(headingsOf(document)).toEqual(['# 2 The Commands']);
    });
  });

  it('with numbers that are due are no crowd, however short the page', async () => {
    const numbered = [1, 2, 3, 4, 5, 6].flatMap((number) => [
      10,
      large(`1.${number} Place`, 13),
      6,
      ...PROSE,
      ...PROSE,
    ]);
    const document = await read({
      pages: [page(large('1 The River', 16), 6, ...numbered), page(...PROSE, ...PROSE)],
    });
    expect(headingsOf(document)).toHaveLength(7);
  });

  it('are those of the outline, as deep as it says, on the page it points to', async () => {
    const bookmark = (title: string, target: number, more: string): string =>
      `<</Title(${title})/Parent 900 0 R/Dest[${target} 0 R/Fit]${more}>>`;
    const document = await read({
      pages: [
        page('Contents', 'Plain title', ...PROSE),
        page('Plain title', ...PROSE, 'Sub title', ...PROSE),
      ],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 901 0 R/Count 1>>',
        901: bookmark('Plain title', 20, '/First 902 0 R/Last 902 0 R/Count 1'),
        902: bookmark('Sub  Title', 20, ''),
      },
    });
    expect(headingsOf(document)).toEqual(['# Plain title', '## Sub title']);
    expect(document.text.match(/Plain title/g)).toHaveLength(2);
  });

  it('are found in an outline that runs in circles, in bounded time', async () => {
    const document = await read({
      pages: [page('Plain title', ...PROSE)],
      catalog: '/Outlines 900 0 R',
      objects: {
        900: '<</Type/Outlines/First 901 0 R/Last 901 0 R/Count 1>>',
        901: '<</Title(Plain title)/Parent 900 0 R/Dest[10 0 R/Fit]/First 901 0 R/Next 901 0 R>>',
      },
    });
    expect(headingsOf(document)).toEqual(['# Plain title']);
  });
});

describe('no headings are', () => {
  it.each([
    ['captions', [14, bold('Figure 3: The river at Easton'), 4, ...PROSE]],
    ['titles of tables', [14, 'Table 2.', large('The river at Easton', 14), 4, ...PROSE]],
    ['page numbers', [large('12', 16), 8, ...PROSE]],
    ['labels of pages', [14, bold('Page 3 of 12'), 4, ...PROSE]],
    ['drop caps', [large('T', 40), ...PROSE]],
    ['bold lead-ins with a full stop', [14, bold('Sampling.'), ...PROSE]],
    ['bold lines with no gap before them', [...PROSE, bold('Values in winter'), ...PROSE]],
    ['bold lines that nothing follows', [...PROSE, 14, bold('Values in winter')]],
    ['formulas', [large('x = a + 2 b', 16), 8, ...PROSE]],
    ['sentences that are set a little larger', [large('It was measured at nine places.', 12), 8, ...PROSE]],
    ['bold words of an item', [14, bold('\x95 Measured at night, in winter'), 8, ...PROSE]],
    ['paragraphs in large type', [...PROSE.map((line) => large(line, 14)), ...PROSE, ...PROSE]],
    ['plain signs of markup', ['# no heading', '- no item', ...PROSE]],
  ])('%s', async (_, parts) => {
    const document = await read({ pages: [page(...PROSE, 20, ...parts), page(...PROSE, ...PROSE)] });
    expect(document.blocks.filter(({ kind }) => kind === 'heading')).toEqual([]);
  });

  it('clauses with a full stop of Chinese, however short they are', async () => {
    const toUnicode = { '#': '6C34', '%': '3002' };
    const pages = [page(...PROSE, 20, large('####', 14), 6, ...PROSE, 20, large('####%', 14), 6, ...PROSE)];
    expect(headingsOf(await read({ pages, toUnicode }))).toEqual(['# 水水水水']);
  });

  it('pages that are set large throughout', async () => {
    const slide = page(...PROSE.map((line) => large(line, 20)), ...PROSE.map((line) => large(line, 20)));
    const document = await read({
      pages: [slide, slide, page(...PROSE, ...PROSE, ...PROSE, ...PROSE, ...PROSE, ...PROSE)],
    });
    expect(headingsOf(document)).toEqual([]);
  });

  it('pages that are bold throughout', async () => {
    const document = await read({
      pages: [page(...PROSE.flatMap((line) => [bold(line), 14, bold('And so on')]), 20, bold('End'))],
    });
    expect(headingsOf(document)).toEqual([]);
  });

  it('labels with their values', async () => {
    const texts = [
      ...column(PROSE),
      { x: 60, y: 600, text: 'Rate', size: 14 },
      { x: 300, y: 600, text: 'Variable', size: 14 },
    ];
    expect(headingsOf(await read({ pages: [{ content: setText(texts) }] }))).toEqual([]);
  });

  it('lines that come on page after page', async () => {
    const pages = [1, 2, 3].map((number) => page(large(`Report on Rivers, part ${number}`), 10, ...PROSE));
    expect(headingsOf(await read({ pages }))).toEqual([]);
  });
});

describe('hostile pages', () => {
  it('with each character in another size, in none and in an endless one are read', async () => {
    const content = Array.from(
      { length: 3000 },
      (_, index) =>
        `BT /F ${(index * 7) % 300} Tf 1 0 0 1 ${(index % 60) * 9} ${800 - 12 * Math.floor(index / 60)} Tm (a) Tj ET`,
    ).join('\n');
    const endless =
      'BT /F 1 Tf 1e38 1e38 -1e38 1e38 1e38 1e38 Tm (endless) Tj ET BT /F 0 Tf 50 50 Td (nothing) Tj ET';
    const spec = { pages: [{ content }, { content: `${endless}\n${setText(column(PROSE))}` }] };
    expect((await read(spec)).text).toContain('The river rises');
  });

  it('of equal bytes give equal documents', async () => {
    const spec = { pages: [page(large('Title of it'), ...PROSE, 14, bold('Head'), ...PROSE)] };
    expect(await read(spec)).toEqual(await read(spec));
  });
});

/** Texts of a table: columns at the given places, rows 16 points apart, from the top down. */
function tableText(rows: readonly (readonly string[])[], xs: readonly number[], top: number): SetText[] {
  return rows.flatMap((cells, row) =>
    cells.flatMap((text, column) => (text === '' ? [] : [{ x: xs[column] ?? 0, y: top - 16 * row, text }])),
  );
}

const VALUES = [
  ['Place', 'Chloride', 'Nitrate'],
  ['Easton', '12.5', '3.1'],
  ['Weston', '11.0', '2.9'],
  ['Norton', '14.2', '4.0'],
];
const VALUES_MARKDOWN = [
  '| Place | Chloride | Nitrate |',
  '| --- | --- | --- |',
  '| Easton | 12.5 | 3.1 |',
  '| Weston | 11.0 | 2.9 |',
  '| Norton | 14.2 | 4.0 |',
].join('\n');

/** Lines around the cells of a table. */
function gridLines(xs: readonly number[], ys: readonly number[]): [number, number, number, number][] {
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
  return [
    ...xs.map((x): [number, number, number, number] => [x, bottom, x, top]),
    ...ys.map((y): [number, number, number, number] => [left, y, right, y]),
  ];
}

const tablesOf = ({ text, blocks }: { text: string; blocks: readonly Block[] }): string[] =>
  blocks.filter(({ kind }) => kind === 'table').map(({ start, end }) => text.slice(start, end));

describe('tables', () => {
  const above = column(PROSE);
  const below = column(PROSE, 60, 500);

  it('are read off the lines around their cells, however close their text', async () => {
    const texts = tableText(VALUES, [62, 104, 150], 650);
    const content = `${drawLines(gridLines([60, 102, 148, 200], [662, 646, 630, 614, 598]))}\n${setText([...above, ...texts, ...below])}`;
    const document = await read({ pages: [{}, { content }] });
    expect(tablesOf(document)).toEqual([VALUES_MARKDOWN]);
    expect(document.blocks.map(({ kind, page: number }) => [kind, number])).toEqual([
      ['paragraph', 2],
      ['table', 2],
      ['paragraph', 2],
    ]);
    expect(document.blocks[1]?.children?.map(({ header }) => header)).toEqual([
      true,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are read off the gutters between their columns where there are no lines', async () => {
    const texts = tableText(VALUES, [60, 200, 300], 650);
    expect(tablesOf(await read({ pages: [{ content: setText([...above, ...texts, ...below]) }] }))).toEqual([
      VALUES_MARKDOWN,
    ]);
  });

  it('are found below a page number that the stream gives first', async () => {
    const texts = [{ x: 300, y: 30, text: '54' }, ...tableText(VALUES, [60, 200, 300], 650)];
    expect(tablesOf(await read({ pages: [{ content: setText(texts) }] }))).toEqual([VALUES_MARKDOWN]);
  });

  it('keep values together that a merged cell covers', async () => {
    const rows = [['Place', 'Value', ''], ['', 'Chloride', 'Nitrate'], ...VALUES.slice(1)];
    const lines = gridLines([60, 150, 250, 350], [662, 646, 630, 614, 598, 582]).filter(
      // Nothing parts the two columns below "Value", nor the two rows of "Place".
      ([x1, y1, x2]) => !(x1 === 250 && x2 === 250) && !(y1 === 646 && x1 === 60),
    );
    const rest: [number, number, number, number][] = [
      [250, 582, 250, 646],
      [150, 646, 350, 646],
    ];
    const content = `${drawLines([...lines, ...rest])}\n${setText(tableText(rows, [62, 152, 252], 650))}`;
    const { blocks, text } = await read({ pages: [{ content }] });
    expect(text).toContain('| Place | Value |  |');
    const cells = blocks[0]?.children?.[0]?.children ?? [];
    expect(cells.map(({ rowSpan, columnSpan }) => [rowSpan, columnSpan])).toEqual([
      [2, undefined],
      [undefined, 2],
    ]);
  });

  it('have a header of two rows where a label, also a year, covers columns', async () => {
    const rows = [
      ['Place', '2005', ''],
      ['', 'Chloride', 'Nitrate'],
      ...VALUES.slice(1),
      ['Sutton', '9.1', '2.2'],
    ];
    const lines = gridLines([60, 150, 250, 350], [662, 646, 630, 614, 598, 582, 566]).filter(
      ([x1, y1, x2]) => !(x1 === 250 && x2 === 250) && !(y1 === 646 && x1 === 60),
    );
    const rest: [number, number, number, number][] = [
      [250, 566, 250, 646],
      [150, 646, 350, 646],
    ];
    const content = `${drawLines([...lines, ...rest])}\n${setText(tableText(rows, [62, 152, 252], 650))}`;
    const { text, blocks } = await read({ pages: [{ content }] });
    expect(text).toMatch(
      /^\| Place \| 2005 \| {2}\|\n\| --- \| --- \| --- \|\n\| {2}\| Chloride \| Nitrate \|\n\| Easton/,
    );
    expect(blocks[0]?.children?.map(({ header }) => header === true)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('put the lines of a wrapped cell into one', async () => {
    const texts = [
      ...tableText([['Place', 'What was seen', 'Year']], [60, 200, 400], 650),
      ...tableText(
        [
          ['Easton', 'a mill and', '1901'],
          ['', 'two bridges', ''],
        ],
        [60, 200, 400],
        634,
      ),
      ...tableText(
        [
          ['Weston', 'a church', '1850'],
          ['Norton', 'a ford', '1799'],
        ],
        [60, 200, 400],
        602,
      ),
    ];
    expect((await read({ pages: [{ content: setText(texts) }] })).text).toBe(
      [
        '| Place | What was seen | Year |',
        '| --- | --- | --- |',
        '| Easton | a mill and two bridges | 1901 |',
        '| Weston | a church | 1850 |',
        '| Norton | a ford | 1799 |',
      ].join('\n'),
    );
  });

  it('escape what would break them', async () => {
    const rows = [['a|b', '`c`', 'd'], ...VALUES.slice(1)];
    const { text } = await read({ pages: [{ content: setText(tableText(rows, [60, 200, 300], 650)) }] });
    expect(text).toContain('| a\\|b | \\`c\\` | d |');
  });

  it('are found on a page that is turned', async () => {
    const upright = [...above, ...tableText(VALUES, [60, 200, 300], 650), ...below];
    const content = upright
      .map(({ x, y, text }) => `BT /F 10 Tf 0 1 -1 0 ${800 - y} ${x} Tm (${text}) Tj ET`)
      .join('\n');
    expect(tablesOf(await read({ pages: [{ content }] }))).toEqual([VALUES_MARKDOWN]);
    const number = setText([{ x: 300, y: 40, text: '54' }]);
    const { text } = await read({ pages: [{ content: `${number}\n${content}` }] });
    expect(text).toContain(`\n\n${VALUES_MARKDOWN}\n\n`);
  });
});

describe('no tables are', () => {
  const half = PROSE.map((line) => line.slice(0, 40));
  const many = Array.from({ length: 12 }, (_, index) => half[index % half.length] ?? '');

  it.each([
    ['two columns of prose', [...column(many), ...column(many, 320)]],
    [
      'two columns of prose, written line by line',
      many.flatMap((text, row) => [
        { x: 60, y: 700 - 12 * row, text },
        { x: 320, y: 700 - 12 * row, text },
      ]),
    ],
    [
      'lines with numbers before them',
      many.flatMap((text, row) => [
        { x: 40, y: 700 - 12 * row, text: String(row + 1) },
        { x: 80, y: 700 - 12 * row, text },
      ]),
    ],
    [
      'tables of contents',
      ['Aims', 'Methods', 'Results', 'Ends'].flatMap((text, row) => [
        { x: 60, y: 700 - 12 * row, text: `${text} . . . . . . . . . . . . . . .` },
        { x: 320, y: 700 - 12 * row, text: String(row + 3) },
      ]),
    ],
    [
      'lists with wide gaps after their bullets',
      many.flatMap((text, row) => [
        { x: 60, y: 700 - 12 * row, text: '\u0095' },
        { x: 100, y: 700 - 12 * row, text },
      ]),
    ],
    [
      'a line of three words far apart',
      [
        { x: 60, y: 700, text: 'one' },
        { x: 200, y: 700, text: 'two' },
        { x: 400, y: 700, text: 'three' },
      ],
    ],
  ])('%s', async (_, texts) => {
    expect(tablesOf(await read({ pages: [{ content: setText(texts) }] }))).toEqual([]);
  });

  it('paragraphs in boxes', async () => {
    const lines = gridLines([50, 560], [760, 640, 500]);
    const content = `${drawLines(lines)}\n${setText([...column(PROSE), ...column(PROSE, 60, 620)])}`;
    expect(tablesOf(await read({ pages: [{ content }] }))).toEqual([]);
  });
});

/** Lines one below the other, each moved to the right by its leading blanks, five points a blank. */
const indented = (lines: readonly string[], more: Partial<SetText> = {}): SetText[] =>
  lines.map((line, row) => {
    const text = line.trimStart();
    return { x: 60 + 5 * (line.length - text.length), y: 640 - 12 * row, text, ...more };
  });

describe('lists', () => {
  const readLines = (lines: readonly string[]): ReturnType<typeof read> =>
    read({ pages: [{ content: setText([...column(PROSE), ...indented(lines)]) }] });
  const listOf = async (lines: readonly string[]): Promise<string> => {
    const { text, blocks } = await readLines(lines);
    const list = blocks.find(({ kind }) => kind === 'list');
    return list === undefined ? '' : text.slice(list.start, list.end);
  };

  it('of bullets have their signs made one, and their items joined', async () => {
    expect(await listOf(['\u0095 a first thing', '  that goes on', '\u0095 a second'])).toBe(
      '- a first thing that goes on\n- a second',
    );
  });

  it.each([
    ['a minus', '2212'],
    ['a hyphen', '2010'],
    ['an asterisk of mathematics', '2217'],
    ['an arrow', '2192'],
    ['a diamond', '2666'],
    ['a lozenge', '25CA'],
  ])('have %s as their sign', async (_, unicode) => {
    const content = setText([...column(PROSE), ...indented(['~ a first thing', '~ a second'])]);
    const { text } = await read({ pages: [{ content }], toUnicode: { '~': unicode } });
    expect(text).toContain('\n- a first thing\n- a second');
  });

  it('go on behind a text that stands below an item', async () => {
    const content = setText([
      ...column(PROSE),
      ...column(['2. second'], 72, 640),
      ...column(['It was found in the year before.'], 86, 620),
      ...column(['3. third'], 72, 600),
      ...column([...PROSE, ...PROSE], 60, 560),
    ]);
    const { text, blocks } = await read({ pages: [{ content }] });
    expect(blocks.filter(({ kind }) => kind === 'list')).toHaveLength(2);
    expect(text).toContain('\n\n2. second\n\nIt was found in the year before.\n\n3. third\n\n');
  });

  it('lie in one another', async () => {
    expect(
      await listOf(['1. first', '   \u0095 with a part', '   \u0095 and another', '2. second', '3) third']),
    ).toBe('1. first\n   - with a part\n   - and another\n2. second\n3. third');
  });

  it('keep their numbers', async () => {
    expect(await listOf(['8. eighth', '9. ninth', '10. tenth'])).toBe('8. eighth\n9. ninth\n10. tenth');
  });

  it('are none where a sign or number stands alone, or numbers do not count', async () => {
    for (const lines of [
      ['- a dash that begins a line', 'of a paragraph'],
      ['It was found in the year', '1999. Since then', 'nothing else has been'],
      ['3. one', '7. two'],
      ['- ', 'x'],
    ]) {
      expect(await listOf(lines)).toBe('');
    }
  });
});

describe('code', () => {
  const CODE = ['for (const x of xs) {', '  if (x > 0) {', '    count++;', '  }', '}'];
  const codeOf = (texts: readonly SetText[]): SetText[] => [
    ...column(PROSE),
    ...texts,
    ...column(PROSE, 60, 500),
  ];

  it('is what is set in a fixed pitch, with its indentation', async () => {
    // A letter of Courier is 0.6 times as wide as its size; the lines are indented by 5 points a blank.
    const texts = indented(CODE, { font: 'C', size: 5 / 0.6 });
    const { text } = await read({ pages: [{ content: setText(codeOf(texts)) }] });
    expect(text).toContain(`\n\n\`\`\`\n${CODE.join('\n')}\n\`\`\`\n\n`);
  });

  it('is no single line, no addresses, and not the whole of a document', async () => {
    const address = indented(['someone@example.org', 'https://example.org'], { font: 'C' });
    const single = indented(CODE.slice(0, 1), { font: 'C' });
    for (const texts of [codeOf(address), codeOf(single), indented(CODE, { font: 'C' })]) {
      expect((await read({ pages: [{ content: setText(texts) }] })).text).not.toContain('```');
    }
  });

  it('that holds a fence gets a longer one', async () => {
    const texts = indented(['```', 'x', '```'], { font: 'C' });
    expect((await read({ pages: [{ content: setText(codeOf(texts)) }] })).text).toContain(
      '````\n```\nx\n```\n````',
    );
  });
});

describe('hostile drawings', () => {
  it('of 100,000 paths leave the text as it is', async () => {
    const paths = Array.from({ length: 100_000 }, (_, index) => {
      const at = index % 700;
      return index % 2 === 0 ? `${at} 0 m ${at} 800 l S` : `0 ${at} m 600 ${at} l S`;
    });
    const content = `${paths.join('\n')}\n${setText(column(PROSE))}`;
    const { text } = await read({ pages: [{ content }] });
    for (const word of PROSE.join(' ').split(' ')) expect(text).toContain(word);
  });

  it('of one path with 100,000 strokes, endless ones among them, too', async () => {
    const strokes = Array.from(
      { length: 100_000 },
      (_, index) => `${index % 600} 1e38 l ${-1e38} ${index} l`,
    );
    const content = `0 0 m ${strokes.join(' ')} S\n1e38 1e38 m 1e38 -1e38 l S\n${setText(column(PROSE))}`;
    expect((await read({ pages: [{ content }] })).text).toBe(PROSE.join('\n'));
  });
});
