// The static demo from a plain server of files, below a path, in Chromium and Firefox.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPages } from '@grainline/extract/pages';
import { writePdf } from '@grainline/testing/pdf-writer';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLeftOut, openBrowser, violations } from './browser.ts';
import { changeSize, dropPdf, errorsOf, openDemo, visitDemo } from './demo-visit.ts';
import { type Firefox, isFirefoxLeftOut, openFirefox } from './firefox.ts';
import { hostFiles, type StaticHost } from './static-host.ts';

const DEMO = join(import.meta.dirname, '../../../../docs/site/dist/demo');
const isBuilt = existsSync(join(DEMO, 'index.html'));
if (!isBuilt && process.env['CI'] === 'true') throw new Error('Build the demo first: npm run docs.');
if (!isBuilt) console.warn('\nSKIPPED: the static demo is not built (npm run demo).\n');

const HANDBOOK = readFileSync(join(import.meta.dirname, '../../src/document/samples/harbour-handbook.pdf'));

let host: StaticHost;
/** Another origin, which no page of the demo may reach. */
let elsewhere: StaticHost;
beforeAll(async () => {
  [host, elsewhere] = await Promise.all([hostFiles(DEMO, '/some/team/tools/'), hostFiles(DEMO)]);
});
afterAll(() => {
  host.close();
  elsewhere.close();
});

describe.skipIf(isLeftOut || !isBuilt)('the static demo in Chromium', () => {
  let browser: Browser;
  const open = async (options: BrowserContextOptions = {}): Promise<Page & { strangers: string[] }> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
    const page = Object.assign(await context.newPage(), { strangers: [] as string[] });
    page.on('request', (request) => {
      if (!/^(?:blob|data):/.test(request.url()) && !request.url().startsWith(host.url))
        page.strangers.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error') page.strangers.push(message.text());
    });
    return page;
  };
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('takes a PDF from the drop to its records, and asks no one but its host', async () => {
    const page = await open();
    await visitDemo(page, host.url, HANDBOOK);
    expect(page.strangers).toEqual([]);
    expect(host.missing).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('opens each sample', async () => {
    for (const at of [0, 1, 2, 3]) {
      const page = await open();
      await openDemo(page, `${host.url}index.html`);
      await page.locator('.samples button').nth(at).click();
      await page.locator('.histogram').waitFor();
      await page.locator('.mark, .ink path').first().waitFor({ state: 'attached' });
      expect(page.strangers).toEqual([]);
      expect(await errorsOf(page)).toEqual([]);
      await page.context().close();
    }
    expect(host.missing).toEqual([]);
  });

  it('reads a scan with its own files', async () => {
    const lines = ['The tide turns at noon.'];
    const pages = await openPages(writePdf({ pages: [{ lines }] }));
    const drawn = await pages.drawPage(1, 200 / 72).finally(() => pages.close());
    const picture = {
      width: drawn.width,
      height: 300,
      pixels: greyPixels(drawn).subarray(0, drawn.width * 300),
    };
    const size = { width: (drawn.width * 72) / 200, height: (300 * 72) / 200 };
    const page = await open();
    await openDemo(page, host.url);
    await page.locator('input[type=file]').setInputFiles({
      name: 'scan.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from(writeScans([{ ...size, picture }])),
    });
    await page.getByRole('button', { name: /Read 1 scanned page/ }).click();
    await page.locator('.ink path').first().waitFor({ state: 'attached', timeout: 60_000 });
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.locator('.text', { hasText: 'The tide turns at noon.' }).waitFor();
    expect(page.strangers).toEqual([]);
    expect(host.missing).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('lets neither the page nor its worker reach another origin', async () => {
    const page = await open();
    await openDemo(page, host.url);
    await dropPdf(page, 'handbook.pdf', HANDBOOK);
    const reach = (url: string): Promise<string> =>
      fetch(url, { mode: 'no-cors' }).then(
        () => 'reached',
        () => 'refused',
      );
    expect(await page.evaluate(reach, elsewhere.url)).toBe('refused');
    const [worker] = page.workers();
    expect(await worker?.evaluate(reach, `${elsewhere.url}from-the-worker`)).toBe('refused');
    expect(elsewhere.missing).toEqual([]);
    // The control: without the policy the same call reaches it.
    const free = await open({ bypassCSP: true });
    await free.goto(host.url);
    expect(await free.evaluate(reach, `${elsewhere.url}control`)).toBe('reached');
    expect(elsewhere.missing).toEqual(['/control']);
  });

  it.each([
    ['light, wide', { colorScheme: 'light' as const }],
    ['dark, narrow', { colorScheme: 'dark' as const, viewport: { width: 390, height: 800 } }],
  ])('has no violations that axe finds, and fits its window: %s', async (_, options) => {
    const page = await open({ bypassCSP: true, ...options });
    const fits = async (): Promise<void> => {
      await expect.poll(() => violations(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    };
    await openDemo(page, host.url);
    await fits();
    await dropPdf(page, 'handbook.pdf', HANDBOOK);
    await fits();
    for (const tab of ['ask', 'records']) {
      await page.locator(`#tab-${tab}`).click();
      await page.locator(`#panel-${tab} :is(input, select)`).first().waitFor();
      await fits();
    }
    await page.context().close();
  });

  it('is used by keyboard alone', async () => {
    const page = await open();
    await openDemo(page, host.url);
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (let stop = 0; !(await focused()).startsWith('A handbook'); stop++) {
      expect(stop).toBeLessThan(10);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.locator('.pages:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByText(/^Chunk 1 of/).waitFor();
    await page.context().close();
  });
});

describe.skipIf(isFirefoxLeftOut || !isBuilt)('the static demo in Firefox', () => {
  let firefox: Firefox;
  beforeAll(async () => {
    firefox = await openFirefox();
  });
  afterAll(() => firefox.close());

  it('takes a PDF from the drop to its records', async () => {
    const page = await firefox.newPage();
    await visitDemo(page, host.url, HANDBOOK);
    expect(host.missing).toEqual([]);
  }, 120_000);

  it('reaches no other origin', async () => {
    const page = await firefox.newPage();
    await openDemo(page, host.url);
    await dropPdf(page, 'handbook.pdf', HANDBOOK);
    await changeSize(page, 300);
    const before = elsewhere.missing.length;
    const reach = (url: string): Promise<string> =>
      fetch(url, { mode: 'no-cors' }).then(
        () => 'reached',
        () => 'refused',
      );
    expect(await page.evaluate(reach, `${elsewhere.url}from-firefox`)).toBe('refused');
    expect(elsewhere.missing).toHaveLength(before);
  });
});
