// What a tier returns: where to cut, never text. chunk.ts turns cuts into chunks.
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
   * Tier `semantic`: how far the likeness of the text falls here, from -2 to 2, about 0 inside a topic. It is the mean cosine of
   * pieces on the same side of the boundary less that of pieces on opposite sides, up to four on each. Absent where there are too few to tell.
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

/** What stands before the text of a chunk where it is indexed: its context, line by line, and an empty line. */
export function leadOf(context: readonly ContextPart[] = []): string {
  return context.length === 0 ? '' : `${context.map(({ text }) => text).join('\n')}\n\n`;
}

/** The range of one chunk. `[start + overlap, end)` of all cuts tile the text up to blank gaps. */
export interface Cut extends Span {
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
