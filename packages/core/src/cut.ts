// The types that a tier returns: cuts, which are ranges and never text. slice.ts turns them into chunks.
import type { BlockKind, Span } from './document.ts';

/** What a boundary stands between. `code-block` means parts of code at its least indentation. */
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
  /** Offset at which the text behind the boundary begins. */
  readonly at: number;
  /** How strong the boundary is: 0 (inside a word) to 6 (before a heading). */
  readonly strength: number;
  readonly reason: BoundaryReason;
}

/** The boundary that a chunk begins at, with the next best one. */
export interface ChosenBoundary extends Boundary {
  /**
   * Tier `semantic`: how far the likeness of the text falls at this boundary, from -2 to 2; about 0 inside a topic. It
   * is the mean cosine of pieces on the same side of the boundary minus that of pieces on opposite sides, with up to
   * four pieces on each side. Absent where there are too few pieces to tell.
   */
  readonly drop?: number;
  /**
   * The best other place for this boundary, with all other boundaries left as they are. `margin` is how much less that
   * place scores. It is below 0 where the better place had to give way because a chunk was too long by its true token
   * count.
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
 * What a language model says about a chunk, in the chunk's language: plain text without control characters, of bounded
 * length, and never part of the chunk's own text. A key is absent when the model said nothing about it that could be
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
   * Where in its document the chunk stands and what it is about: at most 100 tokens, which are indexed before the
   * chunk's text.
   */
  readonly context?: string;
}

/** `complete`: every field is there. `partial`: a field is missing. `failed`: there is no enrichment. */
export type EnrichmentStatus = 'complete' | 'partial' | 'failed';

/** Why a part of an enrichment is missing. */
export interface EnrichmentReason {
  /** The field that is missing; absent when all of them are. */
  readonly field?: keyof Enrichment;
  /**
   * `missing`: the model did not give the field. `invented`: it named a number or a name that the document does not
   * contain. `too_long`: the field would have made the chunk longer than its maximum. Otherwise the code of the last
   * error, such as `refusal` or `timed_out`.
   */
  readonly reason: string;
}

/** The enrichment of a chunk and whether it is complete. Tier `ai-pro`. */
export interface Enriched {
  /** Absent when `enrichmentStatus` is `failed`. */
  readonly enrichment?: Enrichment;
  readonly enrichmentStatus: EnrichmentStatus;
  /** Why fields are missing; absent when the enrichment is complete. */
  readonly enrichmentReasons?: readonly EnrichmentReason[];
}

/**
 * The text that is indexed before a chunk's own: the context that a language model wrote, then each part of the
 * injected context on a line of its own, then an empty line. Empty when there is none of these.
 */
export function leadOf(context: readonly ContextPart[] = [], modelContext?: string): string {
  if (context.length === 0 && modelContext === undefined) return '';
  const lines = context.map(({ text }) => text);
  if (modelContext !== undefined) lines.unshift(modelContext);
  return `${lines.join('\n')}\n\n`;
}

/** The range of one chunk. `[start + overlap, end)` of all cuts tile the text up to blank gaps. */
export interface Cut extends Span, Partial<Enriched> {
  /** Leading UTF-16 units of this range that repeat the end of the cut before. */
  readonly overlap: number;
  readonly context?: readonly ContextPart[];
  /** Why the chunk begins where it does, when the option `boundaries` asks for it; absent for the first chunk. */
  readonly boundary?: ChosenBoundary;
  /** Titles of the headings that stand over all of the chunk's text, outermost first. */
  readonly headingPath?: readonly string[];
  /** Kinds of the blocks in the chunk; a list, table or quote counts as one, whatever is in it. */
  readonly blockKinds?: readonly BlockKind[];
  /** Tokens of the chunk as it is indexed, context included, when the option `measure` has a counter. */
  readonly tokenCount?: number;
  /** True when a single code point is longer than the maximum: the only case in which a chunk exceeds it. */
  readonly oversize?: true;
}
