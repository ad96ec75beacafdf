// One document → the result of a tool: records, outline, warnings. It runs in a thread of its own, and everything that
// crosses the thread is plain data.
import { type Chunk, type Document, estimatePages, type Progress } from '@grainline/core';
import { contentOf } from '@grainline/core/blocks';
import { OPTIONS, pickOptions } from '@grainline/core/options';
import type { DocumentResult, ChunkerOptions, HeadingEntry, ChunkerSource } from '@grainline/mcp';
import {
  chunkSource,
  type ChunkSourceOptions,
  type DocumentSource,
  excessRepetition,
  recordsFor,
} from '@grainline/pipeline';
import { charsetType } from '../../args/charset.ts';
import { CliError } from '../../errors.ts';

/** Share of the reading in the progress. */
const READING = 0.3;
/** Shares of the stages in the progress. Reading a file takes longer than every tier without an embedder. */
const SHARES = { embed: [0.3, 0.8], cut: [0.8, 0.9], chunk: [0.9, 1] } as const;

/**
 * Reads and chunks a document.
 *
 * Rejects with an ExtractError, a ChunkError, or `charset_unknown`.
 *
 * @param onProgress receives the share, from 0 to 1, and the stage
 */
export async function chunkForTool(
  source: ChunkerSource,
  options: ChunkerOptions,
  onProgress: (share: number, message: string) => void,
): Promise<DocumentResult> {
  onProgress(0, 'reading');
  const result = await chunkSource(sourceFor(source, options.charset), pipelineOptions(options, onProgress));
  const excess = excessRepetition(result);
  if (excess !== undefined) throw new CliError('too_much_repeated', { detail: String(excess.characters) });
  const { document, chunks } = result;
  const { documentId } = source;
  const { records, warnings } = recordsFor(result, 'raw', { documentId, tier: options.tier });
  return {
    tier: options.tier,
    documentId,
    filename: document.filename,
    contentType: document.mediaType,
    pages: estimatePages(document),
    // The tools take records as plain objects with any members.
    records: records as unknown as DocumentResult['records'],
    outline: outlineOf(document, chunks),
    warnings: [...document.warnings, ...warnings],
  };
}

/** A text loses its filename, so that no reader interprets it. */
function sourceFor({ content, filename }: ChunkerSource, charset: string | undefined): DocumentSource {
  if (typeof content === 'string') return { text: content };
  const contentType = charset === undefined ? undefined : charsetType(charset);
  if (charset !== undefined && contentType === undefined)
    throw new CliError('charset_unknown', { detail: JSON.stringify(charset) });
  return { bytes: content, filename, contentType };
}

/** The options of the library; absent ones have core's defaults. */
function pipelineOptions(
  options: ChunkerOptions,
  onProgress: (share: number, message: string) => void,
): ChunkSourceOptions {
  const { unit, encoding = OPTIONS.encoding.default } = options;
  return {
    ...pickOptions('library', options),
    ...pickOptions('extract', options),
    encoding: unit === 'tokens' ? encoding : undefined,
    onProgress: (progress: Progress) => onProgress(...shareOf(progress)),
    onPage: ({ done, total }) => onProgress((READING * done) / total, `page ${done} of ${total}`),
  };
}

function shareOf({ stage, done, total }: Progress): [number, string] {
  const [from, to] = stage in SHARES ? SHARES[stage as keyof typeof SHARES] : [0, 0];
  const share = from + (to - from) * (total === 0 ? 1 : done / total);
  return [share, stage === 'embed' ? `${done} of ${total} pieces embedded` : 'cutting'];
}

/** Headings in the order of the text, each with the chunk of its first character. One pass over both. */
function outlineOf({ text, blocks }: Document, chunks: readonly Chunk[]): HeadingEntry[] {
  const outline: HeadingEntry[] = [];
  let at = 0;
  const visit = (all: Document['blocks']): void => {
    for (const block of all) {
      if (block.kind === 'heading') {
        while (at + 1 < chunks.length && ownStart(chunks[at + 1]) <= block.start) at++;
        const { start, end } = contentOf(text, block);
        const title = text.slice(start, end).replace(/\s+/g, ' ').trim();
        if (title !== '') outline.push({ depth: block.depth ?? 1, title, chunk: at });
      } else if (block.children !== undefined) visit(block.children);
    }
  };
  visit(blocks);
  return outline;
}

/** Start of a chunk's own text, after its overlap. */
function ownStart(piece: Chunk | undefined): number {
  return piece === undefined ? Infinity : piece.start + piece.overlap;
}
