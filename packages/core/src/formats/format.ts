// The type of a format: the shape of a database's record, the limits of the database, and the values that a record is
// made of. Wire names are snake_case, because exactly these objects go over the wire.
import type { ContextPart, Enriched, EnrichmentStatus } from '../cut.ts';
import type { RegionBox } from '../regions/compact.ts';

/** A value that every database can store unchanged. */
export type Scalar = string | number | boolean;

/** Metadata that the caller adds about a document: a tenant, an author, a date. */
export type OwnMetadata = Readonly<Record<string, Scalar>>;

// An alias, not an interface: only aliases fit the open record types of the stores' clients.
/** A chunk's place and size. A key is absent when there is nothing to say, never null. */
export type ChunkFields = Readonly<{
  /** Position among the document's chunks, from 0. */
  chunk_index: number;
  /** Length of the record's text in UTF-16 units, context included. */
  char_count: number;
  /** Start of the chunk in the document's text, in UTF-16 units, overlap included. */
  start_offset: number;
  end_offset: number;
  /** Leading units, after the context, that repeat the chunk before; absent when there are none. */
  overlap_chars?: number;
  /** Start of the document's own text in the record's text; absent when no context precedes it. */
  content_start?: number;
  /** First and last page, from 1. */
  page_start?: number;
  page_end?: number;
  /** The headings above all of the chunk, its own among them, outermost first, joined by ` > `. */
  /** With the option `regions`, the paragraph of a DOCX and the text fragment of an HTML page: see `Anchor`. */
  paragraph?: number;
  fragment?: string;
  heading_path?: string;
  /** True when one code point alone is longer than the maximum. */
  oversize?: true;
  /** Id and range of the section that holds the chunk, with the option `parents`. */
  section_id?: string;
  section_start?: number;
  section_end?: number;
  /** Id and range of the section one level above. */
  parent_id?: string;
  parent_start?: number;
  parent_end?: number;
}>;

/** A language model's description of a chunk, flat: each list is joined into one text. An empty value has no key. */
export type EnrichmentFields = Readonly<{
  title?: string;
  summary?: string;
  /** Joined by `, `. */
  keywords?: string;
  /** Joined by line ends. */
  questions?: string;
  /** Joined by `, `. */
  entities?: string;
  /** The context, which is also the first line of the record's text. */
  context?: string;
  enrichment_status?: EnrichmentStatus;
}>;

/** A link in a chunk, with the range of its words in the document's text, in UTF-16 units. */
export interface LinkFields {
  readonly start_offset: number;
  readonly end_offset: number;
  readonly href: string;
}

/** The source of a record's vector. Absent in records without vectors. */
export type EmbeddingFields = Readonly<{
  /** Name of the embedder's model. */
  embedding_model?: string;
  embedding_dimensions?: number;
  /** Weight of the neighbours' vectors; absent when the vector is that of the text alone. */
  embedding_blend?: number;
}>;

/** The metadata of a database record. They are flat: one type for each key, no null, nothing empty, nothing nested. */
export type FlatMetadata = ChunkFields &
  EnrichmentFields &
  EmbeddingFields & {
    readonly document_id: string;
    readonly total_chunks: number;
    readonly filename?: string;
    readonly source_url?: string;
    /** The links in the chunk, as the JSON text of a list of {@link LinkFields}. */
    readonly links?: string;
    /** The boxes of the chunk's own text on the document's pages, as the JSON text of a list of {@link RegionBox}. */
    readonly regions?: string;
    /** Those of its overlap. */
    readonly overlap_regions?: string;
    /** Those of each part of the context, as the JSON text of a list of such lists; empty ones without a place. */
    readonly context_regions?: string;
    readonly tier?: string;
    readonly content_type?: string;
    readonly language?: string;
    /** The reader of the document and its version, which rises with each change of texts: `pdf-3`. */
    readonly reader?: string;
  };

/**
 * {@link FlatMetadata} together with the caller's own metadata, and in some formats with the text under its configured
 * key.
 */
export type FlatRecord = FlatMetadata & OwnMetadata;

/** A piece of injected context, with its range in the document's text, in UTF-16 units. */
export interface ContextFields {
  readonly kind: ContextPart['kind'];
  readonly text: string;
  readonly start_offset: number;
  readonly end_offset: number;
  /** The boxes of its source on the document's pages; absent without the option `regions`. */
  readonly regions?: readonly RegionBox[];
}

