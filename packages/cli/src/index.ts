/**
 * The whole library in one import: `@grainline/core`, its formats, `@grainline/extract`, counters of tokens, and the
 * built-in embedder.
 */
export * from '@grainline/core';
export * from '@grainline/core/formats';
export * from '@grainline/extract';
export { chunkFile } from './line.ts';
export type { ChunkedFile, ChunkFileOptions } from './line.ts';
export { staticEmbedder, tokenCounter } from './models.ts';
export type { EncodingName } from '@grainline/models/tokens';
