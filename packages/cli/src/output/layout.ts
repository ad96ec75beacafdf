// The interface of a layout, which writes the chunks of one document. layouts.ts has the table.
import type { Chunk, CohesionGain, Document, Warning } from '@grainline/core';
import type { Formatted } from '@grainline/core/formats';
import type { InputContent, InputFacts } from '../inputs/input.ts';

/** A page of a PDF for its layout. */
export interface DrawnPage {
  /** From 1. */
  readonly number: number;
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** A PNG file in base64; absent for a page that was not drawn. */
  readonly picture?: string;
}

/** The pages of a document, and a warning when some have no picture. */
export interface DrawnPages {
  readonly pages: readonly DrawnPage[];
  readonly warnings: readonly Warning[];
}

/** A document after the pipeline, with the options that its layouts print. */
export interface LayoutInput {
  /** Name of the input in messages. */
  readonly shown: string;
  readonly sizeBytes: number;
  readonly document: Document;
  readonly chunks: readonly Chunk[];
  /** Warnings of the language model. */
  readonly modelWarnings: readonly Warning[];
  readonly tier: string;
  /** Gain of the tier `semantic` over `structure`; undefined when it is not measured. */
  readonly cohesion?: CohesionGain | undefined;
  readonly documentId: string;
  /** True when the records name their document. */
  readonly recordsNameDocument: boolean;
  /** Pages of a PDF, for a layout that shows them. */
  readonly drawn?: DrawnPages | undefined;
  /** Empty for a layout that prints no records. */
  readonly formatted: Formatted<object, object>;
}

/** Abilities of the reader's screen. */
export interface Screen {
  readonly colour: boolean;
  /** Width in columns. */
  readonly columns: number;
}

/** Sums over all documents of a run. */
export interface Totals {
  readonly documents: number;
  readonly pages: number;
  readonly characters: number;
  readonly chunks: number;
}

/** A layout. */
export interface Layout {
  /** Ending of the files that `--out` writes. */
  readonly ending: string;
  /** True when it prints records. The ids of a million unprinted chunks would take 16 s. */
  readonly hasRecords: boolean;
  /** True when it prints the reason of each boundary. */
  readonly hasReasons?: true;
  /** True when it shows the drawn pages of PDFs. */
  readonly showsPages?: true;
  /** Text before the first document of a stream or file; receives the names of all documents. */
  readonly head?: (shown: readonly string[]) => string;
  /** Consecutive pieces of text, each at most one record long. */
  readonly render: (finished: LayoutInput, screen: Screen) => Iterable<string>;
  /** Text after the last document of a stream or file. */
  readonly foot?: (totals: Totals) => string;
}

/** The content of an input with its SHA-256. */
export interface HashedContent extends InputContent {
  readonly hash: string;
}

/** Turns the content of an input into a printable result. */
export type ChunkFn = (content: HashedContent, input: InputFacts) => Promise<ChunkedInput>;

/** One document after local or remote chunking. */
export interface ChunkedInput {
  readonly render: (screen: Screen) => Iterable<string>;
  readonly warnings: readonly Warning[];
  readonly counts: Omit<Totals, 'documents'>;
}
