// Runs the benchmark on what has been built. The first run installs the compared splitters, and documents.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPeers } from '../../core/scripts/install-peers.mjs';

if (!existsSync(new URL('../dist/index.js', import.meta.url))) {
  console.error('There is no build yet. Run: npm run build');
  process.exit(1);
}
installPeers(join(import.meta.dirname, '../peers'), 'the compared splitters and documents (about 90 MB)');
await import('../bench/run.ts');
