// The code in a text, which the viewer sets in a fixed pitch.
import type { Span } from '@grainline/core';
import { type BlockTable, kindAt } from './block-table.ts';
import { firstEndingAfter } from './cut-table.ts';

/** Spans of a text, in UTF-16 units. */
export interface CodeSpans {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The spans of a text without code. */
export const NO_CODE: CodeSpans = { starts: new Uint32Array(), ends: new Uint32Array() };

/** All code among the blocks of a document, also in its lists and quotes. */
export function codeIn(table: BlockTable): CodeSpans {
  const isCode = (_: number, index: number): boolean => kindAt(table, index) === 'code';
  return { starts: table.starts.filter(isCode), ends: table.ends.filter(isCode) };
}

/** The code between `from` and `to`. Binary search for the first span. */
export function* codeWithin(code: CodeSpans, from: number, to: number): Generator<Span> {
  for (let index = firstEndingAfter(code, from); index < code.starts.length; index++) {
    const start = Math.max(from, code.starts[index] ?? 0);
    if (start >= to) return;
    yield { start, end: Math.min(to, code.ends[index] ?? 0) };
  }
}
