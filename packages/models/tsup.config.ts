import { defineConfig } from 'tsup';

// Splitting keeps each vocabulary in a file of its own, so that one encoding never loads the other's.
export default defineConfig({
  entry: { index: 'src/index.ts', tokens: 'src/tokens/counter.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  splitting: true,
  dts: true,
  clean: true,
  treeshake: true,
});
