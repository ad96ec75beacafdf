// The registry of tiers with their descriptions. Lists shown to users (help texts, errors, the service's info) come
// from here. The code that cuts is in a file of its own for each tier, which `strategies.ts` finds, so that a web page
// loads only the tiers that it uses.
import { blendIssues } from '../blend.ts';
import { COMPLETE_OPTIONS, completeIssues, type CompleteOptions } from '../complete.ts';
import { EMBED_OPTIONS, embedIssues, type EmbedOptions } from '../embed.ts';
import { issueUnless, type OptionIssue } from '../errors.ts';
import { PACK_OPTIONS, type PackOptions, packIssues } from '../pack/options.ts';
import type { Grammars } from '../syntax.ts';
import { FREE } from './free.ts';
import type { TierDescription } from './tier.ts';

/** Options of the tier `structure`. */
export interface StructureOptions extends PackOptions {
  /** Grammars of the languages whose code is cut along its syntax. Default: none. */
  readonly grammars?: Grammars;
  /** True when cuts are to carry the sections around them. Default false. */
  readonly parents?: boolean;
}

/**
 * The use of the chunks: `corpus` is search across many documents, `in-document` search inside one, where title and
 * headings are the same for all chunks and blur them.
 */
export type ContextMode = 'corpus' | 'in-document';

/** Options of the tier `professional`. */
export interface ProfessionalOptions extends StructureOptions {
  /** `in-document` leaves out the title and the headings. Default `corpus`. */
  readonly context?: ContextMode;
}

/**
 * The changes of topic at which the tier `semantic` cuts: `any` near the target length, or the `certain` ones alone,
 * with `size` as the maximum.
 */
export type TopicMode = 'any' | 'certain';

/** Options of the tier `semantic`. */
export interface SemanticOptions extends StructureOptions, EmbedOptions, VectorOptions {
  /** Default `any`. */
  readonly topics?: TopicMode;
}

/** Options of the tiers `ai` and `ai-pro`. */
export interface AiOptions extends StructureOptions, CompleteOptions, Partial<EmbedOptions>, VectorOptions {}

/** Options of every tier whose chunks may come with vectors. */
export interface VectorOptions {
  /** True when chunks are to come with their vectors. Default false. */
  readonly embeddings?: boolean;
  /** Weight of the neighbours' vectors, from 0 to 1. Default: that of the tier. */
  readonly blend?: number;
}

type RawOptions = Readonly<Record<string, unknown>>;

const STRUCTURE_OPTIONS = [...PACK_OPTIONS, 'grammars', 'parents'];
const VECTOR_OPTIONS = [...EMBED_OPTIONS, 'embeddings', 'blend'];
const AI_OPTIONS = [...STRUCTURE_OPTIONS, ...COMPLETE_OPTIONS, ...VECTOR_OPTIONS];
/**
 * Default weight of the neighbours' vectors: the best of 0.2 to 0.8 on one half of the questions of five development
 * sets, and better than 0 on the other half. Chunks with injected context know their neighbours already, and lose with
 * some embedders.
 */
const BLEND = 0.4;
const MODES: readonly unknown[] = ['corpus', 'in-document', undefined];
const TOPICS: readonly unknown[] = ['any', 'certain', undefined];

function structureIssues(options: RawOptions): OptionIssue[] {
  const { grammars, parents = false } = options;
  const holds = grammars === undefined || typeof (grammars as Grammars | null)?.outline === 'function';
  return [
    ...packIssues(options),
    ...issueUnless(holds, 'grammars', 'the result of loadGrammars', grammars),
    ...issueUnless(typeof parents === 'boolean', 'parents', 'true or false', parents),
  ];
}

function contextIssues({ context }: RawOptions): readonly OptionIssue[] {
  return issueUnless(MODES.includes(context), 'context', 'corpus or in-document', context);
}

function vectorIssues({ embeddings, blend = 0 }: RawOptions): readonly OptionIssue[] {
  const holds = embeddings === undefined || typeof embeddings === 'boolean';
  return [
    ...issueUnless(holds, 'embeddings', 'true or false', embeddings),
    ...(embeddings === true
      ? blendIssues(blend)
      : issueUnless(blend === 0, 'blend', '0 without embeddings', blend)),
  ];
}

function aiIssues(options: RawOptions): OptionIssue[] {
  const { embeddings, embed, embedBatch } = options;
  const embeds = embeddings === true || embed !== undefined || embedBatch !== undefined;
  return [
    ...structureIssues(options),
    ...completeIssues(options),
    ...vectorIssues(options),
    ...(embeds ? embedIssues(options) : []),
  ];
}

/** All tiers by id, cheapest first. */
export const TIERS = {
  free: FREE,
  standard: {
    id: 'standard',
    summary: 'Sentences, in chunks of even size that begin at paragraphs where possible.',
    options: PACK_OPTIONS,
    check: packIssues,
  },
  structure: {
    id: 'structure',
    summary: 'Headings, lists, tables and code as their author set them, in chunks of even size.',
    options: STRUCTURE_OPTIONS,
    check: structureIssues,
  },
  professional: {
    id: 'professional',
    summary: 'As structure, with title, headings, lead-ins and definitions injected before each chunk.',
    options: [...STRUCTURE_OPTIONS, 'context'],
    check: (options: RawOptions) => [...structureIssues(options), ...contextIssues(options)],
  },
  semantic: {
    id: 'semantic',
    summary: 'As structure, cut where the topic changes, as an embedder sees it.',
    options: [...STRUCTURE_OPTIONS, ...VECTOR_OPTIONS, 'topics'],
    check: (options: RawOptions) => [
      ...structureIssues(options),
      ...issueUnless(TOPICS.includes(options['topics']), 'topics', 'any or certain', options['topics']),
      ...embedIssues(options),
      ...vectorIssues(options),
    ],
    embeds: 'always',
    blend: BLEND,
    waits: true,
  },
  ai: {
    id: 'ai',
    summary: 'As structure, cut where a language model says that a passage begins.',
    options: AI_OPTIONS,
    check: aiIssues,
    embeds: 'requested',
    blend: BLEND,
    waits: true,
  },
  'ai-pro': {
    id: 'ai-pro',
    summary:
      'As ai, and each chunk with a title, summary, keywords, questions, names and context by the model.',
    options: AI_OPTIONS,
    check: aiIssues,
    embeds: 'requested',
    waits: true,
  },
} as const satisfies Readonly<Record<string, TierDescription>>;

/** Ids of the tiers that this version has. */
export type TierId = keyof typeof TIERS;

/** The tiers that need no model, which `chunkSync` can therefore run. */
export type SyncTierId = {
  [Id in TierId]: (typeof TIERS)[Id] extends { readonly waits: true } ? never : Id;
}[TierId];

/** The tier of a call that names none: the best one that needs no model. */
export const DEFAULT_TIER = 'structure' satisfies TierId;

/** True when a call with this tier has to bring a language model. */
export function needsLanguageModel(tier: TierId): boolean {
  const { options }: TierDescription = TIERS[tier];
  return options.includes('complete');
}

/** True when a call with this tier and this value of `embeddings` has to bring an embedder. */
export function needsEmbedder(tier: TierId, embeddings = false): boolean {
  const { embeds }: TierDescription = TIERS[tier];
  return embeds === 'always' || (embeds === 'requested' && embeddings);
}
