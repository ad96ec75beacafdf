// The closing lines of a run that fills a folder: the counts of all files, and those of each kind.
import { IMAGES, READERS } from '@grainline/extract/kinds';
import { optionsOf } from '@grainline/core/options';
import { counted } from '../io.ts';
import type { LocalChunking } from '../args/request.ts';

/** Outcomes of files, and the chunks of those that were written. */
export interface FileCounts {
  documents: number;
  chunks: number;
  unchanged: number;
  failed: number;
}

/** Counts by kind. The ending of a file's name stands for its kind, as it does for a person who looks for the file. */
export type KindCounts = Map<string, FileCounts>;

/** The counts of the kind of a file, to be updated. */
export function countsOfKind(name: string, kinds: KindCounts): FileCounts {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const kind = [...READERS, IMAGES].find(({ extensions }) => extensions.includes(ending))?.kind ?? 'other';
  const counts = kinds.get(kind) ?? { documents: 0, chunks: 0, unchanged: 0, failed: 0 };
  kinds.set(kind, counts);
  return counts;
}

/** `12 files: 7 written (340 chunks), 4 unchanged, 1 failed`, with a line for each kind if there are two or more. */
export function summaryOf(all: FileCounts, kinds: KindCounts): string[] {
  const total = lineOf(all);
  if (kinds.size < 2) return [total];
  const width = Math.max(...[...kinds.keys()].map(({ length }) => length));
  const rows = [...kinds].sort(([one], [other]) => (one < other ? -1 : 1));
  return [total, ...rows.map(([kind, counts]) => `  ${kind.padEnd(width)}  ${lineOf(counts)}`)];
}

function lineOf({ documents, chunks, unchanged, failed }: FileCounts): string {
  const total = counted(documents + unchanged + failed, 'file');
  return `${total}: ${documents} written (${counted(chunks, 'chunk')}), ${unchanged} unchanged, ${failed} failed`;
}

/** A note for each given option of reading that does not change some of the kinds of a run. */
export function ignoredOptions(reading: LocalChunking['reading'], kinds: KindCounts): string[] {
  const given: Readonly<Record<string, unknown>> = { ...reading };
  return optionsOf('cli').flatMap(({ key, name, entry: { type, default: usual, control } }) => {
    const changed = control?.kinds;
    const value = given[key];
    // A document without the chosen pages is an error already.
    if (changed === undefined || type !== 'choice' || value === undefined || value === usual) return [];
    const others = [...kinds.keys()].filter((kind) => !changed.includes(kind)).sort();
    return others.length === 0 ? [] : [`grainline: --${name} does not change ${others.join(', ')}.`];
  });
}
