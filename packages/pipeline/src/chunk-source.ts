// The pipeline: source → Document → chunks, in one call. Models come as ports. The counter of tokens and the built-in
// embedder are loaded when the first document needs them.
import {
  checkChunkOptions,
  type Chunk,
  chunk,
  type ChunkOptions,
  type CohesionGain,
  type Complete,
  type Decisions,
  DEFAULT_TIER,
  type Document,
  type Embed,
  type Embedder,
  type EnrichmentReport,
  needsEmbedder,
  needsLanguageModel,
  TIERS,
  type TokenCounter,
} from '@grainline/core';
import { optionsOf, pickOptions } from '@grainline/core/options';
import type { staticEmbedder } from '@grainline/models/embeddings';
import type { tokenCounter, TokenizerName } from '@grainline/models/tokens';
import { type BytesSource, type DocumentSource, type ReadOptions, readSource } from './source.ts';

/** Options of {@link chunkDocument}: those of `chunk`. */
export interface ChunkDocumentOptions extends Omit<ChunkOptions, 'measure'> {
  /**
   * The unit of `size`, `overlap`, `target` and `min`: tokens of a counter, or of an encoding or model by its name
   * (`o200k_base`, `gpt-4o`), which `@grainline/models/tokens` counts. Default: UTF-16 units.
   */
  readonly measure?: TokenCounter | TokenizerName | undefined;
  /** Another way to name the tokenizer; `measure` comes first. */
  readonly encoding?: TokenizerName | undefined;
}

/**
 * Options of {@link chunkSource}: those of `chunk` and those of reading; `kind` and `language` also apply to the text
 * of files.
 */
export interface ChunkSourceOptions extends ChunkDocumentOptions, Omit<ReadOptions, 'kind' | 'language'> {}

/**
 * The models of a program, and its reader. Other than in the options of a call, which core refuses where a tier does
 * not take them, models stand here for all tiers: a call uses those that its tier needs.
 */
export interface PipelinePorts {
  /** Loads the embedder when a call needs one. Default: the built-in embedder of `@grainline/models/embeddings`. */
  readonly loadEmbedder?: (() => Promise<Embedder>) | undefined;
  /** Number of texts that the embedder gets at once: an integer from 1. Default: core's. */
  readonly embedBatch?: number | undefined;
  /** The language model of the tiers `ai` and `ai-pro`, which need one. */
  readonly complete?: Complete | undefined;
  /** Reads the bytes of files in place of `readSource`, in a thread for example. */
  readonly readBytes?: ((source: BytesSource, options: ReadOptions) => Promise<Document>) | undefined;
}

/** Facts about one call that its chunks do not hold. */
export interface ChunkReport {
  /** Tier `semantic`: the gain over `structure`; absent when no boundary can be compared. */
  readonly cohesion?: CohesionGain;
  /** Tiers `ai` and `ai-pro`: where the language model cuts, and its usage. */
  readonly decisions?: Decisions;
  /** Tier `ai-pro`: how describing the chunks went, and its usage. */
  readonly enriched?: EnrichmentReport;
}

/** A document with its chunks. */
export interface ChunkedDocument {
  readonly document: Document;
  readonly chunks: Chunk[];
  readonly report: ChunkReport;
}

/**
 * Reads a source and splits it into chunks.
 *
 * Rejects with an ExtractError when the document is at fault, with a ChunkError when the options or the text are, with
 * a ModelError for an unknown encoding, and with the signal's reason when aborted.
 *
 * @example
 * const { chunks } = await chunkSource({ bytes, filename: 'report.pdf' }, { tier: 'structure', size: 800 });
 */
export async function chunkSource(
  source: DocumentSource,
  options: ChunkSourceOptions = {},
  ports: PipelinePorts = {},
): Promise<ChunkedDocument> {
  const { reading, cutting } = separateOptions(options);
  const { readBytes = readSource } = ports;
  // Before the source is read, which may take long.
  checkChunkOptions(await withCounter(cutting), OWN_OPTIONS);
  const document = await ('text' in source ? readSource(source, reading) : readBytes(source, reading));
  return chunkDocument(document, cutting, ports);
}

/** Options of {@link chunkSource} beside those of the cut, in the table or not. */
const OWN_OPTIONS: readonly string[] = [
  // The table has it for the cut too.
  ...optionsOf('extract').flatMap(({ key }) => (key === 'regions' ? [] : [key])),
  ...['encoding', 'pdfium', 'ocr', 'maxOcrPages', 'onPage', 'onOcrPage', 'signal', 'onProgress'],
];

