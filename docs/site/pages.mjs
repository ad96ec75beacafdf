// The pages of the site: the file of each, its place on the site, and its place in the navigation.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '../..');

/** Packages with an API of their own, in the order of the layers. */
export const PACKAGES = [
  'core',
  'extract',
  'models',
  'pipeline',
  'ocr',
  'eval',
  'stores',
  'client',
  'x402',
  'server',
  'mcp',
  'cli',
];

const page = (from, to) => ({ from, to });
const doc = (name) => page(`docs/${name}.md`, `${name}.md`);

/** The navigation: groups of pages. */
export const GROUPS = [
  {
    text: 'Start',
    pages: [
      page('docs/site/start/library.md', 'start/library.md'),
      page('docs/site/start/server.md', 'start/server.md'),
      page('docs/site/start/service.md', 'start/service.md'),
    ],
  },
  {
    text: 'Guides',
    pages: [
      page('docs/site/guides/cut-a-folder.md', 'guides/cut-a-folder.md'),
      ...['load', 'stores', 'citations', 'eval', 'checking-answers', 'payments', 'receipts', 'agents'].map(
        doc,
      ),
      ...['page', 'mcp', 'deploy', 'webhooks', 'scale'].map(doc),
    ],
  },
  {
    text: 'Reference',
    pages: [
      ...['tiers', 'kinds', 'library', 'http-api', 'http-reference', 'dependencies'].map(doc),
      page('packages/cli/README.md', 'packages/cli.md'),
      ...PACKAGES.filter((name) => name !== 'cli').map((name) =>
        page(`packages/${name}/README.md`, `packages/${name}.md`),
      ),
      page('packages/python/README.md', 'packages/python.md'),
    ],
  },
  {
    text: 'How it is built',
    pages: [
      doc('architecture'),
      page('docs/adr/README.md', 'adr/index.md'),
      doc('roadmap'),
      page('CONTRIBUTING.md', 'contributing.md'),
      page('CODE_OF_CONDUCT.md', 'code-of-conduct.md'),
      page('SECURITY.md', 'security.md'),
    ],
  },
  {
    text: 'Benchmarks',
    pages: globSync('packages/*/bench/RESULTS.md', { cwd: ROOT })
      .sort()
      .map((from) => page(from, `benchmarks/${from.split(/[/\\]/)[1]}.md`)),
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

/** The title of a page: its first heading. */
export function titleOf({ from }) {
  return /^# (.+)$/m.exec(readFileSync(path.join(ROOT, from), 'utf8'))?.[1]?.replaceAll('`', '') ?? from;
}
