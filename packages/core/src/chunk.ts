// The entry points: a string or a document in, chunks out, by whichever tier the options name.
// Runs the end of the line: Document ─tier→ cuts ─slice→ Chunk[].
import { documentFromText, type TextKind } from './blocks/index.ts';
import type { Document } from './document.ts';
import type { Complete, CompletionPlan } from './complete.ts';
import { type CohesionGain, type Embed, embedAll, type EmbedOptions } from './embed.ts';
import { ChunkError, faultUnless, type OptionFault, refuse, refuseNonObject } from './errors.ts';
import { leadOf, type Limits } from './limits.ts';
import type { TokenCounter } from './measure.ts';
import { resolveOptions } from './options.ts';
import { type Chunk, sliceAll, withVectors } from './slice.ts';
import type { Grammars } from './syntax.ts';
import type { Decisions } from './tiers/ai/decisions.ts';
import type { EnrichmentReport } from './tiers/ai-pro/report.ts';
import { loadStrategy, strategyOf } from '#strategies';
import { type ContextMode, TIERS, type TierId } from './tiers/index.ts';
import type { Strategy } from './tiers/strategies.ts';
import type { AskedStage, TierDescription, WaitingRun } from './tiers/tier.ts';
import { refuseIllFormed } from './unicode.ts';

export type { Chunk, ChunkMetadata } from './slice.ts';

/** A string, read as the option `kind` says or as it looks, or a Document from `@grainline/extract`. */
export type ChunkInput = string | Document;

/** How far the work is. */
export interface Progress {
  /**
   * `embed` counts pieces of text, or chunks, that have their vectors; `complete` parts that a language model has cut;
   * `outline` the outline that it has made; `enrich` sections whose chunks it has described.
   */
  readonly stage: 'embed' | AskedStage | 'cut' | 'chunk';
  readonly done: number;
  readonly total: number;
}

/** Options of {@link chunkSync}; every one has a default. */
export interface ChunkSyncOptions {
  /** How to cut. Default `free`. */
  readonly tier?: TierId;
  /**
   * Counts tokens, as `await tokenCounter('o200k')` of `@grainline/models/tokens` does: `size`, `overlap`, `target` and
   * `min` are tokens then, and metadata have `tokenCount`. Default: all are in UTF-16 units.
   */
  readonly measure?: TokenCounter;
  /** The longest a chunk may be, overlap and context included: an integer from 1. Default 1000, or 512 tokens. */
  readonly size?: number;
  /** The most that a chunk repeats of the one before: an integer from 0, below `size`. Default 0. */
  readonly overlap?: number;
  /** How to read a string: its blocks. Default: by a look at it. Documents bring their own. */
  readonly kind?: TextKind;
  /** Tier `free`: where to cut, best first. Default paragraph, line, space, character. */
  readonly separators?: readonly string[];
  /** All tiers but `free`: the length that chunks are drawn to, from 1 to `size`. Default 0.55 × `size`. */
  readonly target?: number;
  /** All tiers but `free`: shorter chunks are avoided; from 0 to `target`. Default about 25 tokens. */
  readonly min?: number;
  /**
   * Tier `professional`: what the chunks are for. `corpus` (default) is search across documents; `in-document` is
   * search inside one and leaves out title and headings, which are the same for all its chunks and blur them.
   */
  readonly context?: ContextMode;
  /** All tiers but `free`: metadata say why each boundary was chosen. Default false. */
  readonly boundaries?: boolean;
  /**
   * Language of a string that is code, as an author writes it: `ts`, `python`. Without it, grammars look at its first
   * line.
   */
  readonly language?: string;
  /** Tiers `structure` and up: grammars of `@grainline/core/grammars`, for code cut along its syntax. Default: none. */
  readonly grammars?: Grammars;
}

