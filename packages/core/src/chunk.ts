// The entry points: they turn a string or a document into chunks by the tier that the options name. This file runs the
// last stages of the pipeline: Document ─tier→ cuts ─slice→ Chunk[].
import { documentFromText, type TextKind } from './blocks/index.ts';
import { contextPrefix, type Cut } from './cut.ts';
import type { Document } from './document.ts';
import type { CompletionPlan } from './complete.ts';
import { blendMatrix } from './blend.ts';
import type {
  ChunkInput,
  ChunkOptions,
  ChunkSyncOptions,
  PlanOptions,
  RecutOptions,
  TierOptions,
} from './chunk-options.ts';
import { embeddedText } from './embedded-text.ts';
import { embedAll, type EmbedOptions } from './embed.ts';
import { ChunkError, issueUnless, type OptionIssue, assertNoIssues, assertObject } from './errors.ts';
import type { Limits } from './limits.ts';
import { resolveOptions } from './options.ts';
import { anchorOf } from './regions/anchor.ts';
import { chunkRegions } from './regions/compact.ts';
import { type Chunk, sliceAll, withVectors } from './slice.ts';
import type { Decisions } from './tiers/ai/decisions.ts';
import { loadStrategy, strategyOf } from '#strategies';
import { DEFAULT_TIER, TIERS, type TierId, type VectorOptions } from './tiers/registry.ts';
import type { Strategy } from './tiers/strategies.ts';
import type { TierDescription, AsyncRun } from './tiers/tier.ts';
import { assertWellFormed } from './unicode.ts';

export type { Chunk, ChunkMetadata } from './slice.ts';

/**
 * Raised by each change of a tier that alters chunks or their metadata. An index shows by it which documents were cut
 * by an older version. A change of a reader raises the version in `Document.reader` instead.
 */
export const CUTTER_VERSION = 1;

const CALL_OPTIONS = ['tier', 'kind', 'language', 'regions'] as const;
const KINDS: readonly TextKind[] = ['markdown', 'text', 'code', 'csv'];
/** Number of chunks to slice before the call checks the signal and gives the event loop a turn. */
const STREAM_BATCH = 4096;

/**
 * Splits a document into chunks, synchronously. Takes time linear in the length of the text.
 *
 * The tiers that need a model (`semantic`, `ai`, `ai-pro`) need {@link chunk} instead.
 *
 * @throws ChunkError `invalid_options` with every issue; `ill_formed_text` with the offset of a lone surrogate;
 * `tier_needs_promise` for a tier that has to wait for a model or, in a browser, for its code.
 * @example
 * const chunks = chunkSync('A long text …', { size: 1000, overlap: 100 });
 * chunks[0].text === 'A long text …'.slice(chunks[0].start, chunks[0].end); // true
 */
export function chunkSync(input: ChunkInput, options: ChunkSyncOptions = {}): Chunk[] {
  assertObject(options);
  const { tier: named = DEFAULT_TIER } = options;
  // Before all other issues: a missing model is none here.
  if (Object.hasOwn(TIERS, named) && 'waits' in TIERS[named]) {
    const message = `The tier ${named} waits for a model: call chunk or chunkStream, not chunkSync.`;
    throw new ChunkError('tier_needs_promise', message);
  }
  const { id, document, resolved } = plan(input, options);
  const tier = strategyNow(id);
  return 'cut' in tier ? piecesOf(document, tier.cut(document, resolved), options) : [];
}

/**
 * Loads the code of tiers ahead of time, so that {@link chunkSync} and {@link recut} can use them. Only a bundle for
 * browsers and edge workers needs this: it starts with the tier `free` alone. In Node all tiers are there from the
 * start, and {@link chunk} loads the tier's code by itself.
 *
 * @throws ChunkError `invalid_options` for an unknown tier
 * @example
 * await loadTiers(['structure']);
 * const chunks = chunkSync('# Title', { tier: 'structure' });
 */
export async function loadTiers(ids: readonly TierId[]): Promise<void> {
  assertNoIssues(ids.flatMap((id) => issueUnless(Object.hasOwn(TIERS, id), 'tier', tierNames(), id)));
  await Promise.all(ids.map((id) => loadStrategy(id)));
}

