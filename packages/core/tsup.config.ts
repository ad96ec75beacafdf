import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { defineConfig, type Options } from 'tsup';

/** Modules that other entries load instead of holding a copy, and the built file that has them. */
const LOADED = new Map([
  // One class of errors, whichever entry throws.
  ['src/errors.ts', './errors.js'],
  // The adapters import the whole pipeline by its package name, which is another file in Node than in a bundle.
  ['src/chunk.ts', '@grainline/core'],
]);
const ADAPTERS = ['langchain.ts', 'ai-sdk.ts'];

/**
 * Each entry is a file of its own: loading a module costs more than reading it, and what entries share, split off into
 * further files, made the main entry's import twice as long.
 */
const ownFiles: Plugin = {
  name: 'own-files',
  setup(build) {
    build.onResolve({ filter: /\/(?:errors|chunk)\.ts$/ }, ({ path: to, importer, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined;
      const loaded = LOADED.get(path.relative(import.meta.dirname, path.resolve(resolveDir, to)));
      const isNeeded = loaded === './errors.js' || ADAPTERS.includes(path.basename(importer));
      return loaded === undefined || !isNeeded ? undefined : { path: loaded, external: true };
    });
  },
};

const SHARED: Options = {
  format: 'esm',
  target: 'es2023',
  esbuildPlugins: [ownFiles],
  treeshake: true,
};

// Both builds write into one folder, so neither can clean it.
rmSync(path.join(import.meta.dirname, 'dist'), { recursive: true, force: true });

export default defineConfig([
  {
    ...SHARED,
    entry: {
      index: 'src/index.ts',
      errors: 'src/errors.ts',
      free: 'src/free.ts',
      formats: 'src/formats/index.ts',
      blocks: 'src/blocks/content.ts',
      options: 'src/option-table/index.ts',
      langchain: 'src/langchain.ts',
      'ai-sdk': 'src/ai-sdk.ts',
      grammars: 'src/grammars/index.ts',
    },
    platform: 'neutral',
    splitting: false,
    // All tiers at once, as Node has them.
    esbuildOptions: (options) => {
      options.conditions = ['node'];
    },
    dts: true,
  },
  // The main entry for bundles: the tiers are files that it fetches.
  { ...SHARED, entry: { browser: 'src/index.ts' }, platform: 'neutral', splitting: true },
]);
