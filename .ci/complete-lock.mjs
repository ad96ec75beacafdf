// Completes a lock file, or checks that it is complete.
//
// npm records an optional platform package only when the registry serves it. Where a registry lacks some
// platforms, npm writes a lock that its own `npm ci` then refuses ("Missing: … from lock file"). This script
// adds what is missing: version, optional, and the os, cpu and libc that the package's name tells; no address
// and no hash, so that npm asks its registry on the platform that needs the package.
//
//   node .ci/complete-lock.mjs [--check] [package-lock.json …]
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = new Set([
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]);
const PROCESSORS = new Set([
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]);

/** `@rollup/rollup-linux-arm64-musl` → `{ os: ['linux'], cpu: ['arm64'], libc: ['musl'] }`. */
export function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.find((word) => SYSTEMS.has(word));
  const cpu = words.find((word) => PROCESSORS.has(word));
  if (os === undefined || cpu === undefined) return undefined;
  const last = words.at(-1);
  const libc =
    os !== 'linux'
      ? undefined
      : last.startsWith('musl')
        ? 'musl'
        : last.startsWith('gnu')
          ? 'glibc'
          : undefined;
  return { os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }) };
}

/** The optional dependencies that no entry of the lock resolves, as [name, version] by the path they belong at. */
export function missingFrom(packages) {
  const missing = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!resolves(packages, path, name)) missing.set(`node_modules/${name}`, { name, version });
    }
  }
  return missing;
}

/** Looks for `name` as Node does: beside the dependent, then in every folder above it. */
function resolves(packages, path, name) {
  for (let at = path; ;) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === '') return false;
    const above = at.lastIndexOf('/node_modules/');
    at = above === -1 ? '' : at.slice(0, above);
  }
}

function entryFor({ name, version }) {
  const platform = platformOf(name);
  if (platform === undefined)
    throw new Error(`${name}@${version}: its name does not tell its platform; add it by hand`);
  if (!/^\d+\.\d+\.\d+/.test(version))
    throw new Error(`${name}: "${version}" is a range; only exact versions can be completed`);
  return { version, ...platform, optional: true };
}

function addressesIn(packages) {
  return Object.entries(packages)
    .filter(([, entry]) => /^[a-z+]+:\/\//.test(entry.resolved ?? ''))
    .map(([path]) => path);
}

function complete(file, check) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingFrom(lock.packages);
  const addresses = addressesIn(lock.packages);
  if (check) {
    for (const { name, version } of missing.values())
      console.error(`${file}: ${name}@${version} is missing; run node .ci/complete-lock.mjs`);
    for (const path of addresses)
      console.error(`${file}: ${path} records an address; install with omit-lockfile-registry-resolved`);
    return missing.size + addresses.length === 0;
  }
  for (const [path, wanted] of missing) lock.packages[path] = entryFor(wanted);
  const [root, ...rest] = Object.keys(lock.packages);
  const sorted = [root, ...rest.sort((a, b) => a.localeCompare(b, 'en'))].map((path) => [
    path,
    lock.packages[path],
  ]);
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  console.log(`${file}: ${missing.size} optional packages added`);
  return true;
}

if (import.meta.main ?? process.argv[1] === new URL(import.meta.url).pathname) {
  const files = process.argv.slice(2).filter((argument) => argument !== '--check');
  const check = process.argv.includes('--check');
  const results = (files.length > 0 ? files : ['package-lock.json']).map((file) => complete(file, check));
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
