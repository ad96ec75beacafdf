// The inputs and options of the calls in chunk.ts.
import type { TextKind } from './blocks/index.ts';
import type { Document } from './document.ts';
import type { Complete } from './complete.ts';
import type { CohesionGain, Embedder } from './embed.ts';
import type { TokenCounter } from './measure.ts';
import type { Grammars } from './syntax.ts';
import type { Decisions } from './tiers/ai/decisions.ts';
import type { EnrichmentReport } from './tiers/ai-pro/report.ts';
import type { ContextMode, SyncTierId, TierId, TopicMode } from './tiers/registry.ts';
import type { CompletionStage } from './tiers/tier.ts';

/**
 * The input of a call: a Document from `@grainline/extract`, or a string. The option `kind` gives the syntax of a
 * string; without it, core guesses the kind from the beginning of the text.
 */
export type ChunkInput = string | Document;

/** Progress of a call of `chunk`: `done` of `total` parts of one stage. */
export interface Progress {
  /**
   * The unit of `done` and `total`:
   *
   * - `embed`: pieces of text, or chunks, that have their vectors;
   * - `complete`: parts of the text that have a language model's decisions;
   * - `outline`: outlines that the model has made, which is one a document;
   * - `enrich`: sections whose chunks the model has described;
   * - `cut`: 1 of 1 as soon as all cuts are known;
   * - `chunk`: chunks that have been sliced.
   */
  readonly stage: 'embed' | CompletionStage | 'cut' | 'chunk';
  readonly done: number;
  readonly total: number;
}

/** Options of `chunkSync`; every one has a default. */
export interface ChunkSyncOptions {
  /** The tier that chooses the cuts. Default `structure`. */
  readonly tier?: SyncTierId | undefined;
  /**
   * A token counter, for example `await tokenCounter('o200k')` of `@grainline/models/tokens`. With it `size`,
   * `overlap`, `target` and `min` are tokens, and metadata have `tokenCount`. Default: UTF-16 units.
   */
  readonly measure?: TokenCounter | undefined;
  /** The longest a chunk may be, overlap and context included: an integer from 1. Default 1000, or 512 tokens. */
  readonly size?: number | undefined;
  /** The most that a chunk repeats of the one before: an integer from 0, below `size`. Default 0. */
  readonly overlap?: number | undefined;
  /**
   * The syntax of a string, from which its blocks follow. Default: guessed from the beginning of the text. A Document
   * brings its own blocks.
   */
  readonly kind?: TextKind | undefined;
  /** Tier `free`: separators, best first. Default paragraph, line, space, character. */
  readonly separators?: readonly string[] | undefined;
  /** All tiers but `free`: the length that the packer aims at, from 1 to `size`. Default 0.55 × `size`. */
  readonly target?: number | undefined;
  /** All tiers but `free`: chunks shorter than this are avoided; from 0 to `target`. Default about 25 tokens. */
  readonly min?: number | undefined;
  /**
   * Tier `professional`: the use of the chunks. `corpus` (default) is search across documents. `in-document` is search
   * inside one document; it leaves out title and headings, which are the same for all chunks and blur them.
   */
  readonly context?: ContextMode | undefined;
  /** All tiers but `free`: when true, metadata give the reason for each chunk's boundary. Default false. */
  readonly boundaries?: boolean | undefined;
  /**
   * Tiers `structure` and up: when true, metadata give the section that holds each chunk, and the section around that
   * one. Default false.
   */
  readonly parents?: boolean | undefined;
  /**
   * When true, metadata have the boxes of each chunk on the pages of a Document with `regions`, or its anchor in a
   * Document of DOCX or HTML; other inputs have neither. Default false.
   */
  readonly regions?: boolean | undefined;
  /**
   * Language of a string that is code, by a common name: `ts`, `python`. Default: the language that the first line of
   * the code names.
   */
  readonly language?: string | undefined;
  /**
   * Tiers `structure` and up: grammars from `@grainline/core/grammars`, with which code is cut along its syntax.
   * Default none: code is cut by its lines and their indentation.
   */
  readonly grammars?: Grammars | undefined;
}

/** Options of `chunk` and `chunkStream`. */
export interface ChunkOptions extends Omit<ChunkSyncOptions, 'tier'> {
  /** The tier that chooses the cuts. Default `structure`. */
  readonly tier?: TierId | undefined;
  /** Aborts the work; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The embedder: a function from texts to vectors, `Embeddings` of LangChain.js, an embedding model of the AI SDK, or
   * `await staticEmbedder()` of `@grainline/models/embeddings`, which needs no network. The tier `semantic` needs one;
   * `ai` and `ai-pro` need one only with `embeddings`.
   */
  readonly embed?: Embedder | undefined;
  /** Number of texts in each batch for the embedder: an integer from 1. Default 64. */
  readonly embedBatch?: number | undefined;
  /**
   * Tiers `semantic`, `ai` and `ai-pro`: when true, each chunk has the vector of its `embeddedText`. Default
   * false.
   */
  readonly embeddings?: boolean | undefined;
  /**
   * With `embeddings`: the weight of both neighbours' vectors in each chunk's vector, from 0 to 1; a neighbour in
   * another section adds nothing. Default 0.4, for `ai-pro` 0, the vector of the chunk's text alone.
   */
  readonly blend?: number | undefined;
  /**
   * Tier `semantic`: the changes of topic at which it cuts. `any` (default) are those near the target length, for
   * search. `certain` are few: `size` is the maximum then, and a longer topic is cut where it fits best.
   */
  readonly topics?: TopicMode | undefined;
  /**
   * The language model, for example `openAiModel({ model, apiKey })` of `@grainline/models/language`. The tiers `ai`
   * and `ai-pro` need one.
   */
  readonly complete?: Complete | undefined;
  /** Tiers `ai` and `ai-pro`: number of requests to the model that may be open at the same time. Default 4. */
  readonly completeAtOnce?: number | undefined;
  /**
   * Tiers `ai` and `ai-pro`: called once, before the first chunk, with the model's decisions. Keep them to cut again by
   * `recut`.
   */
  readonly onDecisions?: ((decisions: Decisions) => void) | undefined;
  /** Tier `ai-pro`: called once, before the first chunk, with a report on the enrichment of the chunks and its cost. */
  readonly onEnriched?: ((report: EnrichmentReport) => void) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Tier `semantic`: called once with the cohesion gain: how much better its boundaries follow changes of topic than
   * those of `structure`, which cuts the document for comparison. Not called when no boundary stands between embedded
   * pieces.
   */
  readonly onCohesion?: ((gain: CohesionGain) => void) | undefined;
}

/** Options of a call with a tier that is known to the types: a model that the tier needs is then required. */
export type TierOptions<Tier extends TierId> = Omit<ChunkOptions, 'tier'> & {
  readonly tier?: Tier | undefined;
} & ([Tier] extends ['semantic']
    ? { readonly embed: Embedder }
    : [Tier] extends ['ai' | 'ai-pro']
      ? { readonly complete: Complete }
      : unknown);

/** Options of `recut`. */
export type RecutOptions = Omit<ChunkSyncOptions, 'tier' | 'separators' | 'context'>;

/** Options of `planCompletions`. */
export type PlanOptions = Omit<
  ChunkOptions,
  'signal' | 'onProgress' | 'onDecisions' | 'onEnriched' | 'onCohesion'
>;
