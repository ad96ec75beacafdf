// The port for an embedder. Core contains no model: the caller brings one (`@grainline/models/embeddings` has one built
// in, and adapters for others). Core calls it in batches and checks every answer, since a single missing vector would
// silently shift all boundaries behind it.
import { untilAborted } from './aborted.ts';
import { assertNoIssues, ChunkError, issueUnless, type OptionIssue, show } from './errors.ts';
import { isIntegerWithin } from './limits.ts';

/** An embedder's answer to one batch of texts. */
export interface Embeddings {
  /** Name of the model, which the result carries beside the vectors. */
  readonly model: string;
  /** Length of every vector; the same in every answer. */
  readonly dimensions: number;
  /** One vector for each text, in order. They may have any length but 0, since only directions are compared. */
  readonly vectors: readonly ArrayLike<number>[];
}

/**
 * Turns texts into vectors; texts that are alike should get vectors of like direction. No text is empty, and within one
 * call of `chunk` equal texts are sent once. May reject, and should when the signal is aborted.
 */
export type Embed = (texts: readonly string[], run: { readonly signal?: AbortSignal }) => Promise<Embeddings>;

/** Vectors without the facts about them, as most libraries return them: one for each text, in order. */
export type PlainVectors = readonly ArrayLike<number>[];

/** An `Embeddings` object of LangChain.js. */
export interface LangChainEmbeddings {
  embedDocuments(texts: string[]): PromiseLike<PlainVectors>;
}

/** An embedding model of the AI SDK's providers, in the specifications v2 to v4. */
export interface AiSdkEmbeddingModel {
  readonly modelId: string;
  /** Most texts of one call. */
  readonly maxEmbeddingsPerCall?: number | undefined | PromiseLike<number | undefined>;
  doEmbed(options: {
    values: string[];
    abortSignal?: AbortSignal;
  }): PromiseLike<{ readonly embeddings: PlainVectors }>;
}

/**
 * An embedder of any library: a function that answers with {@link Embeddings} or with vectors alone, an `Embeddings`
 * object of LangChain.js, or an embedding model of the AI SDK.
 */
export type Embedder =
  // One type of functions, `Embed` included, so that the parameters of an inline function have their types.
  | ((texts: string[], run: { readonly signal?: AbortSignal }) => PromiseLike<Embeddings | PlainVectors>)
  | LangChainEmbeddings
  | AiSdkEmbeddingModel;

/** Model name of embedders that have none. */
const UNNAMED = 'custom';

/**
 * Turns an embedder of any library into an {@link Embed}. The option `embed` does so by itself.
 *
 * @param model name of the model in the results; default the embedder's own, else `custom`
 * @throws ChunkError `invalid_options` for anything but an embedder
 * @example
 * const embed = cachedEmbedder(toEmbed(embeddings, 'bge-m3'), 'bge-m3', new EmbeddingCache());
 */
export function toEmbed(embedder: Embedder, model?: string): Embed {
  assertNoIssues(issueUnless(isEmbedder(embedder), 'embed', EMBEDDER_RULE, embedder));
  return async (texts, run) => {
    const answer = await answerBy(embedder, [...texts], run);
    const [first] = Array.isArray(answer) ? (answer as PlainVectors) : [];
    // Anything but vectors is passed on, for the check of the answer to name.
    if (first?.length === undefined) return answer as Embeddings;
    const vectors = answer as PlainVectors;
    return { model: model ?? nameOfModel(embedder), dimensions: first.length, vectors };
  };
}

async function answerBy(
  embedder: Embedder,
  texts: string[],
  run: { readonly signal?: AbortSignal },
): Promise<Embeddings | PlainVectors> {
  if (typeof embedder === 'function') return embedder(texts, run);
  if ('embedDocuments' in embedder) return embedder.embedDocuments(texts);
  const most = (await embedder.maxEmbeddingsPerCall) ?? texts.length;
  const vectors: ArrayLike<number>[] = [];
  for (let first = 0; first < texts.length; first += most) {
    const values = texts.slice(first, first + most);
    const abort = run.signal === undefined ? {} : { abortSignal: run.signal };
    const { embeddings } = await embedder.doEmbed({ values, ...abort });
    vectors.push(...embeddings);
  }
  return vectors;
}

