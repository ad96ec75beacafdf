// A question of an evaluation, and the documents that it is about.
import type { Document, Span } from '@grainline/core';

/** The source of a question: the user, or a rule that made it from a table cell, a definition or a heading. */
export type QuestionOrigin = 'given' | 'cell' | 'definition' | 'heading';

/** A document with the name that questions use. */
export interface EvalDocument {
  /** No other document of the evaluation has it. */
  readonly name: string;
  readonly document: Document;
}

/** A question with its answer. */
export interface EvalQuestion {
  readonly question: string;
  /** Name of the document with the answer. */
  readonly document: string;
  /** The answer: disjoint spans of the document's text, in order. */
  readonly spans: readonly Span[];
  readonly origin: QuestionOrigin;
}

/** Two questions of the same words are one, whatever their blanks and capitals. */
export function keyOf({ question, document }: Pick<EvalQuestion, 'question' | 'document'>): string {
  return `${document}\n${plainWords(question)}`;
}

/** A text in small letters with single blanks. */
export function plainWords(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** A hash that spreads texts evenly and is the same everywhere: FNV-1a with a final mix (Murmur3). */
export function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
