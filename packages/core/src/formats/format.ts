// What a format is: how a record of one database looks, what the database allows, and the values a record is made of.
// Wire names are snake_case, because these are the very objects that go over the wire.
import type { ContextPart, Enriched, EnrichmentStatus } from '../cut.ts';

/** A value that every database stores as it is. */
export type Scalar = string | number | boolean;

/** What a caller adds about a document: a tenant, an author, a date. */
export type OwnMetadata = Readonly<Record<string, Scalar>>;

// An alias, not an interface: only aliases fit the open record types of the stores' clients.
/** A chunk's place and size. A key is absent when there is nothing to say, never null. */
export type ChunkFields = Readonly<{
  /** Position among the document's chunks, from 0. */
  chunk_index: number;
  /** Length of the record's text in UTF-16 units, context included. */
  char_count: number;
  /** Where the chunk starts in the document's text, in UTF-16 units, overlap included. */
  start_offset: number;
  end_offset: number;
  /** Leading units, after the context, that repeat the chunk before; absent when there are none. */
  overlap_chars?: number;
  /** Where, in the record's text, the document's own text starts; absent when nothing stands before it. */
  content_start?: number;
  /** First and last page, from 1. */
  page_start?: number;
  page_end?: number;
  /** The headings over all of the chunk, its own among them, outermost first, joined by ` > `. */
  heading_path?: string;
  /** True when one code point alone is longer than the maximum. */
  oversize?: true;
}>;

/** What a language model says of a chunk, flat: lists are one text. A key is absent when there is nothing to say. */
export type EnrichmentFields = Readonly<{
  title?: string;
  summary?: string;
  /** Joined by `, `. */
  keywords?: string;
  /** One a line. */
  questions?: string;
  /** Joined by `, `. */
  entities?: string;
  /** Also the first line of the text. */
  context?: string;
  enrichment_status?: EnrichmentStatus;
}>;

/** What a database record says besides its text: flat, one type a key, no null, nothing empty, nothing nested. */
export type FlatMetadata = ChunkFields &
  EnrichmentFields & {
    readonly document_id: string;
    readonly total_chunks: number;
    readonly filename?: string;
    readonly source_url?: string;
    readonly tier?: string;
    readonly content_type?: string;
    readonly language?: string;
  };

/**
 * {@link FlatMetadata} together with the caller's own metadata, and in some formats with the text under its configured
 * key.
 */
export type FlatRecord = FlatMetadata & OwnMetadata;

/** A piece of injected context, with its place in the document's text, in UTF-16 units. */
export interface ContextFields {
  readonly kind: ContextPart['kind'];
  readonly text: string;
  readonly start_offset: number;
  readonly end_offset: number;
}

/** Everything a format may take from one chunk. All strings are {@link storable}. */
export interface RecordSource {
  /** UUID of version 5, in lower case; the same in every format. */
  readonly id: string;
  /** What to embed: context, then the chunk's own text. */
  readonly text: string;
  readonly fields: ChunkFields;
  /** The parts of the context before the chunk's own text, in order; absent when there are none. */
  readonly context?: readonly ContextFields[];
  /** What a language model says of the chunk; absent when none was asked. */
  readonly enriched?: Enriched;
  /** All that databases store beside the text; made when asked for. */
  readonly flat: () => FlatRecord;
  /** The caller's own metadata, which are in `flat` too; absent when there are none. */
  readonly own?: OwnMetadata;
  readonly vector?: number[];
}

/** The names a caller may choose; each format says which of them it takes. */
export interface RecordNames {
  /** What the store calls the place the records go to, where the record itself says it. */
  readonly collection: string;
  /** Key of the text. */
  readonly textField: string;
}

/** Which names a store allows. */
export interface KeyRule {
  /** Completes "must be …". */
  readonly expected: string;
  readonly allows: (name: string) => boolean;
}

/** A name that a format takes: its default and what the store allows. */
export interface NameRule extends KeyRule {
  readonly fallback: string;
}

/** What one request to a store may hold. */
export interface BatchLimits {
  readonly maxRecords: number;
  /** UTF-8 bytes of the JSON array of the request's records. */
  readonly maxBytes: number;
  /** UTF-8 bytes of what {@link Format.measured} gives, for each record; absent when the store sets none. */
  readonly maxRecordBytes?: number;
}

/**
 * A shape for records. Adding one is a file in this folder and a line in its registry. Methods are pure and give
 * plain objects that JSON keeps as they are.
 */
export interface Format<TextOnly = unknown, WithVector = unknown, Extras extends object = object> {
  readonly id: string;
  /** For help texts and tables: which store, and the call that takes the records. */
  readonly summary: string;
  readonly names: Readonly<Partial<Record<keyof RecordNames, NameRule>>>;
  /** Keys that the caller's own metadata may have; none of them is one of {@link FLAT_KEYS}. */
  readonly ownKeys: KeyRule;
  /** Longest vector that the store takes. */
  readonly maxDimensions: number;
  /** True when the store refuses a vector of zeros. */
  readonly refusesZeroVector: boolean;
  textOnly(source: RecordSource, names: RecordNames): TextOnly;
  withVector(source: RecordSource, names: RecordNames, vector: number[]): WithVector;
  /** All records of one call are of one shape, so the first tells the limits. */
  limits(first: TextOnly | WithVector): BatchLimits;
  /** The part of a record that counts against `maxRecordBytes`. */
  measured(record: TextOnly | WithVector): unknown;
  extras(records: readonly (TextOnly | WithVector)[]): Extras;
}

/** Room in a request for what stands around its records: braces, keys, a namespace or collection name. */
export const ENVELOPE_BYTES = 2048;

/** The limits of a store that sets none. */
export const UNLIMITED: BatchLimits = { maxRecords: Infinity, maxBytes: Infinity };

/** Keys of {@link FlatMetadata}; no text field and no key of the caller's may bear one of these names. */
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
  'heading_path',
  'oversize',
  'title',
  'summary',
  'keywords',
  'questions',
  'entities',
  'context',
  'enrichment_status',
  'tier',
  'content_type',
  'language',
];

/** A rule for a key of the metadata: a pattern, and none of those that are ours, nor those that the store keeps. */
export function keyRule(pattern: RegExp, described: string, kept: readonly string[] = []): KeyRule {
  const taken = new Set<string>([...FLAT_KEYS, ...kept]);
  return {
    expected: `${described}, and none of ${[...taken].join(', ')}`,
    allows: (name) => pattern.test(name) && !taken.has(name),
  };
}

/** Both rules of a store that has the text among its metadata: one for its key, one for the caller's own. */
export function textAmong(keys: KeyRule): { names: { textField: NameRule }; ownKeys: KeyRule } {
  return { names: { textField: { ...keys, fallback: 'text' } }, ownKeys: keys };
}
