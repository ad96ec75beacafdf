// `npm run release -- --dry-run` does everything of a release but publishing; without the option it publishes too.
// It checks the checkout, builds, packs and checks every package (pack.mjs), compares the API reports (api.mjs), and
// publishes the tarballs in the order of their dependencies. A second run goes on after the last published package.
//
//   node .ci/release.mjs [--dry-run]   release
//   node .ci/release.mjs --sync        the version of the packages, into the files that changesets does not know
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packAll, publishedPackages } from './pack.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The tarballs and bills of materials; ignored by Git. */
const OUTPUT = join(ROOT, 'dist/release');
const read = (folder, file) => readFileSync(join(folder, file), 'utf8');
const capture = (command, args, cwd = ROOT) => execFileSync(command, args, { cwd, encoding: 'utf8' }).trim();
const show = (command, args, cwd = ROOT) => execFileSync(command, args, { cwd, stdio: 'inherit' });
const step = (title) => console.log(`\n== ${title}`);

/** Files beside the manifests that hold the version: the file, and the places of the version in it. */
const OTHER_VERSIONS = [
  ['packages/python/pyproject.toml', /(?<=^version = ")[^"]+/gm],
  ['packages/mcp/server.json', /(?<="version": ")[^"]+/g],
];

/** Versions of all packages and of all that they name of each other, by the file that has them. */
export function versionsIn(folder) {
  const { workspaces } = JSON.parse(read(folder, 'package.json'));
  const found = [];
  for (const path of workspaces) {
    const file = `${path}/package.json`;
    const manifest = JSON.parse(read(folder, file));
    found.push({ file, version: manifest.version });
    for (const kind of ['dependencies', 'devDependencies', 'peerDependencies'])
      for (const [name, version] of Object.entries(manifest[kind] ?? {}))
        if (/^(?:@grainline\/|grainline$)/.test(name) && !version.startsWith('>='))
          found.push({ file, version });
  }
  for (const [file, pattern] of OTHER_VERSIONS)
    for (const [version] of read(folder, file).matchAll(pattern)) found.push({ file, version });
  return found;
}

/** The files whose version is not that of the first. */
export function differingVersions(versions) {
  const [{ version: expected }] = versions;
  const differing = versions.filter(({ version }) => version !== expected);
  return [...new Set(differing.map(({ file, version }) => `${file} has ${version}, not ${expected}`))];
}

/** Completes the work of changesets: versions in files that it does not know, no changelogs of private packages. */
function syncVersions(folder) {
  const { version } = JSON.parse(read(folder, 'packages/core/package.json'));
  for (const path of JSON.parse(read(folder, 'package.json')).workspaces)
    if (JSON.parse(read(folder, `${path}/package.json`)).private === true)
      rmSync(join(folder, path, 'CHANGELOG.md'), { force: true });
  for (const [file, pattern] of OTHER_VERSIONS)
    writeFileSync(join(folder, file), read(folder, file).replaceAll(pattern, version));
}

/** The fields that npm's provenance needs and that a manifest lacks. */
export function missingForProvenance({ name, path, repository, publishConfig }) {
  const missing = [];
  if (publishConfig?.provenance !== true) missing.push(`${name}: publishConfig.provenance`);
  if (publishConfig?.access !== 'public') missing.push(`${name}: publishConfig.access`);
  if (typeof repository?.url !== 'string') missing.push(`${name}: repository.url`);
  else if (repository.directory !== path) missing.push(`${name}: repository.directory ${path}`);
  return missing;
}

/** The packages in an order in which each follows all that it depends on. */
export function publishOrder(packages) {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const ordered = new Set();
  const add = (one) => {
    for (const name of Object.keys(one.dependencies ?? {})) if (byName.has(name)) add(byName.get(name));
    ordered.add(one);
  };
  packages.forEach(add);
  return [...ordered];
}

/**
 * Decides about one tarball: `publish`, or `skip` when the registry has this very one.
 *
 * @param published npm's hash of that version in the registry; undefined when there is none
 */
export function decide({ name, version, integrity }, published) {
  if (published === undefined) return 'publish';
  if (published === integrity) return 'skip';
  throw new Error(`The registry has another ${name}@${version}. A version is published once: raise it.`);
}

