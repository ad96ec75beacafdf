// raw: no database in particular. The chunk with its place and where its context comes from; what is known of the
// document stands beside the records.
import type { Enriched, Enrichment, EnrichmentReason, EnrichmentStatus } from '../cut.ts';
import {
  type ChunkFields,
  type ContextFields,
  type Format,
  keyRule,
  type OwnMetadata,
  type RecordSource,
  UNLIMITED,
} from './format.ts';

/** A chunk as the service answers it: what is embedded, and where it stands. */
export interface RawRecord {
  readonly id: string;
  readonly text: string;
  readonly metadata: ChunkFields & OwnMetadata;
  /** What stands in `text` before the chunk's own text, part by part; absent when nothing does. */
  readonly context?: readonly ContextFields[];
  /**
   * What a language model says of the chunk; its context is the first line of `text`. Absent when none was asked, or it
   * failed.
   */
  readonly enrichment?: Enrichment;
  /** Whether all of that is there; absent when no model was asked. */
  readonly enrichment_status?: EnrichmentStatus;
  /** What is missing of it, and why; absent when all is there. */
  readonly enrichment_reasons?: readonly EnrichmentReason[];
}

/** The same with its vector. */
export type RawVectorRecord = RawRecord & { readonly embedding: number[] };

/** The format `raw`. */
export const raw: Format<RawRecord, RawVectorRecord> = {
  id: 'raw',
  summary: 'plain chunks with ids and offsets, for anything',
  names: {},
  ownKeys: keyRule(/^[^\0\p{Surrogate}]{1,255}$/u, 'of 1 to 255 characters'),
  maxDimensions: Infinity,
  refusesZeroVector: false,
  textOnly: recordOf,
  withVector: (source, _names, embedding) => ({ ...recordOf(source), embedding }),
  limits: () => UNLIMITED,
  measured: (record) => record,
  extras: () => ({}),
};

function recordOf({ id, text, fields, own, context, enriched }: RecordSource): RawRecord {
  return {
    id,
    text,
    metadata: own === undefined ? fields : { ...own, ...fields },
    ...(context === undefined ? undefined : { context }),
    ...(enriched === undefined ? undefined : enrichedOf(enriched)),
  };
}

function enrichedOf({
  enrichment,
  enrichmentStatus,
  enrichmentReasons,
}: Enriched): Pick<RawRecord, 'enrichment' | 'enrichment_status' | 'enrichment_reasons'> {
  return {
    ...(enrichment === undefined ? undefined : { enrichment }),
    enrichment_status: enrichmentStatus,
    ...(enrichmentReasons === undefined ? undefined : { enrichment_reasons: enrichmentReasons }),
  };
}
