// The task and the result of a worker pool. Both cross a process border, so they are plain values.
import type { CohesionGain, OptionIssue, TierId, Warning } from '@grainline/core';
import type { OptionValues, SurfaceValues } from '@grainline/core/options';
import type { FormatId } from '@grainline/core/formats';
import type { RecordCitation } from '@grainline/pipeline';
import type { Kind } from '@grainline/extract';

/**
 * Chunking options after defaults. Numbers count UTF-16 units, or tokens when there is an encoding. Other options are
 * present only when the tier takes them; core has checked them and has their defaults. Those of reading have theirs in
 * extraction.
 */
export interface TaskOptions
  extends
    SurfaceValues<'extract'>,
    Pick<
      OptionValues,
      'encoding' | 'target' | 'min' | 'context' | 'topics' | 'embeddings' | 'blend' | 'parents'
    > {
  /** Maximal length of a chunk. */
  readonly size: number;
  /** Maximal repetition of the chunk before. */
  readonly overlap: number;
}

/** A document with its options. */
export interface WorkerTask extends TaskOptions {
  readonly input: BytesInput | TextInput;
  readonly tier: TierId;
  /** True when the child process calls the embedder of the server, which needs a key or the network. */
  readonly usesRemoteEmbedder?: boolean;
  /** True when the child process sends its progress. */
  readonly reportsProgress?: boolean;
  /** True when the child process sends the times of its stages. */
  readonly reportsStages?: boolean;
  /** Longest accepted text in UTF-16 units. Default: any. */
  readonly maxCharacters?: number;
  /** Free pages that are left to the client. A document with more is rejected before it is cut. Default: any. */
  readonly maxPages?: number | undefined;
  /** Most bytes of the answer's JSON. Default: any. */
  readonly maxAnswerBytes?: number;
  /** Reads scanned pages and pictures. Default: they are rejected, or named in a warning. */
  readonly ocr?: TaskOcr | undefined;
  /** Cost limit of the language model for the document, in US dollars. The model enforces it. */
  readonly maxCostUsd?: number;
  readonly format: FormatId;
  readonly records: TaskRecordOptions;
  /** True when the result needs its hashes, for a receipt. */
  readonly needsHashes?: boolean | undefined;
}

/** The OCR of one document. */
export interface TaskOcr {
  /** Names of Tesseract's, `deu+eng`. */
  readonly languages: string;
  /** Most pages to read; a document with more is rejected before the first. */
  readonly maxPages: number;
}

/** A file of a kind that extract reads. */
export interface BytesInput {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
  readonly filename: string | undefined;
  /** Declared Content-Type with its parameters. */
  readonly contentType: string | undefined;
  /** Accepted kinds. The kind of a file follows from its content. */
  readonly accept: readonly Kind[];
  /** The kind, when it is already detected. */
  readonly detectedKind?: Kind;
}

/** Text that needs no extraction. */
export interface TextInput {
  readonly kind: 'text';
  readonly text: string;
  readonly filename: string;
}

/** Names in the records of the document. */
export interface TaskRecordOptions {
  /** Default: `sourceUrl`, else the SHA-256 of the bytes (of the UTF-8 text), in hex. */
  readonly documentId?: string;
  readonly sourceUrl?: string;
  readonly collection?: string;
  readonly textField?: string;
  /** The deployment's name of the tier. */
  readonly tierName: string;
}

/** The work of a language model for a document, in the form of answers. */
export interface LanguageModelWork {
  /** The model's name from its service. With an answer of a fallback a list with commas; absent without a request. */
  readonly model?: string | undefined;
  /** Version of the prompt. */
  readonly prompt_version: string;
  /** Number of parts of the text, one request each. */
  readonly windows: number;
  /** Indexes, from 0, of the parts without a usable answer. They are cut by structure. */
  readonly windows_fallback: readonly number[];
  /** Tokens of all answers, unusable ones included. */
  readonly usage: {
    readonly calls: number;
    readonly input_tokens: number;
    readonly cached_input_tokens: number;
    readonly output_tokens: number;
  };
  /** The enrichment of the chunks with a usage of its own, on tiers with enrichment. */
  readonly enrichment?: EnrichmentWork | undefined;
}

