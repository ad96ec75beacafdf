import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

export default defineConfig({
  ...SHARED,
  entry: {
    index: 'src/index.ts',
    bucket: 'src/bucket.ts',
    load: 'src/load/index.ts',
    steps: 'src/steps/index.ts',
  },
  platform: 'node',
});
