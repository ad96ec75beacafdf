// The work of a load on its documents: cutting and embedding, in this thread or in several.
import { resolve } from 'node:path';
import type { Embed } from '@grainline/core';
import type { Ocr } from '@grainline/extract';
import { cutDocument, type LoadPorts } from '@grainline/pipeline/load';
import type { PipelinePorts } from '@grainline/pipeline';
import type { LoadRequest } from '../args/request.ts';
import { reasonOf } from '../errors.ts';
import { closeAll, type Io, printable } from '../io.ts';
import type { RunLog } from '../output/terminal.ts';
import { pageProgress } from './document-reader.ts';
import { createDocumentReader } from './threaded-reader.ts';
import { namedEmbedder } from './embedder.ts';
import { cacheFolder } from './state-folder.ts';
import { createThreadPool } from './threads/pool.ts';
import { openVectorFile, type VectorFile } from './vector-file.ts';

/** The ports of a load but the store. */
export interface LoadWork extends Pick<LoadPorts, 'cut' | 'embed' | 'embedBatch'> {
  /** Most documents in work at the same time. */
  readonly atOnce: number;
  readonly close: () => Promise<void>;
}

/** Texts of one call of the built-in embedder: some tens of milliseconds. */
const BUILT_IN_BATCH = 256;
/** A service gets as many as the adapter makes parallel requests of. */
const SERVICE_BATCH = 1024;
/** A model in this process holds the activations of a whole batch. */
const MODEL_BATCH = 32;
/** Bytes of vectors kept in memory, so that texts of several documents and neighbours are embedded once. */
const CACHE_BYTES = 64 * 2 ** 20;
/** Bytes of vectors kept in a file: some 150,000 of 1,536 numbers. */
const FILE_BYTES = 2 ** 30;
/** The first version of Node with node:sqlite that prints no warning. */
const SQLITE_NODE = 24;

/**
 * The work of a request. Threads and embedder start at their first use.
 *
 * @param options `ocr` reads scanned pages and pictures, `password` opens encrypted documents
 */
export function createLoadWork(
  request: LoadRequest,
  io: Io,
  log: RunLog,
  { ocr, password }: { readonly ocr?: Ocr | undefined; readonly password?: string | undefined } = {},
): LoadWork {
  const { workers = Math.max(1, io.processors - 1), embedder, chunking } = request;
  // The tier semantic cuts by the named embedder, and OCR has one engine; no thread can reach them.
  const fitsThreads =
    workers > 1 && ocr === undefined && (embedder === undefined || chunking.options.tier !== 'semantic');
  const pool = fitsThreads ? createThreadPool({ most: workers, stallMs: request.timeoutMs }) : undefined;
  const options = {
    ...chunking.options,
    ...chunking.reading,
    encoding: chunking.encoding,
    password,
  };
  let file: VectorFile | undefined;
  const embed = cached(() =>
    embedderOf(request, io, log, async () => {
      file = await vectorFileOf(request, io, log);
      return file;
    }),
  );
  const reader = createDocumentReader(io, request.timeoutMs);
  const ports: PipelinePorts = {
    ...(embedder !== undefined && { loadEmbedder: () => Promise.resolve(embed) }),
    readBytes: reader.read,
  };
  const contentTypeOf = (own: string | undefined): string | undefined => request.contentType ?? own;
  return {
    // Documents for the threads are read while others are written.
    atOnce: pool === undefined ? 2 : 2 * workers,
    cut: (document, { shown }, signal) => {
      const given = { ...document, contentType: contentTypeOf(document.contentType) };
      if (pool === undefined)
        return cutDocument(
          given,
          {
            ...options,
            ocr,
            signal,
            ...pageProgress(log, shown, ocr),
          },
          ports,
        );
      return pool.cut({ document: given, options }, signal, (share, stage) => log.step(shown, share, stage));
    },
    embed: embedder === undefined && pool !== undefined ? pool.embed : embed,
    embedBatch:
      embedder === undefined ? BUILT_IN_BATCH : embedder.startsWith('openai:') ? SERVICE_BATCH : MODEL_BATCH,
    close: () => closeAll([() => file?.close(), () => pool?.close(), reader.close]),
  };
}

async function embedderOf(
  { embedder }: LoadRequest,
  io: Io,
  log: RunLog,
  openFile: () => Promise<VectorFile | undefined>,
): Promise<Embed> {
  const { cachedEmbedder, EmbeddingCache, staticEmbedder } = await import('@grainline/models/embeddings');
  // The built-in table is as fast as a cache.
  if (embedder === undefined) return staticEmbedder();
  const embed = await namedEmbedder(embedder, io, log);
  const { model } = await embed(['proof'], { signal: io.signal });
  const cache = (await openFile()) ?? new EmbeddingCache({ maxBytes: CACHE_BYTES });
  return cachedEmbedder(embed, model, cache);
}

/** The vectors of earlier runs; undefined when the request, the version of Node or the disk does not allow them. */
async function vectorFileOf(
  { cache, embedder }: LoadRequest,
  { environment, cwd }: Io,
  log: RunLog,
): Promise<VectorFile | undefined> {
  const folder = cache === undefined ? cacheFolder(environment, 'vectors') : resolve(cwd, cache);
  if (cache === 'none' || folder === undefined) return undefined;
  if (Number(process.versions.node.split('.')[0]) < SQLITE_NODE) return undefined;
  const { EMBEDDINGS_BASE_URL: service, EMBEDDINGS_FOLDER: weights, EMBEDDINGS_DTYPE: dtype } = environment;
  try {
    return await openVectorFile(folder, {
      embedder: [embedder, service, weights, dtype],
      maxBytes: FILE_BYTES,
      now: Date.now,
    });
  } catch (error) {
    log.note(
      `grainline: The vectors of earlier runs in ${printable(folder)} cannot be used: ${reasonOf(error)}.`,
    );
    return undefined;
  }
}

/** An embedder that loads at its first call. */
function cached(load: () => Promise<Embed>): Embed {
  let loaded: Promise<Embed> | undefined;
  return async (texts, run) => (await (loaded ??= load()))(texts, run);
}
