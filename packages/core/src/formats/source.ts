// From chunks to the source of every format's records: ids, texts, and flat metadata.
import { type Chunk, indexedText } from '../chunk.ts';
import type { ContextPart, Enriched, Enrichment, ParentSection } from '../cut.ts';
import type { Link } from '../document.ts';
import type { EmbeddingFacts } from '../embed.ts';
import type {
  ChunkFields,
  ContextFields,
  EmbeddingFields,
  EnrichmentFields,
  FlatMetadata,
  LinkFields,
  OwnMetadata,
  RecordSource,
} from './format.ts';
import { type IdentifyOptions, idsOf, sectionId, storable } from './identify.ts';

/** A vector, as embedders give them: an array of numbers, or a typed one such as a Float32Array. */
export type Vector = ArrayLike<number>;

/** Facts about the document besides its chunks. Unknown and empty values are absent from the records. */
export interface SourceOptions extends IdentifyOptions {
  readonly filename?: string | undefined;
  readonly sourceUrl?: string | undefined;
  /** The tier that made the chunks. */
  readonly tier?: string | undefined;
  /** Media type of the document. */
  readonly contentType?: string | undefined;
  /** Language of the document, as a BCP 47 tag. */
  readonly language?: string | undefined;
  /** `Document.reader`: the reader of the document and its version. Absent for text that no reader has read. */
  readonly reader?: string | undefined;
  /** Metadata of your own for your filters, which every record carries. The store decides which keys are allowed. */
  readonly metadata?: OwnMetadata | undefined;
  /**
   * The source of the vectors, which the metadata of database records then name: `vectorsOf` has it for chunks with
   * vectors. Read only with `vectors`.
   */
  readonly embedding?: Pick<EmbeddingFacts, 'model' | 'dimensions' | 'blend'> | undefined;
  /** One vector for each chunk, in order, all equally long. */
  readonly vectors?: readonly Vector[] | undefined;
}

/**
 * The vectors of chunks that were made with the option `embeddings`, to be passed as the option `vectors`, and the
 * facts about them; `undefined` when a chunk has no vector.
 */
export function vectorsOf(
  chunks: readonly Chunk[],
): { readonly vectors: (readonly number[])[]; readonly embedding: EmbeddingFacts } | undefined {
  const found = chunks.flatMap(({ embedding }) => (embedding === undefined ? [] : [embedding]));
  const [first] = found;
  if (first === undefined || found.length < chunks.length) return undefined;
  const { model, dimensions, normalized, distance, blend } = first;
  const facts = { model, dimensions, normalized, distance };
  const embedding = blend === undefined ? facts : { ...facts, blend };
  return { vectors: found.map(({ vector }) => vector), embedding };
}

/** One {@link RecordSource} for each chunk, in order. Linear. */
export function sourcesOf(chunks: readonly Chunk[], options: SourceOptions): RecordSource[] {
  const texts = chunks.map(storedText);
  const ids = idsOf(texts, options);
  const sourceOf = describeSources(chunks.length, options);
  return chunks.map((piece, index) => sourceOf(piece, index, texts[index] ?? '', ids[index] ?? ''));
}

/** The text of a chunk's record. */
export function storedText(piece: Chunk): string {
  return storable(indexedText(piece));
}

/** Makes the {@link RecordSource} of any chunk of a document with so many chunks. */
export function describeSources(
  totalChunks: number,
  options: SourceOptions,
): (piece: Chunk, index: number, text: string, id: string) => RecordSource {
  const own = ownMetadata(options.metadata);
  const about = { ...own, ...aboutDocument(totalChunks, options) };
  const sectionIds = new Map<ParentSection, string>();
  const idOf = (section: ParentSection): string => {
    const id = sectionIds.get(section) ?? sectionId(section, options);
    sectionIds.set(section, id);
    return id;
  };
  return (piece, index, text, id) => {
    const fields = fieldsOf(piece, index, text.length, idOf);
    const { regions, overlapRegions } = piece.metadata;
    const links = piece.metadata.links?.map(linkOf);
    const source: Mutable<RecordSource> = {
      id,
      text,
      fields,
      flat: () => ({
        ...about,
        ...fields,
        ...enrichmentFieldsOf(piece),
        ...(links === undefined ? undefined : { links: JSON.stringify(links) }),
        ...regionFieldsOf(piece),
      }),
    };
    const { context, enrichmentStatus } = piece;
    const vector = options.vectors?.[index];
    if (own !== undefined) source.own = own;
    if (context !== undefined && context.length > 0) source.context = context.map(partOf);
    if (links !== undefined) source.links = links;
    if (regions !== undefined) source.regions = regions;
    if (overlapRegions !== undefined) source.overlapRegions = overlapRegions;
    if (enrichmentStatus !== undefined) source.enriched = enrichedOf(piece, enrichmentStatus);
    if (vector !== undefined) source.vector = Array.from(vector);
    return source;
  };
}

/**
 * An object under construction, whose optional keys are set only with a value. Spreading them in would take half of the
 * time of making records.
 */
type Mutable<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

type RegionFields = Pick<FlatMetadata, 'regions' | 'overlap_regions' | 'context_regions'>;