/** npm's hash of a version in the registry. Any answer but "there is none" is an error. */
function publishedIntegrity({ name, version }) {
  const args = ['view', `${name}@${version}`, 'dist.integrity', '--json'];
  const { stdout, status } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  const answer = stdout.trim() === '' ? undefined : JSON.parse(stdout);
  if (status === 0) return answer;
  if (answer?.error?.code === 'E404') return undefined;
  throw new Error(`npm cannot say whether ${name}@${version} exists: ${stdout}`);
}

const pendingChangesets = () =>
  readdirSync(join(ROOT, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md');

/** What the next version would be: changesets runs in a copy, whose changelog is printed. */
function tryVersion() {
  const copy = mkdtempSync(join(tmpdir(), 'grainline-version-'));
  try {
    capture('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, copy]);
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    show(join(ROOT, 'node_modules/.bin/changeset'), ['version'], copy);
    syncVersions(copy);
    const differing = differingVersions(versionsIn(copy));
    if (differing.length > 0) throw new Error(differing.join('\n'));
    console.log(`The next version is ${versionsIn(copy)[0].version}. Its changelog of grainline begins:\n`);
    console.log(read(copy, 'packages/cli/CHANGELOG.md').split('\n').slice(0, 20).join('\n'));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Checks the checkout. Returns what only publishing needs and is missing. */
function checkCheckout(isDry) {
  const changed = capture('git', ['status', '--porcelain']);
  if (changed !== '') throw new Error(`The working tree is not clean:\n${changed}`);
  const branch = capture('git', ['branch', '--show-current']);
  if (branch !== 'main')
    throw new Error(`A release is made from main, not from ${branch || 'a detached head'}.`);
  const differing = differingVersions(versionsIn(ROOT));
  if (differing.length > 0)
    throw new Error(`Versions differ; run node .ci/release.mjs --sync.\n${differing.join('\n')}`);
  const pending = pendingChangesets();
  const missing = publishedPackages().flatMap(missingForProvenance);
  if (pending.length > 0) missing.push(`${pending.length} changesets are pending: merge the version first`);
  console.log(
    `main at ${capture('git', ['rev-parse', '--short', 'HEAD'])}, version ${versionsIn(ROOT)[0].version}`,
  );
  if (pending.length > 0 && isDry) tryVersion();
  return missing;
}

/** The npm registry: the hash that it has of a version, and the upload of a tarball. */
const NPM = {
  integrityOf: publishedIntegrity,
  publish: ({ path }) => show('npm', ['publish', path, '--provenance', '--access', 'public']),
};

/** Publishes the tarballs in the order of their dependencies, without those that the registry has. */
export function publishAll(tarballs, registry = NPM) {
  const byName = new Map(tarballs.map((tarball) => [tarball.name, tarball]));
  // All decisions come first: a version that exists with other content stops the release before its first package.
  const decided = publishOrder(publishedPackages()).map(({ name }) => {
    const tarball = byName.get(name);
    return { tarball, decision: decide(tarball, registry.integrityOf(tarball)) };
  });
  for (const { tarball, decision } of decided) {
    console.log(`${decision} ${tarball.name}@${tarball.version}`);
    if (decision === 'publish') registry.publish(tarball);
  }
}

async function release() {
  const isDry = process.argv.includes('--dry-run');
  step('checkout');
  const missing = checkCheckout(isDry);
  if (missing.length > 0 && !isDry) throw new Error(`Not ready to publish:\n${missing.join('\n')}`);
  step('build');
  show('npm', ['run', 'build']);
  step('packages');
  const tarballs = await packAll(OUTPUT);
  step('API reports');
  show(process.execPath, ['.ci/api.mjs', '--check']);
  for (const { path } of publishedPackages())
    for (const file of readdirSync(join(ROOT, path, 'api'))) console.log(`${path}/api/${file}`);
  step('bills of materials');
  for (const { bom } of tarballs) console.log(relative(ROOT, bom));
  step(isDry ? 'publish (left out)' : 'publish');
  if (!isDry) return publishAll(tarballs);
  for (const { name, version } of publishOrder(publishedPackages()))
    console.log(`npm publish ${name}@${version} --provenance --access public`);
  if (missing.length > 0) console.log(`\nPublishing still needs:\n${missing.join('\n')}`);
  console.log('\nThe release holds.');
}

async function main() {
  if (process.argv.includes('--sync')) return syncVersions(ROOT);
  try {
    await release();
  } catch (error) {
    // The step has printed its own findings.
    console.error(`\nThe release does not hold: ${error.message}`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
