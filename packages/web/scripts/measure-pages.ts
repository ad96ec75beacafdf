// Measures the page view of a PDF of 300 pages: the wait for the first page, the tasks of scrolling, and memory. The
// wait is of the wall clock; tasks are processor time of the main thread, which a busy machine leaves alone.
import { readFile } from 'node:fs/promises';
import { writePdf } from '@grainline/testing/pdf-writer';
import type { Browser, CDPSession, Page } from 'playwright-core';

/** Prints one figure. */
export type Print = (what: string, value: number, unit: string) => void;

/** Ports of the measurement. */
export interface PageMeasure {
  readonly browser: Browser;
  readonly page: Page;
  /** Processor time of the page's main thread so far, in ms. */
  readonly busyMs: () => Promise<number>;
  readonly session: CDPSession;
  readonly print: Print;
}

const PAGES = 300;
const LINES = 48;
/** Steps through all pages; each moves the view by a window. */
const ROUNDS = 2;

/** Opens a PDF on the start page of the service, and scrolls through it. */
export async function measurePages({ browser, page, busyMs, session, print }: PageMeasure): Promise<void> {
  const drawn = page.evaluate(firstPageMs);
  await page.locator('input[type=file]').setInputFiles({
    name: 'manual.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from(manualPdf()),
  });
  print('first of 300 pages drawn, from the document read on', await drawn, 'ms');
  await page.locator('.ink path').first().waitFor({ state: 'attached' });
  await scrollThrough(page, busyMs, 0.1);
  const before = await memoryOf(browser, session);
  await page.evaluate(watchTasks);
  let [worst, steps] = [0, 0];
  const start = await busyMs();
  for (let round = 0; round < ROUNDS; round++) {
    const each = await scrollThrough(page, busyMs, 1);
    worst = Math.max(worst, ...each);
    steps += each.length;
  }
  const mean = ((await busyMs()) - start) / Math.max(1, steps);
  print(`scrolling 300 pages by a window: worst (mean ${Math.round(mean)})`, worst, 'ms');
  print('tasks over 50 ms meanwhile, wall clock', await page.evaluate(longTasks), '');
  const after = await memoryOf(browser, session);
  print(`heap of the page after it (${megabytes(before.heap)} before)`, megabytes(after.heap), 'MB');
  if (after.resident > 0)
    print(
      `memory of its processes after it (${megabytes(before.resident)} before)`,
      megabytes(after.resident),
      'MB',
    );
}

/** In the page: milliseconds from the document's views to the first picture of a page in them. */
function firstPageMs(): Promise<number> {
  return new Promise((resolve) => {
    let read: number | undefined;
    const watch = new MutationObserver(() => {
      if (document.querySelector('.reader') !== null) read ??= performance.now();
      if (read === undefined || document.querySelector('.leaf.drawn') === null) return;
      watch.disconnect();
      const from = read;
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from), 0));
    });
    watch.observe(document.body, { attributes: true, childList: true, subtree: true });
  });
}

/** Scrolls window by window through a share of the pages; the processor time of each step. */
async function scrollThrough(page: Page, busyMs: () => Promise<number>, share: number): Promise<number[]> {
  const spent: number[] = [];
  await page.evaluate(() => document.querySelector('.pages')?.scrollTo(0, 0));
  for (let isEnd = false; !isEnd;) {
    const before = await busyMs();
    isEnd = await page.evaluate(scrollByWindow, share);
    spent.push((await busyMs()) - before);
  }
  return spent;
}

/** In the page: scrolls by a window and waits for a frame; true at the end. */
function scrollByWindow(share: number): Promise<boolean> {
  const pages = document.querySelector('.pages');
  if (pages === null) throw new Error('There are no pages.');
  pages.scrollTop += pages.clientHeight;
  const isEnd = pages.scrollTop + pages.clientHeight >= share * pages.scrollHeight - 1;
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(() => resolve(isEnd), 0));
  });
}

/** In the page: counts long tasks from now on. */
function watchTasks(): void {
  document.body.dataset['longTasks'] = '0';
  new PerformanceObserver((list) => {
    const count = Number(document.body.dataset['longTasks']) + list.getEntries().length;
    document.body.dataset['longTasks'] = String(count);
  }).observe({ type: 'longtask' });
}

function longTasks(): number {
  return Number(document.body.dataset['longTasks']);
}

interface Memory {
  /** Bytes of live objects on the heap of the page. */
  readonly heap: number;
  /** Resident bytes of the browser's pages and its painting; 0 where the system does not tell. */
  readonly resident: number;
}

async function memoryOf(browser: Browser, session: CDPSession): Promise<Memory> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  await system.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer' || type === 'GPU')
    .map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      return 1024 * Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    });
  return { heap, resident: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}

/** Pages of prose in lines. */
function manualPdf(): Uint8Array {
  const pages = Array.from({ length: PAGES }, (_, page) => ({
    lines: Array.from(
      { length: LINES },
      (_line, at) =>
        `Line ${at + 1} of page ${page + 1}: the pilots board outside the bar, and know its stones by name.`,
    ),
  }));
  return writePdf({ pages });
}