/** The enrichment of chunks. */
export interface EnrichmentWork extends Pick<LanguageModelWork, 'model' | 'prompt_version' | 'usage'> {
  /** Context of each section in the request: `model`, `headings` or `whole`. */
  readonly outline: string;
  /** The reason for a missing outline of the model. */
  readonly outline_fallback?: string | undefined;
  readonly sections: number;
  /** Indexes, from 0, of the sections without an enriched chunk. */
  readonly sections_failed: readonly number[];
  /** Number of chunks by status. */
  readonly chunks: { readonly complete: number; readonly partial: number; readonly failed: number };
}

/** The chunks of a document, ready for the wire. */
export interface PipelineResult {
  readonly metadata: {
    readonly filename: string;
    readonly content_type: string;
    /** The reader and its version; absent for text that no reader has read. */
    readonly reader?: string | undefined;
    readonly size_bytes: number;
    readonly estimated_pages: number;
    /** Gain of an embedding tier's boundaries over those of `structure`; absent when it cannot be computed. */
    readonly cohesion?: CohesionGain | undefined;
    /** The work of the language model, on tiers with one. */
    readonly language_model?: LanguageModelWork | undefined;
  };
  readonly totalChunks: number;
  /**
   * `"chunks":[…]` and the additions of the format (`columns`, `upsert`): the members of one JSON object without its
   * braces, ready for an answer. As a string 1000 chunks cross a process border three times faster than as objects, and
   * no further step serialises or parses them.
   */
  readonly members: string;
  /** Present when the task needs them. */
  readonly hashes?: ResultHashes | undefined;
  readonly warnings: readonly Warning[];
}

/** Hashes of a result: SHA-256 in lower-case hexadecimal. */
export interface ResultHashes {
  /** Of the text that the offsets refer to, in UTF-8; U+0000 counts as U+FFFD, as in `source.sha256` of an answer. */
  readonly source: string;
  /** Of the canonical JSON (RFC 8785) of `chunks`. */
  readonly chunks: string;
}

/** The measures of a document, read as a request for chunks reads it. */
export interface DocumentMeasure {
  readonly kind: Kind;
  /** Media type by the content. */
  readonly contentType: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly pages: number;
  /** UTF-16 units. */
  readonly characters: number;
  readonly tokens: number;
  readonly warnings: readonly Warning[];
}

/** A stored answer and the wanted part of its chunks. */
export interface PageTask {
  /** The answer as it is stored. */
  readonly gzip: Uint8Array;
  /** Index of the first chunk. */
  readonly from: number;
  /** Most chunks. */
  readonly limit: number;
  /** Most UTF-16 units of chunks as JSON. */
  readonly maxCharacters: number;
}

/** The end of a {@link PageTask}. */
export interface PageResult {
  /** JSON of a list. */
  readonly chunks: string;
  /** Number of all chunks. */
  readonly total: number;
  /** Index of the next chunk; absent after the last one. */
  readonly next?: number;
}

/** A quotation and the stored answer that it may come from. */
export interface CiteTask {
  /** The answer as it is stored. */
  readonly gzip: Uint8Array;
  readonly quote: string;
  /** The least score of a find. Default: that of core. */
  readonly bound?: number | undefined;
}

/** The end of a {@link CiteTask}. */
export interface CiteResult {
  /** Undefined when the quotation was not found. */
  readonly citation: RecordCitation | undefined;
}

/** An error of the document or its options. Any other error of a worker pool is a defect. */
export class WorkError extends Error {
  /** A code of `@grainline/extract` or `@grainline/core`, `too_many_characters`, `quota_exceeded` or
   * `answer_too_large`. */
  readonly code: string;
  /** The numbers of the message: pages of a document without text, or a limit and the received number. */
  readonly limit?: Readonly<Record<string, number>> | undefined;
  /** Every wrong option, with the code `invalid_options`. */
  readonly issues?: readonly OptionIssue[] | undefined;

  constructor(code: string, message: string, details: Pick<WorkError, 'limit' | 'issues'> = {}) {
    super(message);
    this.name = 'WorkError';
    this.code = code;
    this.limit = details.limit;
    this.issues = details.issues;
  }
}
