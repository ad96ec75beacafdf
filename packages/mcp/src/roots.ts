// Files below the folders that are open, and no others: by their real path, with no link that leads out, and looked at
// again once they are open.
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpError } from './errors.ts';

/** A file that was read. */
export interface RootedFile {
  readonly bytes: Uint8Array;
  /** Path of the file from its root, with `/`. */
  readonly name: string;
  /** Base name. */
  readonly filename: string;
}

/** The largest file that is read: as much as the service takes by default. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;

interface Found {
  /** Path as the client named it. */
  readonly path: string;
  readonly real: string;
  readonly name: string;
}

/**
 * Reads a file that is named by an absolute path, or by one from a root.
 *
 * Rejects with `no_roots`, `outside_roots`, `file_missing`, `not_a_file`, `not_readable`, `file_changed`,
 * `file_too_large`, or the signal's reason.
 *
 * @param roots absolute paths of folders
 */
export async function readBelow(
  roots: readonly string[],
  path: string,
  signal: AbortSignal,
): Promise<RootedFile> {
  if (roots.length === 0) throw new McpError('no_roots');
  const found = await find(roots, pathOf(path));
  // Neither a link that has just been put there nor a pipe without a writer can hold the server.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(found.real, flags).catch(refuseUnread);
  try {
    return { bytes: await read(file, found, signal), name: found.name, filename: basename(found.real) };
  } finally {
    await file.close();
  }
}

/** Clients know their folders by links, and hand on such names of files, too. */
function pathOf(named: string): string {
  if (!/^file:\/\//i.test(named)) return named;
  try {
    return fileURLToPath(named);
  } catch {
    return named;
  }
}

async function find(roots: readonly string[], path: string): Promise<Found> {
  const outside = new McpError('outside_roots', roots.join(', '));
  if (path.includes('\0')) throw outside;
  let isBelow = false;
  for (const root of roots) {
    const realRoot = await realpath(root).catch(() => root);
    const named = resolve(root, path);
    // Before the disk is asked: whether there is something outside is nobody's business.
    const base = [root, realRoot].find((folder) => nameBelow(folder, named) !== undefined);
    if (base === undefined) continue;
    isBelow = true;
    const real = await realpath(named).catch((error: unknown) => {
      if (isAbsence(error)) return undefined;
      throw unread(error);
    });
    if (real === undefined) continue;
    const name = await below(roots, realRoot, real);
    if (name === undefined) throw outside;
    return { path: named, real, name };
  }
  throw isBelow ? new McpError('file_missing', roots.join(', ')) : outside;
}

/** The name of a real path below a root; a link from one root into another is as good. */
async function below(roots: readonly string[], first: string, real: string): Promise<string | undefined> {
  const name = nameBelow(first, real);
  if (name !== undefined) return name;
  for (const root of roots) {
    const other = nameBelow(await realpath(root).catch(() => root), real);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** `a/b.md`, or undefined when the path does not lead into the folder. Both are absolute. */
function nameBelow(folder: string, path: string): string | undefined {
  const name = relative(folder, path);
  const leadsOut = name === '..' || name.startsWith(`..${sep}`) || isAbsolute(name);
  return leadsOut ? undefined : name.split(sep).join('/');
}

async function read(file: FileHandle, { path, real }: Found, signal: AbortSignal): Promise<Uint8Array> {
  const opened = await file.stat();
  if (!opened.isFile())
    throw new McpError('not_a_file', opened.isDirectory() ? 'a folder' : 'a device or pipe');
  // A folder on the way may have become a link between the check and the opening.
  const [now, there] = await Promise.all([realpath(path), stat(real)]).catch(() => [undefined, undefined]);
  if (now !== real || there?.ino !== opened.ino || there.dev !== opened.dev)
    throw new McpError('file_changed');
  if (opened.size > MAX_FILE_BYTES)
    throw new McpError('file_too_large', `${opened.size} bytes, and ${MAX_FILE_BYTES} are read at most`);
  // It may grow while it is read; what it had when it was looked at is what counts.
  const bytes = Buffer.alloc(opened.size);
  let length = 0;
  while (length < bytes.length) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length).catch(refuseUnread);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

const isAbsence = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Reasons in words; the system's own messages hold whole paths. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
};

function unread(error: unknown): McpError {
  const code = codeOf(error);
  return new McpError('not_readable', REASONS[code] ?? (code === '' ? 'the system refused' : code), error);
}

function refuseUnread(error: unknown): never {
  throw unread(error);
}
