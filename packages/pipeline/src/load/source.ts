// The port for the place of documents: a folder, a bucket, a sitemap. A source lists its documents without reading
// them, and knows whether the listing names all of them.

/** A document that a source lists. */
export interface SourceEntry {
  /** The document's name in the store; stable from one listing to the next, and unique in the store. */
  readonly documentId: string;
  /** Name in messages; safe to print. */
  readonly shown: string;
  /** Base name, a hint of the kind. */
  readonly filename?: string | undefined;
  /** Address of the document. */
  readonly url?: string | undefined;
  /** Length in bytes; undefined when the listing does not tell it. */
  readonly size?: number | undefined;
  /** Time of the last change, in milliseconds since 1970. Equal sizes and times mean equal contents. */
  readonly modifiedMs?: number | undefined;
  /** Changes with the content: an ETag. Equal tags mean equal contents. */
  readonly etag?: string | undefined;
  /** Reads the content. Rejects when it cannot be read, or with the signal's reason. */
  readonly read: (signal: AbortSignal) => Promise<SourceContent>;
}

/** The content of a document. */
export interface SourceContent {
  readonly bytes: Uint8Array;
  /** Content type by the host. */
  readonly contentType?: string | undefined;
}

/** A part of a source that cannot be listed or loaded. */
export interface SourceIssue {
  readonly shown: string;
  readonly error: unknown;
  /** True when the issue may hide documents, so that a document missing from the listing may still exist. */
  readonly hides: boolean;
}

/** A place of documents. */
export interface LoadSource {
  /** Name of the source. Loads of one name exclude each other, and only a source's own documents are pruned. */
  readonly id: string;
  /**
   * True when a listing without hiding issues names every document of the source, as for a folder. False for documents
   * that are named one by one.
   */
  readonly isWhole: boolean;
  /** Lists the documents. Rejects with the signal's reason, and when nothing can be listed. */
  list(signal: AbortSignal): AsyncIterable<SourceEntry | SourceIssue>;
}
