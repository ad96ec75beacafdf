// Packs every published package, holds each tarball to its budget, checks it with publint and are-the-types-wrong,
// installs and uses all of them (consumer.mjs), and writes their bills of materials and licences (bom.mjs).
// `--out FOLDER` keeps the tarballs, the bills and an index of both; by default a temporary folder takes them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOf, bundledIn, issuesOfBill, licencesIn, withoutOptionalPeers } from './bom.mjs';
import { installTarballs, useInstalled } from './consumer.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const tool = (name) => join(root, '.ci/node_modules/.bin', name);

/** The published packages: manifest, and path below the root. */
export function publishedPackages() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces
    .map((path) => ({ path, ...JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) }))
    .filter((manifest) => manifest.private !== true);
}

/** A table of sizes beside their budgets in kB, and the packages that exceed theirs or have none. */
export function compareBudgets(packed, budgets) {
  const kB = (bytes) => Math.ceil(bytes / 1000);
  const rows = packed.map(({ name, size, unpackedSize }) => ({
    name,
    packed: kB(size),
    unpacked: kB(unpackedSize),
    budget: budgets[name] ?? { packed: 0, unpacked: 0 },
  }));
  const table = [
    '| package | packed, kB | at most | unpacked, kB | at most |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(
      (row) =>
        `| ${row.name} | ${row.packed} | ${row.budget.packed} | ${row.unpacked} | ${row.budget.unpacked} |`,
    ),
  ].join('\n');
  const over = rows.filter(
    ({ packed, unpacked, budget }) => packed > budget.packed || unpacked > budget.unpacked,
  );
  return { table, over: over.map(({ name }) => name) };
}

/** Checks the content of one tarball. */
function checkTarball({ name, path, files }) {
  for (const { path: file } of files)
    if (/\.test\.|(^|\/)(src|test|bench|scripts|peers)\//.test(file))
      throw new Error(`${name} would publish ${file}`);
  for (const needed of ['README.md', 'LICENSE', 'CHANGELOG.md'])
    if (!files.some(({ path: file }) => file === needed)) throw new Error(`${name} has no ${needed}`);
  run(tool('publint'), ['--strict', path], root);
  run(tool('attw'), ['--profile', 'esm-only', '--format', 'ascii', path], root);
}

/** Writes the bill of each package; throws on an issue of a bill and on a licence that is not allowed. */
async function writeBills(folder, tarballs, installed, packages) {
  for (const tarball of tarballs) {
    const { path } = packages.find(({ name }) => name === tarball.name);
    const bundled = bundledIn(root, path, tarball.name);
    const bill = billOf(installed, `${tarball.name}@${tarball.version}`, tarball.integrity, bundled);
    const issues = await issuesOfBill(bill);
    if (issues !== null)
      throw new Error(`The bill of ${tarball.name} breaks the schema: ${JSON.stringify(issues)}`);
    tarball.bom = tarball.path.replace(/\.tgz$/, '.cdx.json');
    writeFileSync(tarball.bom, `${JSON.stringify(bill, null, 2)}\n`);
    const licences = licencesIn(bill);
    const refused = licences.filter(({ allowed }) => !allowed);
    if (refused.length > 0)
      throw new Error(
        `${tarball.name} holds ${refused.map((one) => `${one.name} (${one.licence})`).join(', ')}`,
      );
    const counts = Object.entries(Object.groupBy(licences, ({ licence }) => licence));
    const listed = counts.map(([licence, { length }]) => `${licence} ${length}`).join(', ');
    console.log(`| ${tarball.name} | ${licences.length} | ${listed || 'none'} |`);
  }
}

/** Packs and checks everything into `folder`. */
export async function packAll(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = publishedPackages();
  const names = packages.flatMap(({ name }) => ['--workspace', name]);
  const packed = Object.values(
    JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder, ...names], root)),
  );
  const tarballs = packed.map((one) => ({ ...one, path: join(folder, one.filename) }));
  const budgets = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));
  const { table, over } = compareBudgets(tarballs, budgets);
  console.log(`\n${table}\n`);
  if (over.length > 0) throw new Error(`Over the budgets of .ci/budgets.json: ${over.join(', ')}`);
  tarballs.forEach(checkTarball);
  const project = mkdtempSync(join(tmpdir(), 'grainline-consumer-'));
  try {
    const installed = withoutOptionalPeers(installTarballs(project, tarballs), packages);
    console.log('\n| package | components | licences |\n| --- | --- | --- |');
    await writeBills(folder, tarballs, installed, packages);
    console.log();
    await useInstalled(project, packages);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
  const index = tarballs.map(({ name, version, path, integrity, bom }) => ({
    name,
    version,
    path,
    integrity,
    bom,
  }));
  writeFileSync(join(folder, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
  console.log('every package installs and imports');
  return index;
}

async function main() {
  const at = process.argv.indexOf('--out');
  const folder = at > 0 ? resolve(process.argv[at + 1]) : mkdtempSync(join(tmpdir(), 'grainline-pack-'));
  try {
    await packAll(folder);
  } finally {
    if (at < 0) rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
