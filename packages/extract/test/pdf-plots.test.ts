// Rows and columns that are no tables: plots, formulas with their numbers, entries with their kinds.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

async function rowsOf(texts: readonly SetText[]): Promise<string[]> {
  const document = await extract(writePdf({ pages: [{ content: setText(texts) }] }), {
    filename: 'test.pdf',
  });
  expectLawful(document);
  return document.text.split('\n').filter((line) => line.startsWith('|'));
}

/** Rows of cells, one line each. */
const rows = (
  cells: readonly (readonly string[])[],
  xs: readonly number[],
  top: number,
  pitch = 14,
): SetText[] =>
  cells.flatMap((row, at) =>
    row.flatMap((text, column) => (text === '' ? [] : [{ x: xs[column] ?? 0, y: top - pitch * at, text }])),
  );

const XS = [60, 130, 200, 270, 340];

describe('no tables are', () => {
  it('the axes of a plot, with its key below', async () => {
    const texts = [
      ...rows([['0', '5', '10', '15', '20']], XS, 700),
      ...rows([['the water', 'the bank']], [120, 260], 686),
      ...rows([['0', '5', '10', '15', '20']], XS, 672),
    ];
    expect(await rowsOf(texts)).toEqual([]);
  });

  it('the upright axis of a plot with its bars', async () => {
    const bars = ['1,912', '4,105', '7,888', '2,450'];
    const texts = [
      ...bars.map((text, at) => ({ x: 130 + 70 * at, y: 640 + 17 * at, text })),
      ...['0', '2,000', '4,000', '6,000', '8,000'].map((text, at) => ({ x: 60, y: 630 + 20 * at, text })),
      ...rows([['1900s', '1910s', '1920s', '1930s']], XS.slice(1), 612),
    ];
    expect(await rowsOf(texts)).toEqual([]);
  });

  it('panels beside each other that say the same of their axes', async () => {
    const panels = ['North', 'South', 'East'];
    const texts = [panels, panels.map(() => 'Depth'), panels, panels.map(() => 'Depth')];
    expect(await rowsOf(rows(texts, [60, 200, 340], 700))).toEqual([]);
    const scales = [1, 2, 3, 4].map((row) => [`Place ${row}`, '0 20 40 60 80', '0 20 40 60 80']);
    expect(await rowsOf(rows(scales, [60, 200, 340], 700))).toEqual([]);
  });

  it.each([
    ['(1)', '(2)', '(3)', '(4)'],
    ['(A.12)', '(A.13)', '(A.14)', '(A.15)'],
    ['[function]', '[method]', '[function]', '[special form]'],
  ])('lines with %s at their right edges', async (...labels) => {
    const lines = ['x = a + b', 'y = a + 2b', 'z = x + y', 'w = z - a'];
    expect(
      await rowsOf(
        rows(
          lines.map((line, at) => [line, labels[at] ?? '']),
          [60, 400],
          700,
        ),
      ),
    ).toEqual([]);
  });

  it('two lines of words far apart', async () => {
    const words = [
      ['Linus', 'does', 'not', 'like'],
      ['it', 'in', 'user', 'space'],
    ];
    expect(await rowsOf(rows(words, XS, 700))).toEqual([]);
  });
});

describe('tables are', () => {
  it('years above values, which are as far apart as the marks of an axis', async () => {
    const values = [
      ['2010', '2015', '2020', '2025'],
      ['12.5', '13.1', '14.0', '15.2'],
      ['8.1', '8.4', '9.0', '9.9'],
    ];
    expect(await rowsOf(rows(values, XS.slice(1), 700))).toHaveLength(4);
  });

  it('labels above a line of figures', async () => {
    const values = [
      ['concordant', 'discordant', 'tied', 'left out'],
      ['43', '12', '0', '7'],
    ];
    expect(await rowsOf(rows(values, XS, 700))).toHaveLength(3);
  });

  it('sizes of several things, though each cell holds a scale of them', async () => {
    const sizes = [
      ['Shoes', '36 38 40 42', 'black'],
      ['Boots', '38 40 42 44', 'brown'],
      ['Coats', '44 46 48 50', 'green'],
    ];
    expect(await rowsOf(rows(sizes, [60, 160, 340], 700))).not.toEqual([]);
  });

  it('rows whose last values stand in brackets and do not count', async () => {
    const values = ['(12)', '(7)', '(30)', '(8)'].map((share, at) => [`Place ${at}`, `${at}.5`, share]);
    expect(await rowsOf(rows(values, XS, 700))).not.toEqual([]);
  });
});
