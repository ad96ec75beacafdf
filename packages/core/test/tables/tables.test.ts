// What holds of tables however they are made and cut: no row is lost or doubled, and over every value stand the names
// of its own columns, in the chunk or in its context, which counts in the budget.
import { describe, expect, it } from 'vitest';
import { chunkSync, indexedText } from '../../src/chunk.ts';
import type { Chunk } from '../../src/slice.ts';
import type { TierId } from '../../src/tiers/index.ts';
import { TABLES, type TableCase } from './cases.ts';

/** The tiers that read tables. */
const TIERS: readonly TierId[] = ['structure'];
const SIZES = [150, 300, 600, 1000, 4000];
/** Context may take this share of a chunk; a name longer than that stands over nothing. */
const HEADER_SHARE = 0.5;

const VALUE = /r\d+c\d+/g;
const NAME = /[NM]\d+/g;

const wordsOf = (text: string, words: RegExp): string[] => text.match(words) ?? [];
const contextOf = ({ context = [] }: Chunk): string => context.map(({ text }) => text).join('\n');

/** The names that are too long to stand over anything at a size. */
function tooLong({ text }: TableCase, size: number): Set<string> {
  const cells = text.split(/\|(?!x)|<\/?t[hd][^>]*>/).map((cell) => cell.trim());
  return new Set(
    cells.filter((cell) => cell.length + 16 > HEADER_SHARE * size).flatMap((cell) => wordsOf(cell, NAME)),
  );
}

describe.each(TIERS)('tables in the tier %s', (tier) => {
  describe.each(TABLES)('$name', (table) => {
    it.each(SIZES)('at size %i', (size) => {
      const chunks = chunkSync(table.text, { tier, kind: table.kind, size });
      let at = 0;
      for (const { start, end, text } of chunks) {
        expect(text).toBe(table.text.slice(start, end));
        expect(table.text.slice(at, start).trim()).toBe('');
        at = end;
      }
      expect(table.text.slice(at).trim()).toBe('');
      for (const piece of chunks) expect(indexedText(piece).length).toBeLessThanOrEqual(size);

      expect(chunks.flatMap(({ text }) => wordsOf(text, VALUE))).toEqual(table.values);
      for (const word of table.once ?? [])
        expect(chunks.filter((piece) => indexedText(piece).includes(word))).toHaveLength(1);

      const unnameable = tooLong(table, size);
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

    it.each(SIZES)('names nothing but its own columns over part of a row at size %i', (size) => {
      const chunks = chunkSync(table.text, { tier, kind: table.kind, size });
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
      it.each(SIZES)('repeats the values that span rows at size %i', (size) => {
        for (const piece of chunkSync(table.text, { tier, kind: table.kind, size })) {
          for (const value of wordsOf(piece.text, VALUE))
            expect(wordsOf(indexedText(piece), VALUE)).toContain(table.groupOf?.(value));
        }
      });
  });
});