/** Options of {@link chunk} and {@link chunkStream}. */
export interface ChunkOptions extends ChunkSyncOptions {
  /** Ends the work; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Tier `semantic`, which needs it, and `ai` and `ai-pro` with `embeddings`: the embedder. `await staticEmbedder()` of
   * `@grainline/models/embeddings` needs no network.
   */
  readonly embed?: Embed;
  /** The same tiers: how many texts the embedder is given at once. Default 64. */
  readonly embedBatch?: number;
  /**
   * Tiers `semantic`, `ai` and `ai-pro`: each chunk comes with the vector of what `indexedText` says of it. Default
   * false.
   */
  readonly embeddings?: boolean;
  /**
   * Tiers `ai` and `ai-pro`, which need it: the language model, for example `openAiModel({ model, apiKey })` of
   * `@grainline/models/language`.
   */
  readonly complete?: Complete;
  /** Tiers `ai` and `ai-pro`: questions to the model at the same time. Default 4. */
  readonly completeAtOnce?: number;
  /**
   * Tiers `ai` and `ai-pro`: told once, before the first chunk, where the model cuts, for {@link recut} and for your
   * records.
   */
  readonly onDecisions?: (decisions: Decisions) => void;
  /** Tier `ai-pro`: told once, before the first chunk, how describing the chunks went and what it took. */
  readonly onEnriched?: (report: EnrichmentReport) => void;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Tier `semantic`: told once how far it beats `structure` on this document, which is then cut by both. Not told where
   * no boundary stands between pieces that were embedded.
   */
  readonly onCohesion?: (gain: CohesionGain) => void;
}

/** Options of {@link recut}. */
export type RecutOptions = Omit<ChunkSyncOptions, 'tier' | 'separators' | 'context'>;

const CALL_OPTIONS = ['tier', 'kind', 'language'] as const;
const KINDS: readonly TextKind[] = ['markdown', 'text', 'code', 'csv'];
/** Chunks between two looks at the signal and two turns of the event loop. */
const STREAM_BATCH = 4096;

/**
 * Splits a document into chunks, at once. Linear in the length of the text.
 *
 * @throws ChunkError `invalid_options` with every fault, or `ill_formed_text` with its offset.
 * @example
 * const chunks = chunkSync('A long text …', { size: 1000, overlap: 100 });
 * chunks[0].text === 'A long text …'.slice(chunks[0].start, chunks[0].end); // true
 */
export function chunkSync(input: ChunkInput, options: ChunkSyncOptions = {}): Chunk[] {
  const { id, document, resolved } = plan(input, options);
  if ('waits' in TIERS[id]) {
    const message = `The tier ${id} waits for a model: call chunk or chunkStream, not chunkSync.`;
    throw new ChunkError('tier_needs_promise', message);
  }
  const tier = strategyNow(id);
  return 'cut' in tier ? sliceAll(document, tier.cut(document, resolved)) : [];
}

/**
 * Fetches the code of tiers, after which {@link chunkSync} and {@link recut} have them at once. Only a bundle for
 * browsers and edge workers has anything to fetch: it starts with the tier `free`, and `chunk` fetches what it needs by
 * itself. In Node all tiers are there from the start.
 *
 * @throws ChunkError `invalid_options` for a name that is no tier's
 * @example
 * await loadTiers(['structure']);
 * const chunks = chunkSync('# Title', { tier: 'structure' });
 */
export async function loadTiers(ids: readonly TierId[]): Promise<void> {
  refuse(ids.flatMap((id) => faultUnless(Object.hasOwn(TIERS, id), 'tier', tierNames(), id)));
  await Promise.all(ids.map((id) => loadStrategy(id)));
}

function tierNames(): string {
  return `one of ${Object.keys(TIERS).join(', ')}`;
}

/** The code of a tier, for calls that cannot wait for it. */
function strategyNow(id: TierId): Strategy {
  const strategy = strategyOf(id);
  if (strategy !== undefined) return strategy;
  const message = `The code of the tier ${id} is not here yet: await loadTiers(['${id}']) once before, or call chunk.`;
  throw new ChunkError('tier_needs_promise', message);
}

/**
 * Splits a document into chunks. The same chunks as {@link chunkSync}, with a signal and progress, and with the tiers
 * that wait for a model.
 *
 * @throws ChunkError as {@link chunkSync}; `embedding_failed` and `wrong_embeddings` of an embedder;
 * `completion_failed` and `too_many_fallbacks` of a language model; or the signal's reason once it is aborted.
 * @example
 * const chunks = await chunk(transcript, { tier: 'semantic', embed: await staticEmbedder() });
 */
