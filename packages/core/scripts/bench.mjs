// Runs the benchmark on what has been built; `npm run bench -w @grainline/core -- split start` runs parts of it.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../dist/free.js', import.meta.url))) {
  console.error('There is no build yet. Run: npm run build -w @grainline/core');
  process.exit(1);
}
await import('../bench/run.ts');
if (process.argv.length === 2) await import('../bench/tiers.ts');
