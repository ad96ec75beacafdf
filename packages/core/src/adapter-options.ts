// Options of the adapters for frameworks, checked when an adapter is made: its first text may come much later, and a
// failure then reaches somebody else. Not part of chunk.ts, because its bundle has no need of it.
import { checkChunkOptions, type ChunkOptions } from './chunk.ts';
import { ChunkError, refuse } from './errors.ts';

/** What goes with a run and not with how to cut; `chunk` checks it. */
const OF_THE_RUN: readonly string[] = ['signal', 'onProgress', 'onDecisions', 'onEnriched', 'onCohesion'];

/**
 * Checks options as `chunk` does; an embedder or a language model may still be missing.
 *
 * @param names what options are called by the framework, where that is not our name
 * @throws ChunkError `invalid_options` with every fault, by the framework's names
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
