// The permissions of a child process, as arguments of Node's permission model. The process reads its own code. It
// cannot read other files, write, start processes or threads, load native code, or be debugged. This version of Node
// does not cover sockets; confine.ts closes them.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Packages that run the child file or that it imports. Their manifests lead to the others, such as core and extract.
 * The list has the models because they are an optional peer of the pipeline.
 */
const LOADED = ['tinypool', '@grainline/pipeline', '@grainline/models'];

/** The packages of OCR in some languages, `deu+eng`. */
export function ocrPackages(languages: string): string[] {
  return ['@grainline/ocr', ...languages.split('+').map((name) => `@tesseract.js-data/${name}`)];
}

/** Code in the child file's own package. Never the whole folder, because in development it may hold data. */
const OWN_CODE = ['package.json', 'dist', 'src'];

/**
 * Arguments for Node that allow a process to load `childFile` with its dependencies and nothing else of the file
 * system.
 *
 * @param more further readable files or folders
 * @param packages further packages that the process may load
 */
export function permissionsFor(
  childFile: string,
  more: readonly string[] = [],
  packages: readonly string[] = [],
): string[] {
  const reads = new Set([...more, ...readableFor(childFile, packages)]);
  return ['--permission', ...[...reads].map((file) => `--allow-fs-read=${file}`)];
}

/** Folders of the code, by their path and by the target of symbolic links. */
function readableFor(childFile: string, packages: readonly string[]): string[] {
  // The pool reports a missing file.
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
  for (const name of [...LOADED, ...packages]) visit(name, realpathSync(manifest));
  // The process looks for data of OCR beside the program that runs, too.
  for (const name of packages) visit(name, path.join(process.cwd(), 'program.js'));
  return readable.filter((file) => existsSync(file)).flatMap((file) => [file, realpathSync(file)]);
}

/**
 * The manifest of a package; undefined for a package that is not installed, such as an optional one for another
 * platform.
 */
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
