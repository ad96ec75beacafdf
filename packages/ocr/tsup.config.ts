import { defineConfig } from 'tsup';

// A worker starts the thread's entry by its path, so the entry is a file of its own.
export default defineConfig({
  entry: { index: 'src/index.ts', engine: 'src/engine.ts', thread: 'src/thread.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  splitting: true,
  dts: { entry: { index: 'src/index.ts', engine: 'src/engine.ts' } },
  clean: true,
  treeshake: true,
  removeNodeProtocol: false,
});
