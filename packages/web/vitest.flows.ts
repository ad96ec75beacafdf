// The flows in a real browser; they need the built page and Chromium.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    root: import.meta.dirname,
    include: ['test/flows/*.flow.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Assertions after an action poll.
    expect: { poll: { timeout: 20_000 } },
    // One browser at a time, because parallel ones would distort timings.
    fileParallelism: false,
  },
});
