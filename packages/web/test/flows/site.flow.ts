// The documentation site as `npm run docs` builds it, from a plain server of files: weight, search, themes, phones.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLeftOut, openBrowser, violations } from './browser.ts';
import { hostFiles, type StaticHost } from './static-host.ts';

const SITE = join(import.meta.dirname, '../../../../docs/site/dist');
const isBuilt = existsSync(join(SITE, 'index.html'));
if (!isBuilt && process.env['CI'] === 'true') throw new Error('Build the site first: npm run docs.');
if (!isBuilt) console.warn('\nSKIPPED: the documentation site is not built (npm run docs).\n');

/** A page of each form: the home, a start page, a guide, pictures, long tables, lists. */
const AUDITED = [
  '/',
  '/start/server.html',
  '/guides/load-a-database.html',
  '/tiers.html',
  '/http-reference.html',
  '/api/',
  '/benchmarks/',
  '/benchmarks/core.html',
  '/changelog.html',
];
/** Results that VitePress shows. */
const SHOWN_RESULTS = 16;

/** The name of VitePress's button lacks the key that it shows. */
const SEARCH_BUTTON = 'label-content-name-mismatch: <button type="button" class="DocSearch';

const ROOT = join(import.meta.dirname, '../../../..');

/** The names that an API report exports. */
function exportedNames(report: string): string[] {
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function|const|interface|class|type) (\w+)/gm;
  const listed = [...report.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
  return [
    ...[...report.matchAll(declared)].map(([, name = '']) => name),
    ...listed.map((entry) => entry.trim().split(' as ').at(-1) ?? '').filter((name) => name !== ''),
  ];
}

/** `chunk` of `chunk()`, `Chunk` of `Chunk<Tier>`. */
const nameIn = (title: string): string => title.replace(/\(\)|\\|<.*/g, '').trim();

interface Result {
  readonly id: string;
  readonly title: string;
}

/** The search of the site without a browser: its index, by the library and the options of VitePress. */
async function builtIndex(): Promise<(words: string) => Result[]> {
  const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: SITE });
  const { default: json } = (await import(pathToFileURL(join(SITE, file)).href)) as { default: string };
  const requireOfSite = createRequire(join(ROOT, 'docs/site/package.json'));
  const MiniSearch = requireOfSite('minisearch') as {
    loadJSON: (text: string, options: object) => { search: (words: string, options: object) => Result[] };
  };
  const index = MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
  });
  const options = {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
    ...((await import(pathToFileURL(join(ROOT, 'docs/site/search.mjs')).href)) as object),
  };
  return (words) => index.search(words, options).slice(0, SHOWN_RESULTS);
}

describe.skipIf(isLeftOut || !isBuilt)('the documentation site', () => {
  let browser: Browser;
  let host: StaticHost;
  let origin: string;

  beforeAll(async () => {
    browser = await openBrowser();
    host = await hostFiles(SITE);
    origin = new URL(host.url).origin;
  });
  afterAll(async () => {
    await browser.close();
    host.close();
  });

  /** Opens a page; the errors on it and the bytes that it took are filled in meanwhile. */
  async function open(path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
    const page = await context.newPage();
    const seen = { page, errors: [] as string[], bytes: 0 };
    page.on('pageerror', ({ message }) => seen.errors.push(message));
    page.on('response', (response) => {
      if (response.status() >= 400) seen.errors.push(`${response.status()} ${response.url()}`);
      const file = new URL(response.url()).pathname;
      const name = join(SITE, file.endsWith('/') ? `${file}index.html` : file);
      // Hosts of static files compress them.
      seen.bytes += existsSync(name) ? gzipSync(readFileSync(name)).length : 0;
    });
    await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' });
    return seen;
  }

  async function search(page: Page, words: string): Promise<string[]> {
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill(words);
    const results = page.locator('#localsearch-list [role=option]');
    await results.first().waitFor();
    return results.allTextContents();
  }

  it('opens with at most 200 kB, without an error', async () => {
    const { page, errors, bytes } = await open('/');
    expect(errors).toEqual([]);
    expect(bytes).toBeLessThanOrEqual(200_000);
    await page.getByRole('link', { name: 'Use the library', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Use the library' }).waitFor();
    await page.context().close();
  });

  it('finds names of the API and words of the guides', async () => {
    const { page } = await open('/start/library.html');
    expect((await search(page, 'chunkFile')).join()).toContain('chunkFile');
    await page.keyboard.press('Escape');
    expect((await search(page, 'verifyReceipt')).join()).toContain('verifyReceipt');
    await page.keyboard.press('Escape');
    expect((await search(page, 'gauge stood quotation')).join()).toContain('HTTP API');
    await page.context().close();
  });

  it('finds each exported name among the results that it shows, by the index alone', async () => {
    const names = globSync('packages/*/api/*.api.md', { cwd: ROOT }).flatMap((report) =>
      exportedNames(readFileSync(join(ROOT, report), 'utf8')).map((name) => ({ report, name })),
    );
    expect(names.length).toBeGreaterThan(500);
    const searchIndex = await builtIndex();
    const isFound = (name: string): boolean =>
      searchIndex(name).some(({ id, title }) => id.includes('/api/') && nameIn(title) === name);
    expect(names.filter(({ name }) => !isFound(name))).toEqual([]);
  });

  it('names modules of the API as they are imported', async () => {
    const { page } = await open('/api/');
    const names = await page.locator('.vp-doc li a').allTextContents();
    expect(names).toEqual(
      expect.arrayContaining(['grainline', '@grainline/core/formats', '@grainline/client/receipts']),
    );
    expect(names.filter((name) => name.includes('/src'))).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['light, wide', { colorScheme: 'light' as const }],
    ['dark, narrow', { colorScheme: 'dark' as const, viewport: { width: 390, height: 800 } }],
  ])(
    'has no violations that axe finds, and fits its window: %s',
    async (_, options) => {
      for (const path of AUDITED) {
        const { page, errors } = await open(path, options);
        expect(errors).toEqual([]);
        expect((await violations(page)).filter((found) => !found.startsWith(SEARCH_BUTTON))).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        await page.context().close();
      }
    },
    180_000,
  );

  it('leads from its home to the demo, and from there back', async () => {
    const { page, errors } = await open('/');
    await page.getByRole('link', { name: 'Try it here' }).click();
    await page.getByRole('heading', { name: 'Or try a sample' }).waitFor();
    await page.getByRole('link', { name: 'Documentation' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('has no link to a page, a file or a heading that is not there', () => {
    const pages = new Map(
      globSync('**/*.html', { cwd: SITE, exclude: ['demo/**', '404.html'] }).map((name) => {
        const html = readFileSync(join(SITE, name), 'utf8');
        return [name, { html, ids: new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)) }];
      }),
    );
    expect(pages.size).toBeGreaterThan(100);
    const broken = [...pages].flatMap(([name, { html }]) =>
      [...html.matchAll(/ (?:href|src)="([^":]*)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => {
          const { pathname, hash } = new URL(target.replaceAll('&amp;', '&'), `http://site/${name}`);
          const path = decodeURIComponent(pathname).slice(1);
          const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
          if (!existsSync(join(SITE, file))) return true;
          const other = pages.get(file);
          return hash !== '' && other !== undefined && !other.ids.has(decodeURIComponent(hash.slice(1)));
        })
        .map((target) => `${name} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('gives every page as Markdown, and an index of them to language models', async () => {
    const index = await (await fetch(`${origin}/llms.txt`)).text();
    const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(30);
    for (const link of links) expect((await fetch(`${origin}/${link}`)).status).toBe(200);
  });
});
