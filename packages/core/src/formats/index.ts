/**
 * Records for vector databases: ids, flat metadata, and batches that a store accepts. Pure, without dependencies, for
 * Node and browsers.
 */
export { blendVectors } from '../blend.ts';
export { batches } from './batches.ts';
export type { UpsertAdvice } from './batches.ts';
export { columnsOf } from './chroma.ts';
export type { ChromaColumns, ChromaTextRecord, ChromaVectorRecord } from './chroma.ts';
export { canonicalJson } from './canonical.ts';
export { coverageOf } from './coverage.ts';
export type { SourceCoverage } from './coverage.ts';
export { diff } from './diff.ts';
export type { Diff, DiffOptions, StoredRecord } from './diff.ts';
export { hex, sha1, sha256 } from './digest.ts';
export type { Hashable } from './digest.ts';
export type {
  BatchLimits,
  ChunkFields,
  EnrichmentFields,
  ContextFields,
  LinkFields,
  EmbeddingFields,
  FlatMetadata,
  FlatRecord,
  Format,
  OwnMetadata,
  Scalar,
} from './format.ts';
export { identify, MAX_NAME_LENGTH, sectionId } from './identify.ts';
export type { IdentifyOptions } from './identify.ts';
export { checkRecordOptions } from './options.ts';
export type { RecordOptions } from './options.ts';
export type { PineconeTextRecord, PineconeVectorRecord } from './pinecone.ts';
export type { QdrantTextRecord, QdrantVectorRecord } from './qdrant.ts';
export type { RawRecord, RawVectorRecord } from './raw.ts';
export { boundRecordBytes, formatChunks, toRecords, VECTOR_NUMBER_BYTES } from './records.ts';
export type { Formatted } from './records.ts';
export { FORMATS } from './registry.ts';
export type { ExtrasOf, FormatId, StoreRecord, TextRecord, VectorRecord } from './registry.ts';
export { vectorsOf } from './source.ts';
export type { Vector } from './source.ts';
export type { WeaviateTextRecord, WeaviateVectorRecord } from './weaviate.ts';
