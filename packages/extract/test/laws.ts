// What must hold for every Document, whatever it was read from.
import { expect } from 'vitest';
import { pageAt, type Block, type Document } from '@grainline/core';

/** Fails with the law that a document breaks. */
export function expectLawful(document: Document): void {
  const { text, blocks, pages } = document;
  expect(text.isWellFormed(), 'text is well-formed').toBe(true);
  expect(/[\0\r\uFEFF]/.test(text), 'text has no NUL, CR or byte order mark').toBe(false);
  expectPages(pages, text.length);
  expectOrdered(blocks, { start: 0, end: text.length });
  const uncovered = uncoveredText(text, leavesOf(blocks));
  expect(uncovered.trim(), 'leaves cover all text that is not blank').toBe('');
  for (const block of leavesOf(blocks)) {
    if (block.page !== undefined) expect(block.page, 'block says its page').toBe(pageAt(pages, block.start));
  }
}

function expectPages(pages: readonly number[], length: number): void {
  if (pages.length > 0) expect(pages[0], 'the first page starts at 0').toBe(0);
  pages.forEach((start, index) => {
    expect(start, 'page starts ascend').toBeGreaterThanOrEqual(pages[index - 1] ?? 0);
    expect(start, 'page starts inside the text').toBeLessThanOrEqual(length);
  });
}

function expectOrdered(blocks: readonly Block[], parent: { start: number; end: number }): void {
  let end = parent.start;
  for (const block of blocks) {
    expect(block.start, 'blocks are ordered and do not overlap').toBeGreaterThanOrEqual(end);
    expect(block.end, 'a block is not empty').toBeGreaterThan(block.start);
    expect(block.end, 'a block ends inside its parent').toBeLessThanOrEqual(parent.end);
    if (block.children !== undefined) expectOrdered(block.children, block);
    end = block.end;
  }
}

function leavesOf(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => (block.children === undefined ? [block] : leavesOf(block.children)));
}

function uncoveredText(text: string, leaves: readonly Block[]): string {
  let at = 0;
  let rest = '';
  for (const { start, end } of leaves) {
    rest += text.slice(at, start);
    at = end;
  }
  return rest + text.slice(at);
}