function isEmbedder(value: unknown): boolean {
  const { embedDocuments, doEmbed } = Object(value) as Readonly<Record<string, unknown>>;
  return [value, embedDocuments, doEmbed].some((call) => typeof call === 'function');
}

/** LangChain's classes name their model `model`, older ones `modelName`; the AI SDK's `modelId`. */
function nameOfModel(embedder: Embedder): string {
  if (typeof embedder === 'function') return UNNAMED;
  const { modelId, model, modelName } = Object(embedder) as Readonly<Record<string, unknown>>;
  const name = [modelId, model, modelName].find((candidate) => typeof candidate === 'string');
  return typeof name === 'string' && name !== '' ? name : UNNAMED;
}

/** Facts that are needed to use the vectors. */
export interface EmbeddingFacts {
  readonly model: string;
  readonly dimensions: number;
  /** Every vector has length 1. */
  readonly normalized: true;
  /** The function that compares two vectors. */
  readonly distance: 'cosine';
  /** Weight of the neighbours' vectors in each vector, above 0 to 1; absent for vectors of their own text alone. */
  readonly blend?: number;
}

/** Options of every tier that embeds. */
export interface EmbedOptions {
  /** The embedder. */
  readonly embed: Embedder;
  /** Number of texts in each batch: an integer from 1. Default 64. */
  readonly embedBatch?: number;
}

/** Names of {@link EmbedOptions}. */
export const EMBED_OPTIONS: readonly string[] = ['embed', 'embedBatch'];
const BATCH = 64;
const EMBEDDER_RULE =
  'an embedder: a function from texts to vectors, Embeddings of LangChain.js, an embedding model of the AI SDK, or ' +
  'await staticEmbedder() of @grainline/models/embeddings, which the package grainline has built in';

/** Issues of {@link EmbedOptions}. */
export function embedIssues({ embed, embedBatch = BATCH }: Readonly<Record<string, unknown>>): OptionIssue[] {
  return [
    ...issueUnless(isEmbedder(embed), 'embed', EMBEDDER_RULE, embed),
    ...issueUnless(isIntegerWithin(1, Infinity, embedBatch), 'embedBatch', 'an integer from 1', embedBatch),
  ];
}

/** The signal and the callbacks of one call, which are no options of a tier. */
export interface EmbedRun {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of texts that have their vectors so far. */
  readonly onEmbedded?: ((done: number, total: number) => void) | undefined;
  /** Called once with the tier's gain by embedding, if it is known. */
  readonly onCohesion?: ((gain: CohesionGain) => void) | undefined;
}

/**
 * The gain of embedding for a document. Each number is the mean of `boundary.drop` over the boundaries: the drop in the
 * likeness of the text there, as a difference of cosines with 4 decimals.
 */
export interface CohesionGain {
  /** The mean at the boundaries of the tier `semantic`. */
  readonly semantic: number;
  /** The mean at the boundaries that `structure` chooses with the same options, measured by the same embedder. */
  readonly structure: number;
  /**
   * `semantic` minus `structure`: about 0 where `structure` is enough, about 0.1 for a text whose topics its
   * structure does not show.
   */
  readonly gain: number;
}

/** Vectors of length 1, stored one behind the other. */
export interface Matrix extends EmbeddingFacts {
  readonly rows: Float32Array;
}

type EmbeddingBatch = NonNullable<ChunkError['batch']>;

/**
 * Returns the vectors of at least one text, in order. Calls the embedder batch by batch.
 *
 * @throws ChunkError `embedding_failed` when the embedder rejects; `wrong_embeddings` unless it gives one finite vector
 * other than 0 for each text, all equally long. Rejects with the signal's reason as soon as that is aborted, even when
 * the embedder hangs.
 */
