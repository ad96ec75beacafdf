// `npm run build`: builds all packages, as many at once as there are processors. No package reads the build of another:
// they import one another's sources. Each output is printed when its build ends, failed ones last. A run whose sources
// and results are those of the last one builds nothing. `--js` leaves out the declarations, which take half of the time
// and which `npm test` does not read.
import { exec } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const STAMP = join(ROOT, 'node_modules/.cache/grainline-build.json');
const INPUTS = [
  'package-lock.json',
  'tsconfig.json',
  'tsup.shared.ts',
  'packages/*/*.{json,ts,html}',
  'packages/*/{src,public}/**',
];
/** Files of these names are no input of a build. */
const NO_INPUT = /\.(?:test\.ts|md)$|\/(?:test|samples)\//;

const jsOnly = process.argv.includes('--js');
const inputs = hashOf(INPUTS, (path) => readFileSync(path));
const last = readStamp();
if (last?.inputs === inputs && last.outputs === outputs() && (jsOnly || !last.jsOnly)) {
  console.log('The build is up to date.');
  process.exit(0);
}

const waiting = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).workspaces;
const failures = [];
rmSync(STAMP, { force: true });
await Promise.all(Array.from({ length: availableParallelism() }, buildNext));
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}
mkdirSync(dirname(STAMP), { recursive: true });
writeFileSync(STAMP, JSON.stringify({ inputs, outputs: outputs(), jsOnly }));

async function buildNext() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { error, output } = await build(name);
    if (error === null) console.log(output);
    else failures.push(output);
  }
}

/** Builds one package. */
function build(name) {
  const isTsup = /"build": "tsup"/.test(readFileSync(join(ROOT, name, 'package.json'), 'utf8'));
  const options = jsOnly && isTsup ? ' -- --no-dts' : '';
  return new Promise((resolve) => {
    exec(`npm run build --if-present --workspace ${name}${options}`, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ error, output: stdout + stderr }),
    );
  });
}

/** Hash of the built files, by name and size. */
function outputs() {
  return hashOf(['packages/*/dist/**'], (path) => String(statSync(path).size));
}

function hashOf(patterns, contentOf) {
  const hash = createHash('sha256').update(process.version);
  const paths = globSync(patterns, { cwd: ROOT, exclude: (name) => name === 'node_modules' }).sort();
  for (const path of paths.filter((name) => !NO_INPUT.test(name))) {
    const file = join(ROOT, path);
    if (statSync(file).isFile()) hash.update(`\0${path}\0`).update(contentOf(file));
  }
  return hash.digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return undefined;
  }
}
