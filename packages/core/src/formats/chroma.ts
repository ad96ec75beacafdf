// Chroma: `collection.upsert(columns)`; in Python `collection.upsert(**columns)`. Its call takes columns, so they stand
// beside the records. Metadata are scalars, which every server version takes.
import { issueUnless, assertNoIssues } from '../errors.ts';
import { ENVELOPE_BYTES, type FlatRecord, type Format, keyRule } from './format.ts';

/** A record without a vector: the collection's own embedding function makes one. */
export interface ChromaTextRecord {
  readonly id: string;
  readonly document: string;
  readonly metadata: FlatRecord;
}

/** A record with its vector. */
export type ChromaVectorRecord = ChromaTextRecord & { readonly embedding: number[] };

/** The records as Chroma's calls take them: equally long columns; `embeddings` only when there are vectors. */
export interface ChromaColumns {
  readonly ids: string[];
  readonly documents: string[];
  readonly metadatas: FlatRecord[];
  readonly embeddings?: number[][];
}

/**
 * Most records of a request: what a server itself reports as `max_batch_size`. It is the number of variables that
 * SQLite takes, 32,766, over the six of each record.
 */
const BATCH_RECORDS = 5461;
/** The server's default `max_payload_size_bytes`. */
const REQUEST_BYTES = 40 * 2 ** 20;

/** The format `chroma`. */
export const chroma: Format<ChromaTextRecord, ChromaVectorRecord, { readonly columns: ChromaColumns }> = {
  id: 'chroma',
  summary: 'Chroma: collection.upsert(columns)',
  names: {},
  // Keys with the server's name before a colon are its own.
  ownKeys: keyRule(
    /^(?!chroma:)[^\0\p{Surrogate}]{1,255}$/u,
    'of 1 to 255 characters, not beginning with chroma:',
  ),
  maxDimensions: 65_536,
  refusesZeroVector: false,
  textOnly: ({ id, text, flat }) => ({ id, document: text, metadata: flat() }),
  withVector: ({ id, text, flat }, _names, embedding) => ({
    id,
    document: text,
    metadata: flat(),
    embedding,
  }),
  limits: () => ({ maxRecords: BATCH_RECORDS, maxBytes: REQUEST_BYTES - ENVELOPE_BYTES }),
  measured: (record) => record,
  extras: (records) => ({ columns: columnsOf(records) }),
};

/**
 * Turns records, or a slice that {@link batches} yielded, into the columns that Chroma's calls take.
 *
 * @throws ChunkError `invalid_options` when the records are of another format
 */
export function columnsOf(records: readonly (ChromaTextRecord | ChromaVectorRecord)[]): ChromaColumns {
  const holds = records.every((record) => 'document' in record);
  assertNoIssues(issueUnless(holds, 'records', 'those of the format chroma', records));
  const embeddings = records.flatMap((record) => ('embedding' in record ? [record.embedding] : []));
  return {
    ids: records.map(({ id }) => id),
    documents: records.map(({ document }) => document),
    metadatas: records.map(({ metadata }) => metadata),
    ...(embeddings.length > 0 ? { embeddings } : undefined),
  };
}
