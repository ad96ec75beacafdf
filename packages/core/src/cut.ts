// The types that a tier returns: cuts, which are ranges and never text. slice.ts turns them into chunks.
import type { BlockKind, Span } from './document.ts';
import type { RegionBox } from './regions/compact.ts';

/** The blocks beside a boundary. `code-block` means parts of code at its least indentation. */
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

/** A possible cut. The packer of the structural tiers chooses among boundaries. */
export interface Boundary {
  /** Offset at which the text behind the boundary begins. */
  readonly at: number;
  /** Strength of the boundary: 0 (inside a word) to 6 (before a heading). */
  readonly strength: number;
  readonly reason: BoundaryReason;
}

/** The boundary at the beginning of a chunk, with the next best one. */
export interface ChosenBoundary extends Boundary {
  /**
   * Tier `semantic`: the drop in the likeness of the text at this boundary, from -2 to 2; about 0.1 inside a topic. It
   * is the mean cosine of pieces on the same side of the boundary minus that of pieces on opposite sides, with up to
   * four pieces on each side. Absent where there are too few pieces.
   */
  readonly drop?: number;
  /**
   * Tier `semantic`: how surely the topic changes at this boundary, from 0 to 1, comparable between documents. In the
   * sections of books, about half of the boundaries of 0.5 and two of three above 0.6 were the author's own. Absent
   * where there are too few pieces.
   */
  readonly certainty?: number;
  /**
   * The best alternative to this boundary with all other boundaries unchanged. `margin` is the difference of their
   * scores. It is below 0 when the better alternative made a chunk that is too long by its true token count.
   */
  readonly runnerUp?: Boundary & { readonly margin: number };
}

/** A piece of injected context, with the span of its source. */
export interface ContextPart extends Span {
  readonly kind:
    'title' | 'heading-path' | 'table-header' | 'scope' | 'lead-in' | 'antecedent' | 'definition';
  readonly text: string;
  /** The boxes of its source on the pages of the document, in chunks with the option `regions`. */
  readonly regions?: readonly RegionBox[];
}

/**
 * A language model's description of a chunk, in the chunk's language: plain text without control characters, of bounded
 * length, and never part of the chunk's own text. A key is absent when the model gave no usable value.
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
   * The position of the chunk in its document and its subject: at most 100 tokens, which are indexed before the chunk's
   * text.
   */
  readonly context?: string;
}

/** `complete`: every field is there. `partial`: a field is missing. `failed`: there is no enrichment. */
export type EnrichmentStatus = 'complete' | 'partial' | 'failed';

/** The reason why a part of an enrichment is missing. */
export interface EnrichmentReason {
  /** The missing field; absent when all fields are missing. */
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
  /** The reasons for missing fields; absent when the enrichment is complete. */
  readonly enrichmentReasons?: readonly EnrichmentReason[];
}

/**
 * The text that is indexed before a chunk's own: the context from a language model, then each part of the injected
 * context on a line of its own, then an empty line. Empty without any context.
 */
export function contextPrefix(context: readonly ContextPart[] = [], modelContext?: string): string {
  if (context.length === 0 && modelContext === undefined) return '';
  const lines = context.map(({ text }) => text);
  if (modelContext !== undefined) lines.unshift(modelContext);
  return `${lines.join('\n')}\n\n`;
}

/**
 * A section of the document, from its heading to the last text before the next heading of its depth or less; with an
 * empty path the whole document. The path and the occurrence name it in every version of the document.
 */
export interface ParentSection extends Span {
  /** Titles of its headings, outermost first. */
  readonly headingPath: readonly string[];
  /** Number of sections before it with the same path. */
  readonly occurrence: number;
}

/** The range of one chunk. `[start + overlap, end)` of all cuts tile the text up to blank gaps. */
export interface Cut extends Span, Partial<Enriched> {
  /** Leading UTF-16 units of this range that repeat the end of the cut before. */
  readonly overlap: number;
  readonly context?: readonly ContextPart[];
  /** The reason for the boundary at the chunk's start, with the option `boundaries`; absent for the first chunk. */
  readonly boundary?: ChosenBoundary;
  /** Titles of the headings above all of the chunk's text, outermost first. */
  readonly headingPath?: readonly string[];
  /**
   * With the option `parents`: the innermost section that holds all of the chunk's text, and the section one
   * level above, which is the document for a section of the first level.
   */
  readonly sections?: readonly [section: ParentSection, parent?: ParentSection];
  /** Kinds of the blocks in the chunk; a list, table or quote counts as one kind, whatever it holds. */
  readonly blockKinds?: readonly BlockKind[];
  /** Tokens of the chunk as it is indexed, context included, when `measure` is a counter. */
  readonly tokenCount?: number;
  /** True when a single code point is longer than the maximum: the only case in which a chunk exceeds it. */
  readonly oversize?: true;
}
