// `npm run test:databases`: the contract of the stores on real databases, and on the official clients of the others.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    root: import.meta.dirname,
    include: ['test/databases/*.databases.ts'],
    server: { deps: { external: [/\/peers\//] } },
    testTimeout: 60_000,
    hookTimeout: 300_000,
    // Native databases live in processes, not in threads.
    pool: 'forks',
    maxWorkers: 2,
  },
});
