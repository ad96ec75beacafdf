// `grainline mcp`: the server for agents, when it is installed, with the line of this process and the service that may
// be asked.
import { readdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type TIERS } from '@grainline/core';
import type * as Mcp from '@grainline/mcp';
import manifest from '../../package.json' with { type: 'json' };
import { CliError, describe, isMissing, reasonOf } from '../errors.ts';
import { ENCODINGS } from '../models.ts';
import type { McpRequest } from '../request.ts';
import { createReport, type Io, printable } from '../terminal.ts';
import { createThreads, type Threads } from './threads.ts';

/** Loads the part of `@grainline/mcp` that is called here. */
export type ImportMcp = () => Promise<Pick<typeof Mcp, 'serve'>>;

/** The default tier first, as for files; then the others that ask nobody outside. */
const HERE = [
  'structure',
  'professional',
  'standard',
  'semantic',
  'free',
] as const satisfies readonly Exclude<keyof typeof TIERS, 'ai' | 'ai-pro'>[];

/**
 * Serves until the client leaves or the signal is aborted, which is how such a server is ended as a rule.
 *
 * Rejects with `mcp_missing`, `root_unusable`, and as `openService` does.
 */
export async function mcp(
  { roots, place }: McpRequest,
  io: Io,
  importMcp: ImportMcp = () => import('@grainline/mcp'),
): Promise<void> {
  const { serve } = await importMcp().catch((error: unknown) => {
    throw isMissing('@grainline/mcp', error) ? new CliError('mcp_missing', { cause: error }) : error;
  });
  const report = createReport(io.stderr, { quiet: false, showProgress: false });
  const log = (line: string): void => report.note(`grainline mcp: ${printable(line)}`);
  const open = await openRoots(roots, io.cwd, log);
  const threads = createThreads();
  const service = place === undefined ? undefined : await openPort(place, io, threads);
  try {
    const { stdin, stdout, signal } = io;
    await serve({
      version: manifest.version,
      stdin,
      stdout,
      log,
      signal,
      roots: open,
      line: { tiers: HERE, encodings: [ENCODINGS[0] ?? '', ...ENCODINGS.slice(1)], cut: threads.cut },
      service: service?.port,
      describe,
    });
  } finally {
    await threads.close();
    for (const line of service?.summary() ?? []) log(line);
    await report.close();
  }
}

/** Loaded only where a service is named: what asks and pays is large. */
async function openPort(place: NonNullable<McpRequest['place']>, io: Io, { count }: Threads) {
  const { openServicePort } = await import('./service-port.ts');
  return openServicePort(place, io, count);
}

/** Where clients start their servers in the root of the disk, nobody has said that all of it is to be read. */
async function openRoots(
  typed: readonly string[],
  cwd: string,
  log: (line: string) => void,
): Promise<string[]> {
  if (typed.length > 0) return Promise.all(typed.map((root) => openRoot(resolve(cwd, root), root)));
  if (resolve(cwd, '..') !== cwd) return [await realpath(cwd)];
  log(
    `No folder is open, because the working folder is ${cwd}. Name one with --root DIR to have files read.`,
  );
  return [];
}

async function openRoot(path: string, shown: string): Promise<string> {
  try {
    const real = await realpath(path);
    await readdir(real);
    return real;
  } catch (error) {
    throw new CliError('root_unusable', {
      detail: `${shown} cannot be read: ${reasonOf(error)}.`,
      cause: error,
    });
  }
}
