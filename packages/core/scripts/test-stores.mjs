// Runs the store tests: real databases and the stores' own clients, from packages/core/peers, which it installs when
// they are missing or its lock has changed. Prints one closing line; leaves no process and no file behind.
import { globSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { installPeers } from './install-peers.mjs';

const peers = fileURLToPath(new URL('../peers/', import.meta.url));
const tests = fileURLToPath(new URL('../test/stores/', import.meta.url));
/** Most that one file may take; the slowest takes about ten seconds. */
const FILE_TIMEOUT_MS = 120_000;

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `The store tests run on Node 24, not ${process.versions.node}: start them with \`npm run test:stores\`.`,
  );
  process.exit(1);
}
if (installPeers(peers, 'the stores and their clients (about 700 MB)'))
  console.log(`installed ${installedMegabytes()} MB`);
process.exitCode = (await runTests()) ? 0 : 1;

function installedMegabytes() {
  let bytes = 0;
  for (const entry of readdirSync(join(peers, 'node_modules'), { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return Math.round(bytes / 2 ** 20);
}

/** One process a file; every temporary folder lies in one that goes away at the end. */
async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-stores-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const count = { passed: 0, failed: 0, skipped: 0 };
  const events = run({
    files: globSync('*.stores.ts', { cwd: tests })
      .sort()
      .map((file) => join(tests, file)),
    concurrency: 2,
    timeout: FILE_TIMEOUT_MS,
    execArgv: [
      '--import',
      new URL('../test/stores/resolve-peers.mjs', import.meta.url).href,
      '--disable-warning=ExperimentalWarning',
    ],
    env: { ...process.env, TMPDIR: folder, TEMP: folder },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const report = events.compose(spec);
  report.pipe(process.stdout);
  events.on('test:pass', ({ details, skip }) => {
    if (details.type !== 'suite') count[skip ? 'skipped' : 'passed']++;
  });
  events.on('test:fail', ({ details }) => {
    if (details.type !== 'suite') count.failed++;
  });
  await new Promise((resolve, reject) => report.once('end', resolve).once('error', reject));
  console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  return count.failed === 0 && count.passed > 0;
}
