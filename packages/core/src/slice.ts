// Cuts in, chunks out: the only place that slices text, shared by every entry point. Stands at the end of the line:
// Document ─tier→ cuts ─slice→ Chunk[].
import type { ChosenBoundary, ContextPart, Cut, Enriched } from './cut.ts';
import { type BlockKind, type Document, pageAt, type Span } from './document.ts';
import type { EmbeddingFacts, Matrix } from './embed.ts';

/** What is known of a chunk besides its text and place. Keys are absent, never null. */
export interface ChunkMetadata {
  /** First page, from 1, that the chunk touches; absent when the document has no pages. */
  readonly pageStart?: number;
  /** Last page that the chunk touches. */
  readonly pageEnd?: number;
  /**
   * Titles of the headings over the text, outermost first; those that all of it has in common. Tier `structure` and up.
   */
  readonly headingPath?: readonly string[];
  /** Kinds of the blocks that the chunk holds, a list, table or quote being one whatever is in it. As `headingPath`. */
  readonly blockKinds?: readonly BlockKind[];
  /** Why the chunk begins where it does, overlap apart; not for the first one. With the option `boundaries`. */
  readonly boundary?: ChosenBoundary;
  /** Tokens of the chunk as `indexedText` has it, its context included, when the option `measure` has a counter. */
  readonly tokenCount?: number;
  /** True when one code point alone is longer than `size`, the only way over the maximum. */
  readonly oversize?: true;
}

/**
 * A piece of the document. `document.text.slice(start, end) === text`, always; `[start + overlap, end)` of
 * all chunks tile the document up to blank text; starts and ends strictly increase.
 */
export interface Chunk extends Span, Partial<Enriched> {
  readonly text: string;
  /** Leading UTF-16 units that repeat the end of the chunk before. */
  readonly overlap: number;
  /** Text injected before `text` when indexing; never part of `text`. */
  readonly context?: readonly ContextPart[];
  readonly metadata: ChunkMetadata;
  /** With the option `embeddings`: the vector of the chunk as `indexedText` has it. */
  readonly embedding?: Embedding;
}

/** A vector, and what it is a vector of. */
export interface Embedding extends EmbeddingFacts {
  /** Each number rounded to 6 significant digits. */
  readonly vector: readonly number[];
}

/** Shared by all chunks that have none, so that half a million of them cost nothing. */
const NO_METADATA: ChunkMetadata = Object.freeze({});

/** The chunks of all cuts, in order. */
export function sliceAll(document: Document, cuts: readonly Cut[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (const cut of cuts) chunks.push(slice(document, cut));
  return chunks;
}

/** The chunk of one cut. */
function slice(document: Document, cut: Cut): Chunk {
  const { start, end, overlap, context } = cut;
  const text = document.text.slice(start, end);
  const metadata = metadataOf(document, cut);
  // Two literals, so that a chunk without context has no such key and all such chunks have one shape.
  const piece: Chunk =
    context === undefined
      ? { text, start, end, overlap, metadata }
      : { text, start, end, overlap, context, metadata };
  return cut.enrichmentStatus === undefined ? piece : { ...piece, ...enrichedOf(cut, cut.enrichmentStatus) };
}

function enrichedOf(
  { enrichment, enrichmentReasons }: Cut,
  enrichmentStatus: Enriched['enrichmentStatus'],
): Enriched {
  return {
    ...(enrichment === undefined ? undefined : { enrichment }),
    enrichmentStatus,
    ...(enrichmentReasons === undefined ? undefined : { enrichmentReasons }),
  };
}

function metadataOf({ pages }: Document, cut: Cut): ChunkMetadata {
  const { headingPath, blockKinds, boundary, tokenCount, oversize } = cut;
  const pageStart = pageAt(pages, cut.start);
  if ((pageStart ?? headingPath ?? blockKinds ?? boundary ?? tokenCount ?? oversize) === undefined)
    return NO_METADATA;
  const metadata: { -readonly [Key in keyof ChunkMetadata]: ChunkMetadata[Key] } = {};
  if (pageStart !== undefined) {
    metadata.pageStart = pageStart;
    metadata.pageEnd = pageAt(pages, cut.end - 1) ?? pageStart;
  }
  if (headingPath !== undefined) metadata.headingPath = headingPath;
  if (blockKinds !== undefined) metadata.blockKinds = blockKinds;
  if (boundary !== undefined) metadata.boundary = boundary;
  if (tokenCount !== undefined) metadata.tokenCount = tokenCount;
  if (oversize !== undefined) metadata.oversize = oversize;
  return metadata;
}

/** Chunks with their vectors, one row of the matrix each. */
export function* withVectors(chunks: readonly Chunk[], { rows, ...facts }: Matrix): Generator<Chunk> {
  for (const [index, piece] of chunks.entries()) {
    const row = rows.subarray(index * facts.dimensions, (index + 1) * facts.dimensions);
    yield { ...piece, embedding: { ...facts, vector: Array.from(row, toSixDigits) } };
  }
}

/** More digits than a float of 32 bits has to say would double the size of an answer. */
function toSixDigits(value: number): number {
  return Number(value.toPrecision(6));
}
