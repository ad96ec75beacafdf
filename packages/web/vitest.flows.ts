// The flows in a real browser, apart from the other tests because they need the built page and Chromium.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    root: import.meta.dirname,
    include: ['test/flows/*.flow.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What follows an action is waited for, never looked at once.
    expect: { poll: { timeout: 20_000 } },
    // One browser at a time: what is timed would else be timed against the others.
    fileParallelism: false,
  },
});
