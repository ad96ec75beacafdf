// The service's answer in the format raw → the page's own values.
import type { Chunk } from '@grainline/core';
import type { RawRecord } from '@grainline/core/formats';
import type { ReadDocument } from '../document/read-document.ts';
import type { CutTable, ChunkEnrichment } from '../document/cut-table.ts';
import { nameOfText } from '../document/kinds.ts';
import type { RawAnswer } from './chunk-request.ts';
import { cutsOf } from '../document/chunks.ts';
import { ERRORS } from '../texts.ts';

/**
 * Checks the members of an answer that the page uses.
 *
 * @throws Error with a sentence for the visitor
 */
export function checkAnswer({ chunks }: RawAnswer): void {
  const isSound = ({ text, metadata }: Partial<RawRecord>): boolean =>
    typeof text === 'string' &&
    Number.isSafeInteger(metadata?.start_offset) &&
    Number.isSafeInteger(metadata?.end_offset);
  if (!chunks.every(isSound)) throw new Error(ERRORS.notUnderstood);
}

/** The chunk's own text, without its context. */
function ownText({ text, metadata }: RawRecord): string {
  return text.slice(metadata.content_start ?? 0);
}

/** The table of the chunks. */
export function cutsFromChunks(chunks: readonly RawRecord[]): CutTable {
  const enrichments = new Map<number, ChunkEnrichment>();
  chunks.forEach(({ enrichment }, index) => {
    if (enrichment !== undefined) enrichments.set(index, { ...enrichment });
  });
  return { ...cutsOf(chunks.map(chunkOf)), enrichments };
}

function chunkOf(record: RawRecord): Chunk {
  const { start_offset: start, end_offset: end, overlap_chars: overlap = 0, heading_path } = record.metadata;
  const metadata = heading_path === undefined ? {} : { headingPath: [heading_path] };
  const chunk = { text: ownText(record), start, end, overlap, metadata };
  if (record.context === undefined) return chunk;
  return {
    ...chunk,
    context: record.context.map((part) => ({
      kind: part.kind,
      text: part.text,
      start: part.start_offset,
      end: part.end_offset,
    })),
  };
}

/** True when the chunks are slices of this text, so that the page can draw and compare them on it. */
export function fits(chunks: readonly RawRecord[], text: string): boolean {
  return chunks.every(
    (chunk) => text.slice(chunk.metadata.start_offset, chunk.metadata.end_offset) === ownText(chunk),
  );
}

/**
 * The text of the chunks. Gaps between chunks are blank, and become line ends. It stands for documents that the page
 * never had: links, and jobs from before a reload.
 */
function textOfChunks(chunks: readonly RawRecord[]): string {
  const parts: string[] = [];
  let length = 0;
  for (const chunk of chunks) {
    const { start_offset: start, end_offset: end } = chunk.metadata;
    if (start > length) {
      parts.push('\n'.repeat(start - length));
      length = start;
    }
    parts.push(ownText(chunk).slice(Math.max(0, length - start)));
    length = Math.max(length, end);
  }
  return parts.join('');
}

/** A text in place of a document that is known by its chunks only. */
export function documentOfChunks({ chunks, metadata }: RawAnswer): { text: string; filename: string } {
  return { text: textOfChunks(chunks), filename: nameOfText(metadata.filename, metadata.content_type) };
}

/** Further properties of the document in the answer. */
export function aboutChunks({ chunks, metadata }: RawAnswer): Partial<ReadDocument> {
  const { filename, content_type: mediaType, estimated_pages: estimatedPages } = metadata;
  return { filename, mediaType, estimatedPages, pages: pagesOf(chunks) };
}

/** Starts of the pages, exact to the chunk. */
function pagesOf(chunks: readonly RawRecord[]): number[] {
  const pages: number[] = [];
  for (const { metadata } of chunks)
    while (metadata.page_start !== undefined && pages.length < metadata.page_start)
      pages.push(metadata.start_offset);
  if (pages.length > 0) pages[0] = 0;
  return pages;
}
