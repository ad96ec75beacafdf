// The chunker of a run: threads on several processors, this thread, or a service.
import type { ChunkFilesRequest } from '../args/request.ts';
import type { Input } from '../inputs/input.ts';
import { closeAll, type Io } from '../io.ts';
import { type ChunkDeps, chunkHere } from '../local/chunk-here.ts';
import { chunkInThreads, fitsThreads } from '../local/chunk-in-threads.ts';
import type { MeteredModel } from '../local/language-model.ts';
import { createDocumentReader } from '../local/threaded-reader.ts';
import { openOcr } from './documents.ts';
import type { Screen } from '../output/layout.ts';
import type { RunLog } from '../output/terminal.ts';
import type { SummarizingChunker } from '../remote/chunk-remote.ts';

/** A chunker with its closing lines. */
export interface RunChunker extends SummarizingChunker {
  /** Most inputs in work at the same time. */
  readonly atOnce: number;
  readonly close: () => Promise<void>;
}

/** Dependencies of a chunker. */
export interface ChunkerDeps {
  readonly io: Io;
  readonly report: RunLog;
  /** The language model of the tier; undefined for other tiers. */
  readonly model: MeteredModel | undefined;
  readonly screen: Screen;
}

/** The chunker of a request for its inputs. Rejects as `dryRun`, `connect` and `openOcr` do. */
export async function createChunker(
  request: ChunkFilesRequest,
  inputs: readonly Input[],
  deps: ChunkerDeps,
): Promise<RunChunker> {
  const { io, report, model, screen } = deps;
  const { chunking, concurrency, workers = Math.max(1, io.processors - 1) } = request;
  const threads = Math.min(workers, inputs.length);
  // OCR has one engine with a thread of its own, which a thread for each file would only wait for.
  const engine = await openOcr(request.ocr);
  // Threads take time to start, and a single one is no faster than this one.
  if (engine === undefined && threads > 1 && fitsThreads(chunking, model !== undefined)) {
    const local = { ...request, chunking };
    const threaded = chunkInThreads(local, screen, threads, { report, signal: io.signal });
    // Further files are ready for the threads while a result waits for those before it.
    return { ...threaded, atOnce: 2 * threads, summary: () => [] };
  }
  const reader = createDocumentReader(io, request.timeoutMs);
  const single = await createSingle(request, { ...deps, reader, ocr: engine?.ocr });
  return {
    ...single,
    atOnce: concurrency,
    close: () => closeAll([reader.close, () => engine?.close()]),
  };
}

/** The payment libraries double the time to start, so they load only with a service. */
async function createSingle(
  request: ChunkFilesRequest,
  deps: ChunkerDeps & Pick<ChunkDeps, 'reader' | 'ocr'>,
): Promise<SummarizingChunker> {
  const { chunking } = request;
  if (!('remote' in chunking)) return { chunk: chunkHere(request, chunking, deps), summary: () => [] };
  if (chunking.dryRun) {
    const { dryRun } = await import('../remote/dry-run.ts');
    return dryRun(request, chunking, deps.io);
  }
  const { connect } = await import('../remote/chunk-remote.ts');
  return connect(request, chunking, deps);
}
