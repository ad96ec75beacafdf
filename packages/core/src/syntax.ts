// The port through which code can be cut along its syntax. Core knows no language: whoever calls brings grammars
// (`@grainline/core/grammars` loads them), and core asks for the outline of one piece of code. No work at run time.
import type { ContextPart } from './cut.ts';
import type { Span } from './document.ts';

/** Some code in a text. */
export interface CodeRange extends Span {
  readonly text: string;
  /** As an author writes it: `ts`, `python`, `c++`; a file's ending will do; empty when unknown. */
  readonly language: string;
  /** Tells of a range whether it may stay whole; the parts inside one that may are not needed. */
  readonly fits: (start: number, end: number) => boolean;
  /** The length of a range in the unit of the limits. */
  readonly length: (start: number, end: number) => number;
  /** The most that a part's context may take, in that unit. */
  readonly contextLength: number;
}

/** Where a part stands: the signatures of the declarations around it, outermost first. */
export interface ScopeContext {
  readonly parts: readonly ContextPart[];
  /** With the line ends that join it to the text. */
  readonly length: number;
}

/**
 * A piece of code as a tree of parts, written flat in the order of the text; one number a part in each list. A part
 * reaches from its start to the next part that is no deeper, so it holds the deeper ones behind it. Offsets are those
 * of the text.
 */
export interface Outline {
  /** Where the parts start, strictly ascending, none inside a grapheme. */
  readonly starts: readonly number[];
  /** How deep they are nested, from 0. */
  readonly depths: readonly number[];
  /** Where what a part declares starts: behind its comments and decorators. Its start when it has none. */
  readonly bodies: readonly number[];
  /** The contexts of the parts, absent where there is none to tell. */
  readonly contexts?: readonly (ScopeContext | undefined)[];
  /** How far a part stands from the one before: one of {@link GAP}. */
  readonly gaps: readonly number[];
}

/** How far two parts of an {@link Outline} stand apart. */
export const GAP = {
  /** What belongs to the part before: a closing bracket, `else`, a doc string below its function. */
  tied: 0,
  /** Elements of one line. */
  inline: 1,
  /** Lines that follow one another. */
  near: 2,
  /** A blank line between them, or one of them is of several lines. */
  apart: 3,
} as const;

/** Grammars that are loaded. Deterministic, and leaves nothing behind a call. */
export interface Grammars {
  /** The outline of some code, or `undefined` when there is none to give: the code is then cut by its lines. */
  outline(code: CodeRange): Outline | undefined;
}