function tierNames(): string {
  return `one of ${Object.keys(TIERS).join(', ')}`;
}

/** The code of a tier, for calls that cannot wait until it is loaded; throws when it is not there yet. */
function strategyNow(id: TierId): Strategy {
  const strategy = strategyOf(id);
  if (strategy !== undefined) return strategy;
  const message = `The code of the tier ${id} is not here yet: await loadTiers(['${id}']) once before, or call chunk.`;
  throw new ChunkError('tier_needs_promise', message);
}

/**
 * Splits a document into chunks by any tier. For tiers that {@link chunkSync} has, the chunks are the same; this call
 * also takes a signal, reports progress, and can wait for a model.
 *
 * @throws ChunkError as {@link chunkSync} does; `embedding_failed` and `wrong_embeddings` when an embedder fails;
 * `completion_failed` and `too_many_fallbacks` when a language model does. Rejects with the signal's reason once that
 * is aborted.
 * @example
 * const chunks = await chunk(transcript, { tier: 'semantic', embed: await staticEmbedder() });
 */
export function chunk<Tier extends TierId = typeof DEFAULT_TIER>(
  input: ChunkInput,
  options?: TierOptions<Tier>,
): Promise<Chunk[]>;
export async function chunk(input: ChunkInput, options: ChunkOptions = {}): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const batch of batchesOf(input, options)) for (const piece of batch) chunks.push(piece);
  return chunks;
}

/**
 * Yields the chunks of {@link chunk} one after another. The stream slices them on demand, some thousands at a time, so
 * that a large document is never in memory twice. The event loop gets a turn between batches.
 */
export function chunkStream<Tier extends TierId = typeof DEFAULT_TIER>(
  input: ChunkInput,
  options?: TierOptions<Tier>,
): AsyncGenerator<Chunk, void, undefined>;
export async function* chunkStream(
  input: ChunkInput,
  options: ChunkOptions = {},
): AsyncGenerator<Chunk, void, undefined> {
  for await (const batch of batchesOf(input, options)) yield* batch;
}

/** Yields the chunks in batches: a promise for every single chunk would cost twice as much as cutting does. */
async function* batchesOf(
  input: ChunkInput,
  options: ChunkOptions,
): AsyncGenerator<Iterable<Chunk>, void, undefined> {
  const { watch, rest } = separateWatch(options);
  const { signal, onProgress, onDecisions, onEnriched, onCohesion } = watch;
  signal?.throwIfAborted();
  const { id, document, resolved } = plan(input, rest);
  const tier = strategyOf(id) ?? (await loadStrategy(id));
  const run: AsyncRun = {
    signal,
    onDecisions,
    onEnriched,
    onEmbedded: (done, total) => onProgress?.({ stage: 'embed', done, total }),
    onAnswered: (done, total, stage) => onProgress?.({ stage, done, total }),
    onCohesion,
  };
  const cuts = 'cut' in tier ? tier.cut(document, resolved) : await tier.cutAsync(document, resolved, run);
  onProgress?.({ stage: 'cut', done: 1, total: 1 });
  // The tier has checked that there is an embedder.
  const embeds = rest.embeddings === true ? (resolved as Limits & EmbedOptions & VectorOptions) : undefined;
  // All vectors precede the first chunk, so that a consumer of one chunk gets all of them.
  if (embeds !== undefined && cuts.length > 0) {
    const chunks = piecesOf(document, cuts, options);
    const texts = chunks.map((piece) => embeddedText(indexedText(piece)));
    const vectors = await embedAll(texts, embeds, run);
    const sections = chunks.map(({ metadata }) => metadata.headingPath?.join(' > '));
    yield withVectors(chunks, blendMatrix(vectors, embeds.blend ?? defaultBlend(id), sections));
    onProgress?.({ stage: 'chunk', done: cuts.length, total: cuts.length });
    return;
  }
  for (let index = 0; index < cuts.length; index += STREAM_BATCH) {
    if (index > 0) await nextTurn();
    signal?.throwIfAborted();
    onProgress?.({ stage: 'chunk', done: index, total: cuts.length });
    yield piecesOf(document, cuts.slice(index, index + STREAM_BATCH), options);
  }
  onProgress?.({ stage: 'chunk', done: cuts.length, total: cuts.length });
}

