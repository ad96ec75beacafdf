import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

// A worker starts the thread's entry by its path, so the entry is a file of its own.
export default defineConfig({
  ...SHARED,
  entry: { index: 'src/index.ts', bin: 'src/bin.ts', 'threads/thread': 'src/local/threads/thread.ts' },
  platform: 'node',
  dts: { entry: { index: 'src/index.ts' } },
  removeNodeProtocol: false,
  // The download of links, which the package of the server does not export.
  noExternal: ['@grainline/server/download'],
});
