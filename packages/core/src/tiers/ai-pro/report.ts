// A report on the enrichment of a document's chunks, as data: for accounting, and for an honest answer to the client.
import type { TokenUsage } from '../../complete.ts';

/** The results of describing a document's chunks by a language model, in numbers. The object can be stored as JSON. */
export interface EnrichmentReport {
  /** Version of the model's instructions. */
  readonly promptVersion: string;
  /**
   * The model's name, as its service gives it; several names, separated by commas in order of appearance, when a
   * fallback answered. Empty without any answer.
   */
  readonly model: string;
  /**
   * The part of the document in each request: an outline by the model (`model`), an outline of headings and first
   * sentences because the model made none (`headings`), or all of a short document (`whole`).
   */
  readonly outline: 'model' | 'headings' | 'whole';
  /** Why the model made no outline, when `outline` is `headings`: the code of the last error. */
  readonly outlineFallback?: string;
  /** Number of sections; a section is a stretch of chunks in one request. */
  readonly sections: number;
  /** Indexes of sections without any enriched chunk. */
  readonly sectionsFailed: readonly number[];
  /** Number of chunks by the status of their enrichment. */
  readonly chunks: { readonly complete: number; readonly partial: number; readonly failed: number };
  /**
   * Tokens of all answers of this stage, also of unusable ones, and the number of calls. The tokens of cutting are in
   * the `Decisions`.
   */
  readonly usage: TokenUsage & { readonly calls: number };
}
