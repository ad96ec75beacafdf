// `npm run test:all` runs every test, as CI does: `npm test` with slow files and more random cases, the real stores,
// the x402 clients of other makers, the oracles, and the page in a browser. It stops at the first failing step.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const VITEST = 'vitest run --config vitest.workspace.ts --project';
const STEPS = {
  // Four times the random cases of `npm test`; the slow test of telemetry needs the packages of OpenTelemetry.
  tests: ['npm ci --ignore-scripts --prefix packages/server/peers', 'npm run build', `${VITEST} "*"`],
  stores: ['npm run test:stores'],
  databases: ['npm run test:databases'],
  clients: ['npm run test:clients --workspace packages/playground'],
  oracles: [
    // Without "skip" one of them fetches files of its own, which nothing here needs.
    'ONNXRUNTIME_NODE_INSTALL=skip npm ci --prefix packages/models/peers',
    'npm ci --prefix packages/cli/peers',
    `${VITEST} cli test/citations`,
    'npm ci --ignore-scripts --prefix packages/pipeline/peers',
    `${VITEST} pipeline test/engines`,
    `${VITEST} core blocks/oracle adapters test/code.grammars`,
    `${VITEST} models differential test/embeddings`,
    `${VITEST} server --project cli test/http/transformers test/transformers`,
  ],
  page: [
    '{ command -v chromium && command -v firefox-esr; } >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium firefox-esr >/dev/null; }',
    'npm run docs',
    'CI=true npm run test:web',
    'npm run measure --workspace packages/web',
  ],
};

const started = performance.now();
for (const [name, commands] of Object.entries(STEPS)) {
  console.log(`\n== ${name} (${Math.round((performance.now() - started) / 1000)} s)`);
  for (const command of commands) {
    const env = { CASES: '1', ...process.env };
    try {
      execFileSync('bash', ['-euo', 'pipefail', '-c', command], { cwd: ROOT, env, stdio: 'inherit' });
    } catch {
      console.error(`\nFailed: ${command}`);
      process.exit(1);
    }
  }
}
