import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

/**
 * jschardet is built in, in its form for browsers: one file of 1.2 MB, where the package takes 7.4 MB and reads its
 * tables from the disk.
 */
const charsetDetector: Plugin = {
  name: 'charset-detector',
  setup(build) {
    const folder = dirname(createRequire(import.meta.url).resolve('jschardet'));
    build.onResolve({ filter: /^jschardet$/ }, () => ({
      path: join(folder, '../dist/jschardet.esm.min.js'),
    }));
  },
};

/**
 * msgreader is built in without iconv-lite, which does not load in a browser: msgreader calls it only for an encoding
 * that it is given, and it is given none.
 */
const messageReader: Plugin = {
  name: 'message-reader',
  setup(build) {
    const namespace = 'message-reader';
    build.onResolve({ filter: /^iconv-lite$/ }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /./, namespace }, () => ({ contents: 'export {};' }));
  },
};

// Splitting keeps each reader in a file of its own, so that a text file never loads PDFium or the reader of DOCX.
export default defineConfig({
  ...SHARED,
  entry: {
    index: 'src/index.ts',
    kinds: 'src/readers/index.ts',
    pages: 'src/readers/pdf/pdfium/drawing.ts',
    ranges: 'src/readers/pdf/ranges.ts',
  },
  platform: 'node',
  esbuildPlugins: [charsetDetector, messageReader],
});
