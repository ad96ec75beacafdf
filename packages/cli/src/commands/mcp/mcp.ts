// `grainline mcp`: runs the optional server for agents with the chunker of this process and, when named, a service.
import { readdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type TIERS } from '@grainline/core';
import type * as Mcp from '@grainline/mcp';
import manifest from '../../../package.json' with { type: 'json' };
import { type Io, printable } from '../../io.ts';
import { CliError, describe, isMissing, reasonOf } from '../../errors.ts';
import { DEFAULT_TIMEOUT_MS } from '../../args/values.ts';
import type { McpRequest, ServiceTarget } from '../../args/request.ts';
import { createRunLog } from '../../output/terminal.ts';
import { createThreadPool } from '../../local/threads/pool.ts';

/** Loads the used part of `@grainline/mcp`. */
export type ImportMcp = () => Promise<Pick<typeof Mcp, 'serve'>>;

/** Local tiers without a remote model; the default tier is first. */
const HERE = [
  'structure',
  'professional',
  'standard',
  'semantic',
  'free',
] as const satisfies readonly Exclude<keyof typeof TIERS, 'ai' | 'ai-pro'>[];

/**
 * Serves until the client leaves or the signal is aborted; a client usually aborts.
 *
 * Rejects with `mcp_missing`, `root_unusable`, and as `openService` does.
 */
export async function mcp(
  { roots, target }: McpRequest,
  io: Io,
  importMcp: ImportMcp = () => import('@grainline/mcp'),
): Promise<void> {
  const { serve } = await importMcp().catch((error: unknown) => {
    throw isMissing('@grainline/mcp', error) ? new CliError('mcp_missing', { cause: error }) : error;
  });
  const report = createRunLog(io.stderr, { quiet: false, showProgress: false });
  const log = (line: string): void => report.note(`grainline mcp: ${printable(line)}`);
  const open = await openRoots(roots, io.cwd, log);
  const pool = createThreadPool({ stallMs: DEFAULT_TIMEOUT_MS });
  const service = target === undefined ? undefined : await openPort(target, io);
  try {
    const { stdin, stdout, signal } = io;
    await serve({
      version: manifest.version,
      stdin,
      stdout,
      log,
      signal,
      roots: open,
      chunker: { tiers: HERE, chunk: pool.chunk },
      service: service?.port,
      // Advice for the command line is of no use to an agent.
      describe: (error) => describe(error, (message) => message),
    });
  } finally {
    await pool.close();
    for (const line of service?.summary() ?? []) log(line);
    await report.close();
  }
}

/** The payment libraries are large, so they load only with a service. */
async function openPort(target: ServiceTarget, io: Io) {
  const { openServicePort } = await import('./service-port.ts');
  return openServicePort(target, io);
}

/**
 * Some clients start their servers in the root of the disk. That opens no folder, because it would open every file.
 */
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
