// The page's part of a document that the worker has read.
import type { CodeSpans } from './code.ts';

/** A read document. The worker keeps its blocks for the cuts. */
export interface ReadDocument {
  readonly text: string;
  /** Offset at which each page starts; empty when the document has no pages. */
  readonly pages: readonly number[];
  readonly mediaType: string;
  readonly filename: string;
  readonly title?: string | undefined;
  /** True when the whole text is a program. */
  readonly isCode: boolean;
  /** Programs in a text with other content; in order, none inside another. */
  readonly code: CodeSpans;
  readonly estimatedPages: number;
  /** Hash of the bytes, from which the ids of records are made. */
  readonly documentId: string;
  readonly warnings: readonly string[];
}
