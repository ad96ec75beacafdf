// The folder that --out names: one file per input, whole or not at all, skipped when nothing has changed, and never
// over a file that somebody else wrote. Beside them `.grainline/written.jsonl` lists what was written from what.
import { createHash } from 'node:crypto';
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
import { CliError, codeOf, reasonOf } from './errors.ts';
import { gathered } from './terminal.ts';

/** What an output is made from; when all of it is as before, so is the output. */
export interface Origin {
  /** Path of the output below the folder, with `/`. */
  readonly output: string;
  /** SHA-256 of the input's bytes. */
  readonly input: string;
  /** Everything else that decides what is written, version included. */
  readonly recipe: string;
}

/** A line of the list. It is added before the file appears, so that a run that is killed leaves no file unknown. */
interface Entry extends Origin {
  /** SHA-256 of what was written. */
  readonly content: string;
}

/** See {@link openFolder}. */
export interface OutputFolder {
  /** True when the output is there, unaltered, and made from the same. */
  isCurrent(origin: Origin): Promise<boolean>;
  /** Writes the output. Rejects with `output_exists`, `not_writable`, or the signal's reason. */
  write(origin: Origin, pieces: Iterable<string>, signal: AbortSignal): Promise<void>;
}

const OWN_FOLDER = '.grainline';
const LIST = 'written.jsonl';
/**
 * Entries that are kept of an output: the last write may be under way while the one before is still in place; older
 * ones are history.
 */
const KEPT_ENTRIES = 2;
/** The list is written anew when it holds so many times more lines than are kept. */
const MOST_HISTORY = 4;

/**
 * Opens a folder for writing, and makes it when it is missing.
 *
 * @param force whether files that are not ours, or were altered, may be replaced
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
        await refuseForeign(target, origin.output, content);
        await orNotWritable(dirname(target), makeFolder(dirname(target)));
        await orNotWritable(listPath, remember({ ...origin, content }));
        await orNotWritable(target, rename(draft, target));
      } finally {
        await rm(draft, { force: true });
      }
    },
  };

  async function refuseForeign(target: string, output: string, content: string): Promise<void> {
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
 * Makes a folder and those above it. Node's own `recursive` turns for ever, in all its threads, where a folder that is
 * there takes no new one and says ENOENT, as /proc does.
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

/** Writes the pieces to a new file and gives the SHA-256 of them all. */
async function writeDraft(path: string, pieces: Iterable<string>, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file: FileHandle = await open(path, 'w');
  try {
    for (const text of gathered(pieces)) {
      signal.throwIfAborted();
      await file.writeFile(text);
      hash.update(text);
    }
    // Without this, a power cut after the rename can leave the name with nothing behind it.
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

async function readList(path: string): Promise<Map<string, Entry[]>> {
  const text = (await readIfThere(path))?.toString() ?? '';
  const entries = new Map<string, Entry[]>();
  const lines = text.split('\n');
  // What follows the last line end is nothing, or a line that was cut off; its file never appeared.
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
    // Falls through to the same fault as a line with other fields.
  }
  throw new CliError('manifest_damaged', { detail: path });
}

/** SHA-256 of a file; undefined when there is none. */
async function contentOf(path: string): Promise<string | undefined> {
  const bytes = await readIfThere(path);
  return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  const read = readFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return orNotWritable(path, read);
}

/** Tells what the file system refuses from every other error, which passes as it is. */
async function orNotWritable<Value>(path: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const isSystemError = error instanceof Error && 'errno' in error;
    if (!isSystemError) throw error;
    throw new CliError('not_writable', { detail: `${path}: ${reasonOf(error)}`, cause: error });
  }
}
