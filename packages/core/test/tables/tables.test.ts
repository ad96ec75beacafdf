// Laws of tables in any form and cut: no row is lost or doubled, and every value has the names of its columns above it,
// in the chunk or in its context, which counts in the budget.
import { tokenCounter } from '@grainline/models/tokens';
import { describe, expect, it } from 'vitest';
import { chunkSync, indexedText } from '../../src/chunk.ts';
import type { TokenCounter } from '../../src/measure.ts';
import type { Chunk } from '../../src/slice.ts';
import type { SyncTierId } from '../../src/tiers/registry.ts';
import { sampleOf } from '@grainline/testing/cases';
import { TABLES, type TableCase } from './cases.ts';

const o200k = await tokenCounter('o200k');

/** The tiers that read tables, with the unit of their sizes; in tokens a size is three or four times as long. */
const TIERS: readonly (readonly [SyncTierId, string, TokenCounter | undefined, readonly number[]])[] = [
  ['structure', 'UTF-16 units', undefined, [150, 300, 600, 1000, 4000]],
  ['professional', 'UTF-16 units', undefined, [150, 300, 600, 1000, 4000]],
  ['structure', 'tokens', o200k, [80, 150, 300, 1000]],
  ['professional', 'tokens', o200k, [80, 150, 300, 1000]],
];
/** Context may take this share of a chunk; a name longer than that stands over nothing. */
const HEADER_SHARE = 0.5;

const VALUE = /r\d+c\d+/g;
const NAME = /[NM]\d+/g;

const wordsOf = (text: string, words: RegExp): string[] => text.match(words) ?? [];
/** The context from the table itself, without the titles over it. */
const contextOf = ({ context = [] }: Chunk): string =>
  context
    .filter(({ kind }) => kind === 'table-header')
    .map(({ text }) => text)
    .join('\n');

/** The names that are too long to stand over anything at a size. */
function tooLong({ text }: TableCase, size: number, lengthOf: (text: string) => number): Set<string> {
  const cells = text.split(/\|(?!x)|<\/?t[hd][^>]*>/).map((cell) => cell.trim());
  return new Set(
    cells.filter((cell) => lengthOf(cell) + 16 > HEADER_SHARE * size).flatMap((cell) => wordsOf(cell, NAME)),
  );
}

describe.each(TIERS)('tables in the tier %s, in %s', (tier, _unit, measure, sizes) => {
  const lengthOf = (text: string): number => measure?.count(text) ?? text.length;
  const cut = ({ text, kind }: TableCase, size: number): Chunk[] =>
    chunkSync(text, { tier, kind, size, ...(measure === undefined ? {} : { measure }) });

  describe.each(TABLES)('$name', (table) => {
    it.each(sampleOf(sizes))('at size %i', (size) => {
      const chunks = cut(table, size);
      let at = 0;
      for (const { start, end, text } of chunks) {
        expect(text).toBe(table.text.slice(start, end));
        expect(table.text.slice(at, start).trim()).toBe('');
        at = end;
      }
      expect(table.text.slice(at).trim()).toBe('');
      for (const piece of chunks) expect(lengthOf(indexedText(piece))).toBeLessThanOrEqual(size);

      expect(chunks.flatMap(({ text }) => wordsOf(text, VALUE))).toEqual(table.values);
      for (const word of table.once ?? [])
        expect(chunks.filter((piece) => `${contextOf(piece)}\n${piece.text}`.includes(word))).toHaveLength(1);

      const unnameable = tooLong(table, size, lengthOf);
      const nameless = chunks.flatMap((piece) => {
        const names = new Set(wordsOf(indexedText(piece), NAME));
        return wordsOf(piece.text, VALUE).flatMap((value) =>
          table
            .namesOf(value)
            .filter((name) => !names.has(name) && !unnameable.has(name))
            .map((name) => `${value} without ${name} in ${JSON.stringify(indexedText(piece).slice(0, 300))}`),
        );
      });
      expect(nameless.slice(0, 3)).toEqual([]);
    });

    it.each(sampleOf(sizes))('names nothing but its own columns over part of a row at size %i', (size) => {
      const chunks = cut(table, size);
      const wrong = chunks.flatMap((piece) => {
        const values = wordsOf(piece.text, VALUE);
        const own = new Set(values.flatMap((value) => [...table.namesOf(value)]));
        const given = wordsOf(contextOf(piece), NAME);
        const rows = new Set(values.map((value) => value.split('c')[0]));
        const isPart =
          rows.size === 1 &&
          table.values.filter((value) => value.startsWith(`${[...rows][0] ?? ''}c`)).length > values.length;
        const foreign = given.filter((name) => !own.has(name));
        return isPart && values.length > 0 && foreign.length > 0 ? [{ values, given }] : [];
      });
      if (!table.name.includes('over several columns') && !table.name.includes('short rows'))
        expect(wrong.slice(0, 3)).toEqual([]);
    });

    if (table.groupOf !== undefined)
      it.each(sampleOf(sizes))('repeats the values that span rows at size %i', (size) => {
        for (const piece of cut(table, size)) {
          for (const value of wordsOf(piece.text, VALUE))
            expect(wordsOf(indexedText(piece), VALUE)).toContain(table.groupOf?.(value));
        }
      });
  });
});

