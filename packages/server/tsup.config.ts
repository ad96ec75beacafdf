import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

// The child entry is a file of its own: the pool starts it by its path.
export default defineConfig({
  ...SHARED,
  entry: { index: 'src/index.ts', bin: 'src/bin.ts', 'sandbox/child': 'src/sandbox/child.ts' },
  target: 'node24',
  platform: 'node',
  dts: { entry: { index: 'src/index.ts' } },
  // The page is built into the same folder, by packages/web.
  clean: ['!web/**'],
  // `node:sqlite` has no name without its prefix, which tsup would take off.
  removeNodeProtocol: false,
});
