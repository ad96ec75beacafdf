// Text beside the main text of a page: notes in the margin, labels, and code that reaches into it.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

async function read(texts: readonly SetText[]): Promise<string> {
  const document = await extract(writePdf({ pages: [{ content: setText(texts) }] }), {
    filename: 'test.pdf',
    furniture: 'keep',
  });
  expectLawful(document);
  return document.text;
}

const LINES = [
  'The river rises in the hills and runs for sixty miles before it',
  'meets the sea. Its water was measured at nine places, twice a week,',
  'for three years, and every value was written down by hand and read',
  'again by somebody else. Nobody knows its depth, which changes with',
  'the tides, and with the rain that falls on the hills in autumn and',
  'in spring, when the snow melts and all the meadows are under water.',
];
const NOTE = ['Sixty miles are', 'ninety-six kilometres,', 'more or less.'];

/** Lines one below the other. */
const column = (lines: readonly string[], x: number, top: number, more: Partial<SetText> = {}): SetText[] =>
  lines.map((text, row) => ({ x, y: top - 12 * row, text, ...more }));

/** The texts in the order of their heights, from the left: as programs write that know no columns. */
const across = (...texts: readonly (readonly SetText[])[]): SetText[] =>
  texts.flat().sort((a, b) => b.y - a.y || a.x - b.x);

describe('notes in the margin', () => {
  it.each([
    ['right', 400],
    ['left', 20],
  ])('on the %s stand behind the paragraph that they stand beside', async (_, x) => {
    const text = await read(
      across(column(LINES, x === 20 ? 140 : 60, 700), column(NOTE, x, 688, { size: 8 })),
    );
    expect(text).toBe(`${LINES.join(' ')}\n\n${NOTE.join(' ')}`);
  });

  it('split no sentence that goes on with a capital', async () => {
    const lines = LINES.map((line, row) =>
      row === 4 ? 'Tides and with the rain that falls on the hills in autumn and' : line,
    );
    const text = await read(across(column(lines, 60, 700), column(NOTE, 400, 676, { size: 8 })));
    expect(text).toBe(`${lines.join(' ')}\n\n${NOTE.join(' ')}`);
  });

  it('are no labels of one line, which may be those of a table', async () => {
    const labels = ['Source', 'Mouth', 'Depth', 'Water'].map((text, row) => ({
      x: 60,
      y: 700 - 36 * row,
      text,
      size: 8,
    }));
    const texts = labels.flatMap(({ y }) => column(LINES.slice(0, 2), 140, y));
    const text = await read(across(labels, texts));
    for (const label of ['Source', 'Mouth', 'Depth', 'Water'])
      expect(text).toMatch(new RegExp(`${label}[ |\\n]+The river`));
  });
});

it('code stays whole where it reaches over the end of the text, beside notes', async () => {
  const code = [
    'Model      149  the nodes of it',
    'Sequences  563  the targets of it',
    'Passed      20  by chance',
  ];
  const rows = code.flatMap((line, row) =>
    [0, 11, 16].map((from, at): SetText => {
      const text = line.slice(from, [11, 16][at]).trim();
      return { x: 60 + 20 * from, y: 610 - 12 * row, text, font: 'C', size: 8 };
    }),
  );
  const many = Array.from({ length: 6 }, (_, row) => `which is the note ${row} beside it`);
  const text = await read(
    across(column(LINES, 60, 700), column(many, 400, 700, { size: 8 }), rows, column(LINES, 60, 560)),
  );
  const block = text.slice(text.indexOf('```'), text.lastIndexOf('```')).split('\n');
  expect(block.slice(1, 4).map((line) => line.replace(/ +/g, ' '))).toEqual(
    code.map((line) => line.replace(/ +/g, ' ')),
  );
});

it('a paragraph below the last item of a list is none of it, where it begins below its sign', async () => {
  const items = ['- read any file of the system', '- set its rights', '- change any word of it'];
  const text = await read([...column(LINES, 60, 700), ...column([...items, ...LINES], 60, 610)]);
  expect(text).toBe([LINES.join(' '), items.join('\n'), LINES.join(' ')].join('\n\n'));
  const going = ['- read any file that', 'the system has'];
  expect(await read([...column(LINES, 60, 700), ...column([...items, ...going], 60, 610)])).toContain(
    '\n- read any file that the system has',
  );
});

it('titles of slides, each behind the number of its slide, stand on their slides', async () => {
  const pages = ['Overview', 'Costs', 'Plan', 'Risks'].map((title, page) => ({
    content: setText([
      { x: 60, y: 740, text: String(page + 1), size: 24 },
      { x: 130, y: 740, text: title, size: 24 },
      ...column([`- first of ${title}`, `- second of ${title}`], 60, 690),
    ]),
  }));
  const { text } = await extract(writePdf({ pages }), { filename: 'test.pdf', furniture: 'keep' });
  expect([...text.matchAll(/Overview|Costs|Plan|Risks/g)].map(String)).toEqual(
    ['Overview', 'Costs', 'Plan', 'Risks'].flatMap((title) => [title, title, title]),
  );
});

