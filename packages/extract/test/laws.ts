// Laws of every Document, from any kind of file.
import { expect } from 'vitest';
import { pageAt, type Block, type Document, type Span } from '@grainline/core';
import { extract, ExtractError } from '../src/index.ts';

/** Time of the service for a document, in microseconds of the processor. */
export const MAX_MICROSECONDS = 12_000_000;

/** The text of a lawful document, or `error` and the code of its error; within the time of the service. */
export async function outcomeOf(bytes: Uint8Array, filename?: string): Promise<string> {
  const started = process.cpuUsage();
  try {
    const document = await extract(bytes, { filename });
    expectLawful(document);
    return document.text;
  } catch (error) {
    expect(error).toBeInstanceOf(ExtractError);
    return `error ${(error as ExtractError).code}`;
  } finally {
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(MAX_MICROSECONDS);
  }
}

/** Fails with the first law that a document breaks. */
export function expectLawful(document: Document): void {
  const broken = brokenLaws(document).next().value;
  if (broken !== undefined) expect.fail(broken);
}

/**
 * The laws that a document breaks, by what they say. Plain comparisons: an `expect` for each block takes as long as
 * reading it.
 */
function* brokenLaws({ text, blocks, pages, links = [] }: Document): Generator<string, undefined> {
  if (!text.isWellFormed()) yield 'text is well-formed';
  if (/[\0\r\uFEFF]/.test(text)) yield 'text has no NUL, CR or byte order mark';
  yield* brokenByPages(pages, text.length);
  yield* brokenByOrder(blocks, { start: 0, end: text.length });
  yield* brokenByOrder(links, { start: 0, end: text.length });
  for (const { start, end, href } of links)
    if (href === '' || text.slice(start, end).trim() === '') yield `a link has words and a target: ${start}`;
  const leaves = leavesOf(blocks);
  if (uncoveredText(text, leaves).trim() !== '') yield 'leaves cover all text that is not blank';
  for (const { page, start } of leaves)
    if (page !== undefined && page !== pageAt(pages, start))
      yield `a block says its page: ${page} at ${start}`;
}

function* brokenByPages(pages: readonly number[], length: number): Generator<string> {
  if (pages.length > 0 && pages[0] !== 0) yield 'the first page starts at 0';
  for (const [index, start] of pages.entries()) {
    if (start < (pages[index - 1] ?? 0)) yield `page starts ascend: ${start} is behind a later one`;
    if (start > length) yield `page starts inside the text: ${start}`;
  }
}

function* brokenByOrder(blocks: readonly (Span & Partial<Block>)[], parent: Span): Generator<string> {
  let last = parent.start;
  for (const { start, end, children } of blocks) {
    if (start < last) yield `blocks and links are ordered and do not overlap: ${start} is before ${last}`;
    if (end <= start) yield `a block or link is not empty: ${start}`;
    if (end > parent.end) yield `a block ends inside its parent: ${end} is behind ${parent.end}`;
    if (children !== undefined) yield* brokenByOrder(children, { start, end });
    last = end;
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
