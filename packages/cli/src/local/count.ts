// The characters of a document. Services bound them, and counting proves that the document is readable.
import { extract, type Kind } from '@grainline/extract';

/** A document of a known kind. */
export interface Readable {
  readonly bytes: Uint8Array;
  readonly filename?: string | undefined;
  /** Declares only the encoding. */
  readonly contentType?: string | undefined;
  readonly kind: Kind;
}

/**
 * Reads a document as a service does. Rejects with an ExtractError, an error with its code, or the signal's reason.
 */
export type CountCharacters = (document: Readable, signal: AbortSignal) => Promise<number>;

/** Counts in this thread and blocks it meanwhile. */
export const countHere: CountCharacters = async ({ bytes, filename, contentType, kind }, signal) =>
  (await extract(bytes, { filename, contentType, kind, signal })).text.length;
