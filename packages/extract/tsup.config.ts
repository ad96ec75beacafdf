import { defineConfig } from 'tsup';

// Splitting keeps each reader in a file of its own, so that a text file never loads PDFium or the reader of DOCX.
export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  splitting: true,
  dts: true,
  sourcemap: true,
  clean: true,
  treeshake: true,
});
