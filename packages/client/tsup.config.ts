import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', receipts: 'src/receipts.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  splitting: true,
  dts: true,
  clean: true,
  treeshake: true,
});
