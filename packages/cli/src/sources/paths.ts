// Files, folders and patterns as sources.
import { hash } from 'node:crypto';
import type { LoadSource, SourceEntry, SourceIssue } from '@grainline/pipeline/load';
import { type CliError } from '../errors.ts';
import type { Input } from '../inputs/input.ts';
import { findInputs } from '../inputs/inputs.ts';
import type { Io } from '../io.ts';

/** How files are searched. */
export interface PathSearch {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** True when folders give pictures too, because OCR reads them. */
  readonly pictures: boolean;
}

type SearchIo = Pick<Io, 'cwd' | 'stdin' | 'environment'>;

/**
 * A file may change once more within one tick of its clock, of up to two seconds on some file systems. A younger file
 * has no time, so that the next run reads it again.
 */
const TICK_MS = 2000;

/** The source of a folder or a pattern. Its name is the folder's path, as documents are named. */
export function folderSource(operand: string, name: string, io: SearchIo, search: PathSearch): LoadSource {
  return { id: name, isWhole: true, list: () => listPaths([operand], io, search) };
}

/** The source of files that are named one by one. */
export function filesSource(operands: readonly string[], io: SearchIo, search: PathSearch): LoadSource {
  const digits = hash('sha256', operands.toSorted().join('\0')).slice(0, 16);
  return { id: `files ${digits}`, isWhole: false, list: () => listPaths(operands, io, search) };
}

async function* listPaths(
  operands: readonly string[],
  io: SearchIo,
  { now, pictures }: PathSearch,
): AsyncGenerator<SourceEntry | SourceIssue> {
  const search = { io, stdinName: undefined, skip: undefined, pictures, onStdin: () => undefined };
  // The times are older than this moment by what the listing takes, which makes them look younger.
  const began = now();
  const { inputs, missing } = await findInputs(operands, search);
  for (const { shown, error } of missing) yield { shown, error, hides: hides(error) };
  for (const input of inputs) yield entryOf(input, began);
}

function entryOf({ name, shown, filename, size, changedMs, read }: Input, began: number): SourceEntry {
  const isSettled = changedMs !== undefined && began - changedMs > TICK_MS;
  return { documentId: name, shown, filename, size, modifiedMs: isSettled ? changedMs : undefined, read };
}

/** A folder or pattern without files has been searched completely, and a second file of a name hides none. */
function hides({ code }: CliError): boolean {
  return code !== 'no_files' && code !== 'no_match' && code !== 'same_name';
}
