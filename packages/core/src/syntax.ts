// The port for cutting code along its syntax. Core knows no programming language: the caller brings grammars
// (`@grainline/core/grammars` loads them), and core requests the outline of one piece of code at a time. This file has
// types and constants only.
import type { ContextPart } from './cut.ts';
import type { Span } from './document.ts';

/** A range of a text that holds code. */
export interface CodeRange extends Span {
  readonly text: string;
  /** The language by a common name: `ts`, `python`, `c++`, or a file's ending; empty when unknown. */
  readonly language: string;
  /** True if a range is short enough to stay whole; the outline need not split such a range. */
  readonly fits: (start: number, end: number) => boolean;
  /** The length of a range, in the unit of the limits. */
  readonly length: (start: number, end: number) => number;
  /** The greatest length that the context of a part may have, in that unit. */
  readonly contextLength: number;
}

/** The position of a part of code: the signatures of the declarations around it, outermost first. */
export interface ScopeContext {
  readonly parts: readonly ContextPart[];
  /** Length of the signatures together with the line ends that join them to the text. */
  readonly length: number;
}

/**
 * A piece of code as a tree of parts, stored as parallel lists in the order of the text, with one entry for each part.
 * A part reaches from its start to the next part that is not deeper, so it contains the deeper parts behind it. Offsets
 * are those of the whole text.
 */
export interface Outline {
  /** The start of each part: strictly ascending, none inside a grapheme. */
  readonly starts: readonly number[];
  /** The nesting depth of each part, from 0. */
  readonly depths: readonly number[];
  /**
   * The start of each part's declaration, behind its comments and decorators; the part's own start when it has none.
   */
  readonly bodies: readonly number[];
  /** The context of each part, `undefined` where there is none. */
  readonly contexts?: readonly (ScopeContext | undefined)[];
  /** The distance of each part from the one before: one of {@link GAP}. */
  readonly gaps: readonly number[];
}

/** The distance of two neighbouring parts of an {@link Outline}. */
export const GAP = {
  /** The part belongs to the one before: a closing bracket, `else`, a doc string below its function. */
  tied: 0,
  /** Both parts are elements of one line. */
  inline: 1,
  /** The parts are adjacent lines. */
  near: 2,
  /** A blank line stands between the parts, or one of them has several lines. */
  apart: 3,
} as const;

/** Loaded grammars. They are deterministic and keep nothing from one call to the next. */
export interface Grammars {
  /** The outline of some code, or `undefined` when there is none; the code is then cut by its lines. */
  outline(code: CodeRange): Outline | undefined;
}
