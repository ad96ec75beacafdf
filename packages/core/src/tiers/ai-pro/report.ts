// A report of how describing the chunks of a document went, as data: for accounting, and for telling a client the
// truth.
import type { TokenUsage } from '../../complete.ts';

/**
 * How a language model's descriptions of a document's chunks came out, in numbers. The object can be stored as JSON.
 */
export interface EnrichmentReport {
  /** Version of the instructions that the model was given. */
  readonly promptVersion: string;
  /**
   * The model's name, as its service gives it; several names, separated by commas in order of appearance, when a
   * fallback answered. Empty when none was asked.
   */
  readonly model: string;
  /**
   * What the model was shown of the document with each section: an outline that it made itself (`model`), an outline of
   * headings and first sentences because it could make none (`headings`), or all of a short document (`whole`).
   */
  readonly outline: 'model' | 'headings' | 'whole';
  /** Why the model made no outline, when `outline` is `headings`: the code of the last error. */
  readonly outlineFallback?: string;
  /** Number of sections; a section is a stretch of chunks that one question is about. */
  readonly sections: number;
  /** Indexes of sections of which no chunk has an enrichment. */
  readonly sectionsFailed: readonly number[];
  /** Number of chunks by the status of their enrichment. */
  readonly chunks: { readonly complete: number; readonly partial: number; readonly failed: number };
  /**
   * Tokens of all answers of this stage, also of those that were of no use, and the number of calls. What cutting took
   * is in the `Decisions`.
   */
  readonly usage: TokenUsage & { readonly calls: number };
}
