/**
 * The whole library in one import: `@grainline/core`, its formats, `@grainline/extract`, and `@grainline/models`, whose
 * tables are loaded at their first use.
 */
export * from '@grainline/core';
export * from '@grainline/core/formats';
export * from '@grainline/extract';
export * from '@grainline/models';
export { chunkFile } from './line.ts';
export type { ChunkedFile, ChunkFileOptions } from './line.ts';
