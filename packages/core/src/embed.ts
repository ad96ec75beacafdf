// The port through which texts become vectors. Core holds no model: whoever calls brings one
// (`@grainline/models/embeddings` has one that is built in, and adapters for others), and core asks it in batches and
// checks what comes back, since one vector too few would move every boundary behind it without a word.
import { untilAborted } from './aborted.ts';
import { ChunkError, faultUnless, type OptionFault, show } from './errors.ts';
import { isIntegerWithin } from './limits.ts';

/** What an embedder answers. */
export interface Embeddings {
  /** Name of the model, which stands beside vectors that are handed out. */
  readonly model: string;
  /** Length of every vector; the same in every answer. */
  readonly dimensions: number;
  /** One for each text, in order, of any length but 0: only directions are compared. */
  readonly vectors: readonly ArrayLike<number>[];
}

/**
 * Turns texts into vectors. Texts are not empty; equal texts are asked about once in a call of `chunk`. Like texts
 * should have like directions. May reject, and should when the signal is aborted.
 */
export type Embed = (texts: readonly string[], run: { readonly signal?: AbortSignal }) => Promise<Embeddings>;

/** What is known of vectors besides their numbers. */
export interface EmbeddingFacts {
  readonly model: string;
  readonly dimensions: number;
  /** All vectors have length 1. */
  readonly normalized: true;
  /** How two of them are to be compared. */
  readonly distance: 'cosine';
}

/** Options of every tier that embeds. */
export interface EmbedOptions {
  /** The embedder. */
  readonly embed: Embed;
  /** Texts that it is given at once: an integer from 1. Default 64. */
  readonly embedBatch?: number;
}

/** Names of {@link EmbedOptions}. */
export const EMBED_OPTIONS: readonly string[] = ['embed', 'embedBatch'];
const BATCH = 64;

/** Faults of {@link EmbedOptions}. */
export function embedFaults({ embed, embedBatch = BATCH }: Readonly<Record<string, unknown>>): OptionFault[] {
  return [
    ...faultUnless(
      typeof embed === 'function',
      'embed',
      'an embedder: a function from texts to vectors, such as await staticEmbedder() of @grainline/models/embeddings',
      embed,
    ),
    ...faultUnless(isIntegerWithin(1, Infinity, embedBatch), 'embedBatch', 'an integer from 1', embedBatch),
  ];
}

/** What a call brings besides its options. */
export interface Run {
  readonly signal?: AbortSignal | undefined;
  /** Told how many of how many texts have their vectors. */
  readonly onEmbedded?: ((done: number, total: number) => void) | undefined;
  /** Told once what the tier has gained by asking, where that can be told. */
  readonly onCohesion?: ((gain: CohesionGain) => void) | undefined;
}

/**
 * Whether embedding was worth it for a document. Each number is the mean over boundaries of how far the likeness of
 * what stands around one falls there, as `boundary.drop` has it: a difference of cosines, to 4 decimals.
 */
export interface CohesionGain {
  /** At the boundaries of the tier. */
  readonly semantic: number;
  /** At those that `structure` chooses with the same options, seen by the same embedder. */
  readonly structure: number;
  /** The former less the latter: about 0 where structure is enough, 0.1 and more where it sees no topics. */
  readonly gain: number;
}

/** Vectors of length 1, one behind the other. */
export interface Matrix extends EmbeddingFacts {
  readonly rows: Float32Array;
}

type EmbeddingBatch = NonNullable<ChunkError['batch']>;

/**
 * The vectors of texts, of which there is at least one, asked for one batch after another in order.
 *
 * @throws ChunkError `embedding_failed` when the embedder rejects, `wrong_embeddings` for what is not one finite vector
 * other than 0 a text, all of one length; the signal's reason as soon as it is aborted, whatever the embedder does
 */
export async function embedAll(
  texts: readonly string[],
  { embed, embedBatch = BATCH }: EmbedOptions,
  { signal, onEmbedded }: Run,
): Promise<Matrix> {
  let matrix: Matrix | undefined;
  for (let first = 0; first < texts.length; first += embedBatch) {
    signal?.throwIfAborted();
    onEmbedded?.(first, texts.length);
    const part = texts.slice(first, first + embedBatch);
    const of = Math.ceil(texts.length / embedBatch);
    const batch = { index: first / embedBatch, of, first, count: part.length };
    const answer = await answerOf(embed, part, batch, signal);
    refuseWrong(answer, batch, matrix);
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

/** What the embedder answers; an embedder that hangs ends with the signal. */
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

/** Throws when an answer is no answer to its batch. Nothing is believed of it, whatever its type says. */
function refuseWrong(answer: unknown, batch: EmbeddingBatch, before: EmbeddingFacts | undefined): void {
  const { model, dimensions, vectors } = Object(answer) as Readonly<Record<string, unknown>>;
  const wrong = (what: string): ChunkError => wrongEmbeddings(batch, what);
  if (!Array.isArray(vectors) || typeof model !== 'string' || !isIntegerWithin(1, Infinity, dimensions))
    throw wrong(`expected { model, dimensions, vectors }, got ${show(answer)}`);
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
 * Writes a vector at length 1, or says what is wrong with it. By its greatest number first, so that no square
 * overflows.
 */
function writeUnit(vector: ArrayLike<unknown>, rows: Float32Array, at: number): string | undefined {
  let most = 0;
  for (const [index, value] of Array.prototype.entries.call(vector)) {
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
