import { defineConfig } from 'tsup';
import { SHARED } from '../../tsup.shared.ts';

export default defineConfig({
  ...SHARED,
  entry: { index: 'src/index.ts', solana: 'src/chains/solana/index.ts', client: 'src/client/index.ts' },
  platform: 'neutral',
});
