// The format `raw`, for no particular database: the chunk with its range and the sources of its context. Facts about
// the document stand beside the records.
import type { Enriched, Enrichment, EnrichmentReason, EnrichmentStatus } from '../cut.ts';
import type { RegionBox } from '../regions/compact.ts';
import {
  type ChunkFields,
  type ContextFields,
  type Format,
  keyRule,
  type LinkFields,
  type OwnMetadata,
  type RecordSource,
  UNLIMITED,
} from './format.ts';

/** A chunk as the service returns it: the text to embed, and its range. */
export interface RawRecord {
  readonly id: string;
  readonly text: string;
  readonly metadata: ChunkFields & OwnMetadata;
  /** The parts of `text` that stand before the chunk's own text; absent when there are none. */
  readonly context?: readonly ContextFields[];
  /** The links in the chunk, in order; absent when there are none. */
  readonly links?: readonly LinkFields[];
  /** The boxes of the chunk's own text on the document's pages; absent without the option `regions`. */
  readonly regions?: readonly RegionBox[];
  /** Those of its overlap. */
  readonly overlap_regions?: readonly RegionBox[];
  /**
   * A language model's description of the chunk; its context is the first line of `text`. Absent without a model, and
   * when the model failed.
   */
  readonly enrichment?: Enrichment;
  /** Completeness of the enrichment; absent without a model. */
  readonly enrichment_status?: EnrichmentStatus;
  /** The reasons for missing parts of the enrichment; absent when it is complete. */
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

function recordOf(source: RecordSource): RawRecord {
  const { id, text, fields, own, context, links, regions, overlapRegions, enriched } = source;
  return {
    id,
    text,
    metadata: own === undefined ? fields : { ...own, ...fields },
    ...(context === undefined ? undefined : { context }),
    ...(links === undefined ? undefined : { links }),
    ...(regions === undefined ? undefined : { regions }),
    ...(overlapRegions === undefined ? undefined : { overlap_regions: overlapRegions }),
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
