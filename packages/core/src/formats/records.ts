// Chunks in, records out, in the shape that a store's own client takes: the last arrow of the line.
import type { Chunk } from '../chunk.ts';
import type { Warning } from '../document.ts';
import { assertNoIssues } from '../errors.ts';
import { adviseUpsert, oversizedRecords, type UpsertAdvice } from './batches.ts';
import type { Format, RecordNames } from './format.ts';
import { chunkIssues } from './identify.ts';
import { type RecordOptions, recordIssues } from './options.ts';
import { type ExtrasOf, FORMATS, type FormatId, type TextRecord, type VectorRecord } from './registry.ts';
import { sourcesOf, type Vector } from './source.ts';

/** Records, with what belongs beside them. */
export interface Formatted<Entry, Extras> {
  /** One record a chunk, in order. */
  readonly records: Entry[];
  /**
   * Members of an answer that stand beside the records: `columns` for Chroma, `upsert` when one request cannot hold all
   * records.
   */
  readonly extras: Extras & { readonly upsert?: UpsertAdvice };
  /** A warning `record_too_large` for each record that the store will refuse because its chunk is too long. */
  readonly warnings: readonly Warning[];
}

/**
 * Turns chunks into the records of a format, in order, ready for the store's client. Ids are those of {@link identify},
 * the same in every format; metadata are flat. Linear in the length of the text.
 *
 * @throws ChunkError `invalid_options` with every issue.
 * @example
 * const points = toRecords(chunkSync(text), 'qdrant', { documentId: 'handbook.pdf', vectors });
 * await client.upsert('handbook', { points });
 */
export function toRecords<Id extends FormatId>(
  chunks: readonly Chunk[],
  format: Id,
  options: RecordOptions & { readonly vectors: readonly Vector[] },
): VectorRecord<Id>[];
export function toRecords<Id extends FormatId>(
  chunks: readonly Chunk[],
  format: Id,
  options: RecordOptions & { readonly vectors?: never },
): TextRecord<Id>[];
export function toRecords<Id extends FormatId>(
  chunks: readonly Chunk[],
  format: Id,
  options: RecordOptions,
): (TextRecord<Id> | VectorRecord<Id>)[];
export function toRecords(chunks: readonly Chunk[], format: FormatId, options: RecordOptions): unknown[] {
  return formatChunks(chunks, format, options).records;
}

/**
 * Does what {@link toRecords} does and also returns what belongs beside the records: columns, advice for the upsert,
 * warnings.
 *
 * @throws ChunkError `invalid_options` with every issue.
 */
export function formatChunks<Id extends FormatId>(
  chunks: readonly Chunk[],
  format: Id,
  options: RecordOptions & { readonly vectors: readonly Vector[] },
): Formatted<VectorRecord<Id>, ExtrasOf<Id>>;
export function formatChunks<Id extends FormatId>(
  chunks: readonly Chunk[],
  format: Id,
  options: RecordOptions & { readonly vectors?: never },
): Formatted<TextRecord<Id>, ExtrasOf<Id>>;
export function formatChunks<Id extends FormatId>(
  chunks: readonly Chunk[],
  format: Id,
  options: RecordOptions,
): Formatted<TextRecord<Id> | VectorRecord<Id>, ExtrasOf<Id>>;
export function formatChunks(
  chunks: readonly Chunk[],
  format: FormatId,
  options: RecordOptions,
): Formatted<unknown, object> {
  assertNoIssues([
    ...chunkIssues(chunks),
    ...recordIssues(format, options, Array.isArray(chunks) ? chunks : undefined),
  ]);
  const shape: Format = FORMATS[format];
  const names = namesFor(shape, options);
  const records = sourcesOf(chunks, options).map((source) =>
    source.vector === undefined
      ? shape.textOnly(source, names)
      : shape.withVector(source, names, source.vector),
  );
  const upsert = adviseUpsert(records, shape);
  return {
    records,
    extras: { ...shape.extras(records), ...(upsert === undefined ? undefined : { upsert }) },
    warnings: oversizedRecords(records, shape),
  };
}

function namesFor({ names }: Format, { collection, textField }: RecordOptions): RecordNames {
  return {
    collection: collection ?? names.collection?.fallback ?? '',
    textField: textField ?? names.textField?.fallback ?? '',
  };
}