/**
 * Cuts a document again at other limits by earlier decisions of a language model, without calling the model. With the
 * same limits it gives the same chunks as the earlier call. Linear in the length of the text.
 *
 * @param input the document of the earlier call; a string must be read as the same `kind`
 * @param decisions the argument of `onDecisions`, perhaps after a round trip through JSON
 * @throws ChunkError `wrong_decisions` when they belong to another document; otherwise as {@link chunkSync}
 * @example
 * let decisions;
 * await chunk(text, { tier: 'ai', complete, onDecisions: (made) => (decisions = made) });
 * const smaller = recut(text, decisions, { size: 400 });
 */
export function recut(input: ChunkInput, decisions: Decisions, options: RecutOptions = {}): Chunk[] {
  const issues = callIssues(input, options);
  // Only the options of the tier `structure` apply, because no model takes part.
  const resolved = resolveOptions(TIERS.structure, options, ['kind', 'language', 'regions'], issues);
  const document = documentOf(input, options);
  const tier = strategyNow('ai');
  return 'cutAgain' in tier ? piecesOf(document, tier.cutAgain(document, resolved, decisions), options) : [];
}

/** The chunks of cuts, with their boxes or anchors when they are wanted. */
function piecesOf(
  document: Document,
  cuts: readonly Cut[],
  { regions: isPlaced }: Pick<ChunkOptions, 'regions'>,
): Chunk[] {
  const chunks = sliceAll(document, cuts);
  if (isPlaced !== true) return chunks;
  return chunks.map((piece) => (document.regions === undefined ? anchored : boxed)(document, piece));
}

function boxed(document: Document, piece: Chunk): Chunk {
  const { content, overlap, context } = chunkRegions(document, piece);
  const metadata = {
    ...piece.metadata,
    ...(content.length > 0 && { regions: content }),
    ...(overlap.length > 0 && { overlapRegions: overlap }),
  };
  if (piece.context === undefined) return { ...piece, metadata };
  const parts = piece.context.map((part, at) => {
    const regions = context[at] ?? [];
    return regions.length > 0 ? { ...part, regions } : part;
  });
  return { ...piece, metadata, context: parts };
}

function anchored(document: Document, piece: Chunk): Chunk {
  const anchor = anchorOf(document, { start: piece.start + piece.overlap, end: piece.end });
  return anchor === undefined ? piece : { ...piece, metadata: { ...piece.metadata, anchor } };
}

/**
 * Checks options before there is a document. A missing embedder or language model is allowed here.
 *
 * @param more names of further options that the caller takes itself, such as those of reading a file
 * @throws ChunkError `invalid_options` with every issue.
 */
export function checkChunkOptions(options: ChunkOptions, more: readonly string[] = []): void {
  const { rest } = separateWatch(options);
  plan('', { ...missingModels(rest), ...rest }, more);
}

/** Separates the options that watch and end a call from those of the cut, and checks them. */
function separateWatch(options: ChunkOptions): {
  watch: Omit<ChunkOptions, keyof PlanOptions>;
  rest: PlanOptions;
} {
  assertObject(options);
  const { signal, onProgress, onDecisions, onEnriched, onCohesion, ...rest } = options;
  const watch = { signal, onProgress, onDecisions, onEnriched, onCohesion };
  assertNoIssues(runIssues(watch));
  return { watch, rest };
}

/** Stand-ins for required models that the options do not bring. */
function missingModels({ tier = DEFAULT_TIER }: PlanOptions): Partial<typeof STAND_INS> {
  const takes: readonly string[] = Object.hasOwn(TIERS, tier) ? TIERS[tier].options : [];
  return Object.fromEntries(Object.entries(STAND_INS).filter(([name]) => takes.includes(name)));
}

const missingModel = (): Promise<never> => Promise.reject(new Error('This only stands for a model.'));
const STAND_INS = { embed: missingModel, complete: missingModel };

/**
 * Estimates the requests of {@link chunk} to a language model with these options, without calling the model, so that
 * the cost is known beforehand. `complete` may be left out. Retries come on top. Returns zeros for tiers without a
 * language model.
 *
 * @throws ChunkError as {@link chunkSync}
 * @example
 * const { calls, inputTokens, outputTokens } = await planCompletions(text, { tier: 'ai-pro' });
 */
