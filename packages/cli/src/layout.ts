// What a layout is: a way of writing down the chunks of one document, and what it has to go by. The table of all of
// them is in layouts.ts.
import type { Chunk, CohesionGain, Document, Warning } from '@grainline/core';
import type { Formatted } from '@grainline/core/formats';
import type { Input } from './inputs.ts';

/** A document after the line, and what was asked for it. */
export interface Finished {
  /** Name of the input, as the user knows it. */
  readonly shown: string;
  readonly sizeBytes: number;
  readonly document: Document;
  readonly chunks: readonly Chunk[];
  /** Warnings of the language model that was asked, if one was. */
  readonly modelWarnings: readonly Warning[];
  readonly tier: string;
  /** How far the tier `semantic` beats `structure` here, where that can be told. */
  readonly cohesion?: CohesionGain;
  readonly documentId: string;
  /** Whether the records say for themselves which document they belong to. */
  readonly recordsNameDocument: boolean;
  /** Empty for a layout that prints no records. */
  readonly formatted: Formatted<object, object>;
}

/** What the reader's screen can show. */
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

/** A way of writing down. */
export interface Layout {
  /** Ending of the files that `--out` writes. */
  readonly ending: string;
  /** Whether it prints records; making ids for a million chunks that nobody sees takes 16 s. */
  readonly hasRecords: boolean;
  /** Whether it says why each chunk begins where it does. */
  readonly hasReasons?: true;
  /** Stands once, before the first document of a stream or file; is told how the user knows all of them. */
  readonly head?: (shown: readonly string[]) => string;
  /** Pieces of text that follow one another, none of them longer than a record. */
  readonly render: (finished: Finished, screen: Screen) => Iterable<string>;
  /** Stands once, after the last document of a stream or file. */
  readonly foot?: (totals: Totals) => string;
}

/** Cuts the bytes of an input, whose hash is given, into what there is to write. */
export type Cut = (bytes: Uint8Array, inputHash: string, input: Input) => Promise<Result>;

/** One document after it was cut, here or by a service. */
export interface Result {
  readonly render: (screen: Screen) => Iterable<string>;
  readonly warnings: readonly Warning[];
  readonly counts: Omit<Totals, 'documents'>;
}
