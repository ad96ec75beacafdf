// The folder of what outlives a run, by the XDG base directories.
import { join } from 'node:path';

/** A folder of `grainline` in the state folder; undefined when the environment names none. */
export function stateFolder(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  const { XDG_STATE_HOME: state = '', HOME: home = environment['USERPROFILE'] ?? '' } = environment;
  // The standard says to ignore a relative path.
  if (state.startsWith('/')) return join(state, 'grainline', name);
  return home === '' ? undefined : join(home, '.local/state/grainline', name);
}
