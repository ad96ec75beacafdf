// What a tier is: a strategy that turns a document into cuts, and the options it understands.
import type { CompletionPlan } from '../complete.ts';
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import type { Run } from '../embed.ts';
import type { OptionFault } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Decisions } from './ai/decisions.ts';
import type { EnrichmentReport } from './ai-pro/report.ts';

/**
 * What every tier says of itself, without the code that cuts. Adding a tier is a file in this folder, its description
 * in the registry, and a line in each of the two files that find the code.
 */
export interface TierDescription {
  readonly id: string;
  /** What it does, in one line, for help texts and tables. */
  readonly summary: string;
  /** Names of options it takes beyond the limits. */
  readonly options: readonly string[];
  /** Faults of its own options, checked together with all others. */
  readonly check: (options: Readonly<Record<string, unknown>>) => readonly OptionFault[];
  /** True when it refuses ill-formed text itself, while it reads it; others never get any. */
  readonly checksText?: true;
  /**
   * Whether it needs an embedder: `always`, because it cuts by one, or `asked`, for the vectors of its chunks alone.
   * Absent where it takes none.
   */
  readonly embeds?: 'always' | 'asked';
  /** True when it has to wait for a model, so that only `chunk` and `chunkStream` have it. */
  readonly waits?: true;
}

/** A way of cutting. */
export interface Tier<Options extends Limits = Limits> extends TierDescription {
  /** Deterministic; never alters text, so that every law holds whatever it decides. */
  readonly cut: (document: Document, options: Options) => Cut[];
}

/** What a call brings besides its options. */
export interface WaitingRun extends Run {
  /** Told about how many of how many parts of a text a language model has answered. */
  readonly onAnswered?: ((done: number, total: number, stage: AskedStage) => void) | undefined;
  /** Told once what a language model has decided. */
  readonly onDecisions?: ((decisions: Decisions) => void) | undefined;
  /** Told once what a language model has said of the chunks. */
  readonly onEnriched?: ((report: EnrichmentReport) => void) | undefined;
}

/**
 * What a language model is asked for: cuts, the outline of the document, or what its chunks are about; in this order.
 */
export type AskedStage = 'complete' | 'outline' | 'enrich';

/** A way of cutting that has to wait for a model. */
export interface WaitingTier<Options extends Limits = Limits> extends TierDescription {
  readonly waits: true;
  /**
   * As deterministic as the model; the laws hold whatever that says, also of chunks in their enrichment. Rejects with
   * the signal's reason once it is aborted.
   */
  readonly cutLater: (document: Document, options: Options, run: WaitingRun) => Promise<Cut[]>;
  /** Cuts as a language model has decided before, without asking it; of the tiers that hand decisions out. */
  readonly cutAgain?: (document: Document, options: Options, decisions: unknown) => Cut[];
  /** What it is going to ask a language model, where it asks one; asks nothing. */
  readonly planQuestions?: (document: Document, options: Options) => Promise<CompletionPlan>;
}
