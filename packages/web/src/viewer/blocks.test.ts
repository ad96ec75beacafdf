import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { blockAt, displayBlocks } from './blocks.ts';

const text = fc
  .array(fc.constantFrom('line of words', '\n', '😀'.repeat(700), 'x'.repeat(5000), ' ', '‮ltr', '\n\n'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

describe('display blocks', () => {
  it('tile the text, are never too long to draw and part no character', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const blocks = displayBlocks(whole);
        expect(blocks.map(({ start, end }) => whole.slice(start, end)).join('')).toBe(whole);
        for (const { start, end } of blocks) {
          expect(end - start).toBeGreaterThan(0);
          expect(end - start).toBeLessThanOrEqual(4000);
          expect(whole.slice(start, end).isWellFormed()).toBe(true);
        }
        for (const [index, { start, end }] of blocks.entries()) {
          expect(blockAt(blocks, start)).toBe(index);
          expect(blockAt(blocks, end - 1)).toBe(index);
        }
      }),
      cases(100),
    );
  });

  it('end with a line where lines are short', () => {
    const lines = 'a line of some words\n'.repeat(1000);
    for (const { end } of displayBlocks(lines)) expect(lines.charAt(end - 1)).toBe('\n');
  });
});
