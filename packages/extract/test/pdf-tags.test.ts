// Tagged PDFs: what the author's structure tree gives, which trees are not used, and damaged and hostile ones.
import { assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { writePdf, type PdfSpec } from '@grainline/testing/pdf-writer';
import { taggedPdf, type Tag, type TaggedSpec, type TaggedText } from '@grainline/testing/tagged-pdf';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';

async function readSpec(spec: PdfSpec, furniture?: 'drop'): Promise<Document> {
  const document = await extract(writePdf(spec), { filename: 'test.pdf', furniture: furniture ?? 'keep' });
  expectLawful(document);
  expect(document.pages).toHaveLength(spec.pages.length);
  return document;
}

const read = (spec: TaggedSpec, furniture?: 'drop'): Promise<Document> =>
  readSpec(taggedPdf(spec), furniture);

const PROSE = [
  'The river rises in the hills and runs for sixty miles before it meets the',
  'sea. Its water was measured at nine places, twice a week, for three years,',
  'and every value was written down by hand and read again by somebody else.',
];

/** An element with lines one below the other from a height on. */
const tag = (
  type: string,
  y: number,
  lines: string | readonly string[],
  more: Partial<TaggedText> = {},
): Tag => ({
  type,
  children: [lines].flat().map((text, index) => ({ x: 60, y: y - 12 * index, text, ...more })),
});
const group = (type: string, ...children: (Tag | TaggedText)[]): Tag => ({ type, children });
const heading = tag('H1', 740, 'The River');
const cell = (type: string, x: number, y: number, text: string, entries = ''): Tag => ({
  type,
  children: [{ x, y, text }],
  entries,
});
const row = (y: number, ...texts: string[]): Tag =>
  group('TR', ...texts.map((text, column) => cell('TD', 60 + 120 * column, y, text)));

describe('a structure tree gives', () => {
  it('headings with their levels, whatever their type looks like', async () => {
    const { text } = await read({
      roles: '/Kapitel/H2',
      tags: [
        tag('H1', 740, 'the whole text in small type', { size: 8 }),
        tag('P', 700, PROSE),
        tag('Kapitel', 640, 'Winter'),
        tag('P', 620, PROSE[0] ?? ''),
        group('Sect', group('Sect', group('Sect', tag('H', 580, 'Ice')))),
        tag('P', 560, 'Large but no heading.', { size: 20 }),
      ],
    });
    expect(text).toBe(
      `# the whole text in small type\n\n${PROSE.join('\n')}\n\n## Winter\n\n${PROSE[0]}\n\n### Ice\n\nLarge but no heading.`,
    );
  });

  it('the order of the text, against the order of the stream', async () => {
    const { text } = await read({
      tags: [
        tag('H1', 740, 'The River', { order: 5 }),
        tag('P', 700, 'First it rises.', { order: 2 }),
        tag('P', 670, 'Then it falls.', { order: 1 }),
      ],
    });
    expect(text).toBe('# The River\n\nFirst it rises.\n\nThen it falls.');
  });

  it('tables with spans, header cells and empty cells, and none of their lines drawn', async () => {
    const { text, blocks } = await read({
      tags: [
        group(
          'Table',
          tag('Caption', 740, 'Table 1. Values'),
          group(
            'THead',
            group(
              'TR',
              cell('TH', 60, 700, 'Place', '/A<</O/Table/RowSpan 2>>'),
              cell('TH', 180, 700, 'Winter', '/A<</O/Table/ColSpan 2>>'),
            ),
            group('TR', cell('TH', 180, 688, 'Ice'), cell('TH', 300, 688, 'Snow')),
          ),
          group('TR', cell('TD', 60, 676, 'Mill'), { type: 'TD' }, cell('TD', 300, 676, '7')),
          group('TR', cell('TD', 60, 664, 'Weir'), cell('TD', 180, 664, '5'), { type: 'TD' }),
        ),
      ],
    });
    expect(text).toBe(
      [
        'Table 1. Values',
        '',
        '| Place | Winter |  |',
        '| --- | --- | --- |',
        '|  | Ice | Snow |',
        '| Mill |  | 7 |',
        '| Weir | 5 |  |',
      ].join('\n'),
    );
    const table = blocks.find(({ kind }) => kind === 'table');
    expect(table?.children?.map(({ header }) => header === true)).toEqual([true, true, false, false]);
    expect(table?.children?.[0]?.children).toMatchObject([{ rowSpan: 2 }, { columnSpan: 2 }]);
  });

  it('rows without a table around them, as one table', async () => {
    const { text } = await read({ tags: [heading, group('Sect', row(700, 'a', 'b'), row(688, 'c', 'd'))] });
    expect(text).toContain('| c | d |');
  });

  it('lists with numbers, bullets, labels and lists inside', async () => {
    const item = (y: number, label: string, text: string, ...more: Tag[]): Tag =>
      group('LI', cell('Lbl', 60, y, label), group('LBody', { x: 80, y, text }, ...more));
    const { text } = await read({
      tags: [
        group('L', item(700, '1.', 'One'), item(680, '2.', 'Two', group('L', item(660, 'a)', 'Deep')))),
        tag('P', 640, 'Between.'),
        group('L', item(620, '\x95', 'Dot'), group('LI', tag('LBody', 600, '- Dash'))),
      ],
    });
    expect(text).toBe('1. One\n2. Two\n   - a) Deep\n\nBetween.\n\n- Dot\n- Dash');
  });

  it('code within a line as a part of it, and code apart from lines as a block', async () => {
    const code = (x: number, y: number, ...lines: string[]): Tag => ({
      type: 'Code',
      children: lines.map((text, index) => ({ x: index === 0 ? x : 60, y: y - 12 * index, text, font: 'C' })),
    });
    const words = (x: number, y: number, text: string): Tag => cell('NonStruct', x, y, text);
    const { text } = await read({
      tags: [
        heading,
        group(
          'NonStruct',
          words(60, 700, 'Constructs a'),
          code(122, 700, 'River'),
          words(155, 700, 'object.'),
        ),
        group('NonStruct', code(60, 675, 'if (river.isDry()) {', '  return 0;', '}')),
        // Two lines that begin with code, in a document with blocks of code.
        group(
          'NonStruct',
          code(60, 630, 'length'),
          words(99, 630, 'is its length in miles, that of the bed;'),
          code(60, 618, 'depth'),
          words(93, 618, 'is its depth where it meets the sea.'),
        ),
        group(
          'NonStruct',
          words(60, 565, 'The river is read with'),
          code(156, 565, 'river.read(', 'depth)'),
          words(99, 553, 'and written.'),
        ),
        group('NonStruct', code(60, 520, 'alone()')),
        group('NonStruct', words(60, 490, 'Before'), code(60, 478, 'single()')),
        group('L', group('LI', code(72, 450, 'river.flow()'))),
        group('NonStruct', code(60, 420, 'int'), words(300, 420, 'Far from it in its row.')),
        row(390, 'Name', 'Use'),
        group(
          'TR',
          group('TD', group('NonStruct', code(60, 370, 'flow()'))),
          group('TD', words(180, 370, 'The flow as an'), code(250, 370, 'int')),
        ),
      ],
    });
    expect(text).toBe(
      [
        '# The River',
        'Constructs a River object.',
        '```\nif (river.isDry()) {\n  return 0;\n}\n```',
        'length is its length in miles, that of the bed; depth is its depth where it meets the sea.',
        'The river is read with river.read( depth) and written.',
        '```\nalone()\n```',
        'Before single()',
        '- river.flow()',
        'int',
        'Far from it in its row.',
        '| Name | Use |\n| --- | --- |\n| flow() | The flow as an int |',
      ].join('\n\n'),
    );
  });

  it('the description of a figure before its words, and its caption behind', async () => {
    const { text, blocks } = await read({
      tags: [
        heading,
        {
          ...group('Figure', { x: 60, y: 600, text: 'Mill' }, tag('Caption', 580, 'Figure 1. The mill')),
          entries: '/Alt(A mill at [a] weir)',
        },
        { ...tag('Figure', 500, ''), entries: '/Alt(IMG_0034.JPG)' },
      ],
    });
    expect(text).toBe('# The River\n\nA mill at a weir\n\nMill\n\nFigure 1. The mill');
    expect(blocks[1]?.kind).toBe('image');
  });

  it('footnotes behind their paragraph, and never in its sentence', async () => {
    const { text, blocks } = await read({
      tags: [
        heading,
        group(
          'P',
          { x: 60, y: 700, text: 'The water1' },
          group('Note', { x: 60, y: 60, text: '1 It was cold.', size: 8 }),
          { x: 120, y: 700, text: 'was clear.' },
        ),
      ],
    });
    expect(text).toBe('# The River\n\nThe water1 was clear.\n\n[^1]: It was cold.');
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'footnote']);
  });

  it('artifacts apart from the text, above it and below', async () => {
    const { text } = await read({
      tags: [heading, tag('P', 700, PROSE)],
      artifacts: [
        { x: 60, y: 20, text: 'Page 7', order: 0 },
        { x: 60, y: 790, text: 'A running head', order: 9 },
      ],
    });
    expect(text).toBe(`A running head\n\n# The River\n\n${PROSE.join('\n')}\n\nPage 7`);
  });

  it('the level of headings that it calls paragraphs, on pages without headings', async () => {
    const large = { size: 16, page: 1 };
    const { text } = await read({
      tags: [
        tag('H3', 740, 'Model', { size: 16 }),
        tag('P', 700, PROSE),
        tag('P', 640, 'Beside a heading', { size: 16 }),
        tag('P', 600, PROSE),
        tag('P', 740, 'Abbreviations', large),
        tag('P', 700, PROSE, { page: 1 }),
        tag('P', 640, 'In another type', { ...large, size: 20 }),
        tag('P', 600, PROSE, { page: 1 }),
      ],
    });
    expect(text.match(/^#.*/gm)).toEqual(['### Model', '### Abbreviations']);
  });

  it('a heading on a page with more running text than its own', async () => {
    const pages = [0, 1, 2];
    const { text } = await read({
      tags: pages.flatMap((page) => [
        tag('H3', 700, 'Model', { page }),
        ...(page < 2 ? [tag('P', 660, PROSE, { page })] : []),
      ]),
      artifacts: pages.map((page) => ({
        x: 60,
        y: 40,
        page,
        text: `Data model of the network, page ${page}`,
      })),
    });
    expect(text.match(/^### Model$/gm)).toHaveLength(3);
  });

  it('text outside the tree in its place in the stream', async () => {
    const { text } = await read({
      tags: [heading, tag('P', 700, PROSE), tag('P', 600, PROSE[0] ?? '')],
      loose: [{ x: 60, y: 650, text: 'Forgotten.', order: 3.5 }],
    });
    expect(text).toBe(`# The River\n\n${PROSE.join('\n')}\n\nForgotten.\n\n${PROSE[0]}`);
  });
});

describe('elements across the end of a page', () => {
  const end = {
    artifacts: [
      { x: 60, y: 20, text: 'Foot 1' },
      { x: 60, y: 790, page: 1, text: 'Head 2' },
    ],
  };

  it('are one paragraph, with the running foot before it and the head behind', async () => {
    const { text, pages } = await read({
      ...end,
      tags: [
        heading,
        group('P', { x: 60, y: 60, text: 'The water rises' }, { x: 60, y: 740, page: 1, text: 'and falls.' }),
        tag('P', 700, 'More.', { page: 1 }),
      ],
    });
    expect(text).toBe('# The River\n\nFoot 1\n\nThe water rises and falls.\n\nHead 2\n\nMore.');
    expect(text.slice(pages[1])).toMatch(/^and falls/);
  });

  it('are one list, and one item', async () => {
    const { text, pages } = await read({
      tags: [
        group(
          'L',
          group('LI', tag('LBody', 80, '1. One')),
          group(
            'LI',
            group('LBody', { x: 60, y: 60, text: '2. Two' }, { x: 60, y: 740, page: 1, text: 'goes on.' }),
          ),
          group('LI', tag('LBody', 720, '3. Three', { page: 1 })),
        ),
      ],
    });
    expect(text).toBe('1. One\n2. Two goes on.\n3. Three');
    expect(text.slice(pages[1])).toMatch(/^goes on/);
  });

  it('are one table without the repeated header, and one row', async () => {
    const onTwo = (tags: Tag): Tag => ({
      ...tags,
      children: (tags.children ?? []).map((child) =>
        'type' in child ? onTwo(child) : { ...child, page: 1, y: child.y + 650 },
      ),
    });
    const head = (): Tag => group('TR', cell('TH', 60, 100, 'Place'), cell('TH', 180, 100, 'Depth'));
    const { text, pages } = await read({
      tags: [
        group(
          'Table',
          head(),
          row(88, 'Mill', '4'),
          group(
            'TR',
            group('TD', { x: 60, y: 76, text: 'Weir at' }, { x: 60, y: 740, page: 1, text: 'the old town' }),
            cell('TD', 180, 76, '5'),
          ),
          onTwo(row(70, 'Ford', '6')),
        ),
      ],
    });
    expect(text).toBe(
      '| Place | Depth |\n| --- | --- |\n| Mill | 4 |\n| Weir at the old town | 5 |\n| Ford | 6 |',
    );
    expect(text.slice(pages[1])).toMatch(/^the old town/);
    const repeated = await read({
      tags: [group('Table', head(), row(88, 'Mill', '4'), onTwo(head()), onTwo(row(70, 'Ford', '6')))],
    });
    expect(repeated.text).toBe('| Place | Depth |\n| --- | --- |\n| Mill | 4 |\n| Ford | 6 |');
  });
});

describe('a tree is not used', () => {
  /** Read by its layout, the large line is the heading. */
  const LARGE = tag('P', 760, 'Large', { size: 24 });
  const isLaidOut = ({ text }: Document): boolean => text.includes('# Large');

  it('when it has paragraphs only', async () => {
    expect(isLaidOut(await read({ tags: [LARGE, tag('P', 700, PROSE), tag('P', 600, PROSE)] }))).toBe(true);
  });

  it('when more than a seventh of the text is outside', async () => {
    const tags = [LARGE, tag('H2', 720, 'Tagged'), tag('P', 700, PROSE)];
    const loose = (lines: number): TaggedText[] =>
      PROSE.slice(0, lines).map((text, index) => ({ x: 60, y: 600 - 12 * index, text }));
    expect(isLaidOut(await read({ tags, loose: loose(0) }))).toBe(false);
    expect(isLaidOut(await read({ tags, loose: loose(2) }))).toBe(true);
  });

  it('when most of a page is called an artifact', async () => {
    const artifacts = PROSE.map((text, index) => ({ x: 60, y: 600 - 12 * index, text }));
    expect(isLaidOut(await read({ tags: [LARGE, tag('H2', 720, 'Tagged')], artifacts }))).toBe(true);
  });

  it('when one paragraph holds paragraphs', async () => {
    const lines = [700, 640, 580, 520, 460].flatMap((y) =>
      PROSE.map((text, index) => ({ x: 60, y: y - 12 * index, text })),
    );
    const tags = [LARGE, tag('H2', 720, 'Tagged')];
    expect(isLaidOut(await read({ tags: [...tags, group('P', ...lines)] }))).toBe(true);
    const apart = lines.map((line) => group('P', line));
    expect(isLaidOut(await read({ tags: [...tags, ...apart] }))).toBe(true);
  });

  it('when its order runs up the page', async () => {
    const lines = [500, 540, 580, 620, 660].map((y) => tag('P', y, `A sentence at ${y}.`));
    expect(isLaidOut(await read({ tags: [LARGE, tag('H2', 720, 'Tagged'), ...lines] }))).toBe(true);
    expect(isLaidOut(await read({ tags: [LARGE, tag('H2', 720, 'Tagged'), ...lines.toReversed()] }))).toBe(
      false,
    );
  });

  it('when most cells of a table are empty', async () => {
    const rows = [600, 580, 560, 540].map((y) =>
      group('TR', cell('TD', 60, y, `${y}`), ...[1, 2, 3].map(() => ({ type: 'TD' }))),
    );
    expect(isLaidOut(await read({ tags: [LARGE, tag('P', 700, PROSE), group('Table', ...rows)] }))).toBe(
      true,
    );
  });

  it('but for its headings, when a drawing is one paragraph', async () => {
    const labels = Array.from({ length: 24 }, (_, at) => ({
      x: 60 + ((at * 170) % 450),
      y: 660 - 12 * at - 20 * Math.floor(at / 3),
      page: 1,
      text: at === 7 ? 'Code List' : `Value ${at}`,
      size: at === 7 ? 24 : 10,
    }));
    const { text } = await read({
      tags: [
        heading,
        tag('P', 700, PROSE),
        tag('H4', 720, 'Point Events', { page: 1 }),
        group('P', ...labels),
      ],
    });
    expect(text.match(/^#.*/gm)).toEqual(['# The River', '#### Point Events']);
    for (const { text: label } of labels) expect(text).toMatch(new RegExp(`^${label}$`, 'm'));
  });

  it('on its page alone', async () => {
    const { text } = await read({
      tags: [
        heading,
        tag('P', 700, PROSE),
        tag('P', 740, 'Large', { page: 1, size: 24 }),
        tag('P', 700, PROSE, { page: 1 }),
      ],
      loose: PROSE.map((text, index) => ({ x: 60, y: 600 - 12 * index, page: 1, text })),
    });
    expect(text).toContain('# The River');
    expect(text).toContain('# Large');
  });
});

it('headings come from the type where the tree has none', async () => {
  const { text } = await read({
    tags: [
      tag('P', 760, 'Large', { size: 24 }),
      tag('P', 700, PROSE),
      group('L', group('LI', tag('LBody', 640, '- One')), group('LI', tag('LBody', 620, '- Two'))),
    ],
  });
  expect(text).toBe(`# Large\n\n${PROSE.join('\n')}\n\n- One\n- Two`);
});

it('a table that the tree calls paragraphs is one, where its layout shows it', async () => {
  const cells = [700, 685, 670, 655].flatMap((y) =>
    ['Mill', '4.5', '17'].map((text, column) => tag('P', y, text, { x: 60 + 150 * column })),
  );
  const { text } = await read({ tags: [heading, ...cells, tag('P', 600, PROSE)] });
  expect(text).toContain('| Mill | 4.5 | 17 |\n| Mill | 4.5 | 17 |');
});

// --- Damage

/** A page of marked words, with a tree from the objects. */
const hostile = (objects: Record<number, string>, count = 3): PdfSpec => ({
  ...taggedPdf({ tags: [] }),
  pages: [
    {
      entries: '/StructParents 0',
      content: Array.from(
        { length: count },
        (_, index) =>
          `/P <</MCID ${index}>> BDC BT /F 10 Tf 50 ${780 - 12 * (index % 60)} Td (word${index}) Tj ET EMC`,
      ).join('\n'),
    },
  ],
  objects,
});
const ROOT = '<</Type/StructTreeRoot/K 6000 0 R/ParentTree 5001 0 R>>';
const parents = (numbers: readonly number[]): string =>
  `<</Nums[0 [${numbers.map((n) => `${n} 0 R`).join(' ')}]]>>`;

describe('a damaged tree leaves the text', () => {
  it.each<[string, Record<number, string>]>([
    [
      'that runs in circles',
      {
        5000: ROOT,
        5001: parents([6001, 6000, 6001]),
        6000: '<</S/H1/P 5000 0 R/K[6001 0 R 6001 0 R 6000 0 R]>>',
        6001: '<</S/Span/P 6000 0 R/K[0 1 2 6000 0 R 6001 0 R]>>',
      },
    ],
    [
      'of parents that are each other',
      {
        5000: ROOT,
        5001: parents([6001, 6000]),
        6000: '<</S/H1/P 6001 0 R/K[6001 0 R]>>',
        6001: '<</S/P/P 6000 0 R/K[0 1 2 6000 0 R]>>',
      },
    ],
    [
      'that names each element twice, on thirty levels',
      {
        5000: ROOT,
        5001: parents([6029, 6029]),
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, at) => [
            6000 + at,
            `<</S/${at === 29 ? 'H1' : 'Sect'}/P ${at === 0 ? 5000 : 5999 + at} 0 R/K[${at < 29 ? `${6001 + at} 0 R ${6001 + at} 0 R` : '0 1 2'}]>>`,
          ]),
        ),
      },
    ],
    [
      'with senseless spans',
      {
        5000: ROOT,
        5001: parents([6002, 6002, 6002]),
        6000: '<</S/Table/P 5000 0 R/K[6001 0 R]>>',
        6001: '<</S/TR/P 6000 0 R/K[6002 0 R]>>',
        6002: '<</S/TD/P 6001 0 R/K[0 1 2]/A<</O/Table/ColSpan 1e30/RowSpan -5>>>>',
      },
    ],
    ['without its elements', { 5000: ROOT, 5001: parents([6001, 6002, 6003]) }],
    ['of wrong types', { 5000: '<</Type/StructTreeRoot/K(x)/ParentTree[1 2]>>', 5001: '7' }],
  ])('%s', async (_, objects) => {
    const { text } = await readSpec(hostile(objects));
    for (const word of ['word0', 'word1', 'word2']) expect(text.split(word)).toHaveLength(2);
  });

  it('that is deeper than PDFium bears', async () => {
    const depth = 30_000;
    const numbers = Array.from({ length: depth }, (_, at) => 6000 + at);
    const { text } = await readSpec(
      hostile({
        5000: ROOT,
        5001: parents(numbers),
        ...Object.fromEntries(
          numbers.map((number, at) => [
            number,
            `<</S/Sect/P ${at === 0 ? 5000 : number - 1} 0 R/K[${at} ${at + 1 < depth ? `${number + 1} 0 R` : ''}]>>`,
          ]),
        ),
      }),
    );
    expect(text).toContain('word2');
    expect((await read({ tags: [heading, tag('P', 700, PROSE)] })).text).toContain('# The River');
  });

  it('of more elements than a page has', async () => {
    const numbers = Array.from({ length: 100_000 }, (_, at) => 6001 + at);
    const { text } = await readSpec(
      hostile({
        5000: ROOT,
        5001: parents(numbers),
        6000: `<</S/Document/P 5000 0 R/K[${numbers.map((number) => `${number} 0 R`).join(' ')}]>>`,
        ...Object.fromEntries(numbers.map((number, at) => [number, `<</S/H1/P 6000 0 R/K ${at}>>`])),
      }),
    );
    expect(text).toContain('word2');
    expect(text).not.toContain('#');
  });
});

describe('any tree', () => {
  const TYPES =
    'Document Sect P P P H1 H3 H L LI Lbl LBody Table THead TR TH TD Caption Figure Note BlockQuote Code TOC TOCI Span Link NonStruct Artifact Own'.split(
      ' ',
    );

  /** A tree of words, each of them once, over three pages; random numbers from 0 to below 1. */
  function randomTree(random: () => number): TaggedSpec {
    let words = 0;
    let y = 3 * 700;
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const word = (): TaggedText => {
      // Text that is printed over other text is left out.
      y -= 14;
      return {
        x: 60 + 60 * Math.floor(random() * 6),
        y: 60 + (((y % 700) + 700) % 700),
        page: 2 - Math.floor(y / 700),
        text: `word${words++}x`,
      };
    };
    const make = (depth: number): Tag => ({
      type: pick(TYPES),
      entries: random() < 0.2 ? '/A<</O/Table/ColSpan 2/RowSpan 3>>/Alt(A view)' : '',
      children: Array.from({ length: Math.floor(random() * 5) }, () =>
        depth > 5 || random() < 0.4 ? word() : make(depth + 1),
      ),
    });
    const tags = Array.from({ length: 8 }, () => make(0));
    return { tags, loose: random() < 0.5 ? [word()] : [], artifacts: [word()] };
  }

  it('keeps every word once, and the laws of documents', async () => {
    await assert(
      asyncProperty(integer({ min: 1, max: 2_147_483_646 }), async (seed) => {
        let state = seed;
        const spec = taggedPdf(randomTree(() => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647));
        const { text } = await readSpec(spec);
        const written = JSON.stringify(spec.pages).match(/word\d+x/g) ?? [];
        expect(text.match(/word\d+x/g)?.sort()).toEqual(written.sort());
      }),
      cases(300),
    );
  });
});
