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
