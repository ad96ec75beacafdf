// The bill of materials of each published package (CycloneDX 1.6, JSON) and the licences in it. npm describes the
// project into which all tarballs are installed; a package's bill is the part that the package reaches, with the
// packages that its build has taken in. The published schema checks each bill.
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import parseLicence from 'spdx-expression-parse';

/** Licences at run time. */
const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  '0BSD',
  'Unlicense',
]);

/** Packages of the repository that are built into another one: the page, with its OCR. */
const BUILT_INTO = { '@grainline/server': ['packages/web', 'packages/ocr'] };

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Names of `dependencies` that the sources of a package import. */
function importedFrom(folder, dependencies) {
  const names = Object.keys(dependencies).filter((name) => !name.includes('grainline'));
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: folder })
    .filter((file) => !file.includes('.test.'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  return names.filter((name) =>
    sources.some((source) => source.includes(`'${name}'`) || source.includes(`'${name}/`)),
  );
}

/** The packages that a build takes in: development dependencies that sources import, with their own dependencies. */
export function bundledIn(root, path, name) {
  const found = new Map();
  const add = (dependency) => {
    const folder = join(root, 'node_modules', dependency);
    if (found.has(dependency) || !existsSync(folder)) return;
    const manifest = readManifest(folder);
    found.set(dependency, manifest);
    Object.keys(manifest.dependencies ?? {}).forEach(add);
  };
  const { devDependencies: own = {}, peerDependencies: peers = {} } = readManifest(join(root, path));
  importedFrom(join(root, path), own)
    .filter((dependency) => !(dependency in peers))
    .forEach(add);
  for (const inner of BUILT_INTO[name] ?? []) {
    const { dependencies, devDependencies } = readManifest(join(root, inner));
    importedFrom(join(root, inner), { ...dependencies, ...devDependencies }).forEach(add);
  }
  return [...found.values()];
}

function toComponent({ name, version, license = 'UNLICENSED' }) {
  const reference = `${name}@${version}`;
  return {
    'bom-ref': reference,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${reference.replace(/^@/, '%40')}`,
    properties: [{ name: 'grainline:bundled', value: 'true' }],
    licenses: / /.test(license) ? [{ expression: license }] : [{ license: { id: license } }],
  };
}

/** A UUID that the content determines, so that one tarball always has one bill. */
function uuidOf(text) {
  const hex = hash('sha256', text);
  const variant = ((parseInt(hex[16], 16) & 3) | 8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Removes the edges of npm's bill that lead to optional peers: their users install them. */
export function withoutOptionalPeers(installed, manifests) {
  const optional = new Map(
    manifests.map(({ name, version, peerDependenciesMeta = {} }) => [
      `${name}@${version}`,
      Object.keys(peerDependenciesMeta),
    ]),
  );
  const dependencies = installed.dependencies.map(({ ref, dependsOn = [] }) => {
    const left = (optional.get(ref) ?? []).map((name) => `${name}@`);
    return { ref, dependsOn: dependsOn.filter((one) => !left.some((start) => one.startsWith(start))) };
  });
  return { ...installed, dependencies };
}

/**
 * The bill of one package.
 *
 * @param installed npm's bill of the project that all tarballs are installed in
 * @param reference name and version of the package, with an @ between them
 * @param integrity npm's hash of the tarball
 * @param bundled manifests of the packages that its build has taken in
 */
export function billOf(installed, reference, integrity, bundled) {
  const edges = new Map(installed.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const reached = new Set([reference]);
  for (const ref of reached) for (const next of edges.get(ref) ?? []) reached.add(next);
  const subject = installed.components.find((one) => one['bom-ref'] === reference);
  if (subject === undefined) throw new Error(`npm's bill of materials has no ${reference}.`);
  const parts = installed.components.filter((one) => one !== subject && reached.has(one['bom-ref']));
  const more = bundled.map(toComponent).filter((one) => !reached.has(one['bom-ref']));
  const inner = more.map((one) => one['bom-ref']);
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: uuidOf(`${reference} ${integrity}`),
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { ...subject, hashes: [{ alg: 'SHA-512', content }] },
    },
    components: [...parts, ...more],
    dependencies: [
      ...[...reached].map((ref) => ({
        ref,
        dependsOn: [...new Set([...(edges.get(ref) ?? []), ...(ref === reference ? inner : [])])],
      })),
      ...inner.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}

/** Issues of a bill against the published schema; undefined when there are none. */
export const issuesOfBill = (bill) =>
  new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(JSON.stringify(bill));

/** The licence of a component as one SPDX expression, or undefined. */
function expressionOf({ licenses = [] }) {
  const [only] = licenses;
  return licenses.length === 1 ? (only.expression ?? only.license?.id ?? only.license?.name) : undefined;
}

/** Says whether a licence is allowed at run time. Of alternatives one suffices. */
export function isAllowed(expression) {
  const holds = (node) => {
    if ('conjunction' in node)
      return node.conjunction === 'or'
        ? holds(node.left) || holds(node.right)
        : holds(node.left) && holds(node.right);
    return ALLOWED.has(node.license) && node.exception === undefined;
  };
  try {
    return holds(parseLicence(expression));
  } catch {
    return false;
  }
}

/** Name, version and licence of each component, and whether the licence is allowed. */
export const licencesIn = (bill) =>
  bill.components.map((component) => {
    const licence = expressionOf(component) ?? 'none';
    return { name: `${component.name}@${component.version}`, licence, allowed: isAllowed(licence) };
  });