export async function chunk(input: ChunkInput, options: ChunkOptions = {}): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const batch of batchesOf(input, options)) for (const piece of batch) chunks.push(piece);
  return chunks;
}

/**
 * Yields chunks one after another, sliced some thousands at a time when they are asked for, so that a large document
 * never stands in memory twice. The event loop gets a turn between batches.
 */
export async function* chunkStream(
  input: ChunkInput,
  options: ChunkOptions = {},
): AsyncGenerator<Chunk, void, undefined> {
  for await (const batch of batchesOf(input, options)) yield* batch;
}

/** The chunks in batches: a promise for each chunk would cost twice what cutting it does. */
async function* batchesOf(
  input: ChunkInput,
  options: ChunkOptions,
): AsyncGenerator<Iterable<Chunk>, void, undefined> {
  refuseNonObject(options);
  const { signal, onProgress, onDecisions, onEnriched, onCohesion, ...rest } = options;
  refuse(runFaults({ signal, onProgress, onDecisions, onEnriched, onCohesion }));
  signal?.throwIfAborted();
  const { id, document, resolved } = plan(input, rest);
  const tier = strategyOf(id) ?? (await loadStrategy(id));
  const run: WaitingRun = {
    signal,
    onDecisions,
    onEnriched,
    onEmbedded: (done, total) => onProgress?.({ stage: 'embed', done, total }),
    onAnswered: (done, total, stage) => onProgress?.({ stage, done, total }),
    onCohesion,
  };
  const cuts = 'cut' in tier ? tier.cut(document, resolved) : await tier.cutLater(document, resolved, run);
  onProgress?.({ stage: 'cut', done: 1, total: 1 });
  // The tier has checked that there is an embedder.
  const embeds = rest.embeddings === true ? (resolved as Limits & EmbedOptions) : undefined;
  // Vectors are asked for together, so that whoever gets the first chunk gets them all.
  if (embeds !== undefined && cuts.length > 0) {
    const chunks = sliceAll(document, cuts);
    yield withVectors(chunks, await embedAll(chunks.map(indexedText), embeds, run));
    onProgress?.({ stage: 'chunk', done: cuts.length, total: cuts.length });
    return;
  }
  for (let index = 0; index < cuts.length; index += STREAM_BATCH) {
    if (index > 0) await nextTurn();
    signal?.throwIfAborted();
    onProgress?.({ stage: 'chunk', done: index, total: cuts.length });
    yield sliceAll(document, cuts.slice(index, index + STREAM_BATCH));
  }
  onProgress?.({ stage: 'chunk', done: cuts.length, total: cuts.length });
}

/**
 * Splits a document once more as a language model has decided before, at other limits, without asking it. With the
 * limits of then, the chunks of then. Linear in the length of the text.
 *
 * @param input the document of then: a string must be read as the same kind
 * @param decisions what `onDecisions` was told, also by way of JSON
 * @throws ChunkError `wrong_decisions` when they are of another document; else as {@link chunkSync}
 * @example
 * let decisions;
 * await chunk(text, { tier: 'ai', complete, onDecisions: (made) => (decisions = made) });
 * const smaller = recut(text, decisions, { size: 400 });
 */
export function recut(input: ChunkInput, decisions: Decisions, options: RecutOptions = {}): Chunk[] {
  const faults = callFaults(input, options);
  // It takes nothing of the model, which is not asked.
  const resolved = resolveOptions(TIERS.structure, options, ['kind', 'language'], faults);
  const document = documentOf(input, options);
  const tier = strategyNow('ai');
  return 'cutAgain' in tier ? sliceAll(document, tier.cutAgain(document, resolved, decisions)) : [];
}

/**
 * Checks options before there is a document; an embedder, a language model or a counter may still be missing.
 *
 * @throws ChunkError `invalid_options` with every fault.
 */
export function checkChunkOptions(options: PlanOptions): void {
  plan('', { ...missingModels(options), ...options });
}

