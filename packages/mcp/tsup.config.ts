import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

export default defineConfig({
  ...SHARED,
  entry: { index: 'src/index.ts' },
  platform: 'node',
  removeNodeProtocol: false,
});
