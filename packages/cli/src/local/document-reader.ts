// The reading and drawing of documents as a port: in this thread here, in threads in threaded-reader.ts.
import type { Document } from '@grainline/core';
import { type BytesSource, readSource, type ReadOptions } from '@grainline/pipeline';
import type { DrawnPages } from '../output/layout.ts';
import type { RunLog } from '../output/terminal.ts';
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

/** Shows the pages of a document as they are read. */
export function pageProgress(
  log: Pick<RunLog, 'step'>,
  shown: string,
  ocr: ReadOptions['ocr'],
): Required<Pick<ReadOptions, 'onPage' | 'onOcrPage'>> {
  return {
    // Pages of text take milliseconds, scanned ones seconds.
    onPage: ({ done, total }) =>
      log.step(shown, ocr === undefined ? done / total : 0, `page ${done} of ${total}`),
    onOcrPage: ({ done, total }) => log.step(shown, done / total, `scanned page ${done} of ${total}`),
  };
}

/** Reads everything in this thread. */
export const DIRECT_READER: DocumentReader = {
  read: readSource,
  draw: async (...drawing) => (await import('./draw-pages.ts')).drawPages(...drawing),
  close: () => Promise.resolve(),
};