export async function embedAll(
  texts: readonly string[],
  { embed, embedBatch = BATCH }: EmbedOptions,
  { signal, onEmbedded }: EmbedRun,
): Promise<Matrix> {
  let matrix: Matrix | undefined;
  const call = toEmbed(embed);
  for (let first = 0; first < texts.length; first += embedBatch) {
    signal?.throwIfAborted();
    onEmbedded?.(first, texts.length);
    const part = texts.slice(first, first + embedBatch);
    const of = Math.ceil(texts.length / embedBatch);
    const batch = { index: first / embedBatch, of, first, count: part.length };
    const answer = await answerOf(call, part, batch, signal);
    assertSound(answer, batch, matrix);
    const { model, dimensions, vectors } = answer;
    const rows: Float32Array = matrix?.rows ?? new Float32Array(texts.length * dimensions);
    matrix ??= { model, dimensions, normalized: true, distance: 'cosine', rows };
    for (const [index, vector] of vectors.entries()) {
      const wrong = writeUnit(vector, rows, (first + index) * dimensions);
      if (wrong !== undefined) throw wrongEmbeddings(batch, `vector ${first + index} ${wrong}`);
    }
  }
  onEmbedded?.(texts.length, texts.length);
  if (matrix === undefined) throw new RangeError('There is nothing to embed.');
  return matrix;
}

/** Calls the embedder for one batch; gives up a hanging embedder when the signal is aborted. */
async function answerOf(
  embed: Embed,
  texts: readonly string[],
  batch: EmbeddingBatch,
  signal: AbortSignal | undefined,
): Promise<Embeddings> {
  try {
    return await untilAborted(() => embed(texts, signal === undefined ? {} : { signal }), signal);
  } catch (cause) {
    signal?.throwIfAborted();
    const why = cause instanceof Error ? cause.message : show(cause);
    throw new ChunkError('embedding_failed', `The embedder failed at ${nameOf(batch)}: ${why}`, {
      cause,
      batch,
    });
  }
}

/**
 * Throws unless an answer has one sound vector for each text of its batch. Checks the values although the type promises
 * them.
 */
function assertSound(answer: unknown, batch: EmbeddingBatch, before: EmbeddingFacts | undefined): void {
  const { model, dimensions, vectors } = Object(answer) as Readonly<Record<string, unknown>>;
  const wrong = (what: string): ChunkError => wrongEmbeddings(batch, what);
  if (!Array.isArray(vectors) || typeof model !== 'string' || !isIntegerWithin(1, Infinity, dimensions))
    throw wrong(`expected a vector for each text, or { model, dimensions, vectors }, got ${show(answer)}`);
  if (before !== undefined && (model !== before.model || dimensions !== before.dimensions)) {
    const names = `${before.model} of ${before.dimensions} dimensions and ${model} of ${dimensions}`;
    throw wrong(`the batches come from different models, ${names}`);
  }
  if (vectors.length !== batch.count)
    throw wrong(`expected ${batch.count} vectors, one for each text, got ${vectors.length}`);
  for (const [index, vector] of (vectors as readonly unknown[]).entries()) {
    const { length } = Object(vector) as { length?: unknown };
    if (length !== dimensions)
      throw wrong(`vector ${batch.first + index} should have ${dimensions} numbers, but has ${show(length)}`);
  }
}

/**
 * Writes a vector into the matrix, scaled to length 1; returns the vector's issue, if any. It divides by the greatest
 * component first, so that no square overflows.
 */
export function writeUnit(vector: ArrayLike<unknown>, rows: Float32Array, at: number): string | undefined {
  let most = 0;
  for (let index = 0; index < vector.length; index++) {
    const value = vector[index];
    if (typeof value !== 'number' || !Number.isFinite(value)) return `has ${show(value)} at ${index}`;
    most = Math.max(most, Math.abs(value));
  }
  if (most === 0) return 'is all zeros';
  let squares = 0;
  for (let index = 0; index < vector.length; index++) {
    const value = (vector[index] as number) / most;
    rows[at + index] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  for (let index = at; index < at + vector.length; index++) rows[index] = (rows[index] ?? 0) / length;
  return undefined;
}

function wrongEmbeddings(batch: EmbeddingBatch, what: string): ChunkError {
  return new ChunkError('wrong_embeddings', `The embedder answered ${nameOf(batch)} wrongly: ${what}.`, {
    batch,
  });
}

/** `batch 2 of 7 (texts 64 to 127)` */
function nameOf({ index, of, first, count }: EmbeddingBatch): string {
  return `batch ${index + 1} of ${of} (texts ${first} to ${first + count - 1})`;
}
