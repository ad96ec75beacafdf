// The tarballs as users have them: installed into an empty project, every entry imported and every command run on each
// Node, the programs of programs/ checked and run, and a page bundled and opened in a browser.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { build } from 'vite';
import { isLeftOut, openBrowser } from '../packages/web/test/flows/browser.ts';
import { writePdf } from '../packages/testing/src/pdf-writer.ts';

const root = new URL('..', import.meta.url).pathname;

/** The Node of the project, and the oldest line that the libraries support. */
const NODES = [process.execPath, join(root, '.ci/node_modules/node/bin/node')];

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Says whether a package's `engines` include the Node of a version such as v22.23.3. */
const runsOn = ({ engines }, version) => Number(version.slice(1, 3)) >= Number(engines.node.slice(2, 4));

/** Puts an optional peer, which an entry imports, beside the installed packages; its own dependencies stay here. */
function linkPeer(folder, name) {
  const link = join(folder, 'node_modules', name);
  if (existsSync(link) || !existsSync(join(root, 'node_modules', name))) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), link, 'dir');
}

/** Installs the tarballs into an empty project, and gives npm's bill of materials of it. */
export function installTarballs(folder, tarballs) {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: 'empty', version: '0.0.0', private: true, type: 'module' };
  const write = (more) =>
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, ...more }));
  write({});
  run('npm', ['install', '--no-package-lock', '--no-audit', ...tarballs.map(({ path }) => path)], folder);
  // npm's bill refuses the paths of files, which the project now depends on.
  write({ dependencies: Object.fromEntries(tarballs.map(({ name, version }) => [name, version])) });
  return JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx'], folder));
}

const LIST_EXPORTS = `
for (const entry of process.argv.slice(1)) {
  const names = Object.keys(await import(entry));
  if (names.length === 0) throw new Error(entry + ' exports nothing');
  console.log(entry + ': ' + names.join(' '));
}`;

/** Imports the entries and runs the commands of every package that a Node can run. */
function useEntries(folder, manifests, node) {
  const version = run(node, ['--version'], folder).trim();
  const usable = manifests.filter((manifest) => runsOn(manifest, version));
  const entries = usable.flatMap(({ name, exports }) =>
    Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string' ? [] : [`${name}${path.slice(1)}`],
    ),
  );
  const listed = run(node, ['--input-type=module', '--eval', LIST_EXPORTS, ...entries], folder);
  if (node === process.execPath) console.log(listed.trimEnd());
  for (const { name, bin = {} } of usable)
    for (const [command, path] of Object.entries(bin)) {
      const file = join(folder, 'node_modules', name, path);
      console.log(`Node ${version}: ${command} --version: ${run(node, [file, '--version'], folder).trim()}`);
    }
  console.log(`Node ${version}: ${entries.length} entries import`);
}

/** Checks the programs of users as strictly as types allow, and runs them. Types of other packages are theirs. */
function usePrograms(folder) {
  const programs = join(folder, 'programs');
  cpSync(join(root, '.ci/programs'), programs, { recursive: true });
  for (const name of ['@types/node', 'undici-types']) linkPeer(folder, name);
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
    ...{ module: 'nodenext', target: 'es2024', types: ['node'], skipLibCheck: true },
  };
  writeFileSync(join(programs, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', programs], programs);
  for (const node of NODES) {
    for (const program of readdirSync(programs).filter((name) => name.endsWith('.mts')))
      run(node, [program], programs);
    run(node, ['--input-type=commonjs', '--eval', "require('grainline').chunkSync('# Tides')"], programs);
    console.log(`Node ${run(node, ['--version'], folder).trim()}: every program runs`);
  }
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Bundles the page of programs/browser, and reads a PDF by it. */
async function useBrowser(folder) {
  if (isLeftOut) return console.log('SKIPPED: no Chromium here, so no bundle was opened in a browser');
  const page = join(folder, 'programs/browser');
  const lines = Array.from({ length: 20 }, (_, at) => `${at}: The tide turns twice a day.`);
  mkdirSync(join(page, 'public'), { recursive: true });
  writeFileSync(join(page, 'public/tides.pdf'), writePdf({ pages: [{ lines }, { lines }] }));
  await build({ root: page, configFile: false, logLevel: 'error', build: { outDir: 'out' } });
  const server = createServer(({ url }, answer) => {
    const file = join(page, 'out', url === '/' ? 'index.html' : new URL(url, 'http://localhost').pathname);
    if (!existsSync(file)) return answer.writeHead(404).end();
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    return answer.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await openBrowser();
  try {
    const view = await browser.newPage();
    view.on('pageerror', (error) => console.error(error));
    await view.goto(`http://127.0.0.1:${server.address().port}/`);
    const result = await view.locator('output:not(:empty)').textContent();
    if (result !== 'pages 1 to 2, offsets exact') throw new Error(`In the browser: ${result}`);
    console.log(`Chromium ${browser.version()}: the bundle reads a PDF`);
  } finally {
    await browser.close();
    server.close();
  }
}

/** Uses the installed packages as users would. */
export async function useInstalled(folder, manifests) {
  for (const { peerDependenciesMeta = {} } of manifests)
    for (const peer of Object.keys(peerDependenciesMeta)) linkPeer(folder, peer);
  for (const node of NODES) useEntries(folder, manifests, node);
  usePrograms(folder);
  await useBrowser(folder);
}
