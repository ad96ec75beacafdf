// The library's call for a file on disk: path → bytes → the pipeline. It imports the disk only when it is
// called, because pages import the package too.
import type * as FileSystem from 'node:fs/promises';
import { type ChunkedDocument, chunkSource, type ChunkSourceOptions } from '@grainline/pipeline';

/** A document with its chunks. */
export type ChunkedFile = ChunkedDocument;

/** Options of {@link chunkFile}: those of `chunkSource`. */
export interface ChunkFileOptions extends ChunkSourceOptions {
  /** Content type as `extract` takes it; `text/plain; charset=windows-1252` declares the file's encoding. */
  readonly contentType?: string | undefined;
}

/**
 * Reads a file of an accepted kind and splits it into chunks.
 *
 * Rejects with a TypeError for a link and in a browser, an error of the file system, an ExtractError when the
 * document is at fault, a ChunkError when the options are, and with the signal's reason when aborted.
 *
 * @example
 * const { document, chunks } = await chunkFile('report.pdf', { size: 800 });
 * console.log(document.pages.length, chunks[0].text, chunks[0].metadata.pageStart);
 */
export async function chunkFile(
  path: string | URL,
  { contentType, ...options }: ChunkFileOptions = {},
): Promise<ChunkedFile> {
  if (/^https?:/i.test(String(path)))
    throw new TypeError(
      `chunkFile reads files, and ${String(path)} is a link. The command line fetches it: npx grainline ${String(path)}. ` +
        'In a program, fetch it yourself and call chunkSource({ bytes, filename }).',
    );
  if (typeof path !== 'string' && !(path instanceof URL))
    throw new TypeError(
      'chunkFile reads the file of a path. For the bytes of a document call chunkSource({ bytes, filename }).',
    );
  const { signal } = options;
  const bytes = await diskOf()
    .readFile(path, { signal })
    .catch((error: unknown) => {
      // Node wraps the reason in an error of its own.
      signal?.throwIfAborted();
      throw error;
    });
  const filename = typeof path === 'string' ? path : decodeURIComponent(path.pathname);
  return chunkSource({ bytes, filename, contentType }, options);
}

function diskOf(): typeof FileSystem {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const disk = process?.getBuiltinModule?.('node:fs/promises') as typeof FileSystem | undefined;
  if (disk !== undefined) return disk;
  throw new TypeError(
    'chunkFile reads files of a disk, and there is none here. In a browser, call chunkSource({ bytes: file }) with a File.',
  );
}
