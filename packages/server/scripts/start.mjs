// `npm start` and `npm run serve`: builds what is missing or older than its sources, then runs the service in
// this process. `npm start` is for trying it out: payments are off unless PAYMENTS says otherwise, so that every tier
// that is built answers, and some first requests are printed. With --serve all settings are the environment's.
import '../../core/scripts/check-node.mjs';
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../..');
/** In the order in which they are built: each stands on those before it. */
const BUILT = [
  { name: 'core', output: 'index.js' },
  { name: 'extract', output: 'index.js' },
  { name: 'models', output: 'index.js' },
  { name: 'x402', output: 'index.js' },
  { name: 'server', output: 'bin.js' },
  { name: 'cli', output: 'bin.js' },
];

const serveOnly = process.argv.includes('--serve');

let stale = false;
for (const { name, output } of BUILT) {
  stale ||= isStale(join(PACKAGES, name), output);
  if (stale) build(name);
}

const { main, processTerminal } = await import('../dist/index.js');
const terminal = processTerminal();
const forTrying = { ...terminal, environment: { PAYMENTS: 'off', ...terminal.environment } };
process.exit(await (serveOnly ? main([], terminal) : main([], forTrying, { greeting })));

/** True when a source is younger than the built file, or there is none. */
function isStale(folder, output) {
  const built = statSync(join(folder, 'dist', output), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(folder, 'src'), { recursive: true }).map((source) => join('src', source));
  const counted = [
    ...sources.filter((source) => /(?<!\.test)\.ts$/.test(source)),
    'package.json',
    'tsup.config.ts',
  ];
  return counted.some((source) => statSync(join(folder, source)).mtimeMs > built);
}

function build(name) {
  console.log(`Building packages/${name} …`);
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'build'], {
    cwd: join(PACKAGES, name),
    encoding: 'utf8',
  });
  if (status === 0) return;
  console.error(`${stdout ?? ''}${stderr ?? ''}\nThe build of packages/${name} failed.`);
  process.exit(1);
}

function greeting(url) {
  return [
    '',
    'Try it, with a PDF or text file of yours:',
    '',
    `  curl -F file=@report.pdf ${url}/chunk`,
    `  curl -H 'Content-Type: application/json' -d '{"text":"Some text."}' ${url}/chunk`,
    '',
    `  curl ${url}/   # what there is: tiers, formats, limits`,
    '',
    'Ctrl-C ends it.',
    '',
  ].join('\n');
}