export async function planCompletions(input: ChunkInput, options: PlanOptions = {}): Promise<CompletionPlan> {
  assertObject(options);
  const { id, document, resolved } = plan(input, { ...missingModels(options), ...options });
  const none = { calls: 0, inputTokens: 0, outputTokens: 0 };
  const tier = strategyOf(id) ?? (await loadStrategy(id));
  return 'cutAsync' in tier ? ((await tier.planCompletions?.(document, resolved)) ?? none) : none;
}

/**
 * The text to index for a chunk: the context that a language model wrote, if any, then the injected context, if any,
 * then the chunk's own text. {@link embeddedText} makes the text to embed of it.
 */
export function indexedText(piece: Chunk): string {
  return contextPrefix(piece.context, piece.enrichment?.context) + piece.text;
}

function plan(
  input: ChunkInput,
  options: PlanOptions,
  more: readonly string[] = [],
): { id: TierId; document: Document; resolved: Limits } {
  assertObject(options);
  const { tier: id = DEFAULT_TIER } = options;
  const tier: TierDescription = TIERS[Object.hasOwn(TIERS, id) ? id : DEFAULT_TIER];
  const resolved = resolveOptions(
    tier,
    options,
    [...CALL_OPTIONS, ...more],
    callIssues(input, options),
    takersOf,
  );
  return { id, document: documentOf(input, options, tier.checksText), resolved };
}

/** `only the tiers semantic, ai, ai-pro take it` */
function takersOf(option: string): string | undefined {
  const takers = Object.values<TierDescription>(TIERS).filter(({ options }) => options.includes(option));
  const names = takers.map(({ id }) => id).join(', ');
  if (takers.length < 2) return takers.length === 0 ? undefined : `only the tier ${names} takes it`;
  return `only the tiers ${names} take it`;
}

/**
 * Reads the input as a document and refuses ill-formed text.
 *
 * @param checksText true when the tier itself rejects ill-formed text while it reads
 */
function documentOf(input: ChunkInput, { kind, language }: PlanOptions, checksText = false): Document {
  const document = typeof input === 'string' ? documentFromText(input, { kind, language }) : input;
  if (!checksText) assertWellFormed(document.text);
  return document;
}

/** Issues of the arguments of a call, apart from its limits and the tier's own options. */
function callIssues(input: unknown, { tier, kind, language, regions }: PlanOptions): OptionIssue[] {
  const isTier = tier === undefined || Object.hasOwn(TIERS, tier);
  const isKind = kind === undefined || KINDS.includes(kind);
  const isLanguage = language === undefined || typeof language === 'string';
  return [
    ...issueUnless(isInput(input), 'input', 'a string, or a Document from @grainline/extract', input),
    ...issueUnless(isTier, 'tier', tierNames(), tier),
    ...issueUnless(isKind, 'kind', `one of ${KINDS.join(', ')}`, kind),
    ...issueUnless(isLanguage, 'language', 'a string', language),
    ...issueUnless(
      regions === undefined || typeof regions === 'boolean',
      'regions',
      'true or false',
      regions,
    ),
  ];
}

/** Issues of the options of one run that no tier sees: the signal and the callbacks. */
function runIssues({ signal, ...listeners }: Partial<Record<keyof ChunkOptions, unknown>>): OptionIssue[] {
  const isSignal =
    signal === undefined || typeof (Object(signal) as AbortSignal).throwIfAborted === 'function';
  return [
    ...issueUnless(isSignal, 'signal', 'an AbortSignal', signal),
    ...Object.entries(listeners).flatMap(([name, listener]) =>
      issueUnless(listener === undefined || typeof listener === 'function', name, 'a function', listener),
    ),
  ];
}

function isInput(input: unknown): boolean {
  if (typeof input === 'string') return true;
  const { text, blocks, pages } = (input ?? {}) as Partial<Record<keyof Document, unknown>>;
  return typeof text === 'string' && Array.isArray(blocks) && Array.isArray(pages);
}

function defaultBlend(id: TierId): number {
  const { blend = 0 }: TierDescription = TIERS[id];
  return blend;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
