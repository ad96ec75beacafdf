// The format `raw`, for no database in particular: the chunk with its place and the sources of its context. What is
// known of the document stands beside the records.
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

/** A chunk as the service answers it: the text to embed, and where it stands. */
export interface RawRecord {
  readonly id: string;
  readonly text: string;
  readonly metadata: ChunkFields & OwnMetadata;
  /** The parts of `text` that stand before the chunk's own text; absent when there are none. */
  readonly context?: readonly ContextFields[];
  /**
   * What a language model says about the chunk; its context is the first line of `text`. Absent when no model was
   * asked, or when it failed.
   */
  readonly enrichment?: Enrichment;
  /** Whether the enrichment is complete; absent when no model was asked. */
  readonly enrichment_status?: EnrichmentStatus;
  /** Which parts of the enrichment are missing, and why; absent when it is complete. */
  readonly enrichment_reasons?: readonly EnrichmentReason[];
}

/** A {@link RawRecord} with its vector. */
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
