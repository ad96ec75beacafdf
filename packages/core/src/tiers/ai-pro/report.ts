// How describing the chunks of a document went, as data: for accounting, and for whoever has to tell a client the
// truth.
import type { TokenUsage } from '../../complete.ts';

/** What a language model has said of the chunks of a document, in numbers. JSON as it stands. */
export interface EnrichmentReport {
  /** Of the instructions that the model was given. */
  readonly promptVersion: string;
  /**
   * The model, as its service names it; several in order of appearance when a fallback answered, with commas. Empty
   * when none was asked.
   */
  readonly model: string;
  /**
   * What the model was shown of the document with each section: an outline that it made (`model`), one of headings and
   * first sentences because it could make none (`headings`), or all of a short document (`whole`).
   */
  readonly outline: 'model' | 'headings' | 'whole';
  /** Why the model made no outline, when `outline` is `headings`: the code of the last error. */
  readonly outlineFallback?: string;
  /** Sections: stretches of chunks that one question is about. */
  readonly sections: number;
  /** Indexes of sections of which no chunk has an enrichment. */
  readonly sectionsFailed: readonly number[];
  /** Chunks by their status. */
  readonly chunks: { readonly complete: number; readonly partial: number; readonly failed: number };
  /**
   * Of all answers of this stage that came, also those that were of no use; what cutting took stands in the decisions.
   */
  readonly usage: TokenUsage & { readonly calls: number };
}
