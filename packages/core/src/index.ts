/** Grainline's core: documents in, chunks out. Pure, synchronous, without dependencies, and at home in a browser. */
export { chunk, chunkStream, chunkSync } from './chunk.ts';
export type { Chunk, ChunkInput, ChunkMetadata, ChunkOptions, ChunkSyncOptions, Progress } from './chunk.ts';
export { indexedText } from './chunk.ts';
export { documentFromText } from './blocks/index.ts';
export type { TextKind, TextOptions } from './blocks/index.ts';
export { CHARACTERS_PER_PAGE, estimatePages, pageAt } from './document.ts';
export type { Block, BlockKind, Document, Span, Warning } from './document.ts';
export type { Boundary, ContextPart, Cut } from './cut.ts';
export type { CodeRange, Grammars, Outline, ScopeContext } from './syntax.ts';
export type { MeasuredText, TokenCounter } from './measure.ts';
export { ChunkError } from './errors.ts';
export type { ChunkErrorCode, OptionFault } from './errors.ts';
export { TIERS } from './tiers/index.ts';
export type { TierId } from './tiers/index.ts';
export type { Limits, Tier } from './tiers/tier.ts';