describe('what stands over a table', () => {
  const rows = '| a value | another value |\n'.repeat(40);

  it('is no context when it names nothing', () => {
    for (const header of ['|   |   |', '|  |', '> |   |   |']) {
      const quote = header.startsWith('>') ? '> ' : '';
      const rule = header.replaceAll(/ +(?=\|)/g, '---');
      const text = [
        header,
        quote === '' ? rule : '> |---|---|',
        ...rows
          .trim()
          .split('\n')
          .map((row) => quote + row),
      ];
      for (const { context } of chunkSync(text.join('\n'), {
        tier: 'structure',
        kind: 'markdown',
        size: 200,
      }))
        expect(context).toBeUndefined();
    }
  });

  it('leaves rows whole below a name that is longer than a chunk, and gives them its first words', () => {
    const long = 'very long name of a column '.repeat(12).trim();
    const text = `| town | ${long} | range |\n|---|---|---|\n${'| Brest | high | 5.1 |\n'.repeat(30)}`;
    for (const size of [120, 200, 300]) {
      const chunks = chunkSync(text, { tier: 'structure', kind: 'markdown', size });
      const below = chunks.filter((piece) => piece.text.includes('Brest'));
      expect(below.length).toBeGreaterThan(2);
      for (const piece of below) {
        for (const line of piece.text.split('\n').filter((row) => row.includes('Brest')))
          expect(line).toBe('| Brest | high | 5.1 |');
        expect(indexedText(piece)).toMatch(/town \| very long name[^|]*(?:\n|\| )range/);
      }
    }
  });

  it.each(['Table 1: Results', '**Tab. 2** Results', 'Tabelle 3 – Ergebnisse', '表4 结果'])(
    'stays with it when it is a caption: %s',
    (caption) => {
      for (let words = 20; words < 80; words++) {
        const before = 'Words that stand before it. '.repeat(words);
        const text = `${before}\n\n${caption}\n\n| name | other |\n|---|---|\n${rows}`;
        const chunks = chunkSync(text, { tier: 'structure', kind: 'markdown', size: 400 });
        const at = text.indexOf(caption);
        const piece = chunks.find(({ start, end }) => start <= at && at < end);
        expect(piece?.text).toContain('| name | other |');
      }
    },
  );

  it.each(['Table 1: Results', '**Tab. 2** Results', '表4 结果'])(
    'stays with its end when it is a caption below: %s',
    (caption) => {
      for (let count = 3; count < 40; count++) {
        const table = `| name | other |\n|---|---|\n${'| a value | another value |\n'.repeat(count)}`;
        const text = `${'Words that stand before it. '.repeat(9)}\n\n${table}\n${caption}\n\n${'Words that stand behind it. '.repeat(60)}`;
        const chunks = chunkSync(text, { tier: 'structure', kind: 'markdown', size: 400 });
        const at = text.indexOf(caption);
        const piece = chunks.find(({ start, end }) => start <= at && at < end);
        // A table that fills a chunk has no room for it.
        const { length } = table.trim();
        if (length + 2 + caption.length <= 400 || length > 400)
          expect(piece?.text).toContain('another value |');
      }
    },
  );

  it('is that of the table below, when a caption stands between two', () => {
    const table = `| name | other |\n|---|---|\n${'| a value | another value |\n'.repeat(10)}`;
    const text = `${table}\nTable 2: Results\n\n${table}`;
    const chunks = chunkSync(text, { tier: 'structure', kind: 'markdown', size: 400 });
    expect(chunks.map((piece) => piece.text.split('\n')[0])).toEqual([
      '| name | other |',
      'Table 2: Results',
    ]);
  });
});
