// Pinecone. With vectors: `index.upsert({ records })`. Without: `index.upsertRecords({ records })`, for an index with
// integrated embedding, which embeds the text field itself.
import { ENVELOPE_BYTES, type FlatRecord, type Format, keyRule, textAmong } from './format.ts';

/** A record for an index with integrated embedding: flat, its text under the configured key. */
export type PineconeTextRecord = FlatRecord & { readonly _id: string };

/** A record with its vector; the text is among the metadata. */
export interface PineconeVectorRecord {
  readonly id: string;
  readonly values: number[];
  readonly metadata: FlatRecord;
}

/**
 * Most records and bytes of a request with vectors, as documented; "2 MB" is read as the smaller of its two meanings.
 */
const VECTOR_RECORDS = 1000;
/** Most records of a request with text: the documented batch size of the hosted embedding models. */
const TEXT_RECORDS = 96;
const REQUEST_BYTES = 2_000_000;
/** Most bytes of the metadata of one record, its text among them; documented as 40 KB. */
const METADATA_BYTES = 40_000;

/** The format `pinecone`. */
export const pinecone: Format<PineconeTextRecord, PineconeVectorRecord> = {
  id: 'pinecone',
  summary:
    'Pinecone: index.upsert({ records }), or index.upsertRecords({ records }) when there are no vectors',
  ...textAmong(
    keyRule(
      /^[^$\0\p{Surrogate}][^\0\p{Surrogate}]{0,254}$/u,
      'of 1 to 255 characters, not beginning with $',
      ['id', '_id'],
    ),
  ),
  maxDimensions: 20_000,
  refusesZeroVector: true,
  textOnly: ({ id, text, flat }, { textField }) => ({ _id: id, [textField]: text, ...flat() }),
  withVector: ({ id, text, flat }, { textField }, values) => ({
    id,
    values,
    metadata: { [textField]: text, ...flat() },
  }),
  limits: (first) => ({
    maxRecords: 'values' in first && 'metadata' in first ? VECTOR_RECORDS : TEXT_RECORDS,
    maxBytes: REQUEST_BYTES - ENVELOPE_BYTES,
    maxRecordBytes: METADATA_BYTES,
  }),
  measured: (record) => ('metadata' in record ? record.metadata : record),
  extras: () => ({}),
};
