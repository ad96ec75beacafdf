// Records on their way into a database: checks against the spec of the store, the hash that tells a change, and
// batches.
import { hash } from 'node:crypto';
import { type ChunkRecord, type ChunkVectorRecord, type StoreSpec, VectorStoreError } from '@grainline/core';
import type { EmbeddingFields } from '@grainline/core/formats';
import type { ChunkRow, RequestLimits } from '../connection.ts';

/** Keys of the metadata that name the source of the vector. They are the store's, and play no part in the hash. */
const EMBEDDING_KEYS: readonly string[] = [
  'embedding_model',
  'embedding_dimensions',
  'embedding_blend',
] satisfies (keyof EmbeddingFields)[];

/** SHA-256 of a record's text and metadata, whatever the order of keys, without vector and embedder. */
export function hashOf({ document, metadata }: ChunkRecord): string {
  const members = Object.entries(metadata)
    .filter(([key]) => !EMBEDDING_KEYS.includes(key))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', JSON.stringify([document, members]));
}

/** The metadata that all records of the store have. */
export function embeddingFieldsOf({ embedding }: StoreSpec): EmbeddingFields {
  const { model, dimensions, blend = 0 } = embedding;
  return {
    embedding_model: model,
    embedding_dimensions: dimensions,
    ...(blend > 0 ? { embedding_blend: blend } : undefined),
  };
}

/**
 * The records as they are to be written, without those that a later record of the same id replaces; `vectors` has the
 * stored vectors of records that come without one.
 */
export function rowsOf(
  records: readonly (ChunkRecord | ChunkVectorRecord)[],
  spec: StoreSpec,
  vectors: ReadonlyMap<string, readonly number[]>,
): ChunkRow[] {
  const fields = embeddingFieldsOf(spec);
  return records.map((record) => {
    const embedding = 'embedding' in record ? record.embedding : vectors.get(record.id);
    if (embedding === undefined)
      throw new VectorStoreError(
        'missing_vector',
        `The record ${record.id} came without a vector, and the store has none of this id; embed its text.`,
      );
    const { id, document } = record;
    const metadata = { ...record.metadata, ...fields };
    return { id, document, metadata, embedding, hash: hashOf({ id, document, metadata }) };
  });
}

/** The last record of each id, in the order of the first. */
export function lastOfEach<Entry extends { readonly id: string }>(records: readonly Entry[]): Entry[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

/**
 * Throws unless every record fits the store.
 *
 * @throws VectorStoreError `invalid_options`, `other_dimensions`, `other_embedder`
 */
export function assertRecords(
  records: readonly (ChunkRecord | ChunkVectorRecord)[],
  { embedding: { model, dimensions } }: StoreSpec,
): void {
  for (const [index, record] of records.entries()) {
    assertRecord(record, index);
    const vector = 'embedding' in record ? record.embedding : undefined;
    if (vector !== undefined && vector.length !== dimensions)
      throw new VectorStoreError(
        'other_dimensions',
        `Record ${index} has a vector of ${vector.length} numbers, and the store has vectors of ${dimensions}; embed with ${model}.`,
      );
    if (vector?.every(Number.isFinite) === false || vector?.every((value) => value === 0) === true)
      throw new VectorStoreError(
        'invalid_options',
        `The vector of record ${index} must have finite numbers, and not 0 alone.`,
      );
    const named = record.metadata.embedding_model;
    if (named !== undefined && named !== model)
      throw new VectorStoreError(
        'other_embedder',
        `Record ${index} is embedded by ${named}, and the store by ${model}; embed with ${model}.`,
      );
  }
}

function assertRecord(record: unknown, index: number): void {
  const { id, document, metadata } = Object(record) as Readonly<Record<string, unknown>>;
  const { document_id: documentId, chunk_index: at } = Object(metadata) as Readonly<Record<string, unknown>>;
  if (typeof id === 'string' && typeof document === 'string' && typeof documentId === 'string')
    if (UUID.test(id) && Number.isSafeInteger(at)) {
      assertKeys(Object(metadata) as object, index);
      return;
    }
  throw new VectorStoreError(
    'invalid_options',
    `Record ${index} must be one that toRecords(…, 'chroma', …) makes, with a UUID, a text and metadata.`,
  );
}

/** Databases that keep text and metadata together have these keys for themselves. */
function assertKeys(metadata: object, index: number): void {
  const taken = Object.keys(metadata).find((key) => key === 'text' || key.startsWith('grainline_'));
  if (taken !== undefined)
    throw new VectorStoreError(
      'invalid_options',
      `Record ${index} has metadata of the name ${taken}, which the store uses itself; choose another name.`,
    );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The rows in batches that one request can hold.
 *
 * @throws VectorStoreError `record_too_large` for one that no request can hold
 */
export function batchesOf(rows: readonly ChunkRow[], limits: RequestLimits): ChunkRow[][] {
  const { maxRecords, maxBytes, maxMetadataBytes = Infinity } = limits;
  for (const { id, document, metadata } of maxMetadataBytes < Infinity ? rows : []) {
    const bytes = Buffer.byteLength(JSON.stringify({ ...metadata, text: document }));
    if (bytes > maxMetadataBytes)
      throw new VectorStoreError(
        'record_too_large',
        `The record ${id} takes ${bytes} bytes, but the database takes at most ${maxMetadataBytes}; cut smaller chunks.`,
      );
  }
  const batches: ChunkRow[][] = [];
  let left = -Infinity;
  for (const [index, row] of rows.entries()) {
    const bytes = bytesOf(row);
    if (bytes > maxBytes)
      throw new VectorStoreError(
        'record_too_large',
        `Record ${index} (${JSON.stringify(row.id)}) takes ${bytes} bytes, but the database takes at most ${maxBytes}; cut smaller chunks.`,
      );
    left -= bytes;
    const batch = batches.at(-1);
    if (batch === undefined || left < 0 || batch.length >= maxRecords) {
      batches.push([row]);
      left = maxBytes - bytes;
    } else batch.push(row);
  }
  return batches;
}

/** Longest number of 64 bits in JSON, with its comma. To measure each number would take a fifth of a first load. */
const NUMBER_BYTES = 25;

/** Bytes of a row in a request, at most. */
function bytesOf({ embedding, ...bare }: ChunkRow): number {
  return Buffer.byteLength(JSON.stringify(bare)) + NUMBER_BYTES * (embedding.length + 1);
}

/** A list in parts of at most `most` members. */
export function partsOf<Member>(members: readonly Member[], most: number): Member[][] {
  const parts: Member[][] = [];
  for (let first = 0; first < members.length; first += most) parts.push(members.slice(first, first + most));
  return parts;
}
