// The view of a PDF's pages in a real browser on the built service.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openPages } from '@grainline/extract/pages';
import { writePdf, type PageSpec, setText } from '@grainline/testing/pdf-writer';
import {
  closeClean,
  type BuiltService,
  isLeftOut,
  openBrowser,
  openFile,
  openWatched,
  startBuiltService,
  violations,
  type Watched,
} from './browser.ts';

/** A page with a heading and some lines about its own subject. */
function pageAbout(subject: string, lines = 30): PageSpec {
  const texts = Array.from({ length: lines }, (_, line) => ({
    x: 60,
    y: 700 - 14 * line,
    text: `Line ${line} is about ${subject}, and says where the pilots board the ship at noon.`,
  }));
  return { content: setText([{ x: 60, y: 740, text: `The ${subject}`, size: 18, font: 'B' }, ...texts]) };
}

const SUBJECTS = ['harbour', 'lighthouse', 'anchor', 'compass', 'rudder', 'lantern'];
const BOOK = writePdf({ pages: SUBJECTS.map((subject) => pageAbout(subject)) });

describe.skipIf(isLeftOut)('the view of the pages', () => {
  let browser: Browser;
  let service: BuiltService;
  const open: Watched[] = [];
  const visit = async (options = {}, bytes = BOOK): Promise<Page> => {
    const watched = await openWatched(browser, service.url, options);
    open.push(watched);
    await openFile(watched.page, 'book.pdf', 'application/pdf', bytes);
    await watched.page.locator('.ink path').first().waitFor({ state: 'attached' });
    return watched.page;
  };
  const number = (page: Page): Promise<string> => page.getByRole('spinbutton', { name: 'Page' }).inputValue();

  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), startBuiltService()]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  afterEach(() => closeClean(open));

  it('opens a PDF in its pages, and has elements and pictures only for those near the window', async () => {
    const pages = Array.from({ length: 300 }, (_, at) => pageAbout(`pier ${at}`));
    const page = await visit({}, writePdf({ pages }));
    await page.getByText('of 300').waitFor();
    expect(await page.getByRole('img', { name: 'Page 1 of 300' }).count()).toBe(1);
    const near = (): Promise<number> => page.locator('.leaf').count();
    expect(await near()).toBeLessThan(6);
    const field = page.getByRole('spinbutton', { name: 'Page' });
    for (const wanted of ['150', '300', '77']) {
      await field.fill(wanted);
      await field.press('Enter');
      await page.locator(`.leaf.drawn[data-page="${wanted}"]`).waitFor();
      await expect.poll(() => number(page)).toBe(wanted);
      expect(await near()).toBeLessThan(6);
    }
    expect(await page.locator('canvas').count()).toBe(await near());
  }, 120_000);

  it('shows a chunk by pointer, tap and keys as the text does', async () => {
    const page = await visit();
    const chunk = page.locator('.details h2');
    const text = page.locator('.leaf[data-page="1"] .ink path[data-chunk="1"]').first();
    await text.hover();
    await chunk.getByText(/^Chunk 2 of/).waitFor();
    await page.locator('.ink path.current[data-chunk="1"]').first().waitFor();
    await page.locator('.pages').focus();
    await page.keyboard.press('ArrowDown');
    await chunk.getByText(/^Chunk 3 of/).waitFor();
    await page.keyboard.press('End');
    await chunk.getByText(/^Chunk ([\d,]+) of \1$/).waitFor();
    await expect.poll(() => number(page)).toBe(String(SUBJECTS.length));
    const lines = await page.locator('.ink path.current').first().boundingBox();
    const window = (await page.locator('.pages').boundingBox())!;
    expect(lines!.y).toBeGreaterThan(window.y);
    expect(lines!.y).toBeLessThan(window.y + window.height);
    await page.keyboard.press('Home');
    await chunk.getByText(/^Chunk 1 of/).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.ink path.current').waitFor({ state: 'detached' });
  });

  it('has the text at the place of the page, one after the other and beside each other', async () => {
    const page = await visit();
    const view = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
    const field = page.getByRole('spinbutton', { name: 'Page' });
    const wheel = async (host: string, by: number): Promise<void> => {
      await page.locator(host).hover();
      await page.mouse.wheel(0, by);
    };
    /** How far a view is scrolled, from 0 to 1; its ends are exact to a pixel. */
    const share = (host: string): Promise<number> =>
      page.locator(host).evaluate(({ scrollTop, scrollHeight, clientHeight }) => {
        const rest = scrollHeight - clientHeight - scrollTop;
        return rest <= 1 ? 1 : scrollTop / (scrollTop + rest);
      });
    /** Scrolls to an end, 0 or 1. The text grows as it gets its true height, so it may take more than one turn. */
    const scrollToEnd = async (host: string, end: number): Promise<void> => {
      await expect
        .poll(async () => {
          const before = await share(host);
          await wheel(host, end === 0 ? -100_000 : 100_000);
          return before;
        })
        .toBe(end);
    };
    /** Subjects with text in the window of the text view. */
    const inSight = (): Promise<string[]> =>
      page.locator('.text').evaluate((element, subjects) => {
        const { top, bottom } = element.getBoundingClientRect();
        const blocks = [...element.querySelectorAll('.block')].filter((block) => {
          const box = block.getBoundingClientRect();
          return box.bottom > top && box.top < bottom;
        });
        return subjects.filter((subject) => blocks.some(({ textContent }) => textContent.includes(subject)));
      }, SUBJECTS);

    // One after the other.
    await field.fill('4');
    await field.press('Enter');
    await expect.poll(() => number(page)).toBe('4');
    await view('Text');
    await expect.poll(inSight).toContain('compass');
    await scrollToEnd('.text', 1);
    await view('Page');
    await expect.poll(() => share('.pages')).toBe(1);
    await scrollToEnd('.pages', 0);
    await view('Text');
    await expect.poll(() => share('.text')).toBe(0);
    await wheel('.text', 2000);
    await expect.poll(inSight).not.toContain('harbour');
    const seen = await inSight();
    await view('Page');
    await expect.poll(async () => seen.includes(SUBJECTS[Number(await number(page)) - 1]!)).toBe(true);
    const kept = await number(page);
    for (let turn = 0; turn < 3; turn++) {
      await view('Text');
      await expect.poll(inSight).toEqual(seen);
      await view('Page');
      await expect.poll(() => number(page)).toBe(kept);
    }

    // Beside each other.
    await view('Both');
    await scrollToEnd('.pages', 0);
    await expect.poll(() => share('.text')).toBe(0);
    await scrollToEnd('.text', 1);
    await expect.poll(() => share('.pages')).toBe(1);
    await scrollToEnd('.text', 0);
    await expect.poll(() => share('.pages')).toBe(0);
    await scrollToEnd('.pages', 1);
    await expect.poll(() => share('.text')).toBe(1);
    await field.fill('3');
    await field.press('Enter');
    await expect.poll(inSight).toContain('anchor');
    await wheel('.text', 900);
    await expect.poll(() => number(page)).toBe('4');
  });

  it('zooms by buttons and keys, and stays where it is', async () => {
    const page = await visit();
    const width = async (): Promise<number> => (await page.locator('.leaf').first().boundingBox())!.width;
    const field = page.getByRole('spinbutton', { name: 'Page' });
    await field.fill('3');
    await field.press('Enter');
    await page.locator('.leaf.drawn[data-page="3"]').waitFor();
    const fit = await width();
    const zoomed = page.getByRole('group', { name: 'Pages and zoom' });
    await zoomed.getByRole('button', { name: 'Larger' }).click();
    await expect.poll(width).toBeGreaterThan(fit);
    await page.locator('.pages').focus();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(1.3 * fit);
    expect(await number(page)).toBe('3');
    for (let step = 0; step < 8; step++) await page.keyboard.press('-');
    await expect.poll(width).toBeLessThan(fit);
    await page.keyboard.press('0');
    await expect.poll(width).toBe(fit);
    await expect.poll(() => number(page)).toBe('3');
    expect(await zoomed.getByRole('button', { name: 'Fit width' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('prints all pages with their chunks, and nothing else', async () => {
    const page = await visit();
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printing', '');
    });
    await page.locator('.pages').focus();
    await page.keyboard.press('Control+p');
    await page.locator('body[data-printing]').waitFor();
    expect(await page.locator('.printed img').count()).toBe(SUBJECTS.length);
    expect(await page.locator('.printed .ink path').count()).toBeGreaterThan(SUBJECTS.length);
    const printed = await openPages(await page.pdf({ format: 'A4' }));
    expect(printed.sizes).toHaveLength(SUBJECTS.length);
    await printed.close();
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.locator('.printed').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Print', exact: true }).waitFor();
  });

  it('marks the lines that answer a question', async () => {
    const answer = 'The keeper sleeps in the northern tower on every second night of the winter.';
    const lines = Array.from(
      { length: 20 },
      (_, line) => `Ropes of length ${line} lie beside the old wooden pier.`,
    );
    const page = await visit({}, writePdf({ pages: [{ lines }, { lines: [...lines, answer, ...lines] }] }));
    await page.getByRole('tab', { name: 'Ask' }).click();
    await page.getByLabel('Your question').fill('Where does the keeper sleep in winter?');
    await page.keyboard.press('Enter');
    const hits = page.getByRole('region', { name: 'Found by structure' });
    await hits.locator('mark', { hasText: 'The keeper sleeps' }).waitFor();
    await hits.getByRole('button').first().click();
    const marked = page.locator('.leaf[data-page="2"] .ink path.answer');
    await marked.waitFor();
    const box = (await marked.boundingBox())!;
    const window = (await page.locator('.pages').boundingBox())!;
    expect(box.y).toBeGreaterThan(window.y);
    expect(box.y + box.height).toBeLessThan(window.y + window.height);
    // One line of the page, not the chunk.
    expect(box.height).toBeLessThan(30);
    await page.locator('.pages').press('Escape');
    await marked.waitFor({ state: 'detached' });
  });

  it('says which page cannot be drawn, and draws the others', async () => {
    const pages = [pageAbout('harbour'), pageAbout('anchor')];
    const page = await visit({}, writePdf({ pages, kids: '10 0 R 999 0 R 20 0 R', claimedPages: 3 }));
    await page.locator('.leaf.drawn[data-page="1"]').waitFor();
    const field = page.getByRole('spinbutton', { name: 'Page' });
    await field.fill('2');
    await field.press('Enter');
    await page.locator('.leaf[data-page="2"]').getByText('This page cannot be drawn').waitFor();
    await page.locator('.leaf.drawn[data-page="3"]').waitFor();
  });

  it('colours white paper with the light colours in the dark theme', async () => {
    const fillOf = async (colorScheme: 'light' | 'dark'): Promise<string> => {
      const page = await visit({ colorScheme });
      return page
        .locator('.ink path')
        .first()
        .evaluate((path) => getComputedStyle(path).fill);
    };
    expect(await fillOf('dark')).toBe(await fillOf('light'));
  });

  it('has no violations that axe finds, light and dark, wide and narrow, and no overflow', async () => {
    const [wide, narrow] = [
      { width: 1280, height: 820 },
      { width: 390, height: 844 },
    ];
    for (const [colorScheme, viewport] of [
      ['light', wide],
      ['dark', wide],
      ['light', narrow],
    ] as const) {
      const page = await visit({ colorScheme, viewport, bypassCSP: true });
      await expect.poll(() => violations(page)).toEqual([]);
      await page.locator('.pages').press('ArrowDown');
      await page.getByText(/^Chunk 1 of/).waitFor();
      await expect.poll(() => violations(page)).toEqual([]);
      const both = page.getByRole('button', { name: 'Both' });
      if (await both.isVisible()) {
        await both.click();
        await page.locator('.text .mark').first().waitFor();
        await expect.poll(() => violations(page)).toEqual([]);
      }
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }
  }, 180_000);

  it('is used by keyboard alone, from the file to the print', async () => {
    const page = await visit();
    await page.locator('.pages:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByText(/^Chunk 1 of/).waitFor();
    const names: string[] = [];
    for (let stop = 0; stop < 5; stop++) {
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate(
          () =>
            document.activeElement?.getAttribute('aria-label') ??
            document.activeElement?.closest('label')?.textContent ??
            document.activeElement?.textContent ??
            '',
        ),
      );
    }
    expect(names.map((name) => name.trim())).toEqual([
      expect.stringMatching(/^Page/),
      'Smaller',
      'Larger',
      'Fit width',
      'Print',
    ]);
  });

  it('shows what is tapped on a phone, with room for the page', async () => {
    const page = await visit({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const box = (await page.locator('.leaf').first().boundingBox())!;
    expect(box.width).toBeGreaterThan(350);
    await page.locator('.leaf[data-page="1"] .ink path[data-chunk="1"]').first().tap();
    const details = page.getByRole('region', { name: 'Chunk' });
    await details.getByText(/^Chunk 2 of/).waitFor();
    await details.getByRole('button', { name: 'Next chunk' }).tap();
    await details.getByText(/^Chunk 3 of/).waitFor();
    await details.getByRole('button', { name: 'Close' }).tap();
    await page.locator('.ink path.current').waitFor({ state: 'detached' });
  });
});
