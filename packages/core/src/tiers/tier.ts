// The type of a tier: a strategy that turns a document into cuts, and its options.
import type { CompletionPlan } from '../complete.ts';
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import type { EmbedRun } from '../embed.ts';
import type { OptionIssue } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Decisions } from './ai/decisions.ts';
import type { EnrichmentReport } from './ai-pro/report.ts';

/**
 * A tier's description, without the code that cuts. To add a tier, add a file to this folder, its description to the
 * registry, and a line to each of the two files that find the code.
 */
export interface TierDescription {
  readonly id: string;
  /** The purpose of the tier, in one line, for help texts and tables. */
  readonly summary: string;
  /** Names of the options that it takes beyond the limits. */
  readonly options: readonly string[];
  /** Returns the issues of its own options; they are reported together with all others. */
  readonly check: (options: Readonly<Record<string, unknown>>) => readonly OptionIssue[];
  /**
   * True when the tier rejects ill-formed text itself while it reads. For other tiers the caller has checked the text
   * before.
   */
  readonly checksText?: true;
  /**
   * When the tier needs an embedder: `always`, because it cuts by one, or `requested`, only for the vectors of its
   * chunks. Absent for tiers without one.
   */
  readonly embeds?: 'always' | 'requested';
  /** Default weight of the neighbours' vectors in the vectors of its chunks. Absent for 0. */
  readonly blend?: number;
  /** True when the tier has to wait for a model; only `chunk` and `chunkStream` can then run it. */
  readonly waits?: true;
}

/** A tier that cuts synchronously. */
export interface Tier<Options extends Limits = Limits> extends TierDescription {
  /** Returns the cuts of a document. Deterministic; it never alters text, so every law holds for any cuts. */
  readonly cut: (document: Document, options: Options) => Cut[];
}

/** The signal and the callbacks of one call. */
export interface AsyncRun extends EmbedRun {
  /** Called with the number of parts of a text that a language model has answered about, and the stage. */
  readonly onAnswered?: ((done: number, total: number, stage: CompletionStage) => void) | undefined;
  /** Called once with a language model's decisions. */
  readonly onDecisions?: ((decisions: Decisions) => void) | undefined;
  /** Called once with the report on a language model's descriptions of the chunks. */
  readonly onEnriched?: ((report: EnrichmentReport) => void) | undefined;
}

/**
 * The purpose of a request to a language model, in this order: cuts, the outline of the document, descriptions of its
 * chunks.
 */
export type CompletionStage = 'complete' | 'outline' | 'enrich';

/** A tier that has to wait for a model. */
export interface AsyncTier<Options extends Limits = Limits> extends TierDescription {
  readonly waits: true;
  /**
   * Returns the cuts of a document. It is as deterministic as the model. The laws hold for any answer of the model, and
   * for enriched chunks too. Rejects with the signal's reason once that is aborted.
   */
  readonly cutAsync: (document: Document, options: Options, run: AsyncRun) => Promise<Cut[]>;
  /**
   * Cuts by an earlier decision of a language model, without calling the model. Only tiers that return decisions have
   * this.
   */
  readonly cutAgain?: (document: Document, options: Options, decisions: unknown) => Cut[];
  /** Estimates the tier's requests to a language model, without calling it; absent for tiers without one. */
  readonly planCompletions?: (document: Document, options: Options) => Promise<CompletionPlan>;
}
