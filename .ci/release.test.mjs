// Checks of the parts of a release that refuse something: versions, order, licences, budgets, bills of materials.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { billOf, bundledIn, issuesOfBill, isAllowed, licencesIn, withoutOptionalPeers } from './bom.mjs';
import { compareBudgets, publishedPackages } from './pack.mjs';
import {
  decide,
  differingVersions,
  missingForProvenance,
  publishAll,
  publishOrder,
  versionsIn,
} from './release.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'release-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The manifests of the repository, in a copy. */
function copyManifests() {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const files = ['package.json', 'packages/python/pyproject.toml', 'packages/mcp/server.json'];
  for (const file of [...files, ...workspaces.map((path) => `${path}/package.json`)]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
}

test('all versions of the repository are equal, and another one is named with its file', () => {
  copyManifests();
  assert.deepEqual(differingVersions(versionsIn(folder)), []);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/core/package.json'), 'utf8'));
  for (const file of [
    'packages/cli/package.json',
    'packages/python/pyproject.toml',
    'packages/mcp/server.json',
  ]) {
    copyManifests();
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text.replace(`"${version}"`, '"9.9.9"'));
    assert.deepEqual(differingVersions(versionsIn(folder)), [`${file} has 9.9.9, not ${version}`]);
  }
});

