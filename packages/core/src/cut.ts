// What a tier returns: where to cut, never text. slice.ts turns cuts into chunks.
import type { BlockKind, Span } from './document.ts';

/** What a gap is between. `code-block` is between parts of code at its least indentation. */
export type BoundaryReason =
  | 'heading'
  | 'paragraph'
  | 'line'
  | 'sentence'
  | 'clause'
  | 'word'
  | 'character'
  | 'table-row'
  | 'table-cell'
  | 'code-block'
  | 'code-line';

/** A place where one may cut. The packer of the structural tiers chooses among boundaries. */
export interface Boundary {
  /** Where the text behind it begins. */
  readonly at: number;
  /** 0 (inside a word) to 6 (before a heading). */
  readonly strength: number;
  readonly reason: BoundaryReason;
}

/** The boundary that a chunk begins at, and the next best one. */
export interface ChosenBoundary extends Boundary {
  /**
   * Tier `semantic`: how far the likeness of the text falls here, from -2 to 2, about 0 inside a topic. It is the mean
   * cosine of pieces on the same side of the boundary less that of pieces on opposite sides, up to four on each. Absent
   * where there are too few to tell.
   */
  readonly drop?: number;
  /**
   * The best other place for this one boundary, all others left as they are. `margin` is what it scores less; below 0
   * where the better one had to give way, because a chunk was too long by its true count of tokens.
   */
  readonly runnerUp?: Boundary & { readonly margin: number };
}

/** Where an injected piece of context comes from; every injected word is traceable to the source. */
export interface ContextPart extends Span {
  readonly kind:
    'title' | 'heading-path' | 'table-header' | 'scope' | 'lead-in' | 'antecedent' | 'definition';
  readonly text: string;
}

/**
 * What a language model says of a chunk, in the chunk's language. Plain text without control characters, of bounded
 * length, and never part of the chunk's own text. A key is absent where the model had nothing to say that could be
 * kept.
 */
export interface Enrichment {
  /** A few words. */
  readonly title?: string;
  /** One or two sentences. */
  readonly summary?: string;
  readonly keywords: readonly string[];
  /** Questions that the chunk answers, at most three. */
  readonly questions: readonly string[];
  /** Names in the chunk, each as the document spells it. */
  readonly entities: readonly string[];
  /**
   * Where in its document the chunk stands and what it is about: at most 100 tokens, which are indexed before its text.
   */
  readonly context?: string;
}

/** `partial`: something is missing. `failed`: there is no enrichment. */
export type EnrichmentStatus = 'complete' | 'partial' | 'failed';

/** Why something of an enrichment is missing. */
export interface EnrichmentReason {
  /** What is missing; absent when all is. */
  readonly field?: keyof Enrichment;
  /**
   * `missing`: the model did not say it. `invented`: it named a number or a name that the document does not hold.
   * `too_long`: no room is left for it below the maximum. Else the code of the last error: `refusal`, `timed_out`, …
   */
  readonly reason: string;
}

/** What is known of the enrichment of a chunk. Tier `ai-pro`. */
export interface Enriched {
  /** Absent when `enrichmentStatus` is `failed`. */
  readonly enrichment?: Enrichment;
  readonly enrichmentStatus: EnrichmentStatus;
  /** Unless all of it is there. */
  readonly enrichmentReasons?: readonly EnrichmentReason[];
}

/** The range of one chunk. `[start + overlap, end)` of all cuts tile the text up to blank gaps. */
export interface Cut extends Span, Partial<Enriched> {
  /** Leading UTF-16 units that repeat the end of the cut before. */
  readonly overlap: number;
  readonly context?: readonly ContextPart[];
  /** Why it begins where it does; not for the first one. With the option `boundaries`. */
  readonly boundary?: ChosenBoundary;
  /** Titles of the headings over the text, outermost first; those that all of it has in common. */
  readonly headingPath?: readonly string[];
  /** Kinds of the blocks that it holds, a list, table or quote being one whatever is in it. */
  readonly blockKinds?: readonly BlockKind[];
  /** Tokens of the chunk as it is indexed, its context included, when a counter measures. */
  readonly tokenCount?: number;
  /** True when one code point alone is longer than the maximum, the only way over it. */
  readonly oversize?: true;
}
