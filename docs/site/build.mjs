// `npm run docs`: the documentation site as a folder of files, `docs/site/dist`, from the pages of this repository.
//
//   assemble   the pages, with their links rewritten, in docs/site/.pages
//   reference  TypeDoc's pages of every package, from the doc comments
//   build      VitePress: HTML, an index for the search, light and dark
//   texts      every page as Markdown beside its HTML, and llms.txt
//   demo       the web app without a service, in the folder `demo`
//
// Options go to VitePress: `npm run docs -- --base /grainline/` for a host that serves the folder below a path.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mendAnchors, rewriteLinks } from './links.mjs';
import { PACKAGES } from './packages.mjs';
import { GROUPS, PAGES, ROOT, textOf, titleOf } from './pages.mjs';

const SITE = import.meta.dirname;
const STAGE = path.join(SITE, '.pages');
const OUT = path.join(SITE, 'dist');
const ICON = path.join(ROOT, 'packages/web/src/app/icon.svg');
const BIN = path.join(SITE, 'node_modules/.bin');

if (!existsSync(BIN)) execFileSync('npm', ['ci', '--prefix', SITE], { stdio: 'inherit' });
rmSync(STAGE, { recursive: true, force: true });
assemble();
cpSync(path.join(SITE, 'public'), path.join(STAGE, 'public'), { recursive: true });
cpSync(ICON, path.join(STAGE, 'public/icon.svg'));
reference();
execFileSync(path.join(BIN, 'vitepress'), ['build', SITE, ...process.argv.slice(2)], { stdio: 'inherit' });
writeTexts();
execFileSync('npm', ['run', 'demo'], { cwd: ROOT, stdio: 'inherit' });

function assemble() {
  for (const page of PAGES) {
    write(
      page.to,
      rewriteLinks(textOf(page), page, (picture) => addPicture(picture)),
    );
  }
}

/** Pictures keep their paths below `pictures`. */
function addPicture(file) {
  const place = `pictures/${file}`;
  mkdirSync(path.dirname(path.join(STAGE, place)), { recursive: true });
  cpSync(path.join(ROOT, file), path.join(STAGE, place));
  return place;
}

function reference() {
  const entries = PACKAGES.flatMap(entriesOf);
  const options = {
    tsconfig: path.join(ROOT, 'tsconfig.json'),
    entryPoints: entries.map(({ file }) => path.join(ROOT, 'packages', file)),
    plugin: ['typedoc-plugin-markdown'],
    out: path.join(STAGE, 'api'),
    readme: 'none',
    name: 'API',
    excludePrivate: true,
    excludeInternal: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    disableSources: true,
    // `npm run types` checks them.
    skipErrorChecking: true,
    entryFileName: 'index',
    outputFileStrategy: 'modules',
    alwaysCreateEntryPointModule: true,
    displayBasePath: path.join(ROOT, 'packages'),
    logLevel: 'Error',
  };
  const file = path.join(STAGE, 'typedoc.json');
  writeFileSync(file, JSON.stringify(options));
  execFileSync(path.join(BIN, 'typedoc'), ['--options', file], { cwd: SITE, stdio: 'inherit' });
  rmSync(file);
  nameModules(
    new Map(entries.map(({ name, file: source }) => [source.replace(/(?:\/index)?\.ts$/, ''), name])),
  );
}

/** TypeDoc names a module by its file; readers know it by the name that they import. */
function nameModules(names) {
  const imported = (module) => names.get(module) ?? module;
  const named = globSync('api/**/*.md', { cwd: STAGE }).map((page) => {
    const text = readFileSync(path.join(STAGE, page), 'utf8')
      .replace(/^# (\S+)$/m, (_, module) => `# ${imported(module)}`)
      .replace(/^- \[(\S+)\]\(/gm, (_, module) => `- [${imported(module)}](`);
    return [page, text];
  });
  for (const [page, text] of mendAnchors(new Map(named))) write(page, text);
}

/** The entries of a package that it exports: the name of each, and its source file below packages/. */
function entriesOf(folder) {
  const packageFolder = path.join(ROOT, 'packages', folder);
  const { name, exports } = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8'));
  const config = readFileSync(path.join(packageFolder, 'tsup.config.ts'), 'utf8');
  const pairs = [...config.matchAll(/(?:'([\w/-]+)'|\b(\w+)): '(src\/[^']+\.ts)'/g)];
  const found = new Map(pairs.map(([, quoted, plain, file]) => [quoted ?? plain, file]));
  return [...found]
    .map(([entry, file]) => ({ path: entry === 'index' ? '.' : `./${entry}`, file: `${folder}/${file}` }))
    .filter((entry) => Object.hasOwn(exports, entry.path))
    .map((entry) => ({ name: path.posix.join(name, entry.path), file: entry.file }));
}

/** llms.txt (llmstxt.org), and each page as it was assembled. */
function writeTexts() {
  for (const name of globSync('**/*.md', { cwd: STAGE })) {
    mkdirSync(path.dirname(path.join(OUT, name)), { recursive: true });
    cpSync(path.join(STAGE, name), path.join(OUT, name));
  }
  const lines = GROUPS.flatMap(({ text, pages }) => [
    `## ${text}`,
    '',
    ...pages.map((page) => `- [${titleOf(page)}](${page.to})`),
    '',
  ]);
  const about = 'Splits documents into chunks for retrieval: a TypeScript library, a command line, a server.';
  writeFileSync(path.join(OUT, 'llms.txt'), ['# Grainline', '', `> ${about}`, '', ...lines].join('\n'));
}

function write(name, text) {
  const file = path.join(STAGE, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
