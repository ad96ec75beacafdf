import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    free: 'src/free.ts',
    formats: 'src/formats/index.ts',
    blocks: 'src/blocks/content.ts',
    langchain: 'src/langchain.ts',
    'ai-sdk': 'src/ai-sdk.ts',
    grammars: 'src/grammars/index.ts',
  },
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  dts: true,
  sourcemap: true,
  clean: true,
  treeshake: true,
});
