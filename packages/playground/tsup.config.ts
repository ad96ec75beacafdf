import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: 'esm',
  target: 'node24',
  platform: 'node',
  dts: true,
  clean: true,
  treeshake: true,
  noExternal: [/^@grainline\/testing/],
});
