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
});
