// Options of the adapters for frameworks. They are checked when the adapter is made, because its first text may come
// much later, and the error would then reach somebody else. This is no part of chunk.ts, whose bundle does not need it.
import { checkChunkOptions } from './chunk.ts';
import type { ChunkOptions } from './chunk-options.ts';
import { ChunkError, issueUnless, type OptionIssue, assertNoIssues } from './errors.ts';

/** Options that belong to one run, not to the way of cutting; `chunk` checks them. */
const OF_THE_RUN: readonly string[] = ['signal', 'onProgress', 'onDecisions', 'onEnriched', 'onCohesion'];

/**
 * Checks options as `chunk` does, except that an embedder or a language model may still be missing.
 *
 * @param given the options, by the framework's names
 * @param names the framework's own names for options, where they differ from ours
 * @throws ChunkError `invalid_options` with every issue, under the framework's names
 */
export function checkAdapterOptions(given: object, names: Readonly<Record<string, string>> = {}): void {
  const options: Readonly<Record<string, unknown>> = { ...given };
  const foreign = [...Object.keys(names), ...Object.values(names), ...OF_THE_RUN];
  const ofTheCut = Object.entries(options).filter(([name]) => !foreign.includes(name));
  const renamed = Object.entries(names).map(([ours, theirs]) => [ours, options[theirs]] as const);
  assertNoIssues([
    ...Object.entries(names).flatMap(([ours, theirs]) =>
      issueUnless(options[ours] === undefined, ours, `left out, because it is ${theirs} here`, options[ours]),
    ),
    ...issuesOf(Object.fromEntries([...ofTheCut, ...renamed])).map(({ option, expected, received }) => ({
      option: names[option] ?? option,
      expected: expected.replaceAll(/\w+/g, (word) => names[word] ?? word),
      received,
    })),
  ]);
}

function issuesOf(options: ChunkOptions): readonly OptionIssue[] {
  try {
    checkChunkOptions(options);
  } catch (error) {
    if (error instanceof ChunkError && error.issues.length > 0) return error.issues;
    throw error;
  }
  return [];
}
