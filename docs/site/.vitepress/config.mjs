import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { GROUPS, titleOf } from '../pages.mjs';

const STAGE = path.join(import.meta.dirname, '../.pages');
const link = ({ to }) => `/${to.replace(/(?:index)?\.md$/, '')}`;

/** Colours of code with enough contrast. */
const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };

/** The pages of the API reference, by package and entry. */
function apiItems() {
  return globSync('api/**/*.md', { cwd: STAGE })
    .sort()
    .map((file) => ({
      file,
      title: /^# (.+)$/m.exec(readFileSync(path.join(STAGE, file), 'utf8'))?.[1] ?? file,
    }))
    .map(({ file, title }) => ({ text: title, link: `/${file.replace(/(?:index)?\.md$/, '')}` }));
}

export default defineConfig({
  title: 'Grainline',
  description: 'Splits documents into chunks for retrieval, along the grain of the text.',
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.cache',
  cleanUrls: false,
  lastUpdated: false,
  // A page fetches nothing of the pages that it leads to.
  router: { prefetchLinks: false },
  // Types such as Promise<Chunk> are no tags, and {id} in a path is no attribute.
  markdown: { html: false, attrs: { disable: true }, theme: THEMES },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/library' },
      { text: 'Guides', link: '/guides/cut-a-folder' },
      { text: 'Reference', link: '/tiers' },
      { text: 'API', link: '/api/' },
      { text: 'Benchmarks', link: link(GROUPS.at(-1).pages[0]) },
    ],
    // Groups that fold would be buttons in buttons.
    sidebar: {
      '/api/': [{ text: 'API', items: apiItems() }],
      '/': GROUPS.map(({ text, pages }) => ({
        text,
        items: pages.map((page) => ({ text: titleOf(page), link: link(page) })),
      })),
    },
  },
});
