// Imports what only oracles need: packages of packages/core/peers, which `npm run test:stores` installs.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const peers = createRequire(new URL('../../peers/package.json', import.meta.url));

/** Rejects where the package is not installed. */
export async function importPeer(name: string): Promise<unknown> {
  return import(pathToFileURL(peers.resolve(name)).href);
}
