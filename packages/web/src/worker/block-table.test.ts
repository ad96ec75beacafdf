import { type Block, documentFromText } from '@grainline/core';
import { contentOf } from '@grainline/core/blocks';
import { expect, it } from 'vitest';
import { ancestorsOf, formAt, kindAt } from '../document/block-table.ts';
import { blockTable } from './block-table.ts';

const TEXT = [
  '# Depths ##',
  '- one\n\n  > quoted\n\n  ```ts\n  const a = 1;\n  ```',
  '<table><tr><th colspan="2">H</th></tr><tr><td>1</td><td>2</td></tr></table>',
].join('\n\n');

it('has every block of the tree in order, with its content, its parents and its details', () => {
  const { blocks } = documentFromText(TEXT, { kind: 'markdown' });
  const table = blockTable(TEXT, blocks);
  let index = 0;
  const visit = (block: Block, around: number[]): void => {
    const own = index++;
    expect(kindAt(table, own)).toBe(block.kind);
    expect([table.starts[own], table.ends[own]]).toEqual([block.start, block.end]);
    const content = contentOf(TEXT, block);
    expect([table.contentStarts[own], table.contentEnds[own]]).toEqual([content.start, content.end]);
    expect(ancestorsOf(table, own)).toEqual(around);
    expect(formAt(table, own)).toBe(block.form);
    expect(table.levels[own]).toBe(block.kind === 'heading' ? block.depth : 0);
    expect(table.details.get(own)?.columnSpan).toBe(block.columnSpan);
    expect(table.details.get(own)?.language).toBe(block.language);
    expect(table.details.get(own)?.header).toBe(block.header);
    for (const child of block.children ?? []) visit(child, [...around, own]);
  };
  for (const block of blocks) visit(block, []);
  expect(index).toBe(table.starts.length);
  expect(index).toBeGreaterThan(10);
});
