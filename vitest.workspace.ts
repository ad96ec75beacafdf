// Every package is a test project; packages import one another's sources through tsconfig's paths,
// so a unit test never sees a stale build. End-to-end tests start the built files themselves.
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import manifest from './package.json' with { type: 'json' };

/** All packages but `testing`, which has no tests. */
const PROJECTS = manifest.workspaces
  .map((folder) => folder.replace('packages/', ''))
  .filter((name) => name !== 'testing');

/** Files named *.slow.test.ts run from `CASES=1` on, as in `npm run test:all`. */
const isThorough = Number(process.env['CASES'] ?? 0) >= 1;

const project = (name: string) => ({
  extends: true as const,
  test: {
    name,
    root: `packages/${name}`,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: isThorough ? configDefaults.exclude : [...configDefaults.exclude, '**/*.slow.test.ts'],
  },
});

/** Closes a run with one plain line that any program can read. */
const closingLine: Reporter = {
  onTestRunEnd(modules) {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++;
      if (module.state() === 'failed' && module.errors().length > 0) count.failed++;
    }
    console.log(`\n${count.passed} passed, ${count.failed + count.pending} failed, ${count.skipped} skipped`);
  },
};

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    projects: PROJECTS.map(project),
    reporters: ['default', closingLine],
    testTimeout: 30_000 * Math.max(1, Number(process.env['CASES'] ?? 1)),
    // Services in processes of their own, on a machine that has other things to do.
    hookTimeout: 30_000,
    // Files share their worker and the modules that it has loaded: a process for each takes a tenth more time.
    isolate: false,
    restoreMocks: true,
    // Half of the time of the server's tests is spent waiting, so that there are more workers than processors.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
  },
});
