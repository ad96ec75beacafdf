// Qdrant: `client.upsert(collection, { points })`. Its points must have a `vector`; an empty one stores the payload
// alone.
import { ENVELOPE_BYTES, type FlatRecord, type Format, keyRule, textAmong } from './format.ts';

/** A point whose payload alone is stored. */
export interface QdrantTextRecord {
  readonly id: string;
  readonly vector: Readonly<Record<string, never>>;
  readonly payload: FlatRecord;
}

/** A point with its vector. */
export interface QdrantVectorRecord {
  readonly id: string;
  readonly vector: number[];
  readonly payload: FlatRecord;
}

/** Qdrant's default `max_request_size_mb`. The limit is on bytes, not on points. */
const REQUEST_BYTES = 32 * 2 ** 20;

/** The format `qdrant`. */
export const qdrant: Format<QdrantTextRecord, QdrantVectorRecord> = {
  id: 'qdrant',
  summary: 'Qdrant: client.upsert(collection, { points })',
  // Any other character would have to be quoted in every filter that names the key.
  ...textAmong(
    keyRule(
      /^[A-Za-z_][A-Za-z0-9_-]{0,254}$/,
      'a letter or _ followed by at most 254 letters, digits, _ or -',
    ),
  ),
  maxDimensions: 65_536,
  refusesZeroVector: false,
  textOnly: ({ id, text, flat }, { textField }) => ({
    id,
    vector: {},
    payload: { [textField]: text, ...flat() },
  }),
  withVector: ({ id, text, flat }, { textField }, vector) => ({
    id,
    vector,
    payload: { [textField]: text, ...flat() },
  }),
  limits: () => ({ maxRecords: Infinity, maxBytes: REQUEST_BYTES - ENVELOPE_BYTES }),
  measured: (record) => record,
  extras: () => ({}),
};
