// `grainline serve`: the server, when it is installed. It takes its settings from the environment, as it does alone.
import type * as Server from '@grainline/server';
import { CliError, isMissing } from './errors.ts';
import type { ServeRequest } from './request.ts';
import type { Io } from './terminal.ts';

/** Loads the part of `@grainline/server` that is called here. */
export type ImportServer = () => Promise<Pick<typeof Server, 'main' | 'processTerminal'>>;

/**
 * Runs the server until it is told to stop and resolves with its exit code, which is of the same kind as ours.
 * Rejects with `server_missing`.
 */
export async function serve(
  { settings }: ServeRequest,
  { environment }: Pick<Io, 'environment'>,
  importServer: ImportServer = () => import('@grainline/server'),
): Promise<number> {
  const { main, processTerminal } = await importServer().catch((error: unknown) => {
    throw isMissing('@grainline/server', error) ? new CliError('server_missing', { cause: error }) : error;
  });
  return main([], { ...processTerminal(), environment: { ...environment, ...settings } });
}
