// Delimited values: which cells there are, what they say, and that their rows are cut as those of any table.
import { describe, expect, it } from 'vitest';
import { blocksOf, documentFromText } from '../../src/blocks/index.ts';
import { contentOf } from '../../src/blocks/content.ts';
import { chunkSync, indexedText } from '../../src/chunk.ts';
import { countWork } from '../work.ts';

/** Values of all rows, as a reader has them. */
function valuesOf(text: string): string[][] {
  const rows = blocksOf(text, 'csv')[0]?.children ?? [];
  return rows.map(({ children = [] }) =>
    children.map((cell) => {
      const { start, end } = contentOf(text, cell);
      return text.slice(start, end);
    }),
  );
}

describe('delimited values', () => {
  it.each([
    ['commas', 'town,range\nBrest,5.1\nDover,4.8\n'],
    ['tabs', 'town\trange\nBrest\t5.1\nDover\t4.8'],
    ['semicolons and CRLF', 'town;range\r\nBrest;5.1\r\nDover;4.8\r\n'],
    ['bars', 'town|range\nBrest|5.1\n\nDover|4.8\n'],
    ['quotation marks', '"town","range"\n"Brest","5.1"\nDover, "4.8"\n'],
  ])('are parted by %s', (_by, text) => {
    expect(valuesOf(text)).toEqual([
      ['town', 'range'],
      ['Brest', '5.1'],
      ['Dover', '4.8'],
    ]);
  });

  it('may hold delimiters, line ends and doubled quotation marks inside quotation marks', () => {
    expect(valuesOf('a,b\n"x, y","one\ntwo"\n"say ""so""",z\n')).toEqual([
      ['a', 'b'],
      ['x, y', 'one\ntwo'],
      ['say ""so""', 'z'],
    ]);
  });

  it('keep their columns beside empty ones, and quotation marks that nothing closes', () => {
    expect(valuesOf('a,b,c\n,,3\n1,,\n"in,2,3\n')).toEqual([
      ['a', 'b', 'c'],
      ['', '', '3'],
      ['1', '', ''],
      ['"in', '2', '3'],
    ]);
    const [, row] = blocksOf('a\tb\tc\n1\t\t3\n', 'csv')[0]?.children ?? [];
    expect(row?.children?.map(({ columnSpan = 1 }) => columnSpan)).toEqual([2, 1]);
  });

  it('have a header unless their first record is figures alone', () => {
    const isHeader = (text: string): boolean => blocksOf(text, 'csv')[0]?.children?.[0]?.header === true;
    expect(isHeader('town,2019\nBrest,5\n')).toBe(true);
    expect(isHeader('1,2.5\n3,4\n')).toBe(false);
  });

  it('are plain text where the first line has no delimiter', () => {
    expect(blocksOf('Just words.\n\nMore, words.', 'csv')).toEqual(
      blocksOf('Just words.\n\nMore, words.', 'text'),
    );
  });

  it('are found by the name of a file', () => {
    expect(documentFromText('a,b\n1,2', { filename: 'x.csv' })).toMatchObject({ mediaType: 'text/csv' });
    expect(documentFromText('a\tb\n1\t2', { filename: 'x.tsv' }).blocks[0]?.kind).toBe('table');
    expect(documentFromText('a,b\n1,2', { filename: 'x.txt' }).blocks[0]?.kind).toBe('paragraph');
  });

  it('give chunks of whole records, the names over each, none lost or doubled', () => {
    const records = Array.from({ length: 300 }, (_, row) => `town ${row},"range, ${row}",note ${row}`);
    const text = `town,range,note\n${records.join('\n')}\n`;
    for (const size of [60, 150, 1000]) {
      const chunks = chunkSync(text, { tier: 'structure', kind: 'csv', size });
      expect(chunks.flatMap((piece) => piece.text.split('\n'))).toEqual(text.trim().split('\n'));
      for (const piece of chunks) {
        expect(indexedText(piece)).toMatch(/^town,range,note\n/);
        expect(indexedText(piece).length).toBeLessThanOrEqual(size);
      }
    }
  });

  it.each(['"', '"a,', '""",', ',', '"\n', 'a,"b\n', '""x,'])(
    'cost no more than their length: %j',
    async (part) => {
      const units = (count: number): string => `a,b\n${part.repeat(count)}`;
      const once = await countWork(() => blocksOf(units(5000), 'csv'));
      const twice = await countWork(() => blocksOf(units(10_000), 'csv'));
      expect(twice).toBeLessThanOrEqual(2.5 * once + 1000);
    },
  );
});
