// Runs the benchmark on what has been built; `npm run bench -w @grainline/models -- o200k` runs a part of it.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../dist/tokens.js', import.meta.url))) {
  console.error('There is no build yet. Run: npm run build -w @grainline/models');
  process.exit(1);
}
await import('../bench/run.ts');