function regionFieldsOf({ metadata: { regions, overlapRegions }, context = [] }: Chunk): RegionFields {
  const isPlaced = context.some((part) => part.regions !== undefined);
  return {
    ...(regions === undefined ? undefined : { regions: JSON.stringify(regions) }),
    ...(overlapRegions === undefined ? undefined : { overlap_regions: JSON.stringify(overlapRegions) }),
    ...(isPlaced
      ? { context_regions: JSON.stringify(context.map((part) => part.regions ?? [])) }
      : undefined),
  };
}

type AboutDocument = Omit<
  FlatMetadata,
  keyof ChunkFields | keyof EnrichmentFields | keyof RegionFields | 'links'
>;

function aboutDocument(totalChunks: number, options: SourceOptions): AboutDocument {
  const { documentId, filename, sourceUrl, tier, contentType, language, reader } = options;
  return {
    document_id: storable(documentId),
    ...named('filename', filename),
    ...named('source_url', sourceUrl),
    total_chunks: totalChunks,
    ...named('tier', tier),
    ...named('content_type', contentType),
    ...named('language', language),
    ...named('reader', reader),
    ...embeddingFieldsOf(options),
  };
}

function embeddingFieldsOf({ vectors, embedding }: SourceOptions): EmbeddingFields {
  if (vectors === undefined || embedding === undefined) return {};
  const { model, dimensions, blend = 0 } = embedding;
  return {
    ...named('embedding_model', model),
    embedding_dimensions: dimensions,
    ...(blend > 0 ? { embedding_blend: blend } : undefined),
  };
}

function ownMetadata(metadata: OwnMetadata | undefined): OwnMetadata | undefined {
  const entries = Object.entries(metadata ?? {});
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? storable(value) : value]),
  );
}

/** An object with the key and its text, or without the key when the text is missing or empty. */
function named<Key extends string>(
  key: Key,
  text: string | undefined,
): Readonly<Partial<Record<Key, string>>> {
  const entry: Partial<Record<Key, string>> = {};
  if (text !== undefined && text !== '') entry[key] = storable(text);
  return entry;
}

function partOf({ kind, text, start, end, regions }: ContextPart): ContextFields {
  const part = { kind, text: storable(text), start_offset: start, end_offset: end };
  return regions === undefined ? part : { ...part, regions };
}

function linkOf({ start, end, href }: Link): LinkFields {
  return { start_offset: start, end_offset: end, href: storable(href) };
}

function enrichedOf(
  { enrichment, enrichmentReasons }: Chunk,
  enrichmentStatus: Enriched['enrichmentStatus'],
): Enriched {
  return {
    ...(enrichment === undefined ? undefined : { enrichment: storableIn(enrichment) }),
    enrichmentStatus,
    ...(enrichmentReasons === undefined ? undefined : { enrichmentReasons }),
  };
}

/** Made storable here because chunks may come from outside our own tiers. */
function storableIn({ title, summary, keywords, questions, entities, context }: Enrichment): Enrichment {
  return {
    ...named('title', title),
    ...named('summary', summary),
    keywords: keywords.map(storable),
    questions: questions.map(storable),
    entities: entities.map(storable),
    ...named('context', context),
  };
}

/** A language model's description of a chunk, flattened into metadata. */
export function enrichmentFieldsOf({ enrichment, enrichmentStatus }: Chunk): EnrichmentFields {
  if (enrichmentStatus === undefined) return {};
  const { title, summary, keywords = [], questions = [], entities = [], context } = enrichment ?? {};
  return {
    ...named('title', title),
    ...named('summary', summary),
    ...named('keywords', keywords.join(', ')),
    ...named('questions', questions.join('\n')),
    ...named('entities', entities.join(', ')),
    ...named('context', context),
    enrichment_status: enrichmentStatus,
  };
}

/**
 * Position and size of one chunk; `charCount` is the length of its stored text. Without a function for the ids of
 * sections it has none.
 */
export function fieldsOf(
  piece: Chunk,
  index: number,
  charCount: number,
  idOf?: (section: ParentSection) => string,
): ChunkFields {
  const { pageStart, pageEnd, anchor, headingPath, oversize, section, parent } = piece.metadata;
  const contentStart = charCount - piece.text.length;
  const injected = piece.context?.filter(({ kind }) => kind === 'heading-path').map(({ text }) => text);
  const path = (headingPath ?? injected)?.join(' > ') ?? '';
  const fields: Mutable<ChunkFields> = {
    chunk_index: index,
    char_count: charCount,
    start_offset: piece.start,
    end_offset: piece.end,
  };
  if (piece.overlap > 0) fields.overlap_chars = piece.overlap;
  if (contentStart > 0) fields.content_start = contentStart;
  if (pageStart !== undefined) fields.page_start = pageStart;
  if (pageEnd !== undefined) fields.page_end = pageEnd;
  if (anchor?.paragraph !== undefined) fields.paragraph = anchor.paragraph;
  if (anchor?.fragment !== undefined) fields.fragment = anchor.fragment;
  if (path !== '') fields.heading_path = storable(path);
  if (oversize !== undefined) fields.oversize = oversize;
  if (section !== undefined && idOf !== undefined) {
    fields.section_id = idOf(section);
    fields.section_start = section.start;
    fields.section_end = section.end;
    if (parent !== undefined) {
      fields.parent_id = idOf(parent);
      fields.parent_start = parent.start;
      fields.parent_end = parent.end;
    }
  }
  return fields;
}
