// `npm run test:all` runs every test, as CI does: `npm test` with slow files, more random cases and the libraries to
// compare with, the real stores, the x402 clients of other makers, and the page in a browser. It stops at the first
// failing step.
import { execFileSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const STEPS = {
  // First, so that the tests that compare with other libraries run with all others. Nothing after it installs twice.
  peers: ['node packages/core/scripts/install-peers.mjs'],
  // Four times the random cases of `npm test`.
  tests: ['npm run build', 'vitest run --config vitest.workspace.ts'],
  stores: ['npm run test:stores'],
  databases: ['npm run test:databases'],
  // The clients mostly wait for the chain.
  clients: ['bash .ci/together "npm run test:clients --workspace packages/playground" "npm run docs"'],
  page: [
    '{ command -v chromium && command -v firefox-esr; } >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium firefox-esr >/dev/null; }',
    'CI=true npm run test:web',
    'npm run measure --workspace packages/web',
  ],
};

/** Temporary files lie in memory where it has room: the stores of the tests wait for a disk at each commit. */
const MEMORY = '/dev/shm';
const LEAST_BYTES = 4 * 2 ** 30;
const hasRoom = existsSync(MEMORY) && freeBytes(MEMORY) >= LEAST_BYTES;
const env = { CASES: '1', TMPDIR: hasRoom ? MEMORY : tmpdir(), ...process.env };

const started = performance.now();
for (const [name, commands] of Object.entries(STEPS)) {
  console.log(`\n== ${name} (${Math.round((performance.now() - started) / 1000)} s)`);
  for (const command of commands) {
    try {
      execFileSync('bash', ['-euo', 'pipefail', '-c', command], { cwd: ROOT, env, stdio: 'inherit' });
    } catch {
      console.error(`\nFailed: ${command}`);
      process.exit(1);
    }
  }
}

function freeBytes(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
