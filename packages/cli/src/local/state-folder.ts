// The folders of what outlives a run, by the XDG base directories.
import { join } from 'node:path';

/** A folder of `grainline` in the state folder; undefined when the environment names none. */
export function stateFolder(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return folderBelow(environment, 'XDG_STATE_HOME', '.local/state', name);
}

/** A folder of `grainline` in the cache folder, whose files may be deleted at any time. */
export function cacheFolder(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return folderBelow(environment, 'XDG_CACHE_HOME', '.cache', name);
}

function folderBelow(
  environment: Readonly<Record<string, string | undefined>>,
  variable: string,
  fallback: string,
  name: string,
): string | undefined {
  const { [variable]: base = '', HOME: home = environment['USERPROFILE'] ?? '' } = environment;
  // The standard says to ignore a relative path.
  if (base.startsWith('/')) return join(base, 'grainline', name);
  return home === '' ? undefined : join(home, fallback, 'grainline', name);
}
