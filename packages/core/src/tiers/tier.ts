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
 * A tier's description, without the code that cuts. To add a tier, add a file to this folder, its description to the
 * registry, and a line to each of the two files that find the code.
 */
export interface TierDescription {
  readonly id: string;
  /** What the tier does, in one line, for help texts and tables. */
  readonly summary: string;
  /** Names of the options that it takes beyond the limits. */
  readonly options: readonly string[];
  /** Returns the faults of its own options; they are reported together with all others. */
  readonly check: (options: Readonly<Record<string, unknown>>) => readonly OptionFault[];
  /**
   * True when the tier refuses ill-formed text itself while it reads it. For other tiers the caller has refused it
   * before.
   */
  readonly checksText?: true;
  /**
   * Whether the tier needs an embedder: `always`, because it cuts by one, or `asked`, only for the vectors of its
   * chunks. Absent when it takes none.
   */
  readonly embeds?: 'always' | 'asked';
  /** True when the tier has to wait for a model; only `chunk` and `chunkStream` can then run it. */
  readonly waits?: true;
}

/** A tier that cuts synchronously. */
export interface Tier<Options extends Limits = Limits> extends TierDescription {
  /** Returns the cuts of a document. Deterministic; it never alters text, so every law holds whatever it decides. */
  readonly cut: (document: Document, options: Options) => Cut[];
}

/** The signal and the callbacks of one call. */
export interface WaitingRun extends Run {
  /** Called with how many of the parts of a text a language model has answered about, and in which stage. */
  readonly onAnswered?: ((done: number, total: number, stage: AskedStage) => void) | undefined;
  /** Called once with what a language model has decided. */
  readonly onDecisions?: ((decisions: Decisions) => void) | undefined;
  /** Called once with a report of what a language model has said about the chunks. */
  readonly onEnriched?: ((report: EnrichmentReport) => void) | undefined;
}

/** What a language model is asked for, in this order: cuts, the outline of the document, what its chunks are about. */
export type AskedStage = 'complete' | 'outline' | 'enrich';

/** A tier that has to wait for a model. */
export interface WaitingTier<Options extends Limits = Limits> extends TierDescription {
  readonly waits: true;
  /**
   * Returns the cuts of a document. It is as deterministic as the model. The laws hold whatever the model says; they
   * hold for enriched chunks too. Rejects with the signal's reason once that is aborted.
   */
  readonly cutLater: (document: Document, options: Options, run: WaitingRun) => Promise<Cut[]>;
  /**
   * Cuts by an earlier decision of a language model, without asking it. Only tiers that hand decisions out have this.
   */
  readonly cutAgain?: (document: Document, options: Options, decisions: unknown) => Cut[];
  /** Estimates what the tier will ask a language model, without asking; absent when it asks none. */
  readonly planQuestions?: (document: Document, options: Options) => Promise<CompletionPlan>;
}
