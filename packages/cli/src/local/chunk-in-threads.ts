// Local chunking on several processors: the files of a run in threads, each rendered there.
import type { ChunkFilesRequest, LocalChunking } from '../args/request.ts';
import type { ChunkFn, Screen } from '../output/layout.ts';
import type { StageLog } from './chunk-here.ts';
import { createThreadPool } from './threads/pool.ts';

/** The threads of a run. */
export interface ThreadedChunker {
  readonly chunk: ChunkFn;
  /** Ends the threads. */
  readonly close: () => Promise<void>;
}

/** True for chunking that a thread can do: it has no keys, and loads no model of the network. */
export function fitsThreads(
  chunking: ChunkFilesRequest['chunking'],
  hasModel: boolean,
): chunking is LocalChunking {
  return !('remote' in chunking) && !hasModel && chunking.embedder === undefined;
}

/** A chunker with at most so many threads, which start as files come. */
export function chunkInThreads(
  request: ChunkFilesRequest & { readonly chunking: LocalChunking },
  screen: Screen,
  workers: number,
  { report, signal }: { readonly report: StageLog; readonly signal: AbortSignal },
): ThreadedChunker {
  const pool = createThreadPool({ most: workers, stallMs: request.timeoutMs });
  return {
    async chunk(content, { shown, name, filename, url }) {
      const input = { shown, name, filename, ...(url === undefined ? {} : { url }) };
      const onProgress = (share: number, stage: string): void => report.step(shown, share, stage);
      const { pieces, ...rest } = await pool.file({ request, content, input, screen }, signal, onProgress);
      return { ...rest, render: () => pieces };
    },
    close: pool.close,
  };
}
