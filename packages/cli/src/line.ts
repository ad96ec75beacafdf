// The line for one file: bytes → Document → chunks. The only place of this package that runs it; the library's
// chunkFile and the command line both stand on it.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Chunk, chunk, type ChunkOptions, type Document } from '@grainline/core';
import { extract } from '@grainline/extract';

/** A document with its chunks. */
export interface ChunkedFile {
  readonly document: Document;
  readonly chunks: readonly Chunk[];
}

/** Options of {@link chunkFile}: those of `chunk`, but for `kind`, which the file itself decides. */
export type ChunkFileOptions = Omit<ChunkOptions, 'kind'>;

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

/** As {@link chunkFile}, of a file whose bytes are at hand. */
export async function chunkBytes(
  bytes: Uint8Array,
  filename: string | undefined,
  options: ChunkFileOptions,
): Promise<ChunkedFile> {
  const document = await extract(bytes, { filename, signal: options.signal });
  return { document, chunks: await chunk(document, options) };
}
