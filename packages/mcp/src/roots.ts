// Reads files below the open folders and no others. The real path decides, links must not lead out, and the opened file
// is checked again.
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpError } from './errors.ts';

/** A file with its content. */
export interface RootedFile {
  readonly bytes: Uint8Array;
  /** Path of the file from its root, with `/`. */
  readonly name: string;
  /** Base name. */
  readonly filename: string;
}

/** The largest readable file: the service's default limit. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;

interface RootedPath {
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
  // The flags stop a link that has just replaced the file, and a pipe without a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(found.real, flags).catch(rejectUnread);
  try {
    return { bytes: await read(file, found, signal), name: found.name, filename: basename(found.real) };
  } finally {
    await file.close();
  }
}

/** Clients also pass folders and files as `file:` links. */
function pathOf(named: string): string {
  if (!/^file:\/\//i.test(named)) return named;
  try {
    return fileURLToPath(named);
  } catch {
    return named;
  }
}

async function find(roots: readonly string[], path: string): Promise<RootedPath> {
  const outside = new McpError('outside_roots', roots.join(', '));
  if (path.includes('\0')) throw outside;
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  let isBelow = false;
  for (const [index, root] of roots.entries()) {
    const realRoot = realRoots[index] ?? root;
    const named = resolve(root, path);
    // The check precedes the disk, so that no answer reveals files outside.
    if ([root, realRoot].every((folder) => nameBelow(folder, named) === undefined)) continue;
    isBelow = true;
    const real = await realpath(named).catch((error: unknown) => {
      if (isAbsence(error)) return undefined;
      throw unread(error);
    });
    if (real === undefined) continue;
    // A link from one root into another is valid.
    const names = [realRoot, ...realRoots].map((folder) => nameBelow(folder, real));
    const name = names.find((found) => found !== undefined);
    if (name === undefined) throw outside;
    return { path: named, real, name };
  }
  throw isBelow ? new McpError('file_missing', roots.join(', ')) : outside;
}

/** `a/b.md`, or undefined for a path outside the folder. Both are absolute. */
function nameBelow(folder: string, path: string): string | undefined {
  const name = relative(folder, path);
  const leadsOut = name === '..' || name.startsWith(`..${sep}`) || isAbsolute(name);
  return leadsOut ? undefined : name.split(sep).join('/');
}

async function read(file: FileHandle, { path, real }: RootedPath, signal: AbortSignal): Promise<Uint8Array> {
  const opened = await file.stat();
  if (!opened.isFile())
    throw new McpError('not_a_file', opened.isDirectory() ? 'a folder' : 'a device or pipe');
  // A folder on the way may have become a link between the check and the opening.
  const [now, there] = await Promise.all([realpath(path), stat(real)]).catch(() => [undefined, undefined]);
  if (now !== real || there?.ino !== opened.ino || there.dev !== opened.dev)
    throw new McpError('file_changed');
  if (opened.size > MAX_FILE_BYTES)
    throw new McpError('file_too_large', `${opened.size} bytes, and ${MAX_FILE_BYTES} are read at most`);
  // The file may grow meanwhile; only its size at the check is read.
  const bytes = Buffer.alloc(opened.size);
  let length = 0;
  while (length < bytes.length) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length).catch(rejectUnread);
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

function rejectUnread(error: unknown): never {
  throw unread(error);
}
