// The clients and databases of packages/core/peers, which `npm run test:databases` installs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Imports a package from there. */
export async function load(name: string): Promise<unknown> {
  const path = new URL('../../../core/peers/load.mjs', import.meta.url).href;
  const peers = (await import(path)) as { readonly load: (name: string) => Promise<unknown> };
  return peers.load(name);
}

/** A folder, and the function that removes it. */
export function temporaryFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-database-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Imports a file inside a package there, which the package does not export. */
export async function loadFile(path: string): Promise<unknown> {
  return import(new URL(`../../../core/peers/node_modules/${path}`, import.meta.url).href);
}
