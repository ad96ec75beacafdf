// A text in blocks that a browser can lay out one by one: whole lines where lines are short, otherwise pieces of
// bounded length.
import type { Span } from '@grainline/core';
import { firstIndex } from '../document/cut-table.ts';

/** A block ends at the first line end after so many UTF-16 units. */
const ENOUGH = 1200;
/** A block without a line end ends at a blank after LONG units, or anywhere after MOST. */
const LONG = 3600;
const MOST = 4000;

/** Spans that tile the text, none longer than 4000 units and none inside a surrogate pair. Linear. */
export function displayBlocks(text: string): Span[] {
  const blocks: Span[] = [];
  for (let start = 0; start < text.length;) {
    const end = blockEnd(text, start);
    blocks.push({ start, end });
    start = end;
  }
  return blocks;
}

function blockEnd(text: string, start: number): number {
  if (text.length - start <= ENOUGH) return text.length;
  const line = text.slice(start + ENOUGH, start + MOST).indexOf('\n');
  if (line !== -1) return start + ENOUGH + line + 1;
  const rest = start + MOST;
  if (rest >= text.length) return text.length;
  const blank = text.slice(start + LONG, rest).lastIndexOf(' ');
  if (blank !== -1) return start + LONG + blank + 1;
  return isInsidePair(text, rest) ? rest - 1 : rest;
}

function isInsidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** The index of the block at an offset. */
export function blockAt(blocks: readonly Span[], offset: number): number {
  return Math.max(0, firstIndex(blocks.length, (index) => (blocks[index]?.start ?? 0) > offset) - 1);
}
