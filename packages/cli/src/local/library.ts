// Core's calls with the models of this package: the measure may be the name of a tokenizer, and the tier `semantic` has
// its embedder built in.
import {
  checkChunkOptions as checkCoreOptions,
  type Chunk,
  chunk as coreChunk,
  ChunkError,
  type ChunkInput,
  type ChunkOptions,
  chunkStream as coreChunkStream,
  chunkSync as coreChunkSync,
  type ChunkSyncOptions,
  type Complete,
  type CompletionPlan,
  type Decisions,
  type DEFAULT_TIER,
  planCompletions as planCoreCompletions,
  type PlanOptions,
  recut as coreRecut,
  type RecutOptions,
  type TierId,
  type TokenCounter,
} from '@grainline/core';
import { tokenCounterSync, type TokenizerName } from '@grainline/models/tokens';
import { type ChunkDocumentOptions, loadModels } from '@grainline/pipeline';

/** Options of a call of core, with the name of a tokenizer as a measure. */
export type WithTokenizer<Options> = Omit<Options, 'measure'> & {
  /** A token counter, or the name of an encoding or a model: `o200k_base`, `gpt-4o`. Default: UTF-16 units. */
  readonly measure?: TokenCounter | TokenizerName | undefined;
};

/** Options of {@link chunk} and {@link chunkStream}: a tier with a language model needs `complete`. */
export type LibraryOptions<Tier extends TierId> = Omit<ChunkDocumentOptions, 'tier' | 'encoding'> & {
  readonly tier?: Tier | undefined;
} & ([Tier] extends ['ai' | 'ai-pro'] ? { readonly complete: Complete } : unknown);

/**
 * Splits a document into chunks by any tier, as core's `chunk` does. The measure may be the name of a tokenizer, and
 * `semantic` uses the built-in embedder unless `embed` is given.
 *
 * Rejects as core's `chunk` does, and with a ModelError `unknown_encoding`.
 *
 * @example
 * const chunks = await chunk(text, { tier: 'semantic', measure: 'gpt-4o', size: 256 });
 */
export function chunk<Tier extends TierId = typeof DEFAULT_TIER>(
  input: ChunkInput,
  options?: LibraryOptions<Tier>,
): Promise<Chunk[]>;
export async function chunk(input: ChunkInput, options: ChunkDocumentOptions = {}): Promise<Chunk[]> {
  return coreChunk(input, await withModels(options));
}

/** Yields the chunks of {@link chunk} one after another. */
export function chunkStream<Tier extends TierId = typeof DEFAULT_TIER>(
  input: ChunkInput,
  options?: LibraryOptions<Tier>,
): AsyncGenerator<Chunk, void, undefined>;
export async function* chunkStream(
  input: ChunkInput,
  options: ChunkDocumentOptions = {},
): AsyncGenerator<Chunk, void, undefined> {
  yield* coreChunkStream(input, await withModels(options));
}

/**
 * Splits a document into chunks, synchronously, as core's `chunkSync` does. The measure may be the name of a tokenizer;
 * outside of Node, `await tokenCounter(name)` has to load it once before.
 *
 * @throws ChunkError as core's `chunkSync`; ModelError `unknown_encoding`
 */
export function chunkSync(input: ChunkInput, options: WithTokenizer<ChunkSyncOptions> = {}): Chunk[] {
  return coreChunkSync(input, withCounter(options));
}

/** Cuts a document again by earlier decisions of a language model, as core's `recut` does. */
export function recut(
  input: ChunkInput,
  decisions: Decisions,
  options: WithTokenizer<RecutOptions> = {},
): Chunk[] {
  return coreRecut(input, decisions, withCounter(options));
}

/** Checks options before there is a document, as core's call does. */
export function checkChunkOptions(options: WithTokenizer<ChunkOptions>): void {
  checkCoreOptions(withCounter(options));
}

/** Estimates the requests of {@link chunk} to a language model, as core's call does. */
export async function planCompletions(
  input: ChunkInput,
  options: WithTokenizer<PlanOptions> = {},
): Promise<CompletionPlan> {
  return planCoreCompletions(input, withCounter(options));
}

/** Core refuses options that are no object. */
async function withModels(options: ChunkDocumentOptions): Promise<ChunkOptions> {
  const isObject = typeof options === 'object' && (options as unknown) !== null && !Array.isArray(options);
  return isObject ? loadModels(options) : (options as ChunkOptions);
}

type Counted<Options> = Omit<Options, 'measure'> & { readonly measure?: TokenCounter | undefined };

function withCounter<Options extends WithTokenizer<object>>(options: Options): Counted<Options> {
  const { measure } = Object(options) as Options;
  if (typeof measure !== 'string') return options as Counted<Options>;
  const counter = tokenCounterSync(measure);
  if (counter !== undefined) return { ...options, measure: counter };
  const expected = `a token counter where modules load by promises only: await tokenCounter('${measure}') once before, or call chunk`;
  throw new ChunkError('invalid_options', `Wrong options: measure must be ${expected}.`, {
    issues: [{ option: 'measure', expected, received: measure }],
  });
}
