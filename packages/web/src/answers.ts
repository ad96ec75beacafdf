// The service's answer of the format raw, as the page's own values: checked as far as the page relies on it.
import type { ContextPart } from '@grainline/core';
import type { Cuts, Enrichment } from './cuts.ts';
import { nameOfText } from './kinds.ts';
import type { Reading } from './protocol.ts';

/** A chunk on the wire. */
interface WireChunk {
  readonly text: string;
  readonly metadata: {
    readonly start_offset: number;
    readonly end_offset: number;
    readonly overlap_chars?: number;
    readonly content_start?: number;
    readonly page_start?: number;
    readonly heading_path?: string;
  };
  readonly context?: readonly {
    readonly kind: ContextPart['kind'];
    readonly text: string;
    readonly start_offset: number;
    readonly end_offset: number;
  }[];
  readonly enrichment?: Enrichment;
}

/** An answer with its chunks, a link to them, or a job. */
export type ServiceAnswer =
  | {
      readonly kind: 'chunks';
      readonly tier: string;
      readonly chunks: readonly WireChunk[];
      readonly about: About;
    }
  | { readonly kind: 'link'; readonly resultId: string }
  | { readonly kind: 'job'; readonly jobId: string };

interface About {
  readonly filename: string;
  readonly mediaType: string;
  readonly estimatedPages: number;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads an answer.
 *
 * @throws Error with a sentence for people when it is none
 */
export function readAnswer(body: unknown): ServiceAnswer {
  const answer = members(body);
  if (answer['async'] === true && typeof answer['job_id'] === 'string')
    return { kind: 'job', jobId: answer['job_id'] };
  const link = typeof answer['download_url'] === 'string' ? answer['download_url'] : undefined;
  if (link !== undefined && answer['chunks'] === undefined) {
    // The service may know itself by another address than this page was loaded from; the id is what counts.
    return { kind: 'link', resultId: link.slice(link.lastIndexOf('/') + 1) };
  }
  const { chunks, tier, metadata } = answer;
  if (!Array.isArray(chunks) || !chunks.every(isWireChunk) || typeof tier !== 'string')
    throw new Error('The service gave an answer that this page does not understand.');
  const { filename, content_type: mediaType, estimated_pages: pages } = members(metadata);
  const about = {
    filename: typeof filename === 'string' ? filename : 'document',
    mediaType: typeof mediaType === 'string' ? mediaType : 'text/plain',
    estimatedPages: typeof pages === 'number' ? pages : 1,
  };
  return { kind: 'chunks', tier, chunks, about };
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function isWireChunk(value: unknown): value is WireChunk {
  const { text, metadata } = members(value);
  const { start_offset: start, end_offset: end } = members(metadata);
  return typeof text === 'string' && Number.isSafeInteger(start) && Number.isSafeInteger(end);
}

/** The chunk's own text: what stands before it is context. */
function ownText({ text, metadata }: WireChunk): string {
  return text.slice(metadata.content_start ?? 0);
}

/** The chunks as numbers. */
export function cutsFromChunks(chunks: readonly WireChunk[]): Cuts {
  const paths = [...new Set(chunks.flatMap(({ metadata: { heading_path: path } }) => path ?? []))];
  const numberOf = new Map(paths.map((path, index) => [path, index + 1]));
  const numbers = (of: (metadata: WireChunk['metadata']) => number): Uint32Array =>
    Uint32Array.from(chunks, ({ metadata }) => of(metadata));
  const contexts = new Map<number, readonly ContextPart[]>();
  const enrichments = new Map<number, Enrichment>();
  chunks.forEach(({ context, enrichment }, index) => {
    if (context !== undefined)
      contexts.set(
        index,
        context.map(({ kind, text, start_offset: start, end_offset: end }) => ({ kind, text, start, end })),
      );
    if (enrichment !== undefined) enrichments.set(index, enrichment);
  });
  return {
    starts: numbers(({ start_offset: start }) => start),
    ends: numbers(({ end_offset: end }) => end),
    overlaps: numbers(({ overlap_chars: overlap = 0 }) => overlap),
    contexts,
    enrichments,
    paths,
    pathOf: numbers(({ heading_path: path }) => (path === undefined ? 0 : (numberOf.get(path) ?? 0))),
  };
}

/** Whether the chunks are slices of this text, so that they can be shown and compared on it. */
export function fits(chunks: readonly WireChunk[], text: string): boolean {
  return chunks.every(
    (chunk) => text.slice(chunk.metadata.start_offset, chunk.metadata.end_offset) === ownText(chunk),
  );
}

/**
 * The text that chunks were cut from, as far as they hold it: what no chunk has is blank, and stands here as line ends.
 * For documents that the page has never seen: links, and jobs of before a reload.
 */
function textOfChunks(chunks: readonly WireChunk[]): string {
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

type Chunked = Extract<ServiceAnswer, { kind: 'chunks' }>;

/** A text to go on with in place of a document that only its chunks are known of. */
export function documentOfChunks({ chunks, about }: Chunked): { text: string; filename: string } {
  return { text: textOfChunks(chunks), filename: nameOfText(about.filename, about.mediaType) };
}

/** What is known of it besides. */
export function aboutChunks({ chunks, about }: Chunked): Partial<Reading> {
  const { filename, mediaType, estimatedPages } = about;
  return { filename, mediaType, estimatedPages, pages: pagesOf(chunks) };
}

/** Where pages begin, to the chunk. */
function pagesOf(chunks: readonly WireChunk[]): number[] {
  const pages: number[] = [];
  for (const { metadata } of chunks)
    while (metadata.page_start !== undefined && pages.length < metadata.page_start)
      pages.push(metadata.start_offset);
  if (pages.length > 0) pages[0] = 0;
  return pages;
}
