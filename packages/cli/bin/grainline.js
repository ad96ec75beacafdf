#!/usr/bin/env node
// Stands in the repository, so that npm links the command before the first build.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../dist/bin.js', import.meta.url))) {
  console.error('grainline: There is no build yet; run: npm run build');
  process.exit(1);
}
await import('../dist/bin.js');
