// Runs the benchmark on what has been built: `npm run bench -w @grainline/ocr`.
import { existsSync } from 'node:fs';

for (const name of ['extract', 'ocr'])
  if (!existsSync(new URL(`../../${name}/dist/index.js`, import.meta.url))) {
    console.error(`There is no build yet. Run: npm run build -w @grainline/core -w @grainline/${name}`);
    process.exit(1);
  }
await import('../bench/run.ts');
