// The folder of --out: one file per input, written whole, skipped without a change, and never over a file of another
// program. `.grainline/written.jsonl` lists the outputs with their origins.
import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  appendFile,
  type FileHandle,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, codeOf, reasonOf } from '../errors.ts';
import { gathered } from './terminal.ts';

/** The origin of an output; equal origins give equal outputs. */
export interface OutputOrigin {
  /** Path of the output below the folder, with `/`. */
  readonly output: string;
  /** SHA-256 of the input's bytes. */
  readonly input: string;
  /** Hash of every other influence on the output, the version included. */
  readonly recipe: string;
}

/** A line of the list. It precedes the file, so that a killed run leaves no unknown file. */
interface Entry extends OutputOrigin {
  /** SHA-256 of the output. */
  readonly content: string;
}

/** See {@link openFolder}. */
export interface OutputFolder {
  /** True when the output exists unaltered and has this origin. */
  isCurrent(origin: OutputOrigin): Promise<boolean>;
  /** Writes the output. Rejects with `output_exists`, `not_writable`, or the signal's reason. */
  write(origin: OutputOrigin, pieces: Iterable<string>, signal: AbortSignal): Promise<void>;
}

const OWN_FOLDER = '.grainline';
const LIST = 'written.jsonl';
/** Entries of an output in the list: an interrupted write leaves the file of the entry before the last. */
const KEPT_ENTRIES = 2;
/** The list is rewritten when it has more than this many times the kept lines. */
const MOST_HISTORY = 4;

/**
 * Opens a folder for writing and creates a missing one.
 *
 * @param force replaces altered files and files of other programs
 */
export async function openFolder(path: string, force: boolean): Promise<OutputFolder> {
  const ownFolder = join(path, OWN_FOLDER);
  const listPath = join(ownFolder, LIST);
  await orNotWritable(ownFolder, makeFolder(ownFolder));
  await orNotWritable(ownFolder, access(ownFolder, constants.W_OK));
  const entries = await readList(listPath);
  let drafts = 0;

  return {
    async isCurrent({ output, input, recipe }) {
      const last = entries.get(output)?.at(-1);
      if (last?.input !== input || last.recipe !== recipe) return false;
      return (await contentOf(join(path, output))) === last.content;
    },

    async write(origin, pieces, signal) {
      const target = join(path, origin.output);
      const draft = join(ownFolder, `${process.pid}-${drafts++}.draft`);
      try {
        const content = await orNotWritable(draft, writeDraft(draft, pieces, signal));
        await rejectForeign(target, origin.output, content);
        await orNotWritable(dirname(target), makeFolder(dirname(target)));
        await orNotWritable(listPath, remember({ ...origin, content }));
        await orNotWritable(target, rename(draft, target));
      } finally {
        await rm(draft, { force: true });
      }
    },
  };

  async function rejectForeign(target: string, output: string, content: string): Promise<void> {
    if (force) return;
    const present = await contentOf(target);
    const ours = [content, ...(entries.get(output) ?? []).map((entry) => entry.content)];
    if (present !== undefined && !ours.includes(present))
      throw new CliError('output_exists', { detail: target });
  }

  async function remember(entry: Entry): Promise<void> {
    addTo(entries, entry);
    await appendFile(listPath, `${JSON.stringify(entry)}\n`);
  }
}

/**
 * Creates a folder and its parents. Node's `recursive` loops without end, in all its threads, where an existing folder
 * answers ENOENT to a new one, as /proc does.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' && (await isMissing(dirname(path)))) {
      await makeFolder(dirname(path));
      await makeFolder(path);
    } else if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

async function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: unknown) => codeOf(error) === 'ENOENT',
  );
}

/** Writes the pieces to a new file and returns their SHA-256. */
async function writeDraft(path: string, pieces: Iterable<string>, signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  const file: FileHandle = await open(path, 'w');
  try {
    for (const text of gathered(pieces)) {
      signal.throwIfAborted();
      await file.writeFile(text);
      digest.update(text);
    }
    // Without the sync, a power cut after the rename can leave an empty file.
    await file.sync();
  } finally {
    await file.close();
  }
  return digest.digest('hex');
}

async function readList(path: string): Promise<Map<string, Entry[]>> {
  const text = (await readIfThere(path))?.toString() ?? '';
  const entries = new Map<string, Entry[]>();
  const lines = text.split('\n');
  // The rest after the last line end is empty or a truncated line, whose file never appeared.
  const remainder = lines.pop();
  for (const line of lines) addTo(entries, parseEntry(line, path));
  const kept = [...entries.values()].flat();
  if (remainder !== '' || lines.length > MOST_HISTORY * kept.length)
    await orNotWritable(path, rewriteList(path, kept));
  return entries;
}

async function rewriteList(path: string, entries: readonly Entry[]): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  await rename(draft, path);
}

function addTo(entries: Map<string, Entry[]>, entry: Entry): void {
  entries.set(entry.output, [...(entries.get(entry.output) ?? []), entry].slice(-KEPT_ENTRIES));
}

function parseEntry(line: string, path: string): Entry {
  const fields = ['output', 'input', 'recipe', 'content'] as const;
  try {
    const entry = JSON.parse(line) as Partial<Record<string, unknown>>;
    if (fields.every((field) => typeof entry[field] === 'string')) return entry as unknown as Entry;
  } catch {
    // A line that is no JSON gets the same error as one with other fields.
  }
  throw new CliError('manifest_damaged', { detail: path });
}

/** SHA-256 of a file; undefined when there is none. */
async function contentOf(path: string): Promise<string | undefined> {
  const bytes = await readIfThere(path);
  return bytes === undefined ? undefined : hash('sha256', bytes);
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  const read = readFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return orNotWritable(path, read);
}

/** Turns errors of the file system into `not_writable`; other errors pass unchanged. */
async function orNotWritable<Value>(path: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const isSystemError = error instanceof Error && 'errno' in error;
    if (!isSystemError) throw error;
    throw new CliError('not_writable', { detail: `${path}: ${reasonOf(error)}`, cause: error });
  }
}
