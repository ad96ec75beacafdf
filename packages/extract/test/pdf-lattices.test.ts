// Ruled tables of PDFs in which white space parts rows and columns that no line does.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { drawLines, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

/** The lines of a frame with borders at some positions. */
const gridLines = (xs: readonly number[], ys: readonly number[]): [number, number, number, number][] => {
  const [left = 0, right = 0] = [xs[0], xs.at(-1)];
  const [top = 0, bottom = 0] = [ys[0], ys.at(-1)];
  return [
    ...ys.map((y): [number, number, number, number] => [left, y, right, y]),
    ...xs.map((x): [number, number, number, number] => [x, bottom, x, top]),
  ];
};

async function read(texts: readonly SetText[], xs: readonly number[], ys: readonly number[]) {
  const content = `${drawLines(gridLines(xs, ys))}\n${setText(texts)}`;
  const document = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
  expectLawful(document);
  return document.text.split('\n').filter((line) => line.startsWith('|'));
}

const row = (y: number, xs: readonly number[], cells: readonly string[]): SetText[] =>
  cells.flatMap((text, at) => (text === '' ? [] : [{ x: xs[at] ?? 0, y, text }]));

const VALUES = [
  ['Easton', '12.5', '3.1', '15.6'],
  ['Weston', '11.0', '2.9', '13.9'],
  ['Norton', '14.2', '4.0', '18.2'],
  ['Sutton', '9.1', '2.2', '11.3'],
  ['Aston', '8.0', '1.7', '9.7'],
  ['Milton', '', '7.1', ''],
];

describe('rows without lines between them', () => {
  const xs = [64, 164, 264, 364];
  const borders = [60, 160, 260, 360, 460];

  it('are parted by their figures, though a column leaves one empty', async () => {
    const texts = [
      ...row(705, xs, ['Place', 'Chloride', 'Nitrate', 'Sum']),
      ...VALUES.flatMap((cells, at) => row(685 - 14 * at, xs, cells)),
      ...row(595, xs, ['All', '54.8', '21.0', '75.8']),
    ];
    expect(await read(texts, borders, [720, 700, 610, 590])).toEqual([
      '| Place | Chloride | Nitrate | Sum |',
      '| --- | --- | --- | --- |',
      ...VALUES.map((cells) => `| ${cells.join(' | ')} |`),
      '| All | 54.8 | 21.0 | 75.8 |',
    ]);
  });

  it('are parted where all columns hold short entries at the same heights', async () => {
    const entries = [
      ['Maple', 'Red in autumn', 'Syrup', 'Parks'],
      ['Beech', 'Smooth bark', 'Chairs', 'Woods'],
      ['Birch', 'White bark', 'Brooms', 'Heaths'],
      ['Alder', 'Dark bark', 'Piles', 'Rivers'],
      ['Yew', 'Evergreen', 'Bows', 'Churchyards'],
    ];
    const head = ['Tree', 'Looks', 'Use', 'Place'];
    const rows = Array.from({ length: 5 }, (_, at) => [`Group ${at}`, 'Some', 'Other', 'More']);
    const texts = [
      ...row(745, xs, head),
      ...entries.flatMap((cells, at) => row(725 - 14 * at, xs, cells)),
      ...rows.flatMap((cells, at) => row(645 - 20 * at, xs, cells)),
    ];
    const ys = [760, 740, 660, 640, 620, 600, 580, 560];
    expect(await read(texts, borders, ys)).toEqual(
      expect.arrayContaining(entries.map((cells) => `| ${cells.join(' | ')} |`)),
    );
  });

  it('are rows where a line has a piece of each cell, and none of the blanks between them', async () => {
    const entries = [
      ['SO_SNDBUF', 'Size of buffers', 'Bytes', 'Any'],
      ['SO_LINGER', 'Waits when closed', 'Seconds', 'Stream'],
      ['IP_TTL', 'Hops of packets', 'Number', 'Datagram'],
    ];
    const texts = [
      ...row(705, xs, ['One', 'Two', 'Three', 'Four']),
      ...entries.flatMap((own, at) => row(685 - 15 * at, xs, own)),
      ...[0, 1, 2, 3].flatMap((at) => row(615 - 20 * at, xs, ['a', 'b', 'c', 'd'])),
    ];
    const found = await read(texts, borders, [720, 700, 630, 610, 590, 570, 550]);
    expect(found).toEqual(expect.arrayContaining(entries.map((cells) => `| ${cells.join(' | ')} |`)));
  });

  it('are lines of one cell where they continue each other', async () => {
    const cells = [
      ['a first text', 'that goes on', 'over several', 'short lines'],
      ['another one', 'that is as', 'long as the', 'first of all'],
      ['and the third', 'one of them', 'all, with an', 'end of its'],
      ['own, too', 'as you see', 'here and', 'elsewhere'],
    ];
    const lines = [0, 1, 2, 3].map((line) => cells.map((cell) => cell[line] ?? ''));
    const texts = [
      ...row(705, xs, ['One', 'Two', 'Three', 'Four']),
      ...lines.flatMap((own, at) => row(685 - 12 * at, xs, own)),
      ...[0, 1, 2, 3].flatMap((at) => row(615 - 20 * at, xs, ['a', 'b', 'c', 'd'])),
    ];
    const found = await read(texts, borders, [720, 700, 630, 610, 590, 570, 550]);
    expect(found).toContain(`| ${cells.map((cell) => cell.join(' ')).join(' | ')} |`);
  });
});

