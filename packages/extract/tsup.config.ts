import { createRequire } from 'node:module';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { defineConfig } from 'tsup';

/**
 * jschardet is built in, in its form for browsers: one file of 1.2 MB, where the package takes 7.4 MB and reads its
 * tables from the disk.
 */
const charsetDetector: Plugin = {
  name: 'charset-detector',
  setup(build) {
    const folder = path.dirname(createRequire(import.meta.url).resolve('jschardet'));
    build.onResolve({ filter: /^jschardet$/ }, () => ({
      path: path.join(folder, '../dist/jschardet.esm.min.js'),
    }));
  },
};

// Splitting keeps each reader in a file of its own, so that a text file never loads PDFium or the reader of DOCX.
export default defineConfig({
  entry: { index: 'src/index.ts', kinds: 'src/readers/index.ts', pages: 'src/readers/pdf/pdfium/drawing.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  splitting: true,
  dts: true,
  clean: true,
  treeshake: true,
  esbuildPlugins: [charsetDetector],
});
