// The documentation site as `npm run docs` builds it, from a plain server of files: weight, search, themes, phones.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLeftOut, openBrowser, violations } from './browser.ts';
import { hostFiles, type StaticHost } from './static-host.ts';

const SITE = join(import.meta.dirname, '../../../../docs/site/dist');
const isBuilt = existsSync(join(SITE, 'index.html'));
if (!isBuilt && process.env['CI'] === 'true') throw new Error('Build the site first: npm run docs.');
if (!isBuilt) console.warn('\nSKIPPED: the documentation site is not built (npm run docs).\n');

/** The name of VitePress's button lacks the key that it shows. */
const SEARCH_BUTTON = 'label-content-name-mismatch: <button type="button" class="DocSearch';

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
    await page.getByRole('link', { name: 'use the library', exact: true }).click();
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
  ])('has no violations that axe finds, and fits its window: %s', async (_, options) => {
    for (const path of ['/', '/start/server.html', '/http-reference.html', '/api/']) {
      const { page, errors } = await open(path, options);
      expect(errors).toEqual([]);
      expect((await violations(page)).filter((found) => !found.startsWith(SEARCH_BUTTON))).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  });

  it('gives every page as Markdown, and an index of them to language models', async () => {
    const index = await (await fetch(`${origin}/llms.txt`)).text();
    const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(30);
    for (const link of links) expect((await fetch(`${origin}/${link}`)).status).toBe(200);
  });
});
