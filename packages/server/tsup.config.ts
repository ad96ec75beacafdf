import { defineConfig } from 'tsup';

// The child entry is a file of its own: the pool starts it by its path.
export default defineConfig({
  entry: { index: 'src/index.ts', bin: 'src/bin.ts', 'sandbox/child': 'src/sandbox/child.ts' },
  format: 'esm',
  target: 'node24',
  platform: 'node',
  splitting: true,
  dts: { entry: { index: 'src/index.ts' } },
  // The page is built into the same folder, by packages/web.
  clean: ['!web/**'],
  treeshake: true,
  // `node:sqlite` has no name without its prefix, which tsup would take off.
  removeNodeProtocol: false,
});
