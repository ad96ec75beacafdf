// What the page asks of its workers, and what they answer. Every question has a number that its answer repeats.
import type { FormatId } from '@grainline/core/formats';
import type { PageProgress } from '@grainline/extract';
import type { Cuts, CutOptions } from './cuts.ts';

/** Tiers that are cut here, without the service, by the service's own code. */
export const LOCAL_TIERS = ['free', 'standard', 'structure'] as const;
export type LocalTier = (typeof LOCAL_TIERS)[number];

/** Stretches of a text, in UTF-16 units. */
export interface CodeSpans {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** What was read. Its worker keeps the document itself, for the cuts that follow. */
export interface Reading {
  readonly text: string;
  /** Offset at which each page starts; empty when the document has no pages. */
  readonly pages: readonly number[];
  readonly mediaType: string;
  readonly filename: string;
  readonly title?: string;
  /** Whether all of it is a program. */
  readonly isCode: boolean;
  /** Programs in a text that is not all of it one; in order, none inside another. */
  readonly code: CodeSpans;
  readonly estimatedPages: number;
  /** What ids of records are made from when nobody names the document: a hash of its bytes. */
  readonly documentId: string;
  readonly warnings: readonly string[];
}

/** A place that fits a question, best first. */
export interface Hit {
  readonly chunk: number;
  /** Cosine, from -1 to 1. */
  readonly score: number;
}

/** Questions and answers, by name. */
export interface Conversation {
  /** Reads a file of any kind, by its bytes, which only the worker takes into memory. */
  readonly read: { readonly ask: { readonly file: File }; readonly answer: Reading };
  /** Takes a text as it is; only its name can make it Markdown or code. */
  readonly take: {
    readonly ask: { readonly text: string; readonly filename: string };
    readonly answer: Reading;
  };
  readonly cut: {
    readonly ask: { readonly tier: LocalTier; readonly options: CutOptions };
    readonly answer: { readonly cuts: Cuts; readonly ms: number };
  };
  /** Exact o200k tokens of some texts. */
  readonly count: { readonly ask: { readonly texts: readonly string[] }; readonly answer: readonly number[] };
  /** Records of a format, and what stands beside them. */
  readonly records: {
    readonly ask: RecordsWanted;
    readonly answer: {
      readonly records: readonly unknown[];
      readonly extras: object;
      readonly warnings: readonly string[];
    };
  };
  /** The chunks whose vectors are nearest to the question's. */
  readonly search: {
    readonly ask: {
      readonly question: string;
      readonly text: string;
      readonly cuts: readonly Cuts[];
      readonly most: number;
    };
    readonly answer: readonly (readonly Hit[])[];
  };
}

/** What records are made from. */
export interface RecordsWanted {
  readonly cuts: Cuts;
  readonly text: string;
  readonly pages: readonly number[];
  readonly format: FormatId;
  readonly tier: string;
  readonly documentId: string;
  readonly filename: string;
  readonly contentType: string;
}

export type Question = keyof Conversation;

export type Ask = {
  [Name in Question]: { readonly id: number; readonly name: Name; readonly body: Conversation[Name]['ask'] };
}[Question];

/** Questions that bring a document. */
export const READINGS = ['read', 'take'] as const satisfies readonly Question[];

/** An answer, a fault in its place, or how far the work on it is. */
export type Answer =
  | { readonly id: number; readonly body: Conversation[Question]['answer'] }
  | { readonly id: number; readonly pages: PageProgress }
  | { readonly id: number; readonly fault: string };
