// What a child process may do at all: Node's permission model, as arguments of the process. It may read the code that
// it runs; it may not read anything else, write, start processes or threads, load native code, or be debugged. Sockets
// are not covered by this version of Node; what is done about them is in confine.ts.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** What runs the child file and what that imports; what these stand on is found in their manifests. */
const LOADED = ['tinypool', '@grainline/core', '@grainline/extract', '@grainline/models'];

/** What is code in the child file's own package. Never all of it: where it is worked on, its folder may hold data. */
const OWN_CODE = ['package.json', 'dist', 'src'];

/**
 * Arguments for Node with which a process can load `childFile` and all that it needs, and touch nothing else of the
 * file system.
 *
 * @param more further files or folders that may be read
 */
export function permissionsFor(childFile: string, more: readonly string[] = []): string[] {
  const reads = new Set([...more, ...readableFor(childFile)]);
  return ['--permission', ...[...reads].map((file) => `--allow-fs-read=${file}`)];
}

/** Folders that the code lies in, as they are reached and, where links lead elsewhere, as they really are. */
function readableFor(childFile: string): string[] {
  // One that is not there cannot be started, and the pool says so.
  const manifest = existsSync(childFile) ? findPackageJSON(pathToFileURL(childFile)) : undefined;
  const readable = [path.dirname(childFile)];
  if (manifest === undefined) return readable;
  readable.push(...OWN_CODE.map((name) => path.join(path.dirname(manifest), name)));
  const seen = new Set<string>();
  const visit = (name: string, base: string): void => {
    const found = manifestOf(name, base);
    if (found === undefined || seen.has(found)) return;
    seen.add(found);
    readable.push(path.dirname(found));
    for (const next of dependenciesOf(found)) visit(next, realpathSync(found));
  };
  for (const name of LOADED) visit(name, realpathSync(manifest));
  return readable.filter((file) => existsSync(file)).flatMap((file) => [file, realpathSync(file)]);
}

/** The manifest of a package; undefined when it is not installed, as an optional part for another platform. */
function manifestOf(name: string, base: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(base));
  } catch {
    return undefined;
  }
}

function dependenciesOf(manifest: string): string[] {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as Partial<
    Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>
  >;
  return Object.keys({ ...dependencies, ...optionalDependencies });
}