/** Stands for the models that a tier needs and nobody has brought. */
function missingModels({ tier = 'free' }: PlanOptions): Partial<typeof STAND_INS> {
  const takes: readonly string[] = Object.hasOwn(TIERS, tier) ? TIERS[tier].options : [];
  return Object.fromEntries(Object.entries(STAND_INS).filter(([name]) => takes.includes(name)));
}

const nobody = (): Promise<never> => Promise.reject(new Error('This only stands for a model.'));
const STAND_INS = { embed: nobody, complete: nobody };

/**
 * What a call of {@link chunk} with these options is going to ask a language model, foreseen without asking it: for its
 * price. `complete` may be left out. Questions that have to be asked again come on top of it. All 0 for tiers that ask
 * none.
 *
 * @throws ChunkError as {@link chunkSync}
 * @example
 * const { calls, inputTokens, outputTokens } = await planCompletions(text, { tier: 'ai-pro' });
 */
export async function planCompletions(input: ChunkInput, options: PlanOptions = {}): Promise<CompletionPlan> {
  refuseNonObject(options);
  const { id, document, resolved } = plan(input, { ...missingModels(options), ...options });
  const none = { calls: 0, inputTokens: 0, outputTokens: 0 };
  const tier = strategyOf(id) ?? (await loadStrategy(id));
  return 'cutLater' in tier ? ((await tier.planQuestions?.(document, resolved)) ?? none) : none;
}

/** Options of {@link planCompletions} and {@link checkChunkOptions}. */
export type PlanOptions = Omit<
  ChunkOptions,
  'signal' | 'onProgress' | 'onDecisions' | 'onEnriched' | 'onCohesion'
>;

/** What to embed: what a model says of the chunk's place, the injected context, if any, then the chunk's own text. */
export function indexedText(piece: Chunk): string {
  return leadOf(piece.context, piece.enrichment?.context) + piece.text;
}

function plan(
  input: ChunkInput,
  options: ChunkSyncOptions,
): { id: TierId; document: Document; resolved: Limits } {
  refuseNonObject(options);
  const { tier: id = 'free' } = options;
  const tier: TierDescription = Object.hasOwn(TIERS, id) ? TIERS[id] : TIERS.free;
  const resolved = resolveOptions(tier, options, CALL_OPTIONS, callFaults(input, options));
  return { id, document: documentOf(input, options, tier.checksText), resolved };
}

/** @param checksText whether the tier itself refuses what is ill-formed */
function documentOf(input: ChunkInput, { kind, language }: ChunkSyncOptions, checksText = false): Document {
  const document = typeof input === 'string' ? documentFromText(input, { kind, language }) : input;
  if (!checksText) refuseIllFormed(document.text);
  return document;
}

/** What is wrong with the call, apart from the limits and the tier's own options. */
function callFaults(input: unknown, { tier, kind, language }: ChunkSyncOptions): OptionFault[] {
  const isTier = tier === undefined || Object.hasOwn(TIERS, tier);
  const isKind = kind === undefined || KINDS.includes(kind);
  const isLanguage = language === undefined || typeof language === 'string';
  return [
    ...faultUnless(isInput(input), 'input', 'a string, or a Document from @grainline/extract', input),
    ...faultUnless(isTier, 'tier', tierNames(), tier),
    ...faultUnless(isKind, 'kind', `one of ${KINDS.join(', ')}`, kind),
    ...faultUnless(isLanguage, 'language', 'a string', language),
  ];
}

/** What is wrong with the options of one run, none of which a tier sees. */
function runFaults({ signal, ...listeners }: Partial<Record<keyof ChunkOptions, unknown>>): OptionFault[] {
  const isSignal =
    signal === undefined || typeof (Object(signal) as AbortSignal).throwIfAborted === 'function';
  return [
    ...faultUnless(isSignal, 'signal', 'an AbortSignal', signal),
    ...Object.entries(listeners).flatMap(([name, listener]) =>
      faultUnless(listener === undefined || typeof listener === 'function', name, 'a function', listener),
    ),
  ];
}

function isInput(input: unknown): boolean {
  if (typeof input === 'string') return true;
  const { text, blocks, pages } = (input ?? {}) as Partial<Record<keyof Document, unknown>>;
  return typeof text === 'string' && Array.isArray(blocks) && Array.isArray(pages);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
