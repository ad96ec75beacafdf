// The reading order of PDF pages, and paragraphs that go on: over columns, over what interrupts them, over pages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

async function read(...pages: readonly (readonly SetText[])[]): Promise<Document> {
  const bytes = writePdf({ pages: pages.map((texts) => ({ content: setText(texts) })) });
  const document = await extract(bytes, { filename: 'test.pdf', furniture: 'keep' });
  expectLawful(document);
  return document;
}

/** Lines of prose, each with words of its own, so that each place of a text is known. */
const prose = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `the ${name} line ${index + 1} goes on and on in words`);

/** Lines one below the other. */
const column = (lines: readonly string[], x: number, top: number, pitch = 12): SetText[] =>
  lines.map((text, row) => ({ x, y: top - pitch * row, text }));

/** The rows of columns from above, each from the left: as programs write that know no columns. */
function across(...columns: readonly (readonly SetText[])[]): SetText[] {
  return columns.flat().sort((a, b) => b.y - a.y || a.x - b.x);
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const LEFT = prose('left', 12);
const RIGHT = prose('right', 12);

describe('columns that are written across', () => {
  const wide = 'A line that reaches from the left edge of the page over the gutter to the right edge of it';

  it('are read one after the other', async () => {
    const { text } = await read(across(column(LEFT, 50, 700), column(RIGHT, 310, 700)));
    expect(wordsOf(text)).toEqual(wordsOf([...LEFT, ...RIGHT].join(' ')));
  });

  it('are read so where their lines stand at heights of their own', async () => {
    const { text } = await read(across(column(LEFT, 50, 700), column(RIGHT, 310, 696, 13)));
    expect(wordsOf(text)).toEqual(wordsOf([...LEFT, ...RIGHT].join(' ')));
  });

  it('are three', async () => {
    const narrow = ['first', 'second', 'third'].map((name) =>
      prose(name, 12).map((line) => line.slice(0, 30).trim()),
    );
    const { text } = await read(across(...narrow.map((lines, at) => column(lines, 40 + 190 * at, 700))));
    expect(wordsOf(text)).toEqual(wordsOf(narrow.flat().join(' ')));
  });

  it('end at a line over both, and begin anew below it', async () => {
    const above = across(column(LEFT.slice(0, 6), 50, 700), column(RIGHT.slice(0, 6), 310, 700));
    const below = across(column(LEFT.slice(6), 50, 590), column(RIGHT.slice(6), 310, 590));
    const { text } = await read([...above, { x: 50, y: 610, text: wide }, ...below]);
    const order = [LEFT.slice(0, 6), RIGHT.slice(0, 6), [wide], LEFT.slice(6), RIGHT.slice(6)];
    expect(wordsOf(text)).toEqual(wordsOf(order.flat().join(' ')));
  });

  it('keep their headings, and take in no running head and foot', async () => {
    const head = [
      { x: 50, y: 760, text: 'Report on Rivers' },
      { x: 400, y: 760, text: 'Autumn issue' },
    ];
    const foot = [
      { x: 50, y: 40, text: 'Somebody' },
      { x: 500, y: 40, text: '17' },
    ];
    const title = { x: 310, y: 700, text: 'Head of the right', size: 14 };
    const { text } = await read([
      ...head,
      ...across(column(LEFT, 50, 700), [title, ...column(RIGHT.slice(0, 10), 310, 676)]),
      ...foot,
    ]);
    expect(text.split('\n')[0]).toBe('Report on Rivers Autumn issue');
    expect(text.trim().split('\n').at(-1)).toBe('Somebody 17');
    expect(text).toContain('\n\n# Head of the right\n\n');
    expect(text.indexOf('# Head of the right')).toBeGreaterThan(text.indexOf('left line 12'));
  });

  it('are read from the left also where the right one is written first', async () => {
    const { text } = await read([...column(RIGHT, 310, 700), ...column(LEFT, 50, 700)]);
    expect(wordsOf(text)).toEqual(wordsOf([...LEFT, ...RIGHT].join(' ')));
  });

  it('are read section by section, and cards row by row, where the stream has bands of them', async () => {
    const bands = [0, 1, 2].map((band) => {
      const [top, from] = [700 - 110 * band, 4 * band];
      const title = { x: 50, y: top + 20, text: `Section ${band + 1}`, size: 14 };
      const sides = [LEFT, RIGHT].map((lines, side) =>
        column(lines.slice(from, from + 4), 50 + 260 * side, top),
      );
      return [title, ...sides.flat()];
    });
    const { text } = await read(bands.flat());
    const order = [0, 4, 8].map((from, band) => [
      `Section ${band + 1}`,
      ...LEFT.slice(from, from + 4),
      ...RIGHT.slice(from, from + 4),
    ]);
    expect(wordsOf(text.replaceAll('#', ''))).toEqual(wordsOf(order.flat().join(' ')));
  });

  it('of other pitches are no table where two lines of one stand together in the stream', async () => {
    const river = 'river river river river river river ri';
    const left = Array.from({ length: 8 }, () => river).with(0, 'water river river river river river ri');
    const right = Array.from({ length: 10 }, () => river)
      .with(2, 'and river river bank bank and river ri')
      .with(3, 'and river river and and and measured m');
    const { text } = await read(across(column(left, 50, 720), column(right, 320, 720, 11)));
    expect(wordsOf(text)).toEqual(wordsOf([...left, ...right].join(' ')));
  });

  it('hold the same words in the same order as columns written one by one, whatever stands in them', async () => {
    const line = fc.integer({ min: 20, max: 38 }).chain((length) =>
      fc
        .array(fc.constantFrom('river', 'of', 'water', 'a', 'measured', 'bank', 'and'), {
          minLength: 8,
          maxLength: 12,
        })
        .map((words) => words.join(' ').padEnd(length, ' more').slice(0, 38).trim()),
    );
    const lines = fc.array(line, { minLength: 8, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(lines, lines, fc.integer({ min: 11, max: 15 }), async (left, right, pitch) => {
        const columns = [column(left, 50, 720), column(right, 320, 720, pitch)] as const;
        const [mixed, plain] = [await read(across(...columns)), await read(columns.flat())];
        expect(wordsOf(mixed.text.replace(/[#|-]/g, ''))).toEqual(wordsOf(plain.text.replace(/[#|-]/g, '')));
      }),
      cases(20),
    );
  });
});

describe('tables', () => {
  it('of labels and values are not read as columns', async () => {
    const labels = Array.from({ length: 14 }, (_, row) => `A label of many words, number ${row + 1}`);
    const values = labels.map((_, row) => String(1000 + row));
    const { text } = await read(across(column(labels, 50, 700), column(values, 320, 700)));
    expect(text).toContain('number 3 | 1002 |');
  });

  it('whose rows are written across stay whole beside a column of text', async () => {
    const rows = [
      ['Place', 'Chloride', 'Nitrate'],
      ['Easton', '12.5', '3.1'],
      ['Weston', '11.0', '2.9'],
      ['Norton', '14.2', '4.0'],
    ];
    const table = rows.flatMap((cells, row) =>
      cells.map((text, at) => ({ x: [50, 140, 220][at] ?? 0, y: 690 - 16 * row, text })),
    );
    const { text } = await read(
      across([...table, ...column(LEFT, 50, 600)], column(prose('right', 20), 320, 700)),
    );
    expect(text).toContain('| Easton | 12.5 | 3.1 |');
    expect(text.indexOf('left line 12')).toBeLessThan(text.indexOf('right line 1'));
  });

  it('have a header whose labels repeat, above figures', async () => {
    const rows = [
      ['Place', 'Number', 'Share', 'Number', 'Share'],
      ['Easton', '12', '3.1', '40', '7.7'],
      ['Weston', '11', '2.9', '41', '7.9'],
      ['Norton', '14', '4.0', '42', '8.1'],
    ];
    const texts = rows.flatMap((cells, row) =>
      cells.map((text, at) => ({ x: 50 + 100 * at, y: 690 - 16 * row, text })),
    );
    expect((await read(texts)).text).toContain('| Place | Number | Share | Number | Share |\n| ---');
  });
});

describe('raised and lowered signs', () => {
  /** Three lines, the second of which holds a sign at another height. */
  const lines = (rise: number): SetText[] => [
    { x: 60, y: 700, text: 'The river rises in the hills and runs for sixty miles before it' },
    { x: 60, y: 688, text: 'meets the sea' },
    { x: 122, y: 688 + rise, text: '8', size: 5 },
    { x: 128, y: 688, text: 'and its water was measured there' },
    { x: 60, y: 676, text: 'at nine places by somebody.' },
  ];

  it.each([4, -3])('break no line and no paragraph, %s points off', async (rise) => {
    const { text, blocks } = await read(lines(rise));
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toMatch(/\nmeets the sea ?8 and its water was measured there\n/);
    expect(blocks).toHaveLength(1);
  });
});

describe('paragraphs', () => {
  const note = ['1 See the report of the year before, which holds', 'all the values that were measured.'].map(
    (text, row) => ({ x: 50, y: 560 - 9 * row, text, size: 7 }),
  );

  it('go on in the next column, with the note at the foot of the first behind them', async () => {
    const { text, blocks } = await read([
      ...column(LEFT, 50, 700),
      ...note,
      ...column([...RIGHT.slice(0, 3), 'and it ends.', ...prose('last', 4)], 320, 700),
    ]);
    const [first, second] = blocks.map(({ start, end }) => text.slice(start, end));
    expect(first).toBe([...LEFT, ...RIGHT.slice(0, 3), 'and it ends.'].join(' '));
    expect(second).toMatch(/^1 See the report[^]*measured\.$/);
  });

  it('keep a line between two others that is smaller by the code in it', async () => {
    const { text } = await read([
      { x: 60, y: 700, text: 'As long as the object is active, the loop will go on running. The' },
      { x: 60, y: 688, text: 'river.start() and river.stop() functions are used by callers to', size: 8.5 },
      { x: 60, y: 676, text: 'control this behaviour, and most of them do so in the morning.' },
    ]);
    expect(text.replace(/\s+/g, ' ')).toMatch(/running\. The river\.start\(\) .* callers to control this/);
  });

  it('end before a note in smaller type, however close', async () => {
    const { text } = await read([
      ...column([...LEFT, 'and the values are in a table'], 50, 700),
      ...note.map((line) => ({ ...line, y: line.y - 24 })),
    ]);
    expect(text).toContain('and the values are in a table\n\n1 See the report');
  });

  it('that are cut within a word go on behind the figure that stands between, with its caption', async () => {
    const labels = ['River', 'Lake', 'Sea'].map((text, row) => ({ x: 320, y: 700 - 9 * row, text, size: 7 }));
    const caption = { x: 320, y: 660, text: 'Figure 1: What was found.' };
    const { text, blocks } = await read([
      ...column([...LEFT, 'and it was mea-'], 50, 700),
      ...labels,
      caption,
      ...column(['sured twice, and it ends.', ...RIGHT], 320, 630),
    ]);
    expect(text).toContain('and it was measured twice, and it ends.\n');
    expect(text.indexOf('Figure 1')).toBeGreaterThan(text.indexOf('measured twice'));
    expect(blocks.length).toBeGreaterThan(2);
  });

  const page = (number: number, lines: readonly string[]): SetText[] => [
    { x: 60, y: 780, text: 'Report on Rivers' },
    ...column(lines, 60, 740),
    { x: 300, y: 40, text: String(number) },
  ];

  it('go on over the end of a page; its number comes before them, the next running head behind', async () => {
    const document = await read(
      page(1, ['The beginning ends here.', ...LEFT]),
      page(2, ['and here it ends.', ...prose('other', 10)]),
    );
    const { text, blocks, pages } = document;
    const long = blocks.find(({ start, end }) => text.slice(start, end).includes('left line 12'));
    expect(text.slice(long?.start, long?.end)).toBe([...LEFT, 'and here it ends.'].join(' '));
    expect(long?.page).toBe(1);
    expect(text.indexOf('and here it ends.')).toBe(pages[1]);
    expect(text.slice(0, pages[1])).toMatch(/(?:^|\n)1\n/);
    expect(text.slice(pages[1])).toContain('Report on Rivers');
  });

  it('that are divided within a word at the end of a page have their page break in the word', async () => {
    const { text, pages } = await read(
      page(1, [...LEFT, 'and it was mea-']),
      page(2, ['sured again.', ...LEFT]),
    );
    expect(text).toContain('measured again.');
    expect(text.slice(pages[1])).toMatch(/^sured again/);
  });

  it.each([
    ['a full stop', [...LEFT, 'and it ends.'], ['and so on', ...RIGHT]],
    ['a capital letter', LEFT, ['And so on', ...RIGHT]],
  ])('end with their page at %s', async (_, first, second) => {
    const { text, pages } = await read(page(1, first), page(2, second));
    expect(text.slice(0, pages[1])).toMatch(/\n\n$/);
  });

  it('keep every word on its page, whatever they go on over', async () => {
    const words = fc.constantFrom('river', 'Water', 'ends.', 'and', 'mea-', '1.', 'of', '12');
    const lines = fc.array(
      fc.array(words, { minLength: 1, maxLength: 9 }).map((some) => some.join(' ')),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { minLength: 1, maxLength: 4 }), async (texts) => {
        const { text, pages } = await read(...texts.map((some, at) => page(at + 1, some)));
        expect(pages).toHaveLength(texts.length);
        const lettersOf = (some: string): string => [...some.matchAll(/[a-z]/gi)].map(String).sort().join('');
        texts.forEach((some, at) => {
          const own = text.slice(pages[at], pages[at + 1]);
          expect(lettersOf(own.replace(/<br>/g, ''))).toBe(lettersOf(`Report on Rivers ${some.join(' ')}`));
        });
      }),
      cases(60),
    );
  });
});

describe('lists that go on over the end of a page', () => {
  const INTRODUCTION = 'What was found at the nine places is this:';
  const page = (number: number, lines: readonly string[]): SetText[] => [
    { x: 60, y: 780, text: 'Report on Rivers' },
    ...lines.map((line, row) => {
      const text = line.trimStart();
      return { x: 60 + 5 * (line.length - text.length), y: 740 - 12 * row, text };
    }),
    { x: 300, y: 40, text: String(number) },
  ];
  const listOf = ({ text, blocks }: Document): string => {
    const lists = blocks.filter(({ kind }) => kind === 'list');
    expect(lists).toHaveLength(1);
    return text.slice(lists[0]?.start, lists[0]?.end);
  };

  it('are one, and an item that is cut is one; its page begins in it', async () => {
    const document = await read(
      page(1, [INTRODUCTION, '1. the first place had water', '2. the second place had water that was']),
      page(2, ['   measured twice', '3. the third place had none']),
    );
    expect(listOf(document)).toBe(
      [
        '1. the first place had water',
        '2. the second place had water that was measured twice',
        '3. the third place had none',
      ].join('\n'),
    );
    const { text, pages } = document;
    expect(text.slice(pages[1])).toMatch(/^measured twice/);
    expect(text.slice(0, pages[1])).toMatch(/\n1\n/);
    expect(text.slice(pages[1])).toContain('Report on Rivers');
  });

  it('keep the depth of their items', async () => {
    const document = await read(
      page(1, [INTRODUCTION, '\u0095 rivers', '   \u0095 of the north', '      \u0095 that are long']),
      page(2, ['      \u0095 that are short', '   \u0095 of the south', '\u0095 lakes']),
    );
    expect(listOf(document)).toBe(
      [
        '- rivers',
        '  - of the north',
        '    - that are long',
        '    - that are short',
        '  - of the south',
        '- lakes',
      ].join('\n'),
    );
    expect(document.text.slice(document.pages[1])).toMatch(/^- that are short/);
  });

  it('are one over a page that holds nothing else', async () => {
    const items = (from: number, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${from + index}. a place of that number`);
    const document = await read(
      page(1, [INTRODUCTION, ...items(1, 3)]),
      page(2, items(4, 5)),
      page(3, items(9, 3)),
    );
    expect(listOf(document)).toBe(items(1, 11).join('\n'));
    expect(document.pages.slice(1).map((start) => document.text.slice(start, start + 2))).toEqual([
      '4.',
      '9.',
    ]);
  });

  it.each([
    ['another number', ['1. a place', '2. another place'], ['1. something else', '2. and more of it']],
    ['a capital letter', ['\u0095 a place', '\u0095 another place'], ['Something else is told here.']],
    ['a sentence that is over', ['\u0095 a place', '\u0095 another place.'], ['and that was that']],
  ])('end with it at %s', async (_, first, second) => {
    const { text, pages } = await read(page(1, [INTRODUCTION, ...first]), page(2, second));
    expect(text.slice(0, pages[1])).toMatch(/another place\.?\n\n1\n\n$/);
  });

  it('end where a line stands below the markers of items whose lines stand further right', async () => {
    const { text } = await read(
      page(1, ['\u0095 a place where water was', '  measured twice a week', 'The other places had none.']),
    );
    expect(text).toContain('- a place where water was measured twice a week\n\nThe other places');
  });
});
