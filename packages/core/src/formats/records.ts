// Chunks in, records out, in the shape that a store's own client takes: the last arrow of the line.
import type { Chunk } from '../chunk.ts';
import type { Warning } from '../document.ts';
import { assertNoIssues } from '../errors.ts';
import { adviseUpsert, oversizedRecords, type UpsertAdvice } from './batches.ts';
import { jsonBytes } from './bytes.ts';
import type { Format, RecordNames } from './format.ts';
import { chunkIssues } from './identify.ts';
import { type RecordOptions, recordIssues } from './options.ts';
import { type ExtrasOf, FORMATS, type FormatId, type TextRecord, type VectorRecord } from './registry.ts';
import { describeSources, sourcesOf, storedText, type Vector } from './source.ts';

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

/** Any id: all are as long. */
const ANY_ID = '00000000-0000-0000-0000-000000000000';
/**
 * Most bytes of one number of a chunk's vector, in JSON with its comma: a sign, `0.`, five zeros and six digits.
 * Smaller numbers have an exponent and are shorter.
 */
export const VECTOR_NUMBER_BYTES = 15;

/**
 * An upper bound on the JSON of the records of {@link formatChunks} and their columns, in UTF-8 bytes, before any of
 * them is made and before the chunks have vectors. Exact up to a few bytes a record, apart from the vectors, whose
 * numbers count {@link VECTOR_NUMBER_BYTES} each. Linear; makes one record at a time, without its id.
 *
 * @param dimensions length of the vectors that the records will have; 0 for none
 */
export function boundRecordBytes(
  chunks: readonly Chunk[],
  format: FormatId,
  options: Omit<RecordOptions, 'vectors'>,
  dimensions = 0,
): number {
  const shape: Format = FORMATS[format];
  const names = namesFor(shape, options);
  const sourceOf = describeSources(chunks.length, options);
  const bytesOf = (piece: Chunk, index: number, vector: number[]): number => {
    const source = sourceOf(piece, index, storedText(piece), ANY_ID);
    const record = dimensions > 0 ? shape.withVector(source, names, vector) : shape.textOnly(source, names);
    return jsonBytes(record) + jsonBytes(shape.extras([record]));
  };
  let bytes = 0;
  for (const [index, piece] of chunks.entries()) bytes += bytesOf(piece, index, []) + 1;
  const [first] = chunks;
  if (first === undefined || dimensions === 0) return bytes;
  // Columns repeat the vectors of the records.
  const copies = bytesOf(first, 0, [0]) - bytesOf(first, 0, []);
  return bytes + copies * chunks.length * dimensions * VECTOR_NUMBER_BYTES;
}

function namesFor({ names }: Format, { collection, textField }: RecordOptions): RecordNames {
  return {
    collection: collection ?? names.collection?.fallback ?? '',
    textField: textField ?? names.textField?.fallback ?? '',
  };
}
