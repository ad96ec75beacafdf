import { documentFromText } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { blockTable } from '../worker/block-table.ts';
import { renderedLayout } from './rendered-layout.ts';

const layoutOf = (text: string) =>
  renderedLayout(text, blockTable(text, documentFromText(text, { kind: 'markdown' }).blocks));

const markdown = fc
  .array(
    fc.constantFrom(
      '# Depths',
      'The tide turns at noon. '.repeat(20),
      'word '.repeat(2000),
      '- one\n- two\n  - nested',
      `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(300)}`,
      `\`\`\`ts\n${'const a = 1;\n'.repeat(500)}\`\`\``,
      '> a\n> b',
      '😀'.repeat(3000),
      '***',
      '',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join('\n\n'));

describe('the layout of rendered Markdown', () => {
  it('has blocks that tile the text, are never too long to draw and part no character', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const { blocks } = layoutOf(text);
        expect(blocks.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        for (const { start, end } of blocks) {
          expect(end - start).toBeGreaterThan(0);
          expect(end - start).toBeLessThanOrEqual(8000);
          expect(text.slice(start, end).isWellFormed()).toBe(true);
        }
      }),
      cases(60),
    );
  });

  it('has one block for a short document, and none for an empty one', () => {
    expect(layoutOf('# Depths\n\nThe bar has ten metres.').blocks).toHaveLength(1);
    expect(layoutOf('').blocks).toEqual([]);
    expect(layoutOf('\n\n').blocks).toHaveLength(1);
  });

  it('keeps some hundred rows of a table in one block, and parts longer tables', () => {
    const rows = (count: number): string => `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(count)}`;
    expect(layoutOf(rows(400)).blocks).toHaveLength(1);
    expect(layoutOf(rows(4000)).blocks.length).toBeGreaterThan(4);
  });
});
