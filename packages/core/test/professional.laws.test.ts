// The laws of every tier, and those of injected context: it is a slice, it keeps to its budget, it is never the chunk's own text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkSync, indexedText } from '../src/chunk.ts';
import type { Document } from '../src/document.ts';
import type { Chunk } from '../src/slice.ts';
import { corpusTexts, DOCUMENTS, limits, packageTexts } from './documents.ts';
import { describeLaws } from './laws.ts';
import { countWork } from './work.ts';

const cut = (input: string | Document, given: { size: number; overlap: number }): Chunk[] =>
  chunkSync(input, { tier: 'professional', ...given });

describeLaws('professional', cut);

/** What is wrong with the context of chunks. */
function* violationsOfContext(text: string, chunks: readonly Chunk[], size: number): Generator<string> {
  const budget = Math.min(size / 4, 320);
  for (const [index, piece] of chunks.entries()) {
    const { context = [], metadata } = piece;
    if (piece.context?.length === 0) yield `chunk ${index} has an empty list of context`;
    if (metadata.oversize !== true && indexedText(piece).length > size)
      yield `chunk ${index} is over the maximum with its context`;
    if (!indexedText(piece).isWellFormed()) yield `chunk ${index} has half a surrogate pair in its context`;
    let injected = 0;
    for (const part of context) {
      if (text.slice(part.start, part.end) !== part.text)
        yield `chunk ${index}: a ${part.kind} is not what its offsets say`;
      if (part.text.trim() !== part.text || part.text === '')
        yield `chunk ${index}: a ${part.kind} has blanks at its edges`;
      if (part.kind === 'table-header' || part.kind === 'scope') continue;
      injected += part.text.length + 1;
      if (part.start >= piece.start && part.start < piece.end)
        yield `chunk ${index}: a ${part.kind} is in its own text`;
    }
    if (injected > budget) yield `chunk ${index} has ${injected} units of context injected, budget ${budget}`;
    const texts = context.map((part) => `${part.kind}: ${part.text}`);
    if (new Set(texts).size < texts.length) yield `chunk ${index} has the same context twice`;
  }
}
