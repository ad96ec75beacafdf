// Headers of unruled tables of PDFs: labels over several columns, and columns narrower than their names.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

async function read(texts: readonly SetText[]): Promise<string[]> {
  const document = await extract(writePdf({ pages: [{ content: setText(texts) }] }), {
    filename: 'test.pdf',
  });
  expectLawful(document);
  return document.text.split('\n').filter((line) => line.startsWith('|'));
}

const row = (y: number, xs: readonly number[], cells: readonly string[]): SetText[] =>
  cells.flatMap((text, at) => (text === '' ? [] : [{ x: xs[at] ?? 0, y, text }]));

describe('labels over several columns', () => {
  const names = [60, 240, 300, 370, 430];
  const values = [60, 262, 330, 392, 460];
  const rows = ['Easton', 'Weston', 'Norton', 'Sutton', 'Aston'].map((place, at) => [
    place,
    `${at + 3}2`,
    `${at + 2}4`,
    `${at + 1}7`,
    `${at + 4}1`,
  ]);

  it('are no evidence of columns, where names are wider than the values below', async () => {
    const texts = [
      ...row(700, [268, 398], ['All items', 'New items']),
      ...row(686, names, ['Place of the mill', 'Number', 'Percent', 'Number', 'Percent']),
      ...rows.flatMap((cells, at) => row(668 - 14 * at, values, cells)),
    ];
    expect(await read(texts)).toEqual([
      '|  | All items |  | New items |  |',
      '| --- | --- | --- | --- | --- |',
      '| Place of the mill | Number | Percent | Number | Percent |',
      ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    ]);
  });
});

describe('names at the left edges of their columns', () => {
  it('belong to the figures at the right edges, and stand in no column of their own', async () => {
    const right = (y: number, edges: readonly number[], cells: readonly string[]): SetText[] =>
      cells.map((text, at) => ({ x: (edges[at] ?? 0) - 5.56 * text.length, y, text, size: 10 }));
    const rows = ['Easton', 'Weston', 'Norton', 'Sutton'].map((place, at) => [
      place,
      `${at + 3}2${at}1`,
      `${at + 2}4`,
      `${at + 1}7${at}`,
    ]);
    const names = ['Place of the mill', 'Visitors', 'Houses', 'Sheep'];
    const texts = [
      ...row(700, [60, 160, 240, 320], names).map((text) => ({ ...text, size: 10 })),
      ...rows.flatMap(([place = '', ...values], at) => [
        { x: 60, y: 684 - 14 * at, text: place, size: 10 },
        ...right(684 - 14 * at, [236, 316, 396], values),
      ]),
    ];
    expect(await read(texts)).toEqual([
      `| ${names.join(' | ')} |`,
      '| --- | --- | --- | --- |',
      ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    ]);
  });
});

describe('bold type between rows', () => {
  const xs = [60, 180, 300];
  const bold = (y: number, at: readonly number[], cells: readonly string[]): SetText[] =>
    row(y, at, cells).map((text) => ({ ...text, font: 'B' as const }));
  const values = (places: readonly string[], top: number): SetText[] =>
    places.flatMap((place, at) => row(top - 14 * at, xs, [place, 'by the river', `${at + 4}2`]));

  it('is the label of a group, though it stands over another column than the first', async () => {
    const lines = await read([
      ...bold(700, xs, ['Place', 'Site', 'Mills']),
      ...values(['Easton', 'Weston', 'Norton'], 686),
      ...bold(644, [185], ['Upper valley']),
      ...values(['Sutton', 'Aston', 'Upton'], 630),
    ]);
    expect(lines).toContain('| Norton | by the river | 62 |');
    expect(lines).toContain('| Sutton | by the river | 42 |');
  });

  it('begins another table where white space stands above several names', async () => {
    const lines = await read([
      ...bold(700, xs, ['Place', 'Site', 'Mills']),
      ...values(['Easton', 'Weston', 'Norton'], 686),
      ...bold(618, xs, ['Town', 'Site', 'Farms']),
      ...values(['Sutton', 'Aston', 'Upton'], 604),
    ]);
    expect(lines.filter((line) => line.startsWith('| ---'))).toHaveLength(2);
  });
});

