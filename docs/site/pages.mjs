// The pages of the site: the file of each, its place on the site, and its place in the navigation.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { benchmarkPage, withRetrieval } from './benchmarks.mjs';
import { changelog } from './changelog.mjs';
import { PACKAGES } from './packages.mjs';

export const ROOT = path.join(import.meta.dirname, '../..');

/** A page of a file; `title` names it in the navigation where its heading does not. */
const page = (from, to, title) => ({ from, to, title });
const doc = (name) => page(`docs/${name}.md`, `${name}.md`);
const own = (name, title) => page(`docs/site/${name}.md`, `${name}.md`, title);

const BENCHMARKS = {
  eval: 'Retrieval',
  core: 'Cutting',
  extract: 'Reading',
  models: 'Topics',
  ocr: 'OCR',
  stores: 'Workers',
};

/** The navigation: groups of pages. */
export const GROUPS = [
  {
    text: 'Start',
    pages: ['start/library', 'start/command-line', 'start/server', 'start/service'].map((name) => own(name)),
  },
  {
    text: 'Guides',
    pages: ['cut-a-folder', 'load-a-database', 'cite', 'evaluate', 'self-host', 'scale', 'sell'].map((name) =>
      own(`guides/${name}`),
    ),
  },
  {
    text: 'In depth',
    pages: [
      ...['tiers', 'kinds', 'load', 'stores', 'citations', 'checking-answers', 'eval', 'library'].map(doc),
      ...['page', 'mcp', 'agents', 'payments', 'receipts', 'deploy', 'webhooks', 'scale'].map(doc),
    ],
  },
  {
    text: 'Reference',
    pages: [
      ...['http-api', 'http-reference'].map(doc),
      page('packages/cli/README.md', 'packages/cli.md', 'Command line'),
      page('packages/python/README.md', 'packages/python.md', 'Python client'),
      ...PACKAGES.filter((name) => name !== 'cli').map((name) =>
        page(`packages/${name}/README.md`, `packages/${name}.md`),
      ),
    ],
  },
  {
    text: 'Benchmarks',
    pages: [
      page('docs/site/benchmarks.md', 'benchmarks/index.md', 'Overview'),
      ...Object.entries(BENCHMARKS).map(([name, title]) => ({
        ...page(`packages/${name}/bench/RESULTS.md`, `benchmarks/${name}.md`, title),
        text: () => benchmarkPage(ROOT, name, title),
      })),
    ],
  },
  {
    text: 'Project',
    pages: [
      doc('architecture'),
      page('docs/adr/README.md', 'adr/index.md'),
      doc('dependencies'),
      { ...page('CHANGELOG.md', 'changelog.md', 'Changelog'), text: () => changelog(ROOT) },
      doc('roadmap'),
      page('CONTRIBUTING.md', 'contributing.md'),
      page('CODE_OF_CONDUCT.md', 'code-of-conduct.md'),
      page('SECURITY.md', 'security.md'),
    ],
  },
];

/** Pages that other pages lead to. */
const FURTHER = globSync('docs/adr/[0-9]*.md', { cwd: ROOT }).map((from) =>
  page(from, from.slice('docs/'.length)),
);

/** Every page of the site that stands in a file. */
export const PAGES = [
  page('docs/site/index.md', 'index.md'),
  ...GROUPS.flatMap(({ pages }) => pages),
  ...FURTHER,
];

const missing = globSync('docs/*.md', { cwd: ROOT }).filter(
  (file) => !PAGES.some(({ from }) => from === file),
);
if (missing.length > 0) throw new Error(`Give a place to ${missing.join(', ')}.`);

const unplaced = globSync('packages/*/bench/RESULTS.md', { cwd: ROOT })
  .map((file) => file.split(/[/\\]/)[1])
  .filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unplaced.length > 0) throw new Error(`Name the benchmarks of ${unplaced.join(', ')}.`);

/** The Markdown of a page, before its links lead to other pages. */
export function textOf({ from, text = () => readFileSync(path.join(ROOT, from), 'utf8') }) {
  return withRetrieval(ROOT, text()).replaceAll(/^<!--.*?-->\n/gm, '');
}

/** The title of a page in the navigation: its own, or its first heading. */
export function titleOf({ title, ...page }) {
  return title ?? /^# (.+)$/m.exec(textOf(page))?.[1]?.replaceAll('`', '') ?? page.from;
}
