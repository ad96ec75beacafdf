/** The whole library in one import: `@grainline/core`, its formats, `@grainline/extract`, and counters of tokens. */
export * from '@grainline/core';
export * from '@grainline/core/formats';
export * from '@grainline/extract';
export { chunkFile } from './line.ts';
export type { ChunkedFile, ChunkFileOptions } from './line.ts';
export { tokenCounter } from './tokens.ts';
export type { EncodingName } from '@grainline/models/tokens';
