import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

// A worker starts the thread's entry by its path, so the entry is a file of its own.
export default defineConfig({
  ...SHARED,
  entry: { index: 'src/index.ts', engine: 'src/engine.ts', thread: 'src/thread.ts' },
  platform: 'node',
  dts: { entry: { index: 'src/index.ts', engine: 'src/engine.ts' } },
  removeNodeProtocol: false,
});