describe('columns without lines between them', () => {
  const xs = [64, 164, 224, 304, 364];
  const borders = [60, 160, 300, 440];
  const values = ['Easton', 'Weston', 'Norton', 'Sutton'].map((place, at) => [
    place,
    `1,1${at}2`,
    `2,3${at}4`,
    `1,0${at}7`,
    `3,2${at}1`,
  ]);
  const ys = [720, 690, 670, 650, 630, 610];

  it('are parted by gutters through their rows, and a label over them covers both', async () => {
    const texts = [
      { x: 64, y: 708, text: 'Place' },
      { x: 180, y: 708, text: 'In the first year' },
      { x: 320, y: 708, text: 'In the second year' },
      ...row(696, xs, ['', 'Men', 'Women', 'Men', 'Women']),
      ...values.flatMap((cells, at) => row(676 - 20 * at, xs, cells)),
    ];
    expect(await read(texts, borders, ys)).toEqual([
      '| Place | In the first year |  | In the second year |  |',
      '| --- | --- | --- | --- | --- |',
      '|  | Men | Women | Men | Women |',
      ...values.map((cells) => `| ${cells.join(' | ')} |`),
    ]);
  });

  it('are parted at the blank of two figures that stand close', async () => {
    const close = [...values, ['Milton', '11,111,111 22,222,222', '', '1,007', '3,201']];
    const texts = [
      ...row(700, xs, ['Place', 'Men', 'Women', 'Men', 'Women']),
      ...close.flatMap((cells, at) => row(676 - 20 * at, xs, cells)),
    ];
    expect((await read(texts, borders, [...ys, 590])).at(-1)).toBe(
      '| Milton | 11,111,111 | 22,222,222 | 1,007 | 3,201 |',
    );
  });

  it('are one where the sign of a currency stands apart from its amount', async () => {
    const signed = ['Easton', 'Weston', 'Norton', 'Sutton'].map((place, at) => [place, '$', `2,3${at}4`]);
    const texts = [
      ...row(700, xs, ['Place', 'Paid']),
      ...row(700, [304], ['Remarks']),
      ...signed.flatMap((cells, at) => row(676 - 20 * at, xs, cells)),
      ...signed.flatMap((_, at) => row(676 - 20 * at, [304], ['None so far'])),
    ];
    expect((await read(texts, borders, ys)).at(-1)).toBe('| Sutton | $ 2,334 | None so far |');
  });
});