/** All values that a format may take from one chunk. All strings are {@link storable}. */
export interface RecordSource {
  /** UUID of version 5 in lower case; it is the same in every format. */
  readonly id: string;
  /** The text to embed: the context, then the chunk's own text. */
  readonly text: string;
  readonly fields: ChunkFields;
  /** The parts of the context before the chunk's own text, in order; absent when there are none. */
  readonly context?: readonly ContextFields[];
  /** The links in the chunk, in order; absent when there are none. */
  readonly links?: readonly LinkFields[];
  /** The boxes of the chunk's own text on the document's pages; absent without the option `regions`. */
  readonly regions?: readonly RegionBox[];
  /** Those of its overlap. */
  readonly overlapRegions?: readonly RegionBox[];
  /** A language model's description of the chunk; absent without a model. */
  readonly enriched?: Enriched;
  /** Returns all the metadata that databases store beside the text; computed only for formats that call it. */
  readonly flat: () => FlatRecord;
  /** The caller's own metadata, which are in `flat` too; absent when there are none. */
  readonly own?: OwnMetadata;
  readonly vector?: number[];
}

/** Names that a caller may choose; each format lists those that it takes. */
export interface RecordNames {
  /** The store's name for the target of records, when the record itself carries that name. */
  readonly collection: string;
  /** Key of the text. */
  readonly textField: string;
}

/** The names that a store allows for a key. */
export interface KeyRule {
  /** Completes the sentence "must be …" of an error message. */
  readonly expected: string;
  readonly allows: (name: string) => boolean;
}

/** A name that a format takes: its default and what the store allows. */
export interface NameRule extends KeyRule {
  readonly fallback: string;
}

/** The limits of one request to a store. */
export interface BatchLimits {
  readonly maxRecords: number;
  /** Most UTF-8 bytes of the JSON array of the request's records. */
  readonly maxBytes: number;
  /**
   * Most UTF-8 bytes of the result of {@link Format.measured} for a record; absent when the store has no such limit.
   */
  readonly maxRecordBytes?: number;
}

/**
 * A shape for records. Adding one is a file in this folder and a line in its registry. Methods are pure and give
 * plain objects that JSON keeps as they are.
 */
export interface Format<TextOnly = unknown, WithVector = unknown, Extras extends object = object> {
  readonly id: string;
  /** For help texts and tables: the store, and its call that takes the records. */
  readonly summary: string;
  readonly names: Readonly<Partial<Record<keyof RecordNames, NameRule>>>;
  /** The keys that the caller's own metadata may have; {@link FLAT_KEYS} are taken already. */
  readonly ownKeys: KeyRule;
  /** Longest vector that the store takes. */
  readonly maxDimensions: number;
  /** True when the store rejects a vector of zeros. */
  readonly refusesZeroVector: boolean;
  textOnly(source: RecordSource, names: RecordNames): TextOnly;
  withVector(source: RecordSource, names: RecordNames, vector: number[]): WithVector;
  /** The limits for requests with records like the first; all records of one call have the same shape. */
  limits(first: TextOnly | WithVector): BatchLimits;
  /** The part of a record that counts against `maxRecordBytes`. */
  measured(record: TextOnly | WithVector): unknown;
  extras(records: readonly (TextOnly | WithVector)[]): Extras;
}

/** Bytes kept free in a request for the envelope of its records: braces, keys, a namespace or collection name. */
export const ENVELOPE_BYTES = 2048;

/** The limits of a store without limits. */
export const UNLIMITED: BatchLimits = { maxRecords: Infinity, maxBytes: Infinity };

/** Keys of {@link EmbeddingFields}. */
export const EMBEDDING_KEYS: readonly (keyof EmbeddingFields)[] = [
  'embedding_model',
  'embedding_dimensions',
  'embedding_blend',
];

/** Keys of {@link FlatMetadata}; no text field and no key of the caller may have one of these names. */
export const FLAT_KEYS: readonly (keyof FlatMetadata)[] = [
  'document_id',
  'filename',
  'source_url',
  'chunk_index',
  'total_chunks',
  'char_count',
  'start_offset',
  'end_offset',
  'overlap_chars',
  'content_start',
  'page_start',
  'page_end',
  'paragraph',
  'fragment',
  'heading_path',
  'oversize',
  'section_id',
  'section_start',
  'section_end',
  'parent_id',
  'parent_start',
  'parent_end',
  'title',
  'summary',
  'keywords',
  'questions',
  'entities',
  'context',
  'enrichment_status',
  'links',
  'regions',
  'overlap_regions',
  'context_regions',
  'tier',
  'content_type',
  'language',
  'reader',
  ...EMBEDDING_KEYS,
];

/** A rule for keys of metadata: they match a pattern and are neither ours nor reserved by the store. */
export function keyRule(pattern: RegExp, described: string, kept: readonly string[] = []): KeyRule {
  const taken = new Set<string>([...FLAT_KEYS, ...kept]);
  return {
    expected: `${described}, and none of ${[...taken].join(', ')}`,
    allows: (name) => pattern.test(name) && !taken.has(name),
  };
}

/**
 * The rules of a store that keeps the text among the metadata: one for the key of the text, one for the caller's own
 * keys.
 */
export function textAmong(keys: KeyRule): { names: { textField: NameRule }; ownKeys: KeyRule } {
  return { names: { textField: { ...keys, fallback: 'text' } }, ownKeys: keys };
}
