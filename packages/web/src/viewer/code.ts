// Which parts of a text are code, and so stand in fixed pitch.
import type { Block, Span } from '@grainline/core';
import { firstEndingAfter } from '../cuts.ts';
import type { CodeSpans } from '../protocol.ts';

/** Of a text without any. */
export const NO_CODE: CodeSpans = { starts: new Uint32Array(), ends: new Uint32Array() };

/** All code among the blocks of a document, also in its lists and quotes. */
export function codeIn(blocks: readonly Block[]): CodeSpans {
  const spans = [...codeOf(blocks)];
  return {
    starts: Uint32Array.from(spans, ({ start }) => start),
    ends: Uint32Array.from(spans, ({ end }) => end),
  };
}

function* codeOf(blocks: readonly Block[]): Generator<Span> {
  for (const block of blocks)
    if (block.kind === 'code') yield block;
    else yield* codeOf(block.children ?? []);
}

/** What of the text from `from` to `to` is code. Binary search for the first. */
export function* codeWithin(code: CodeSpans, from: number, to: number): Generator<Span> {
  for (let index = firstEndingAfter(code, from); index < code.starts.length; index++) {
    const start = Math.max(from, code.starts[index] ?? 0);
    if (start >= to) return;
    yield { start, end: Math.min(to, code.ends[index] ?? 0) };
  }
}
