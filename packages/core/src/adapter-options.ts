// Options of the adapters for frameworks, checked when an adapter is made: its first text may come much later, and a
// failure then reaches somebody else. Not part of chunk.ts, because its bundle has no need of it.
import { checkChunkOptions, type ChunkOptions } from './chunk.ts';
import { ChunkError, faultUnless, type OptionFault, refuse } from './errors.ts';

/** What goes with a run and not with how to cut; `chunk` checks it. */
const OF_THE_RUN: readonly string[] = ['signal', 'onProgress', 'onDecisions', 'onEnriched', 'onCohesion'];

/**
 * Checks options as `chunk` does; an embedder or a language model may still be missing.
 *
 * @param given the options by the framework's names
 * @param names what options are called by the framework, where that is not our name
 * @throws ChunkError `invalid_options` with every fault, by the framework's names
 */
export function checkAdapterOptions(given: object, names: Readonly<Record<string, string>> = {}): void {
  const options: Readonly<Record<string, unknown>> = { ...given };
  const foreign = [...Object.keys(names), ...Object.values(names), ...OF_THE_RUN];
  const ofTheCut = Object.entries(options).filter(([name]) => !foreign.includes(name));
  const renamed = Object.entries(names).map(([ours, theirs]) => [ours, options[theirs]] as const);
  refuse([
    ...Object.entries(names).flatMap(([ours, theirs]) =>
      faultUnless(options[ours] === undefined, ours, `left out, because it is ${theirs} here`, options[ours]),
    ),
    ...faultsOf(Object.fromEntries([...ofTheCut, ...renamed])).map(({ option, expected, received }) => ({
      option: names[option] ?? option,
      expected: expected.replaceAll(/\w+/g, (word) => names[word] ?? word),
      received,
    })),
  ]);
}

function faultsOf(options: ChunkOptions): readonly OptionFault[] {
  try {
    checkChunkOptions(options);
  } catch (error) {
    if (error instanceof ChunkError && error.faults.length > 0) return error.faults;
    throw error;
  }
  return [];
}
