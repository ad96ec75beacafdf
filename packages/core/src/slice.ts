// Cuts in, chunks out: the only code that slices text, shared by every entry point. The last stage of the pipeline:
// Document ─tier→ cuts ─slice→ Chunk[].
import type { ChosenBoundary, ContextPart, Cut, Enriched, ParentSection } from './cut.ts';
import { type BlockKind, countWhile, type Document, type Link, pageAt, type Span } from './document.ts';
import type { EmbeddingFacts, Matrix } from './embed.ts';
import type { Anchor } from './regions/anchor.ts';
import type { RegionBox } from './regions/compact.ts';

/** Facts about a chunk besides its text and range. An empty value has no key; no value is null. */
export interface ChunkMetadata {
  /** The first page, from 1, that the chunk touches; absent when the document has no pages. */
  readonly pageStart?: number;
  /** Last page that the chunk touches. */
  readonly pageEnd?: number;
  /** Titles of the headings above all of the chunk's text, outermost first. Tier `structure` and up. */
  readonly headingPath?: readonly string[];
  /**
   * The innermost section that holds all of the chunk's text, with the option `parents`. Headings of sections around it
   * may precede it in the chunk.
   */
  readonly section?: ParentSection;
  /** The section one level above {@link section}; absent when the section is the whole document. */
  readonly parent?: ParentSection;
  /**
   * Kinds of the blocks in the chunk; a list, table or quote counts as one kind, whatever it holds. Tier `structure`
   * and up.
   */
  readonly blockKinds?: readonly BlockKind[];
  /**
   * The links of the document that overlap the chunk, with offsets into the document's text: the first hundred, with
   * targets of 8,000 units together.
   */
  readonly links?: readonly Link[];
  /**
   * The reason for the boundary at the chunk's start (its overlap left aside), with the option `boundaries`; absent for
   * the first chunk.
   */
  readonly boundary?: ChosenBoundary;
  /**
   * The boxes of the chunk's own text on the pages of its document, with the option `regions` and a document that has
   * them. Parts of the context have boxes of their own.
   */
  readonly regions?: readonly RegionBox[];
  /** The boxes of its overlap. */
  readonly overlapRegions?: readonly RegionBox[];
  /** The place of the chunk's own text in a DOCX or an HTML page, with the option `regions`. */
  readonly anchor?: Anchor;
  /** Tokens of {@link indexedText}, context included, when `measure` is a counter. */
  readonly tokenCount?: number;
  /** True when a single code point is longer than `size`: the only case in which a chunk exceeds its maximum. */
  readonly oversize?: true;
}

/**
 * A piece of the document. `document.text.slice(start, end) === text` always holds. The ranges `[start + overlap, end)`
 * of all chunks tile the document up to blank text, and starts and ends strictly increase.
 */
export interface Chunk extends Span, Partial<Enriched> {
  readonly text: string;
  /** Leading UTF-16 units of `text` that repeat the end of the chunk before. */
  readonly overlap: number;
  /** Text that is injected before `text` for indexing; it is never part of `text`. */
  readonly context?: readonly ContextPart[];
  readonly metadata: ChunkMetadata;
  /** The vector of the chunk's {@link embeddedText}, with the option `embeddings`. */
  readonly embedding?: Embedding;
}

/** A vector, and the facts that are needed to compare it with others. */
export interface Embedding extends EmbeddingFacts {
  /** Each number rounded to 6 significant digits. */
  readonly vector: readonly number[];
}

/**
 * Bounds of the links in the metadata of a chunk: their number, and the units of their targets. A list of links of a
 * thousand characters has some 60; a store may take no more than 40 kB of metadata.
 */
const MAX_LINKS = 100;
const MAX_LINK_UNITS = 8000;

/** One object shared by all chunks that have no metadata, so that half a million of them cost nothing. */
const NO_METADATA: ChunkMetadata = Object.freeze({});

/** Slices the chunks of all cuts, in order. */
export function sliceAll(document: Document, cuts: readonly Cut[]): Chunk[] {
  const chunks: Chunk[] = [];
  for (const cut of cuts) chunks.push(slice(document, cut));
  return chunks;
}

/** Slices the chunk of one cut. */
function slice(document: Document, cut: Cut): Chunk {
  const { start, end, overlap, context } = cut;
  const text = document.text.slice(start, end);
  const metadata = metadataOf(document, cut);
  // The object is written as two literals, so that a chunk without context has no such key and all chunks of one sort
  // have one shape.
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

function metadataOf({ pages, links: all }: Document, cut: Cut): ChunkMetadata {
  const { headingPath, sections, blockKinds, boundary, tokenCount, oversize } = cut;
  const pageStart = pageAt(pages, cut.start);
  const links = all === undefined ? undefined : linksIn(all, cut);
  if (
    (pageStart ?? headingPath ?? sections ?? blockKinds ?? links ?? boundary ?? tokenCount ?? oversize) ===
    undefined
  )
    return NO_METADATA;
  const metadata: { -readonly [Key in keyof ChunkMetadata]: ChunkMetadata[Key] } = {};
  if (pageStart !== undefined) {
    metadata.pageStart = pageStart;
    metadata.pageEnd = pageAt(pages, cut.end - 1) ?? pageStart;
  }
  if (headingPath !== undefined) metadata.headingPath = headingPath;
  if (sections !== undefined) {
    metadata.section = sections[0];
    if (sections[1] !== undefined) metadata.parent = sections[1];
  }
  if (blockKinds !== undefined) metadata.blockKinds = blockKinds;
  if (links !== undefined) metadata.links = links;
  if (boundary !== undefined) metadata.boundary = boundary;
  if (tokenCount !== undefined) metadata.tokenCount = tokenCount;
  if (oversize !== undefined) metadata.oversize = oversize;
  return metadata;
}

/** The first links that overlap a span, within the bounds; `undefined` without any. */
function linksIn(links: readonly Link[], { start, end }: Span): readonly Link[] | undefined {
  const first = countWhile(links, (link) => link.end <= start);
  let last = first;
  let units = 0;
  for (let link = links[last]; link !== undefined && link.start < end; link = links[++last]) {
    units += link.href.length;
    if (last - first === MAX_LINKS || units > MAX_LINK_UNITS) break;
  }
  return last > first ? links.slice(first, last) : undefined;
}

/** Chunks with their vectors, one row of the matrix each. */
export function* withVectors(chunks: readonly Chunk[], { rows, ...facts }: Matrix): Generator<Chunk> {
  for (const [index, piece] of chunks.entries()) {
    const row = rows.subarray(index * facts.dimensions, (index + 1) * facts.dimensions);
    yield { ...piece, embedding: { ...facts, vector: Array.from(row, toSixDigits) } };
  }
}

/** A float of 32 bits has six significant digits; more would double the size of an answer. */
function toSixDigits(value: number): number {
  return Number(value.toPrecision(6));
}
