import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', load: 'src/load/index.ts', steps: 'src/steps/index.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  splitting: true,
  dts: true,
  clean: true,
  treeshake: true,
});
