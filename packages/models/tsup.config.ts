import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

const entry = {
  index: 'src/index.ts',
  tokens: 'src/tokens/counter.ts',
  embeddings: 'src/embeddings/index.ts',
  language: 'src/language/index.ts',
};

// Splitting keeps each vocabulary and the built-in embedder's table in files of their own, loaded at their first use.
// Calls without a promise load the vocabularies by their paths.
export default defineConfig({
  ...SHARED,
  entry: { ...entry, o200k: 'src/tokens/data/o200k.ts', cl100k: 'src/tokens/data/cl100k.ts' },
  platform: 'neutral',
  dts: { entry },
});
