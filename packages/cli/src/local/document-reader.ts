// The reading and drawing of documents as a port: in this thread here, in threads in threaded-reader.ts.
import type { Document } from '@grainline/core';
import { type BytesSource, readSource, type ReadOptions } from '@grainline/pipeline';
import type { DrawnPages } from '../output/layout.ts';
import type { PictureOptions } from './draw-pages.ts';

/** Reads and draws documents. */
export interface DocumentReader {
  /**
   * Does what `readSource` does for the bytes of a file. Rejects with an ExtractError `too_complex` when a page takes
   * longer than the time limit.
   */
  readonly read: (source: BytesSource, options: ReadOptions) => Promise<Document>;
  /** Does what `drawPages` does, with the same time limit for a page. */
  readonly draw: (
    bytes: Uint8Array,
    document: Pick<Document, 'regions'>,
    options: PictureOptions,
  ) => Promise<DrawnPages | undefined>;
  /** Ends the threads. */
  readonly close: () => Promise<void>;
}

/** Reads everything in this thread. */
export const DIRECT_READER: DocumentReader = {
  read: readSource,
  draw: async (...drawing) => (await import('./draw-pages.ts')).drawPages(...drawing),
  close: () => Promise.resolve(),
};
