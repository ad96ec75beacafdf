// `grainline serve`: runs the optional server. Its settings come from the environment.
import type * as Server from '@grainline/server';
import type { Io } from '../io.ts';
import { CliError, isMissing } from '../errors.ts';
import type { ServeRequest } from '../args/request.ts';

/** Loads the used part of `@grainline/server`. */
export type ImportServer = () => Promise<Pick<typeof Server, 'main' | 'processTerminal'>>;

/**
 * Runs the server until a signal stops it and resolves with its exit code, which has the meaning of this command's.
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
