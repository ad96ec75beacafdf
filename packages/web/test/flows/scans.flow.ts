// Scans in a real browser: the page says why they have no text, and reads them on request.
import { openPages } from '@grainline/extract/pages';
import { writePdf } from '@grainline/testing/pdf-writer';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  breachesOf,
  type BuiltService,
  isLeftOut,
  openBrowser,
  openWatched,
  startBuiltService,
  violations,
} from './browser.ts';

const LINE = 'The tide turns at noon.';
/** The upper part of a page, in pixels. */
const HEIGHT = 300;

/** A PDF of two scanned pages. */
async function scan(): Promise<Buffer> {
  const pages = await openPages(writePdf({ pages: [{ lines: [LINE] }] }));
  const drawn = await pages.drawPage(1, 200 / 72).finally(() => pages.close());
  const { width } = drawn;
  const picture = { width, height: HEIGHT, pixels: greyPixels(drawn).subarray(0, width * HEIGHT) };
  const page = { width: (width * 72) / 200, height: (HEIGHT * 72) / 200, picture };
  return Buffer.from(writeScans([page, page]));
}

/** Records the progress, which is soon over. */
async function watchProgress(page: Page): Promise<() => Promise<string[]>> {
  const shown = await page.evaluateHandle(() => {
    const texts: string[] = [];
    new MutationObserver(() => texts.push(document.querySelector('.job .pages')?.textContent ?? '')).observe(
      document.body,
      { subtree: true, childList: true, characterData: true },
    );
    return texts;
  });
  return () => shown.jsonValue();
}

describe.skipIf(isLeftOut)('a scan', () => {
  let browser: Browser;
  let service: BuiltService;
  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), startBuiltService()]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  const open = async (page: Page): Promise<void> => {
    const file = { name: 'scan.pdf', mimeType: 'application/pdf', buffer: await scan() };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('scan.pdf is a scan: its pages are pictures').waitFor();
  };

  it('is explained, and read in the page on request, with files of the service alone', async () => {
    const { page, errors, strangers, paths } = await openWatched(browser, service.url);
    await open(page);
    const data = (): string[] => paths.filter((path) => path.endsWith('.data'));
    expect(data()).toEqual([]);
    const progress = await watchProgress(page);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Read 2 scanned pages');
    await page.keyboard.press('Enter');
    await page.locator('.leaf.drawn').first().waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Source' }).click();
    await page.getByText(LINE).first().waitFor();
    expect(await progress()).toContain('scanned page 1 of 2');
    expect(data()).toHaveLength(1);
    expect([await breachesOf(page), errors, strangers]).toEqual([[], [], []]);
    await page.context().close();
  }, 180_000);

  it('has an offer that everybody can use', async () => {
    const { page } = await openWatched(browser, service.url, { bypassCSP: true });
    await open(page);
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  }, 60_000);
});
