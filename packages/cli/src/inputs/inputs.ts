// Operands → inputs: files, folders, patterns, standard input. Each input appears once, in order.
import { constants, createReadStream, openSync } from 'node:fs';
import { glob, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { untilAborted } from '@grainline/core';
import { READERS } from '@grainline/extract';
import { IMAGES } from '@grainline/extract/kinds';
import { type Io, printable } from '../io.ts';
import { CliError, codeOf, GARBLED, reasonOf, TOO_MUCH } from '../errors.ts';
import { COMMANDS } from '../args/request.ts';
import { closest } from '../args/spelling.ts';
import type { Input, InputFacts } from './input.ts';
import { isLink, linkInput } from './link.ts';

/** An operand without an input. */
export interface Missing {
  readonly shown: string;
  readonly error: CliError;
  /** True when it reads like a command. */
  readonly isCommand?: boolean;
}

/** The places of a search for inputs. */
export interface InputSearch {
  readonly io: Pick<Io, 'cwd' | 'stdin' | 'environment'>;
  /** Called before standard input is read. */
  readonly onStdin: () => void;
  /** File name of standard input. */
  readonly stdinName: string | undefined;
  /** The output folder; the search never enters it. */
  readonly skip: string | undefined;
  /** True when folders give pictures too, because OCR reads them. Default false. */
  readonly pictures?: boolean | undefined;
}

/** A file found on disk. */
interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** Name as the operand spells it. */
  readonly shown: string;
  /** Folder of the relative name for a file outside the working folder. */
  readonly base: string;
  readonly size?: number | undefined;
  readonly changedMs?: number | undefined;
}

const STDIN = '-';
const STDIN_SHOWN = 'standard input';

/** Finds the inputs of the operands and reads none. */
export async function findInputs(
  operands: readonly string[],
  search: InputSearch,
): Promise<{ inputs: Input[]; missing: Missing[] }> {
  const inputs = new Map<string, Input>();
  const missing: Missing[] = [];
  const names = new Map<string, Input>();
  const add = (key: string, input: Input): void => {
    const other = names.get(input.name);
    if (inputs.has(key)) return;
    if (other === undefined) names.set(input.name, input);
    else missing.push({ shown: input.shown, error: new CliError('same_name', { detail: other.shown }) });
    if (other === undefined) inputs.set(key, input);
  };
  for (const operand of operands) {
    if (operand === STDIN) add(STDIN, stdinInput(search));
    else if (isLink(operand)) add(operand, linkInput(operand, search.io));
    else
      for (const found of await findFiles(operand, search)) {
        if ('error' in found) missing.push(found);
        else add(found.path, fileInput(found, search.io.cwd));
      }
  }
  return { inputs: [...inputs.values()], missing };
}

/**
 * The document's id in its records. A pipe has no stable and unique name, so its content's hash stands for it.
 */
export function documentIdOf(
  { filename, name, url }: Pick<InputFacts, 'filename' | 'name' | 'url'>,
  inputHash: string,
  given: string | undefined,
): string {
  return given ?? url ?? (filename === undefined ? inputHash : name);
}

function stdinInput({ io, stdinName, onStdin }: InputSearch): Input {
  // Only the base name: a typed path must not lead out of the output folder.
  const filename = stdinName === undefined ? undefined : basename(stdinName);
  return {
    shown: filename === undefined ? STDIN_SHOWN : printable(filename),
    name: filename === undefined || filename === '' ? 'stdin' : filename,
    filename,
    read: async (signal) => {
      onStdin();
      return { bytes: await readAll(io.stdin, signal) };
    },
  };
}

function fileInput({ path, shown, base, size, changedMs }: FoundFile, cwd: string): Input {
  const fromCwd = relative(cwd, path);
  const name = leadsOut(fromCwd) ? relative(base, path) : fromCwd;
  return {
    shown: printable(shown),
    name: name.split(sep).join('/'),
    filename: basename(path),
    size,
    changedMs,
    read: async (signal) => ({ bytes: await readWhole(path, signal) }),
  };
}

