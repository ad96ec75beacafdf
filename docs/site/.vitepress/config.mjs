import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { slugOf } from '../links.mjs';
import { GROUPS, titleOf } from '../pages.mjs';
import { boostDocument } from '../search.mjs';

const STAGE = path.join(import.meta.dirname, '../.pages');
const link = ({ to }) => `/${to.replace(/(?:index)?\.md$/, '')}`;

/** `--base` of the build: the path below which a host serves the site. */
const at = process.argv.indexOf('--base');
const base = at < 0 ? '/' : process.argv[at + 1];

/** Colours of code with enough contrast. */
const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };

/** The pages of the API reference, by package and entry; their list is first. */
function apiItems() {
  return globSync('api/**/*.md', { cwd: STAGE })
    .filter((file) => file !== path.join('api', 'index.md'))
    .map((file) => ({
      text: /^# (.+)$/m.exec(readFileSync(path.join(STAGE, file), 'utf8'))?.[1] ?? file,
      link: `/${file.replace(/(?:index)?\.md$/, '')}`,
    }))
    .sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** An empty header of a table names no column, and so is a plain cell. */
function nameNoColumn({ tokens }) {
  tokens.forEach((token, at) => {
    const [content, end] = tokens.slice(at + 1, at + 3);
    if (token.type === 'th_open' && content.content === '') token.tag = end.tag = 'td';
  });
}

export default defineConfig({
  title: 'Grainline',
  lang: 'en',
  description: 'Splits documents into chunks for retrieval, along the grain of the text.',
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.cache',
  cleanUrls: false,
  // The demo is built beside the pages.
  ignoreDeadLinks: [/^\/demo\//],
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  lastUpdated: false,
  // A page fetches nothing of the pages that it leads to.
  router: { prefetchLinks: false },
  // Types such as Promise<Chunk> are no tags, and {id} in a path is no attribute.
  markdown: {
    html: false,
    attrs: { disable: true },
    anchor: { slugify: slugOf },
    theme: THEMES,
    config: (markdown) => markdown.core.ruler.push('empty-headers', nameNoColumn),
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument } } } },
    outline: [2, 3],
    nav: [
      { text: 'Demo', link: '/demo/', target: '_self', noIcon: true },
      { text: 'Start', link: '/start/library', activeMatch: '^/start/' },
      { text: 'Guides', link: '/guides/cut-a-folder', activeMatch: '^/guides/' },
      { text: 'Tiers', link: '/tiers' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'HTTP', link: '/http-reference' },
      { text: 'Benchmarks', link: '/benchmarks/', activeMatch: '^/benchmarks/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    // Groups that fold would be buttons in buttons.
    sidebar: {
      '/api/': [{ text: 'API', items: [{ text: 'All entries', link: '/api/' }, ...apiItems()] }],
      '/': GROUPS.map(({ text, pages }) => ({
        text,
        items: pages.map((page) => ({ text: titleOf(page), link: link(page) })),
      })),
    },
  },
});