/** Separates the options of {@link readSource} from those of {@link chunkDocument}; some concern both. */
export function separateOptions({
  onPage,
  pdfium,
  ocr,
  maxOcrPages,
  onOcrPage,
  ...options
}: ChunkSourceOptions): {
  readonly reading: ReadOptions;
  readonly cutting: ChunkDocumentOptions;
} {
  const { kind, language, signal } = options;
  const reading = pickOptions('extract', options);
  const others = Object.entries(options).filter(([name]) => !Object.hasOwn(reading, name));
  return {
    reading: { ...reading, kind, language, pdfium, ocr, maxOcrPages, signal, onPage, onOcrPage },
    cutting: { ...Object.fromEntries(others), ...pickOptions('library', reading) },
  };
}

/** Does what {@link chunkSource} does after reading, for a document that is read already. */
export async function chunkDocument(
  document: Document,
  options: ChunkDocumentOptions = {},
  ports: PipelinePorts = {},
): Promise<ChunkedDocument> {
  const report: { -readonly [Name in keyof ChunkReport]: ChunkReport[Name] } = {};
  const chunks = await chunk(document, {
    ...(await loadModels(options, ports)),
    onCohesion(gain) {
      report.cohesion = gain;
      options.onCohesion?.(gain);
    },
    onDecisions(decisions) {
      report.decisions = decisions;
      options.onDecisions?.(decisions);
    },
    onEnriched(enriched) {
      report.enriched = enriched;
      options.onEnriched?.(enriched);
    },
  });
  return { document, chunks, report };
}

/**
 * Turns options that name models into those of core's `chunk`: loads the token counter, and the embedder where the tier
 * needs one and the options bring none. Rejects with a ModelError `unknown_encoding`.
 */
export async function loadModels(
  options: ChunkDocumentOptions,
  ports: PipelinePorts = {},
): Promise<ChunkOptions> {
  const counted = await withCounter(options);
  return { ...counted, ...(await modelsFor(counted, ports)) };
}

async function withCounter({
  encoding,
  measure = encoding,
  ...options
}: ChunkDocumentOptions): Promise<ChunkOptions> {
  return { ...options, measure: typeof measure === 'string' ? await loadCounter(measure) : measure };
}

/** Loads the exact counter of an encoding or a model. Rejects with a ModelError `unknown_encoding`. */
export async function loadCounter(name: TokenizerName): Promise<TokenCounter> {
  // Bundlers leave an optional peer out where the import is handled.
  let tokens: { tokenCounter: typeof tokenCounter };
  try {
    tokens = await import('@grainline/models/tokens');
  } catch (cause) {
    throw loadingFailure(cause);
  }
  return tokens.tokenCounter(name);
}

async function loadStaticEmbedder(): Promise<Embed> {
  let embeddings: { staticEmbedder: typeof staticEmbedder };
  try {
    embeddings = await import('@grainline/models/embeddings');
  } catch (cause) {
    throw loadingFailure(cause);
  }
  return embeddings.staticEmbedder();
}

/** The remedy for a package that is not there; a lost network, for example, stays as it is. */
function loadingFailure(cause: unknown): unknown {
  const { code } = Object(cause) as { readonly code?: unknown };
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return cause;
  const message = 'Tokens and the built-in embedder are in the package @grainline/models: npm install it.';
  return new Error(message, { cause });
}

/** Models of the options, else those of the ports that the tier needs. Core refuses a tier that there is not. */
async function modelsFor(
  { tier = DEFAULT_TIER, embeddings, embed, embedBatch, complete }: ChunkDocumentOptions,
  { loadEmbedder = loadStaticEmbedder, ...ports }: PipelinePorts,
): Promise<Pick<ChunkOptions, 'embed' | 'embedBatch' | 'complete'>> {
  if (!Object.hasOwn(TIERS, tier)) return {};
  const needs = embed === undefined && needsEmbedder(tier, embeddings);
  return {
    embed: needs ? await loadEmbedder() : embed,
    embedBatch: needs ? (embedBatch ?? ports.embedBatch) : embedBatch,
    complete: complete ?? (needsLanguageModel(tier) ? ports.complete : undefined),
  };
}

/** Length of all chunks together, in UTF-16 units, and the most that it may be. */
export interface Repetition {
  readonly characters: number;
  readonly limit: number;
}

/**
 * Bound on chunks that hold together more than twice their document, in UTF-16 units. An overlap up to half of the size
 * never makes them that long; at size - 1 every 100 kB could become 100 MB of records.
 */
const MAX_REPEATING = 16 * 1024 * 1024;

/**
 * Finds chunks that repeat one another beyond what a program should make records of. The bound is twice the document or
 * 16 Mi UTF-16 units, the larger of the two; returns undefined up to it.
 */
export function excessRepetition({
  document,
  chunks,
}: Pick<ChunkedDocument, 'document' | 'chunks'>): Repetition | undefined {
  const limit = Math.max(2 * document.text.length, MAX_REPEATING);
  const characters = chunks.reduce((sum, { text }) => sum + text.length, 0);
  return characters > limit ? { characters, limit } : undefined;
}
