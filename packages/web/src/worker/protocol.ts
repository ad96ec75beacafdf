// The calls of the page to its workers, and their answers. An answer repeats the number of its call.
import type { Span } from '@grainline/core';
import type { LocalTier } from '../document/tiers.ts';
import type { FormatId } from '@grainline/core/formats';
import type { ReadDocument, ReadProgress } from '../document/read-document.ts';
import type { CutTable } from '../document/cut-table.ts';
import type { ControlValues } from '../document/options.ts';
import type { ReadingValues } from '../document/reading-options.ts';

/** A chunk that fits a question. */
export interface Hit {
  readonly chunk: number;
  /** Cosine, from -1 to 1. */
  readonly score: number;
  /** The sentence of the chunk that is nearest to the question, as a span of the text. */
  readonly answer?: Span | undefined;
}

/** Requests and answers of each call. */
export interface WorkerCalls {
  /** Reads a file of any kind; only the worker loads its bytes. */
  readonly read: {
    readonly ask: {
      readonly file: File;
      readonly password?: string | undefined;
      readonly by: ReadingValues;
      /** True to read scanned pages and pictures by OCR. */
      readonly ocr?: boolean | undefined;
    };
    readonly answer: ReadDocument;
  };
  /** Takes a text unchanged; its name may declare Markdown or code. */
  readonly take: {
    readonly ask: { readonly text: string; readonly filename: string };
    readonly answer: ReadDocument;
  };
  readonly cut: {
    readonly ask: { readonly tier: LocalTier; readonly options: ControlValues };
    readonly answer: { readonly cuts: CutTable; readonly ms: number };
  };
  /** Exact o200k tokens of some texts. */
  readonly count: { readonly ask: { readonly texts: readonly string[] }; readonly answer: readonly number[] };
  /** Records of a format, with the members beside them. */
  readonly records: {
    readonly ask: RecordsWanted;
    readonly answer: {
      readonly records: readonly unknown[];
      readonly extras: object;
      readonly warnings: readonly string[];
    };
  };
  /** Draws a page of the file, from 1, with so many pixels a point. */
  readonly draw: {
    readonly ask: { readonly page: number; readonly scale: number };
    readonly answer: { readonly image: ImageBitmap; readonly isDark: boolean };
  };
  /** Draws a page as an image file. */
  readonly picture: {
    readonly ask: { readonly page: number; readonly scale: number };
    readonly answer: Blob;
  };
  /** The chunks with the nearest vectors to the question's. */
  readonly search: {
    readonly ask: {
      readonly question: string;
      readonly text: string;
      readonly cuts: readonly CutTable[];
      readonly most: number;
    };
    readonly answer: readonly (readonly Hit[])[];
  };
}

/** The input of records. */
export interface RecordsWanted {
  readonly cuts: CutTable;
  readonly text: string;
  readonly pages: readonly number[];
  readonly format: FormatId;
  readonly tier: string;
  readonly documentId: string;
  readonly filename: string;
  readonly contentType: string;
}

export type CallName = keyof WorkerCalls;

export type WorkerRequest = {
  [Name in CallName]: { readonly id: number; readonly name: Name; readonly body: WorkerCalls[Name]['ask'] };
}[CallName];

/** Calls that open a document. */
export const READINGS = ['read', 'take'] as const satisfies readonly CallName[];

/** An answer, the progress of a call, or an error. */
export type WorkerAnswer =
  | { readonly id: number; readonly body: WorkerCalls[CallName]['answer'] }
  | { readonly id: number; readonly pages: ReadProgress }
  | {
      readonly id: number;
      readonly error: string;
      readonly code?: string | undefined;
      readonly count?: number;
    };
