// Packs every published package, checks each tarball with publint and are-the-types-wrong, installs them all into
// an empty project, imports every entry, runs every command, and checks and runs the programs of users in programs/.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'grainline-pack-'));
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const tool = (name) => join(root, '.ci/node_modules/.bin', name);

/**
 * Puts an optional peer, which some entry imports, where the packages are installed; its own dependencies stay here.
 */
function linkPeer(name) {
  const link = join(folder, 'node_modules', name);
  if (existsSync(link) || !existsSync(join(root, 'node_modules', name))) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), link, 'dir');
}

/** Checks the programs of users as strictly as types allow, and runs them. Types of other packages are theirs. */
function runPrograms() {
  const programs = join(folder, 'programs');
  cpSync(join(root, '.ci/programs'), programs, { recursive: true });
  for (const name of ['@types/node', 'undici-types']) linkPeer(name);
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
    ...{ module: 'nodenext', target: 'es2024', types: ['node'], skipLibCheck: true },
  };
  writeFileSync(join(programs, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', programs]);
  for (const program of readdirSync(programs).filter((name) => name.endsWith('.mts'))) {
    run(process.execPath, [program], programs);
    console.log(`program ${program} runs`);
  }
  run(process.execPath, ['--input-type=commonjs', '--eval', "require('grainline').chunkSync('# Tides')"]);
}

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const manifests = workspaces
  .map((path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')))
  .filter((manifest) => manifest.private !== true);

try {
  const args = [
    'pack',
    '--json',
    '--pack-destination',
    folder,
    ...manifests.flatMap(({ name }) => ['--workspace', name]),
  ];
  const packed = Object.values(JSON.parse(run('npm', args, root)));
  for (const { name, filename, size, unpackedSize, files } of packed) {
    console.log(
      `${name}: ${files.length} files, ${(size / 1024).toFixed(0)} kB packed, ${(unpackedSize / 1024).toFixed(0)} kB unpacked`,
    );
    for (const { path } of files) {
      if (/\.test\.|(^|\/)(src|test|bench|scripts|peers)\//.test(path))
        throw new Error(`${name} would publish ${path}`);
    }
    if (!files.some(({ path }) => path === 'README.md')) throw new Error(`${name} has no README.md`);
    run(tool('publint'), ['--strict', join(folder, filename)]);
    run(tool('attw'), ['--profile', 'esm-only', '--format', 'ascii', join(folder, filename)]);
  }

  writeFileSync(join(folder, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  run('npm', ['install', '--no-package-lock', ...packed.map(({ filename }) => `./${filename}`)]);
  for (const { name, exports, bin, peerDependenciesMeta = {} } of manifests) {
    for (const peer of Object.keys(peerDependenciesMeta)) linkPeer(peer);
    for (const [path, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      const entry = `${name}${path.slice(1)}`;
      const names = run('node', [
        '--input-type=module',
        '--eval',
        `console.log(Object.keys(await import(${JSON.stringify(entry)})).join(' '))`,
      ]).trim();
      if (names === '') throw new Error(`${entry} exports nothing`);
      console.log(`${entry}: ${names}`);
    }
    for (const command of Object.keys(bin ?? {})) {
      console.log(
        `${command} --version: ${run(join(folder, 'node_modules/.bin', command), ['--version']).trim()}`,
      );
    }
  }
  runPrograms();
  console.log('every package installs and imports');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
