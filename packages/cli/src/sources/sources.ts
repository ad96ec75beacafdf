// Operands of `grainline load` → sources: folders, patterns, files, links, sitemaps, buckets.
import { stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import type { LoadSource } from '@grainline/pipeline/load';
import { isLink } from '../inputs/link.ts';
import type { Io } from '../io.ts';
import { isBucket } from './bucket.ts';
import { linkSource } from './link.ts';
import { filesSource, folderSource, type PathSearch } from './paths.ts';
import { isSitemap } from './sitemap.ts';

/**
 * The sources of the operands, each once. All files that are named one by one are one source.
 *
 * Rejects with a CliError `bucket_unusable` for a bucket without credentials.
 *
 * @param search how files, folders and patterns are searched
 */
export async function findSources(
  operands: readonly string[],
  io: Io,
  search: PathSearch,
): Promise<LoadSource[]> {
  const sources = new Map<string, LoadSource>();
  const files: string[] = [];
  const add = (source: LoadSource): void => void sources.set(source.id, source);
  for (const operand of operands) {
    if (isBucket(operand)) {
      const { bucketSource } = await import('./bucket.ts');
      add(bucketSource(operand, io, search));
    } else if (isLink(operand)) {
      const { sitemapSource } = await import('./sitemap.ts');
      add(isSitemap(operand) ? sitemapSource(operand, io) : linkSource(operand, io));
    } else if (await isFile(resolve(io.cwd, operand))) files.push(operand);
    else add(folderSource(operand, nameOf(operand, io.cwd), io, search));
  }
  if (files.length > 0) add(filesSource([...new Set(files)], io, search));
  return [...sources.values()];
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => !about.isDirectory(),
    () => false,
  );
}

/**
 * The name of a folder or pattern: its path from the working folder, as in the names of its documents. It does not
 * depend on the machine. The working folder itself is `.`.
 */
function nameOf(operand: string, cwd: string): string {
  const path = resolve(cwd, operand);
  const fromCwd = relative(cwd, path);
  if (fromCwd === '') return '.';
  const leadsOut = fromCwd === '..' || fromCwd.startsWith(`..${sep}`) || isAbsolute(fromCwd);
  return (leadsOut ? basename(path) : fromCwd).split(sep).join('/');
}
