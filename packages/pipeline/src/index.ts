/** Grainline's pipeline: bytes or text in, chunks and database records out. */
export { encodeText, readSource } from './source.ts';
export type { BytesSource, DocumentSource, ReadOptions, TextSource } from './source.ts';
export { chunkDocument, chunkSource, excessRepetition, loadCounter, loadModels } from './chunk-source.ts';
export type {
  ChunkDocumentOptions,
  ChunkedDocument,
  ChunkReport,
  ChunkSourceOptions,
  PipelinePorts,
  Repetition,
} from './chunk-source.ts';
export { recordsFor } from './records.ts';
export type { DocumentRecords, RecordInput } from './records.ts';
export { citeRecords } from './cite-records.ts';
export type { CitedPassage, RecordCitation } from './cite-records.ts';
