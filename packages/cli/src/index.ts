/**
 * The whole library in one import: `@grainline/core`, its formats, `@grainline/extract`, `@grainline/models` and the
 * calls of `@grainline/pipeline`. The tables of the models load at their first use.
 */
export * from '@grainline/core';
export * from '@grainline/core/formats';
export * from '@grainline/extract';
export * from '@grainline/models';
export { chunkDocument, chunkSource, citeRecords, readSource, recordsFor } from '@grainline/pipeline';
export type {
  BytesSource,
  ChunkDocumentOptions,
  ChunkedDocument,
  CitedPassage,
  ChunkReport,
  ChunkSourceOptions,
  DocumentRecords,
  DocumentSource,
  PipelinePorts,
  ReadOptions,
  RecordCitation,
  RecordInput,
  TextSource,
} from '@grainline/pipeline';
export { checkChunkOptions, chunk, chunkStream, chunkSync, planCompletions, recut } from './local/library.ts';
export type { LibraryOptions, WithTokenizer } from './local/library.ts';
export { chunkFile } from './local/chunk-file.ts';
export type { ChunkedFile, ChunkFileOptions } from './local/chunk-file.ts';

// An older Node would fail at a call deep in a reader, without a word about the version.
if (!('groupBy' in Map))
  throw new Error(`Grainline needs Node 22.18 or newer, and this is Node ${process.versions.node}.`);
