// How many characters a document has: services bound them, and to count them shows that it can be read.
import { extract, type Kind } from '@grainline/extract';
import type { Upload } from './order.ts';

/** A document, whose kind is known. */
export interface Readable extends Upload {
  readonly kind: Kind;
}

/**
 * Reads a document as a service would. Rejects with an ExtractError, or one with its code; or with the signal's reason.
 */
export type CountCharacters = (document: Readable, signal: AbortSignal) => Promise<number>;

/** Counts in this thread, which the document keeps busy. */
export const countHere: CountCharacters = async ({ bytes, filename, contentType, kind }, signal) =>
  (await extract(bytes, { filename, contentType, kind, signal })).text.length;
