/**
 * Grainline's core: documents in, chunks out. It is pure, has no dependencies, and runs in Node, in browsers and on
 * edge workers.
 */
export {
  checkChunkOptions,
  chunk,
  chunkStream,
  chunkSync,
  CUTTER_VERSION,
  indexedText,
  loadTiers,
  planCompletions,
  recut,
} from './chunk.ts';
export { embeddedText } from './embedded-text.ts';
export type { Embedding } from './slice.ts';
export type { Chunk, ChunkMetadata } from './chunk.ts';
export type {
  ChunkInput,
  ChunkOptions,
  ChunkSyncOptions,
  PlanOptions,
  Progress,
  RecutOptions,
  TierOptions,
} from './chunk-options.ts';
export { cite } from './cite/cite.ts';
export type { Citation, CitedSpan, CiteOptions } from './cite/cite.ts';
export { type Anchor, anchorOf } from './regions/anchor.ts';
export { pageSizeOf, regionsOf } from './regions/regions.ts';
export type { RegionBox } from './regions/compact.ts';
export { packRegions, unpackRegions } from './regions/pack.ts';
export { expand } from './expand.ts';
export type { ExpandOptions, Passage } from './expand.ts';
export { verify } from './verify.ts';
export type { Coverage, CoverageBreach, SlicedText } from './verify.ts';
export { documentFromText } from './blocks/index.ts';
export type { TextKind, TextOptions } from './blocks/index.ts';
export { untilAborted } from './aborted.ts';
export { BLOCK_FORMS, BLOCK_KINDS, estimatePages, FURNITURE_KINDS, NO_PLACE, pageAt } from './document.ts';
export type {
  Block,
  BlockForm,
  BlockKind,
  Document,
  DocumentParagraphs,
  DocumentRegions,
  Furniture,
  FurnitureKind,
  Link,
  OutlineEntry,
  Region,
  Span,
  Warning,
} from './document.ts';
export type {
  Boundary,
  BoundaryReason,
  ChosenBoundary,
  ContextPart,
  Cut,
  Enriched,
  Enrichment,
  EnrichmentReason,
  EnrichmentStatus,
  ParentSection,
} from './cut.ts';
export type { CodeRange, Grammars, Outline, ScopeContext } from './syntax.ts';
export type { MeasuredText, TokenCounter } from './measure.ts';
export { toEmbed } from './embed.ts';
export type {
  AiSdkEmbeddingModel,
  CohesionGain,
  Embed,
  Embedder,
  EmbeddingFacts,
  Embeddings,
  LangChainEmbeddings,
  PlainVectors,
} from './embed.ts';
export type {
  Complete,
  Completion,
  CompletionErrorCode,
  CompletionPlan,
  CompletionRequest,
  JsonSchema,
  Message,
  TokenUsage,
} from './complete.ts';
export type { Decisions, WindowDecision } from './tiers/ai/decisions.ts';
export type { EnrichmentReport } from './tiers/ai-pro/report.ts';
export { ChunkError } from './errors.ts';
export { DEFAULT_SIZE } from './limits.ts';
export { assertWellFormed } from './unicode.ts';
export type { ChunkErrorCode, OptionIssue } from './errors.ts';
export { DEFAULT_TIER, needsEmbedder, needsLanguageModel, TIERS } from './tiers/registry.ts';
export type { ContextMode, SyncTierId, TierId, TopicMode } from './tiers/registry.ts';
export type { Limits } from './limits.ts';
export type { CompletionStage, Tier, TierDescription, AsyncRun, AsyncTier } from './tiers/tier.ts';
export { VectorStoreError } from './store.ts';
export type {
  ChunkRecord,
  ChunkVectorRecord,
  ListedChunk,
  ManifestEntry,
  SourceLock,
  StoreHit,
  StoreQuery,
  StoreRun,
  StoreSpec,
  StoreState,
  VectorStore,
  VectorStoreErrorCode,
} from './store.ts';
