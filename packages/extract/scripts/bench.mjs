// Runs the benchmark on what has been built; `npm run bench -w @grainline/extract -- manuals docx` runs parts of it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPeers } from '../../core/scripts/install-peers.mjs';

if (!existsSync(new URL('../dist/index.js', import.meta.url))) {
  console.error('There is no build yet. Run: npm run build -w @grainline/core -w @grainline/extract');
  process.exit(1);
}
installPeers(join(import.meta.dirname, '../peers'), 'the other readers (about 420 MB)');
await import('../bench/run.ts');
