#!/usr/bin/env node
// Stands in the repository, so that npm links the command before the first build. A Node that is too old cannot load
// the rest, and would name a module that lacks an export.
import { existsSync, readFileSync } from 'node:fs';

if (!existsSync(new URL('../dist/bin.js', import.meta.url))) {
  console.error('grainline: There is no build yet; run: npm run build');
  process.exit(1);
}
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [least, here] = [engines.node.slice('>='.length), process.versions.node];
if (here.localeCompare(least, 'en', { numeric: true }) < 0) {
  console.error(
    `grainline: This needs Node ${least} or newer, and this is Node ${here}. https://nodejs.org has it`,
  );
  process.exit(1);
}
await import('../dist/bin.js');
