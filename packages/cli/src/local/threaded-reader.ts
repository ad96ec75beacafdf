// The reading of documents for this thread. PDFium may work on one page of a hostile file for hours, in which this
// thread would take no signal; a thread can be ended. It takes time to start, so documents without PDFs are read here.
import { detectKind, type Kind } from '@grainline/extract';
import { readSource } from '@grainline/pipeline';
import type { Io } from '../io.ts';
import { DIRECT_READER, type DocumentReader } from './document-reader.ts';
import { createThreadPool } from './threads/pool.ts';

/** Kinds that PDFium reads, and kinds whose attachments may be PDFs. */
const PDF_KINDS: readonly (Kind | undefined)[] = ['pdf', 'eml', 'msg'];

/**
 * A reader whose threads start with the first PDF.
 *
 * @param stallMs longest time for a page
 */
export function createDocumentReader(
  { canInterrupt, processors }: Pick<Io, 'canInterrupt' | 'processors'>,
  stallMs: number,
): DocumentReader {
  if (canInterrupt !== true) return DIRECT_READER;
  const pool = createThreadPool({ most: processors, stallMs });
  return {
    async read(source, options) {
      const { bytes, filename, contentType } = source;
      if (!(bytes instanceof Uint8Array)) return readSource(source, options);
      // An unknown kind is the reader's error.
      const kind = await detectKind(bytes, { filename, contentType }).catch(() => undefined);
      return PDF_KINDS.includes(kind) ? pool.read(source, options) : readSource(source, options);
    },
    draw: pool.draw,
    close: pool.close,
  };
}
