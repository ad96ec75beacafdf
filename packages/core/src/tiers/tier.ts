// What a tier is: a strategy that turns a document into cuts, and the options it understands.
import type { Cut } from '../cut.ts';
import type { Document } from '../document.ts';
import type { OptionFault } from '../errors.ts';
import type { Limits } from '../limits.ts';

/** A way of cutting. Adding one is a file in this folder and a line in its registry. */
export interface Tier<Options extends Limits = Limits> {
  readonly id: string;
  /** What it does, in one line, for help texts and tables. */
  readonly summary: string;
  /** Names of options it takes beyond the limits. */
  readonly options: readonly string[];
  /** Faults of its own options, checked together with all others. */
  readonly check: (options: Readonly<Record<string, unknown>>) => readonly OptionFault[];
  /** True when `cut` itself refuses ill-formed text, while it reads it; of other tiers it gets none. */
  readonly checksText?: true;
  /** Deterministic; never alters text, so that every law holds whatever it decides. */
  readonly cut: (document: Document, options: Options) => Cut[];
}