describe('rows of one cell over all columns', () => {
  const xs = [60, 160, 260, 360];
  const place = (y: number, cells: readonly string[]): SetText[] =>
    row(
      y,
      xs.map((x) => x + 4),
      cells,
    );
  const values = [
    ['Place', 'Chloride', 'Nitrate'],
    ['Easton', '12.5', '3.1'],
    ['Weston', '11.0', '2.9'],
  ];
  const table = (top: number): SetText[] => values.flatMap((cells, at) => place(top - 20 * at, cells));
  const rules = (top: number, rows: number, wide: readonly number[]): [number, number, number, number][] => [
    ...Array.from({ length: rows + 1 }, (_, at): [number, number, number, number] => [
      60,
      top - 20 * at,
      360,
      top - 20 * at,
    ]),
    ...Array.from({ length: rows }, (_, at) =>
      (wide.includes(at) ? [60, 360] : xs).map((x): [number, number, number, number] => [
        x,
        top - 20 * at - 20,
        x,
        top - 20 * at,
      ]),
    ).flat(),
  ];
  const readAll = async (
    texts: readonly SetText[],
    lines: readonly [number, number, number, number][],
  ): Promise<string> => {
    const content = `${drawLines(lines)}\n${setText(texts)}`;
    return (await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' })).text;
  };
  const printed = [
    '| Place | Chloride | Nitrate |',
    '| --- | --- | --- |',
    '| Easton | 12.5 | 3.1 |',
    '| Weston | 11.0 | 2.9 |',
  ].join('\n');

  it('are the captions and the notes of tables', async () => {
    const texts = [
      ...place(706, ['Table 1. Salts of the river']),
      ...table(686),
      ...place(626, ['Table 2. Salts of the lake']),
      ...table(606),
      ...place(546, ['Source: the office of waters, its annual report']),
    ];
    expect(await readAll(texts, rules(720, 9, [0, 4, 8]))).toBe(
      [
        'Table 1. Salts of the river',
        printed,
        'Table 2. Salts of the lake',
        printed,
        'Source: the office of waters, its annual report',
      ].join('\n\n'),
    );
  });

  it('are labels of groups between other rows', async () => {
    const texts = [...table(706), ...place(646, ['Lakes']), ...place(626, ['Aston', '9.1', '2.2'])];
    expect(await readAll(texts, rules(720, 5, [3]))).toBe(
      `${printed}\n| Lakes |  |  |\n| Aston | 9.1 | 2.2 |`,
    );
  });
});

describe('a frame without lines inside', () => {
  const xs = [60, 200, 300, 400];
  const ys = [700, 670, 640, 610, 580];
  const rows = [
    ['Totals', 'First year', 'Second year'],
    ['Matters/received', '426', '365'],
    ['Charged', '290', '259'],
    ['Persons/sentenced', '287', '242'],
  ];
  // Column by column, the first with two lines about the height of its row.
  const texts = [0, 1, 2].flatMap((column) =>
    rows.flatMap((cells, at) => {
      const lines = (cells[column] ?? '').split('/');
      const y = (ys[at] ?? 0) - 18;
      return lines.map((text, line) => ({
        x: (xs[column] ?? 0) + 4,
        y: y + 6 * (lines.length - 1) - 12 * line,
        text,
      }));
    }),
  );
  const pieces = (positions: readonly number[]): [number, number][] =>
    positions.slice(1).map((to, at) => [positions[at] ?? 0, to]);
  const readFramed = async (lines: readonly [number, number, number, number][]): Promise<string[]> => {
    const content = `${drawLines(lines)}\n${setText(texts)}`;
    const document = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
    return document.text.split('\n').filter((line) => line.startsWith('|'));
  };
  const expected = rows.map((cells) => `| ${cells.join(' | ').replace('/', ' ')} |`);

  it('has the rows and columns that the pieces of its lines show', async () => {
    const lines = [
      ...pieces(xs).flatMap(([from, to]) => [700, 580].map((y) => [from, y, to, y] as const)),
      ...pieces(ys).flatMap(([from, to]) => [60, 400].map((x) => [x, from, x, to] as const)),
    ].map(([x1, y1, x2, y2]): [number, number, number, number] => [x1, y1, x2, y2]);
    const found = await readFramed(lines);
    expect(found.filter((_, at) => at !== 1)).toEqual(expected);
  });

  it('has none where its lines are whole', async () => {
    const found = await readFramed([
      [60, 700, 400, 700],
      [60, 580, 400, 580],
      [60, 580, 60, 700],
      [400, 580, 400, 700],
    ]);
    expect(found).not.toContain(expected[1]);
  });
});
