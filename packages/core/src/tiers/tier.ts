// What a tier is: a strategy that turns a document into cuts, and the options it understands.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import type { Run } from '../embed.ts';
import type { OptionFault } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Decisions } from './ai/decisions.ts';

/** What every tier says of itself. Adding one is a file in this folder and a line in its registry. */
interface Described {
  readonly id: string;
  /** What it does, in one line, for help texts and tables. */
  readonly summary: string;
  /** Names of options it takes beyond the limits. */
  readonly options: readonly string[];
  /** Faults of its own options, checked together with all others. */
  readonly check: (options: Readonly<Record<string, unknown>>) => readonly OptionFault[];
  /** True when it refuses ill-formed text itself, while it reads it; others never get any. */
  readonly checksText?: true;
}

/** A way of cutting. */
export interface Tier<Options extends Limits = Limits> extends Described {
  /** Deterministic; never alters text, so that every law holds whatever it decides. */
  readonly cut: (document: Document, options: Options) => Cut[];
}

/** What a call brings besides its options. */
export interface WaitingRun extends Run {
  /** Told about how many of how many parts of a text a language model has answered. */
  readonly onAnswered?: ((done: number, total: number) => void) | undefined;
  /** Told once what a language model has decided. */
  readonly onDecisions?: ((decisions: Decisions) => void) | undefined;
}

/** A way of cutting that has to wait for a model. */
export interface WaitingTier<Options extends Limits = Limits> extends Described {
  /** As deterministic as the model; the laws hold whatever that says. Rejects with the signal's reason once it is aborted. */
  readonly cutLater: (document: Document, options: Options, run: WaitingRun) => Promise<Cut[]>;
}
