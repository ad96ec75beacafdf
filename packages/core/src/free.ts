// `@grainline/core/free`: the free tier alone, for bundles that have to be small. Options, checks and chunks are those
// of `chunkSync(text, { tier: 'free', … })`.
import type { Document } from './document.ts';
import { issueUnless, assertObject } from './errors.ts';
import type { TokenCounter } from './measure.ts';
import { resolveOptions } from './options.ts';
import { type Chunk, sliceAll } from './slice.ts';
import { FREE } from './tiers/free.ts';

export type { Cut } from './cut.ts';
export type { Block, BlockKind, Document, Span, Warning } from './document.ts';
export { ChunkError } from './errors.ts';
export type { ChunkErrorCode, OptionIssue } from './errors.ts';
export type { MeasuredText, TokenCounter } from './measure.ts';
export type { Chunk, ChunkMetadata } from './slice.ts';
export { FREE } from './tiers/free.ts';
export type { FreeOptions } from './tiers/free.ts';
export type { Limits } from './limits.ts';
export type { Tier } from './tiers/tier.ts';

/** Options of {@link chunkFree}; every one has a default. */
export interface ChunkFreeOptions {
  /** Counts tokens: `size` and `overlap` are tokens then. Default: both are in UTF-16 units. */
  readonly measure?: TokenCounter;
  /** The longest a chunk may be, overlap included: an integer from 1. Default 1000, or 512 tokens. */
  readonly size?: number;
  /** The most that a chunk repeats of the one before: an integer from 0, below `size`. Default 0. */
  readonly overlap?: number;
  /** Separators, best first; '' stands for any character. Default paragraph, line, space, character. */
  readonly separators?: readonly string[];
}

/**
 * Splits a text into chunks by the free tier. Linear in the length of the text.
 *
 * @throws ChunkError `invalid_options` with every issue, or `ill_formed_text` with its offset.
 * @example
 * const chunks = chunkFree('A long text …', { size: 1000, overlap: 100 });
 */
export function chunkFree(text: string, options: ChunkFreeOptions = {}): Chunk[] {
  assertObject(options);
  const resolved = resolveOptions(
    FREE,
    options,
    [],
    issueUnless(typeof text === 'string', 'text', 'a string', text),
  );
  const document: Document = { text, blocks: [], pages: [], mediaType: 'text/plain', warnings: [] };
  return sliceAll(document, FREE.cut(document, resolved));
}
