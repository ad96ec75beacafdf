// One document through the line, into what a client of the server for agents is told: records, outline, warnings. Runs
// in a thread of its own; everything that goes in and out is plain data.
import {
  type Chunk,
  type Document,
  type Progress,
  type TextKind,
  documentFromText,
  chunk,
  estimatePages,
  needsEmbedder,
} from '@grainline/core';
import { contentOf } from '@grainline/core/blocks';
import { formatChunks } from '@grainline/core/formats';
import type { CutDocument, CutOptions, Heading, Source } from '@grainline/mcp';
import type { EncodingName } from '@grainline/models/tokens';
import { charsetType } from '../charset.ts';
import { CliError } from '../errors.ts';
import { type ChunkedFile, chunkBytes, type ChunkFileOptions } from '../line.ts';
import { staticEmbedder, tokenCounter } from '../models.ts';

/** Parts of the work by what they count for; reading a file takes longer than any tier but those that embed. */
const SHARES = { embed: [0.3, 0.8], cut: [0.8, 0.9], chunk: [0.9, 1] } as const;

/**
 * Reads and cuts a document.
 *
 * Rejects with an ExtractError, a ChunkError, or `charset_unknown`.
 *
 * @param onProgress how far it is, from 0 to 1, and what is being done
 */
export async function cut(
  source: Source,
  options: CutOptions,
  onProgress: (share: number, message: string) => void,
): Promise<CutDocument> {
  onProgress(0, 'reading');
  const { document, chunks } = await cutSource(
    source,
    await lineOptions(options, onProgress),
    options.charset,
  );
  refuseSwollen(document, chunks);
  const { documentId } = source;
  const { filename, mediaType: contentType } = document;
  const about = {
    documentId,
    contentType,
    tier: options.tier,
    ...(filename === undefined ? {} : { filename }),
  };
  const { records, warnings } = formatChunks(chunks, 'raw', about);
  return {
    tier: options.tier,
    documentId,
    filename,
    contentType,
    pages: estimatePages(document),
    // Records are plain objects with known members; to whoever writes them down they are any.
    records: records as unknown as CutDocument['records'],
    outline: outlineOf(document, chunks),
    warnings: [...document.warnings, ...warnings],
  };
}

/**
 * What chunks may hold together where that is more than twice their document, in UTF-16 units; the service has the same
 * bound. A megabyte with an overlap of all but a word is gigabytes of records, which would be made, copied and kept.
 */
const MAX_REPEATING = 16 * 1024 * 1024;

function refuseSwollen({ text }: Document, chunks: readonly Chunk[]): void {
  const length = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
  if (length > MAX_REPEATING && length > 2 * text.length)
    throw new CliError('too_much_repeated', { detail: String(length) });
}

async function cutSource(
  { content, filename }: Source,
  options: ChunkFileOptions,
  charset: string | undefined,
): Promise<ChunkedFile> {
  if (typeof content !== 'string') {
    const contentType = charset === undefined ? undefined : charsetType(charset);
    if (charset !== undefined && contentType === undefined)
      throw new CliError('charset_unknown', { detail: JSON.stringify(charset) });
    return chunkBytes(content, filename, {
      ...options,
      ...(contentType === undefined ? {} : { contentType }),
    });
  }
  const { kind, language, ...limits } = options;
  const document = documentFromText(content, { kind, language });
  return { document, chunks: await chunk(document, limits) };
}

/** The options of the library. A counter and an embedder are loaded at their first use. */
async function lineOptions(
  { tier, size, overlap, unit, encoding, target, min, context, kind, language }: CutOptions,
  onProgress: (share: number, message: string) => void,
): Promise<ChunkFileOptions> {
  const named = { size, overlap, target, min, context, kind, language };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return {
    tier,
    ...(given as Omit<ChunkFileOptions, 'kind'> & { readonly kind?: TextKind }),
    ...(needsEmbedder(tier) ? { embed: await staticEmbedder() } : {}),
    ...(unit === 'tokens' ? { measure: await tokenCounter((encoding ?? 'o200k') as EncodingName) } : {}),
    onProgress: (progress: Progress) => {
      const [share, message] = shareOf(progress);
      onProgress(share, message);
    },
  };
}

function shareOf({ stage, done, total }: Progress): [number, string] {
  const [from, to] = stage in SHARES ? SHARES[stage as keyof typeof SHARES] : [0, 0];
  const share = from + (to - from) * (total === 0 ? 1 : done / total);
  return [share, stage === 'embed' ? `${done} of ${total} pieces embedded` : 'cutting'];
}

/** Headings in the order of the text, each with the chunk that has its beginning. One pass over both. */
function outlineOf({ text, blocks }: Document, chunks: readonly Chunk[]): Heading[] {
  const outline: Heading[] = [];
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

/** Where the text of a chunk begins that the one before has not. */
function ownStart(piece: Chunk | undefined): number {
  return piece === undefined ? Infinity : piece.start + piece.overlap;
}
