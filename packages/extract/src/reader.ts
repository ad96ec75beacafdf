// What a reader is: one document kind, from bytes to a Document. Adding a kind is a folder in readers/ and a
// line in its registry.
import type { Document } from '@grainline/core';

/** What is known of a file before it is read. */
export interface Source {
  readonly bytes: Uint8Array;
  /** Base name, as given. */
  readonly filename?: string | undefined;
  /** Charset that the transport declares (HTTP Content-Type), in lower case. */
  readonly charset?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of each page that was read; by readers of kinds that have pages. */
  readonly onPage?: ((progress: PageProgress) => void) | undefined;
}

/** How far a document with pages is read. */
export interface PageProgress {
  /** Pages that were read, also those that cannot be. */
  readonly done: number;
  /** Pages that the file says it has: a damaged one may have fewer, and then it ends before them. */
  readonly total: number;
}

/** The kinds of document that can be read. */
export type Kind = 'pdf' | 'docx' | 'html' | 'markdown' | 'txt';

/** Reads one kind of document. */
export interface Reader {
  readonly kind: Kind;
  /** File name endings without the dot, the first being the usual one. */
  readonly extensions: readonly string[];
  /** Media types without parameters, the first being the one that a Document of this kind carries. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Rejects with an ExtractError when the document is at fault, with the signal's reason when aborted. */
  readonly read: (source: Source) => Promise<Document>;
}
