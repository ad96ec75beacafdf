import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    free: 'src/free.ts',
    formats: 'src/formats/index.ts',
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