function leadsOut(path: string): boolean {
  return path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** An existing file or folder of exactly this name takes precedence over a pattern. */
async function findFiles(operand: string, search: InputSearch): Promise<(FoundFile | Missing)[]> {
  const { io } = search;
  const path = resolve(io.cwd, operand);
  const missing = (error: CliError): Missing[] => [{ shown: printable(operand), error }];
  try {
    const about = await stat(path);
    if (about.isDirectory()) return await findInFolder(path, operand, search);
    const { size, mtimeMs: changedMs } = about;
    return [{ path, shown: operand, base: dirname(path), size, changedMs }];
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return missing(notReadable(error));
  }
  if (isGarbled(operand)) return missing(new CliError('not_readable', { detail: GARBLED }));
  const target = await readlink(path).catch(() => undefined);
  if (target !== undefined) return missing(danglingLink(target));
  if (!isDynamicPattern(operand)) return [notFound(operand, search)];
  const found = await findByPattern(operand, io.cwd);
  return found.length > 0 ? found : missing(new CliError('no_match'));
}

function danglingLink(target: string): CliError {
  return new CliError('not_found', { detail: ` The link leads to ${printable(target)}, which is missing.` });
}

/** The operand may be a misspelt command, or the languages of `--ocr`. */
function notFound(operand: string, { pictures }: InputSearch): Missing {
  const isLanguages = pictures === true && /^[a-z]{3}(?:[_+][A-Za-z]+)*$/.test(operand);
  const meant = operand === 'help' ? '--help' : closest(operand, COMMANDS);
  const command = meant === undefined ? '' : ` Did you mean grainline ${meant}?`;
  const detail = isLanguages ? ` Did you mean --ocr=${operand}?` : command;
  return {
    shown: printable(operand),
    error: new CliError('not_found', { detail }),
    isCommand: !isLanguages && command !== '',
  };
}

const INSTALLED = 'node_modules';
const EXTENSIONS: readonly string[] = READERS.flatMap((reader) => reader.extensions);

function extensionsOf({ pictures = false }: Pick<InputSearch, 'pictures'>): readonly string[] {
  return pictures ? [...EXTENSIONS, ...IMAGES.extensions] : EXTENSIONS;
}

async function findInFolder(
  folder: string,
  operand: string,
  search: InputSearch,
): Promise<(FoundFile | Missing)[]> {
  const found: (FoundFile | Missing)[] = [];
  for await (const entry of walk(folder, operand, search))
    found.push('error' in entry ? entry : { ...entry, base: dirname(folder) });
  if (found.length > 0) return found;
  const detail = extensionsOf(search)
    .map((extension) => `.${extension}`)
    .join(', ');
  return [{ shown: printable(operand), error: new CliError('no_files', { detail }) }];
}

/**
 * Files of accepted kinds below a folder, in the order of their names. Hidden files, `node_modules` and links to
 * folders, which may form circles, are left out.
 */
async function* walk(
  folder: string,
  shown: string,
  search: InputSearch,
): AsyncGenerator<Omit<FoundFile, 'base'> | Missing> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) =>
    notReadable(error),
  );
  if (entries instanceof CliError) {
    yield { shown: printable(shown), error: entries };
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const below = { path, shown: join(shown, entry.name) };
    if (entry.name.startsWith('.') || entry.name === INSTALLED || path === search.skip) continue;
    if (entry.isDirectory()) yield* walk(path, below.shown, search);
    else if (isAccepted(entry.name, search) && (entry.isFile() || (await leadsToFile(path))))
      yield { ...below, ...(await factsOf(path)) };
  }
}

/** True for a name with the ending of an accepted kind. */
export function isAccepted(name: string, search: Pick<InputSearch, 'pictures'> = {}): boolean {
  return extensionsOf(search).some((extension) => name.toLowerCase().endsWith(`.${extension}`));
}

/** Nothing for a file that cannot be read, whose reading reports the error. */
async function factsOf(path: string): Promise<Pick<FoundFile, 'size' | 'changedMs'>> {
  return stat(path).then(
    ({ size, mtimeMs }) => ({ size, changedMs: mtimeMs }),
    () => ({}),
  );
}

async function leadsToFile(path: string): Promise<boolean> {
  // A dangling link counts as a file; its reading reports the error.
  return stat(path).then(
    (target) => target.isFile(),
    () => true,
  );
}

/**
 * Every file that matches the pattern, of any kind, as in a shell. `node_modules` is searched only when the pattern
 * names it.
 */
async function findByPattern(pattern: string, cwd: string): Promise<FoundFile[]> {
  const exclude = pattern.split('/').includes(INSTALLED) ? [] : [`**/${INSTALLED}/**`];
  const paths: string[] = [];
  for await (const entry of glob(pattern, { cwd, exclude, withFileTypes: true })) {
    const path = resolve(cwd, entry.parentPath, entry.name);
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(path)))) paths.push(path);
  }
  const base = dirname(resolve(cwd, fixedPart(pattern)));
  const found = paths.sort().map(async (path) => {
    const shown = isAbsolute(pattern) ? path : relative(cwd, path);
    return { path, shown, base, ...(await factsOf(path)) };
  });
  return Promise.all(found);
}

/** True for a text with the signs of a pattern, as Node's `glob` reads them. */
function isDynamicPattern(text: string): boolean {
  return /[*?]|\[.+\]|\{.+\}|[!@+]\(/.test(text);
}

/** The folders before the first part with a wildcard: `docs/2024` of `docs/2024/*.md`. */
function fixedPart(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => isDynamicPattern(part));
  return parts.slice(0, Math.max(0, first)).join('/') || (isAbsolute(pattern) ? '/' : '.');
}

/** Most bytes of one input: Node's limit for a file. Pipes and devices may have no end. */
const MAX_BYTES = 2 ** 31;

async function readWhole(path: string, signal: AbortSignal): Promise<Uint8Array> {
  try {
    const facts = await stat(path);
    if (facts.isFile()) return await readFile(path, { signal });
    return await readAll(
      facts.isFIFO() ? openPipe(path, signal) : createReadStream(path, { signal }),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof CliError ? error : notReadable(error, path);
  }
}

/** Opening a pipe without a writer blocks a thread, which the process could not end; a polled one is destroyed. */
function openPipe(path: string, signal: AbortSignal): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return addAbortSignal(signal, new Socket({ fd, readable: true, writable: false }));
}

async function readAll(stream: AsyncIterable<Uint8Array | string>, signal: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const read = async (): Promise<void> => {
    for await (const piece of stream) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      length += bytes.length;
      if (length > MAX_BYTES) throw new CliError('not_readable', { detail: TOO_MUCH });
      pieces.push(bytes);
    }
  };
  // Standard input may block without end.
  await untilAborted(read, signal);
  return Buffer.concat(pieces);
}

/** @param path the unreadable path; a garbled one was not decoded as the name on disk */
function notReadable(cause: unknown, path = ''): CliError {
  const isMisspelt = isGarbled(path) && codeOf(cause) === 'ENOENT';
  return new CliError('not_readable', { detail: isMisspelt ? GARBLED : reasonOf(cause), cause });
}

/** True for a name with bytes that Node could not decode. */
function isGarbled(path: string): boolean {
  return path.includes('\uFFFD');
}
