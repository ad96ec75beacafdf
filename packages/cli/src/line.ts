// The line for one file: bytes → Document → chunks. The only place of this package that runs it; the library's
// chunkFile and the command line both stand on it.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Chunk,
  chunk,
  type ChunkOptions,
  type Document,
  documentFromText,
  type TextKind,
  type TextOptions,
} from '@grainline/core';
import { extract } from '@grainline/extract';

/** A document with its chunks. */
export interface ChunkedFile {
  readonly document: Document;
  readonly chunks: readonly Chunk[];
}

/** Options of {@link chunkFile}: those of `chunk`. */
export interface ChunkFileOptions extends ChunkOptions {
  /**
   * How to read a file of text, source code for example. Default: by its name. Other files have blocks of their own.
   */
  readonly kind?: TextKind;
  /** Content type as `extract` takes it; `text/plain; charset=windows-1252` says which encoding the file has. */
  readonly contentType?: string;
  /** Language of a file of source code whose name does not tell it. Default: its ending. */
  readonly language?: string;
}

/**
 * Reads a file of an accepted kind and splits it into chunks.
 *
 * Rejects with an error of the file system, an ExtractError when the document is at fault, a ChunkError when the
 * options are, and with the signal's reason when aborted.
 *
 * @example
 * const { document, chunks } = await chunkFile('report.pdf', { size: 800 });
 * console.log(document.pages.length, chunks[0].text, chunks[0].metadata.pageStart);
 */
export async function chunkFile(path: string | URL, options: ChunkFileOptions = {}): Promise<ChunkedFile> {
  const bytes = await readFile(path, { signal: options.signal }).catch((error: unknown) => {
    // Node wraps the reason in an error of its own.
    options.signal?.throwIfAborted();
    throw error;
  });
  const filename = basename(typeof path === 'string' ? path : fileURLToPath(path));
  return chunkBytes(bytes, filename, options);
}

/** Does what {@link chunkFile} does, for a file whose bytes are at hand. */
export async function chunkBytes(
  bytes: Uint8Array,
  filename: string | undefined,
  { kind, contentType, ...options }: ChunkFileOptions,
): Promise<ChunkedFile> {
  const { signal, language } = options;
  const extracted = await extract(bytes, { filename, contentType, signal });
  const isTold = kind !== undefined || typeof language === 'string';
  const document = isTold && isText(extracted) ? readAs({ kind, language }, extracted) : extracted;
  return { document, chunks: await chunk(document, options) };
}

/** True for a file that was text before it was read; the others are Markdown only since. */
function isText({ mediaType }: Document): boolean {
  return mediaType === 'text/plain' || mediaType === 'text/markdown';
}

function readAs(options: TextOptions, { text, filename, pages, warnings }: Document): Document {
  return documentFromText(text, { ...options, filename, pages, warnings });
}
