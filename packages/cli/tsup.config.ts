import { defineConfig } from 'tsup';

// The thread's entry is a file of its own: it is started by its path.
export default defineConfig({
  entry: { index: 'src/index.ts', bin: 'src/bin.ts', 'mcp/thread': 'src/mcp/thread.ts' },
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  splitting: true,
  dts: { entry: { index: 'src/index.ts' } },
  sourcemap: true,
  clean: true,
  treeshake: true,
  removeNodeProtocol: false,
});
