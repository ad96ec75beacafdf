// raw: no database in particular. The chunk with its place; what is known of the document stands beside the records.
import { type ChunkFields, type Format, UNLIMITED } from './format.ts';

export interface RawRecord {
  readonly id: string;
  readonly text: string;
  readonly metadata: ChunkFields;
}

export type RawVectorRecord = RawRecord & { readonly embedding: number[] };

export const raw: Format<RawRecord, RawVectorRecord> = {
  id: 'raw',
  summary: 'plain chunks with ids and offsets, for anything',
  names: {},
  maxDimensions: Infinity,
  refusesZeroVector: false,
  textOnly: ({ id, text, fields }) => ({ id, text, metadata: fields }),
  withVector: ({ id, text, fields }, _names, embedding) => ({ id, text, metadata: fields, embedding }),
  limits: () => UNLIMITED,
  measured: (record) => record,
  extras: () => ({}),
};
