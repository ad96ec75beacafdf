// What goes into a workplace and what comes out of it. Both cross a process border: plain values only.
import type { CohesionGain, OptionFault, TierId, Warning } from '@grainline/core';
import type { FormatId } from '@grainline/core/formats';
import type { Kind } from '@grainline/extract';
import type { EncodingName } from '@grainline/models/tokens';

/** How to cut, after defaults. Numbers count UTF-16 units, or tokens when there is an encoding. */
export interface CutOptions {
  /** The longest a chunk may be. */
  readonly size: number;
  /** The most that a chunk repeats of the one before. */
  readonly overlap: number;
  /** Whose tokens the numbers count. */
  readonly encoding?: EncodingName;
  /** Only those that the tier takes; core has their defaults, and has checked them. */
  readonly target?: number;
  readonly min?: number;
  readonly context?: string;
  /** Chunks come with their vectors. */
  readonly embeddings?: boolean;
}

/** A document and what to make of it. */
export interface Task extends CutOptions {
  readonly input: BytesInput | TextInput;
  readonly tier: TierId;
  /** Whether a child process asks the server for vectors, which then has an embedder that the process must not have. */
  readonly asksForVectors?: boolean;
  /** Whether a child process says how far it is. */
  readonly tellsProgress?: boolean;
  /** Longest text that is taken, in UTF-16 units. Default: any. */
  readonly maxCharacters?: number;
  /**
   * The most that a language model may cost for the document, in US dollars. The model keeps to it; the line only
   * passes it on.
   */
  readonly maxCostUsd?: number;
  readonly format: FormatId;
  readonly records: RecordOptions;
}

/** A file of any kind that extraction reads. */
export interface BytesInput {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
  readonly filename: string | undefined;
  /** Content-Type with its parameters, as it was declared. */
  readonly contentType: string | undefined;
  /** Kinds that are taken here; content decides which one a file is. */
  readonly accept: readonly Kind[];
  /** Which one it is, where its content has been looked at. */
  readonly found?: Kind;
}

/** Text that needs no extraction. */
export interface TextInput {
  readonly kind: 'text';
  readonly text: string;
  readonly filename: string;
}

/** What the records say about their document. */
export interface RecordOptions {
  /** Default: `sourceUrl`, else the SHA-256 of the bytes (of the UTF-8 text), in hex. */
  readonly documentId?: string;
  readonly sourceUrl?: string;
  readonly collection?: string;
  readonly textField?: string;
  /** The tier as the deployment calls it. */
  readonly tierName: string;
}

/** What a language model did for a document, in the form of answers. */
export interface LanguageModelWork {
  /**
   * The model's name, as its service gives it; several, with commas, when a fallback answered too; absent when nothing
   * was asked.
   */
  readonly model?: string;
  /** Version of the instructions that the model was given. */
  readonly prompt_version: string;
  /** Number of parts in which the model was shown the text. */
  readonly windows: number;
  /** Indexes, from 0, of the parts without a usable answer, which are cut by structure. */
  readonly windows_fallback: readonly number[];
  /** Tokens of all answers that came, also of those that were of no use. */
  readonly usage: {
    readonly calls: number;
    readonly input_tokens: number;
    readonly cached_input_tokens: number;
    readonly output_tokens: number;
  };
  /** How describing the chunks went, with a usage of its own, on tiers that have them described. */
  readonly enrichment?: EnrichmentWork;
}

/** How describing chunks went. */
export interface EnrichmentWork extends Pick<LanguageModelWork, 'model' | 'prompt_version' | 'usage'> {
  /** What the model was shown of the document with each section: `model`, `headings` or `whole`. */
  readonly outline: string;
  /** Why the model made no outline, where it should have. */
  readonly outline_fallback?: string;
  readonly sections: number;
  /** Indexes, from 0, of the sections of which no chunk is described. */
  readonly sections_failed: readonly number[];
  /** Number of chunks by status. */
  readonly chunks: { readonly complete: number; readonly partial: number; readonly failed: number };
}

/** The chunks of a document, ready for the wire. */
export interface Finished {
  readonly metadata: {
    readonly filename: string;
    readonly content_type: string;
    readonly size_bytes: number;
    readonly estimated_pages: number;
    /** How far the boundaries of an embedding tier beat those of `structure`; absent when that cannot be told. */
    readonly cohesion?: CohesionGain;
    /** What the language model did, on tiers that ask one. */
    readonly language_model?: LanguageModelWork;
  };
  readonly totalChunks: number;
  /**
   * `"chunks":[…]` and what the format adds (`columns`, `upsert`): the members of one JSON object without its
   * braces, ready to be spliced into an answer. Text, because 1000 chunks cross a process border three times
   * faster as a string than as objects, and because nothing has to be built or read a second time.
   */
  readonly members: string;
  readonly warnings: readonly Warning[];
}

/** The error of a workplace when the document or its options are at fault; any other error is a defect. */
export class WorkError extends Error {
  /** A code of `@grainline/extract` or `@grainline/core`, or `too_many_characters`. */
  readonly code: string;
  /** The numbers behind the message: pages of a document without text, a limit and what came. */
  readonly limit?: Readonly<Record<string, number>>;
  /** Every wrong option, when the code is `invalid_options`. */
  readonly faults?: readonly OptionFault[];

  constructor(code: string, message: string, details: Pick<WorkError, 'limit' | 'faults'> = {}) {
    super(message);
    this.name = 'WorkError';
    this.code = code;
    if (details.limit !== undefined) this.limit = details.limit;
    if (details.faults !== undefined) this.faults = details.faults;
  }
}