describe('numbers of lines', () => {
  const ITEMS = ['1. a first thing', '2. a second'];
  const numbered = (lines: readonly string[], size = 10): SetText[] =>
    column([...lines, ...ITEMS, ...lines], 60, 700).flatMap((text, row): SetText[] => {
      const number = String(98 + row);
      return [{ ...text, x: 45 - 0.556 * size * number.length, text: number, size }, text];
    });

  it.each([
    ['in smaller type', 5, LINES.map((line) => line.replace(/^./, (letter) => letter.toUpperCase()))],
    ['in the type of a text whose lines go on', 10, LINES],
  ])('%s stand behind the text of their page', async (_, size, lines) => {
    const count = Array.from({ length: 2 * lines.length + 2 }, (_, row) => String(98 + row)).join(' ');
    expect(await read(numbered(lines, size))).toBe(
      [lines.join(' '), ITEMS.join('\n'), lines.join(' '), count].join('\n\n'),
    );
  });

  it('may stand to the right, and other figures elsewhere on their page', async () => {
    const texts = [...column(LINES, 60, 700), ...column(LINES, 60, 600)].flatMap((text, row): SetText[] => [
      text,
      { x: 450, y: text.y, text: String(row + 1), size: 5 },
    ]);
    texts.splice(12, 0, { x: 60, y: 622, text: '12' }, { x: 300, y: 622, text: '40' });
    const count = Array.from({ length: 12 }, (_, row) => String(row + 1)).join(' ');
    expect(await read(texts)).toMatch(new RegExp(`\\n\\n${count}$`));
  });

  it('are none where they are few', async () => {
    expect(await read(numbered(LINES.slice(0, 2), 5))).toContain('98 The river');
  });

  it('are none where something is left out, or rows of a table are counted', async () => {
    const gap = numbered(LINES, 5).map((text) => (text.text === '101' ? { ...text, text: '109' } : text));
    expect(await read(gap)).toContain('98 The river');
    const down = numbered(LINES, 5).map((text) =>
      /^\d+$/.test(text.text) ? { ...text, text: String(210 - Number(text.text)) } : text,
    );
    expect(await read(down)).toContain('110 for three years');
    const rows = Array.from({ length: 9 }, (_, row) => [
      { x: 60, y: 700 - 14 * row, text: String(row + 1) },
      { x: 100, y: 700 - 14 * row, text: `Place ${'ABCDEFGHI'[row] ?? ''}` },
      { x: 200, y: 700 - 14 * row, text: `${String(row)}.5` },
    ]);
    expect(await read(rows.flat())).toContain('| 1 | Place A | 0.5 |');
  });

  it('are none where a table counts names in small letters, or in smaller type', async () => {
    const names = ['width', 'height', 'depth', 'colour', 'weight', 'density', 'speed', 'volume', 'length'];
    const table = (size: number): SetText[] =>
      names.flatMap((name, row) => [
        { x: 60, y: 700 - 14 * row, text: String(row + 1), size },
        { x: 100, y: 700 - 14 * row, text: name },
        { x: 200, y: 700 - 14 * row, text: `${String(row)}.5` },
      ]);
    expect(await read(table(10))).toContain('| 9 | length | 8.5 |');
    expect(await read(table(6))).toContain('| 9 | length | 8.5 |');
  });

  it('in the size of code and in another font belong to it, however short its lines are', async () => {
    const code = [
      'units si',
      'lattice sq',
      'mass 1',
      'region all',
      'fix it',
      'thermo 10',
      'dump it',
      'run 160',
    ];
    const texts = code.flatMap((text, row): SetText[] => [
      { x: 45, y: 500 - 12 * row, text: String(row + 1) },
      { x: 60, y: 500 - 12 * row, text, font: 'C' },
    ]);
    const text = await read([...column([...LINES, ...LINES, ...LINES], 60, 740), ...texts]);
    const counted = code.map((line, row) => `${row + 1} ${line}`);
    expect(text).toContain(`\`\`\`\n${counted.join('\n')}\n\`\`\``);
  });

  it('are none where they are raised, as the marks of notes', async () => {
    const notes = Array.from({ length: 9 }, (_, row) => [
      { x: 60, y: 303 - 11 * row, text: String(row + 1), size: 5 },
      {
        x: 76,
        y: 300 - 11 * row,
        text: `See the report of ${String(1900 + 7 * row)}, pages 3 and 4.`,
        size: 8,
      },
    ]);
    expect(await read([...column(LINES, 60, 700), ...notes.flat()])).toContain('9 See the report of 1956');
  });
});

it('labels that are set tight make no paragraphs of the lines of a text that is set wide', async () => {
  const labels = column(
    Array.from({ length: 20 }, (_, row) => `+ value of ${String(row)}`),
    60,
    780,
    { size: 5 },
  );
  const tight = labels.map((label, row) => ({ ...label, y: 780 - 6 * row }));
  const text = LINES.map((line, row) => ({ x: 60, y: 640 - 20 * row, text: line }));
  expect(await read([...tight, ...text])).toContain(`\n\n${LINES.join(' ')}`);
});

it('a running foot that the stream has first is no part of the paragraph behind it', async () => {
  const pages = ['Northern', 'Southern', 'Western'].map((name, index) => ({
    content: setText([
      { x: 60, y: 40, text: `Report on Rivers, page ${String(index + 1)}` },
      ...column(
        [...LINES, ...LINES].map((line) => `${name} ${line}`),
        60,
        700,
      ),
    ]),
  }));
  const { text } = await extract(writePdf({ pages }), { filename: 'test.pdf', furniture: 'keep' });
  for (const [index, name] of ['Northern', 'Southern', 'Western'].entries())
    expect(text).toContain(`Report on Rivers, page ${String(index + 1)}\n\n${name} The river`);
});
