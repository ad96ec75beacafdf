// The characters of a document. Services bound them, and counting proves that the document is readable.
import { extract, type Kind, type ReadingOptions } from '@grainline/extract';

/** A document of a known kind. */
export interface Readable {
  readonly bytes: Uint8Array;
  readonly filename?: string | undefined;
  /** Declares only the encoding. */
  readonly contentType?: string | undefined;
  readonly kind: Kind;
  readonly reading?: ReadingOptions | undefined;
}

/**
 * Reads a document as a service does. Rejects with an ExtractError, an error with its code, or the signal's reason.
 */
export type CountCharacters = (document: Readable, signal: AbortSignal) => Promise<number>;

/** Counts in this thread and blocks it meanwhile. */
export const countHere: CountCharacters = async (document, signal) => {
  const { bytes, filename, contentType, kind, reading } = document;
  return (await extract(bytes, { ...reading, filename, contentType, kind, signal })).text.length;
};
