// What a tier returns: where to cut, never text. chunk.ts turns cuts into chunks.
import type { BlockKind, Span } from './document.ts';

/** A place where one may cut. The packer of the structural tiers chooses among boundaries. */
export interface Boundary {
  readonly at: number;
  /** 0 (inside a word) to 6 (between chapters). */
  readonly strength: number;
  readonly reason: string;
}

/** Where an injected piece of context comes from; every injected word is traceable to the source. */
export interface ContextPart extends Span {
  readonly kind: 'title' | 'heading-path' | 'table-header' | 'scope' | 'lead-in' | 'antecedent';
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
  readonly boundary?: Boundary;
  /** Titles of the headings over the text, outermost first; those that all of it has in common. */
  readonly headingPath?: readonly string[];
  /** Kinds of the blocks that it holds, a list, table or quote being one whatever is in it. */
  readonly blockKinds?: readonly BlockKind[];
  /** Tokens of the chunk as it is indexed, its context included, when a counter measures. */
  readonly tokenCount?: number;
  /** True when one code point alone is longer than the maximum, the only way over it. */
  readonly oversize?: true;
}