describe('labels of groups between rows', () => {
  it('are rows, though they are set larger, and end no table', async () => {
    const xs = [60, 180, 250, 320, 390];
    const values = (from: number): string[][] =>
      [0, 1, 2].map((at) => [
        `${250 * at + 10}`,
        `${from + at}2`,
        `${from + at}.4`,
        `10${at}`,
        `${from + at}.9`,
      ]);
    const texts: SetText[] = [
      ...row(700, xs, ['Dose', 'Count', 'Weight', 'Share', 'Length']),
      { x: 60, y: 680, text: 'Male', size: 12 },
      ...values(3).flatMap((cells, at) => row(664 - 12 * at, xs, cells)),
      { x: 60, y: 620, text: 'Female', size: 12 },
      ...values(5).flatMap((cells, at) => row(604 - 12 * at, xs, cells)),
    ];
    expect(await read(texts)).toEqual([
      '| Dose | Count | Weight | Share | Length |',
      '| --- | --- | --- | --- | --- |',
      '| Male |  |  |  |  |',
      ...values(3).map((cells) => `| ${cells.join(' | ')} |`),
      '| Female |  |  |  |  |',
      ...values(5).map((cells) => `| ${cells.join(' | ')} |`),
    ]);
  });

  it('are titles of tables where the names of the columns come again below them', async () => {
    const xs = [60, 180, 250, 320];
    const values = (voltages: readonly string[], top: number): SetText[] =>
      voltages.flatMap((name, at) => row(top - 14 * at, xs, [name, `${at + 4}`, `3${at}`, `7${at}`]));
    const names = ['Voltage', 'Least', 'Usual', 'Most'];
    for (const size of [10, 12]) {
      const lines = await read([
        ...row(700, xs, names),
        ...values(['Research', 'Energy', 'Housing'], 686),
        { x: 60, y: 634, text: 'Storage of the energy', size },
        ...row(618, xs, names),
        ...values(['Payment', 'Access', 'Library'], 604),
      ]);
      expect(lines.filter((line) => line === '| Voltage | Least | Usual | Most |')).toHaveLength(2);
      expect(lines.filter((line) => line.startsWith('| ---'))).toHaveLength(2);
      expect(lines.join()).not.toContain('Storage');
    }
  });
});

describe('cells centred over two rows', () => {
  it('belong to both, and are no row of their own', async () => {
    const xs = [60, 180, 250, 320];
    const rows = [
      ['Easton', 'Summer', '1.5', '10'],
      ['', 'Winter', '3.2', '20'],
      ['Weston', 'Summer', '2.5', '11'],
      ['', 'Winter', '4.2', '21'],
      ['Norton', 'All year', '3.5', '12'],
      ['Sutton', 'All year', '5.2', '22'],
      ['Aston', 'All year', '6.2', '23'],
    ];
    const texts = [
      ...row(700, xs, ['Place', 'Season', 'Chloride', 'Days']),
      ...rows.flatMap(([place = '', ...values], at) => [
        ...row(682 - 14 * at, xs.slice(1), values),
        ...(place === '' ? [] : [{ x: 60, y: (at < 4 ? 675 : 682) - 14 * at, text: place }]),
      ]),
    ].sort((one, other) => other.y - one.y || one.x - other.x);
    expect(await read(texts)).toEqual([
      '| Place | Season | Chloride | Days |',
      '| --- | --- | --- | --- |',
      ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    ]);
  });
});

describe('bold labels above columns', () => {
  const rows: [string, string][] = [
    ['depth', 'the depth of the water at the weir in the middle of the day, in metres'],
    ['colour', 'the colour of the water in the light of the morning, as seen from the bank'],
    ['speed', 'the speed of the water below the weir, over the last ten metres'],
  ];
  const cells = rows.flatMap(([name, text], at) => row(680 - 16 * at, [60, 140], [name, text]));
  const labels = row(700, [60, 140], ['Name', 'Meaning']);

  it('make a table of names and the texts that explain them', async () => {
    const bold = labels.map((label): SetText => ({ ...label, font: 'B' }));
    expect(await read([...bold, ...cells])).toEqual([
      '| Name | Meaning |',
      '| --- | --- |',
      ...rows.map((texts) => `| ${texts.join(' | ')} |`),
    ]);
  });

  /** Lines of text with blanks that only positions show. */
  const positioned = Array.from('abcdefghijkl', (letter, at) => {
    const words = `(The) -300 (${letter}) -300 (river) -300 (rises) -300 (in) -300 (the) -300 (hills)`;
    return `BT /F 12 Tf 1 0 0 1 60 ${600 - 14 * at} Tm [${words}] TJ ET`;
  });

  it('make none in the type of the texts, unless the page writes its blanks and has none between the cells', async () => {
    const table = await read([...labels, ...cells]);
    expect(table[2]).toBe(`| depth | ${rows[0]?.[1]} |`);
    const content = [setText([...labels, ...cells]), ...positioned].join('\n');
    const document = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
    expect(document.text).not.toContain('|');
  });
});
