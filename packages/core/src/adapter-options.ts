// Options of the adapters for frameworks. They are checked when the adapter is made, because its first text may come
// much later, and the error would then reach somebody else. This is no part of chunk.ts, whose bundle does not need it.
import { checkChunkOptions, type ChunkOptions } from './chunk.ts';
import { ChunkError, refuse } from './errors.ts';

/** Options that belong to one run, not to the way of cutting; `chunk` checks them. */
const OF_THE_RUN: readonly string[] = ['signal', 'onProgress', 'onDecisions', 'onEnriched', 'onCohesion'];

/**
 * Checks options as `chunk` does, except that an embedder or a language model may still be missing.
 *
 * @param names the framework's own names for options, where they differ from ours
 * @throws ChunkError `invalid_options` with every fault, under the framework's names
 */
export function checkAdapterOptions(
  options: ChunkOptions,
  names: Readonly<Record<string, string>> = {},
): void {
  const ofTheCut = Object.entries(options).filter(([name]) => !OF_THE_RUN.includes(name));
  try {
    checkChunkOptions(Object.fromEntries(ofTheCut));
  } catch (error) {
    if (!(error instanceof ChunkError)) throw error;
    refuse(error.faults.map((fault) => ({ ...fault, option: names[fault.option] ?? fault.option })));
    throw error;
  }
}
