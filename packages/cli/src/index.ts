/** The whole library in one import: `@grainline/core`, its formats, and `@grainline/extract`. */
export * from '@grainline/core';
export * from '@grainline/core/formats';
export * from '@grainline/extract';
export { chunkFile } from './line.ts';
export type { ChunkedFile, ChunkFileOptions } from './line.ts';