test('a package that names another version of a sibling is found', () => {
  copyManifests();
  const file = join(folder, 'packages/cli/package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.dependencies['@grainline/core'] = '9.9.9';
  writeFileSync(file, JSON.stringify(manifest));
  assert.equal(differingVersions(versionsIn(folder)).length, 1);
});

test('each package is published after all that it depends on', () => {
  const packages = publishedPackages();
  for (const list of [packages, packages.toReversed()]) {
    const names = publishOrder(list).map(({ name }) => name);
    assert.equal(names.length, packages.length);
    for (const { name, dependencies = {} } of packages)
      for (const other of Object.keys(dependencies))
        if (names.includes(other))
          assert.ok(names.indexOf(other) < names.indexOf(name), `${other} before ${name}`);
  }
});

test('a version is published once: the same tarball is left out, another one is refused', () => {
  const tarball = { name: 'grainline', version: '1.0.0', integrity: 'sha512-a' };
  assert.equal(decide(tarball, undefined), 'publish');
  assert.equal(decide(tarball, 'sha512-a'), 'skip');
  assert.throws(() => decide(tarball, 'sha512-b'), /raise it/);
});

test('a release that broke off goes on with the package that failed, and another content stops it before the first', () => {
  const tarballs = publishedPackages().map(({ name, version }) => ({
    name,
    version,
    integrity: `sha512-${name}`,
  }));
  const published = new Map();
  let failing = 4;
  const registry = {
    integrityOf: ({ name }) => published.get(name),
    publish({ name, integrity }) {
      if (published.size === failing) throw new Error('the network is down');
      published.set(name, integrity);
    },
  };
  assert.throws(() => publishAll(tarballs, registry), /network/);
  assert.equal(published.size, 4);
  failing = Infinity;
  publishAll(tarballs, registry);
  assert.deepEqual(
    [...published.keys()],
    publishOrder(publishedPackages()).map(({ name }) => name),
  );
  published.clear();
  published.set('grainline', 'sha512-other');
  assert.throws(() => publishAll(tarballs, registry), /raise it/);
  assert.equal(published.size, 1);
});

test('fields that provenance needs are named', () => {
  const publishConfig = { access: 'public', provenance: true };
  const repository = { type: 'git', url: 'git+https://host.example/a/b.git', directory: 'packages/a' };
  const manifest = { name: 'a', path: 'packages/a', publishConfig, repository };
  assert.deepEqual(missingForProvenance(manifest), []);
  assert.deepEqual(missingForProvenance({ ...manifest, repository: undefined }), ['a: repository.url']);
  assert.deepEqual(missingForProvenance({ ...manifest, path: 'packages/b' }), [
    'a: repository.directory packages/b',
  ]);
  assert.equal(missingForProvenance({ ...manifest, publishConfig: undefined }).length, 2);
});

test('a budget holds for each size, and a package needs one', () => {
  const packed = [{ name: 'a', size: 1500, unpackedSize: 4000 }];
  assert.deepEqual(compareBudgets(packed, { a: { packed: 2, unpacked: 4 } }).over, []);
  assert.deepEqual(compareBudgets(packed, { a: { packed: 1, unpacked: 4 } }).over, ['a']);
  assert.deepEqual(compareBudgets(packed, { a: { packed: 2, unpacked: 3 } }).over, ['a']);
  assert.deepEqual(compareBudgets(packed, {}).over, ['a']);
});

test('every published package has a budget', () => {
  const budgets = JSON.parse(readFileSync(new URL('budgets.json', import.meta.url), 'utf8'));
  assert.deepEqual(
    Object.keys(budgets).sort(),
    publishedPackages()
      .map(({ name }) => name)
      .sort(),
  );
});

for (const [expression, allowed] of [
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND BSD-3-Clause', true],
  ['MIT AND LGPL-2.1-only', false],
  ['MPL-2.0', false],
  ['Apache-2.0 WITH LLVM-exception', false],
  ['SEE LICENSE IN LICENSE.txt', false],
  ['none', false],
])
  test(`${expression} is ${allowed ? 'allowed' : 'refused'}`, () =>
    assert.equal(isAllowed(expression), allowed));

const licenses = [{ license: { id: 'MIT' } }];
const component = (name) => ({
  'bom-ref': `${name}@1.0.0`,
  type: 'library',
  name,
  version: '1.0.0',
  licenses,
});
const INSTALLED = {
  components: ['a', 'b', 'c', 'd'].map(component),
  dependencies: [
    { ref: 'a@1.0.0', dependsOn: ['b@1.0.0', 'd@1.0.0'] },
    { ref: 'b@1.0.0', dependsOn: ['a@1.0.0'] },
    { ref: 'c@1.0.0', dependsOn: [] },
    { ref: 'd@1.0.0' },
  ],
};
const INTEGRITY = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
const bundled = [{ name: '@scope/e', version: '2.0.0', license: '(MIT OR ISC)' }];

test('a bill has what its package reaches and holds, and fits the published schema', async () => {
  const bill = billOf(INSTALLED, 'a@1.0.0', INTEGRITY, bundled);
  assert.deepEqual(
    licencesIn(bill).map(({ name }) => name),
    ['b@1.0.0', 'd@1.0.0', '@scope/e@2.0.0'],
  );
  assert.equal(bill.metadata.component.name, 'a');
  assert.equal(await issuesOfBill(bill), null);
  assert.equal(billOf(INSTALLED, 'a@1.0.0', INTEGRITY, bundled).serialNumber, bill.serialNumber);
});

test('an optional peer is no part of a bill', () => {
  const peers = [{ name: 'a', version: '1.0.0', peerDependenciesMeta: { d: { optional: true } } }];
  const bill = billOf(withoutOptionalPeers(INSTALLED, peers), 'a@1.0.0', INTEGRITY, []);
  assert.deepEqual(
    licencesIn(bill).map(({ name }) => name),
    ['b@1.0.0'],
  );
});

test('the schema refuses a bill with a made-up field, and a component without a licence is not allowed', async () => {
  const bill = billOf(INSTALLED, 'a@1.0.0', INTEGRITY, []);
  assert.notEqual(await issuesOfBill({ ...bill, made: 'up' }), null);
  const [first] = bill.components;
  assert.equal(licencesIn({ components: [{ ...first, licenses: [] }] })[0].allowed, false);
});

test('packages that a build takes in are found', () => {
  const names = (path, name) => bundledIn(ROOT, path, name).map((manifest) => manifest.name);
  assert.ok(names('packages/extract', '@grainline/extract').includes('jschardet'));
  assert.ok(names('packages/server', '@grainline/server').includes('preact'));
  assert.ok(!names('packages/server', '@grainline/server').includes('playwright-core'));
  assert.deepEqual(names('packages/core', '@grainline/core'), []);
});
