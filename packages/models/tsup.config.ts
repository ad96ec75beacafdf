import { defineConfig } from 'tsup';

// Splitting keeps each vocabulary and the built-in embedder's table in files of their own, loaded at their first use.
export default defineConfig({
  entry: {
    index: 'src/index.ts',
    tokens: 'src/tokens/counter.ts',
    embeddings: 'src/embeddings/index.ts',
    language: 'src/language/index.ts',
  },
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  splitting: true,
  dts: true,
  clean: true,
  treeshake: true,
});
