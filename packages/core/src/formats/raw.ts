// raw: no database in particular. The chunk with its place and where its context comes from; what is known of the document stands beside the records.
import { type ChunkFields, type ContextFields, type Format, type RecordSource, UNLIMITED } from './format.ts';

export interface RawRecord {
  readonly id: string;
  readonly text: string;
  readonly metadata: ChunkFields;
  /** What stands in `text` before the chunk's own text, part by part; absent when nothing does. */
  readonly context?: readonly ContextFields[];
}

export type RawVectorRecord = RawRecord & { readonly embedding: number[] };

export const raw: Format<RawRecord, RawVectorRecord> = {
  id: 'raw',
  summary: 'plain chunks with ids and offsets, for anything',
  names: {},
  maxDimensions: Infinity,
  refusesZeroVector: false,
  textOnly: recordOf,
  withVector: (source, _names, embedding) => ({ ...recordOf(source), embedding }),
  limits: () => UNLIMITED,
  measured: (record) => record,
  extras: () => ({}),
};

function recordOf({ id, text, fields, context }: RecordSource): RawRecord {
  return { id, text, metadata: fields, ...(context === undefined ? undefined : { context }) };
}
