import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', solana: 'src/chains/solana/index.ts', client: 'src/client/index.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'neutral',
  splitting: true,
  dts: true,
  clean: true,
  treeshake: true,
});
