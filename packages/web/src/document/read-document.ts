// The page's part of a document that the worker has read.
import type { DocumentRegions } from '@grainline/core';
import type { PageProgress } from '@grainline/extract';
import type { BlockTable } from './block-table.ts';

/** Progress of reading by pages: all of them, or those that OCR reads. */
export interface ReadProgress extends PageProgress {
  readonly isOcr?: boolean;
}

/** A read document. The worker keeps the document itself for the cuts. */
export interface ReadDocument {
  readonly text: string;
  /** Offset at which each page starts; empty when the document has no pages. */
  readonly pages: readonly number[];
  readonly mediaType: string;
  readonly filename: string;
  readonly title?: string | undefined;
  /** True when the whole text is a program. */
  readonly isCode: boolean;
  readonly blocks: BlockTable;
  readonly estimatedPages: number;
  /** Hash of the bytes, from which the ids of records are made. */
  readonly documentId: string;
  readonly warnings: readonly string[];
  /** True when it has scanned pages that were not read. */
  readonly hasScans: boolean;
  /** Width and height of each page of a PDF, in points; absent for files whose pages cannot be drawn. */
  readonly sheets?: Float32Array | undefined;
  /** The places of the text on the pages. */
  readonly regions?: DocumentRegions | undefined;
}
