// Measures the waits of a visitor and prints them: bytes of JavaScript at the start, requests to other origins, first
// contentful paint, the largest task, new cuts of 1 MB while a slider moves, scrolling through the chunks, and the
// pages of a PDF. Fails over a bar. Main-thread figures are processor time, so that a busy machine does not change
// them; those of the wall clock stand beside them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { openBrowser, openWatched, startBuiltService } from '../test/flows/browser.ts';
import { measurePages } from './measure-pages.ts';

const WEB = join(import.meta.dirname, '../../server/dist/web');
/** All texts of the page stand in one file, which is some 4 kB of it. */
const START_BYTES = 44 * 1024;
/** Processor time of a new cut in ms, worker and page together. */
const CUT_MS = { free: 100, structure: 200 } as const;
/** Longest time, in ms, that scrolling by one window may block the page. */
const SCROLL_MS = 100;
const SIZES = [600, 700, 800, 900, 1000, 1100, 1200, 1300] as const;
const SCROLLS = 60;

const browser = await openBrowser();
const service = await startBuiltService();
const missed: string[] = [];
try {
  await measure();
} finally {
  await browser.close();
  await service.stop();
}
if (missed.length > 0) {
  console.error(`\nOver the bar: ${missed.join('; ')}`);
  process.exitCode = 1;
}

async function measure(): Promise<void> {
  const { page, strangers, paths } = await openWatched(browser, service.url);
  const scripts = new Set(paths.filter((path) => path.endsWith('.js')));
  let bytes = 0;
  for (const path of scripts) {
    const file = join(WEB, path);
    // The build compresses no file below its limit.
    bytes += (await readFile(`${file}.gz`).catch(() => readFile(file))).length;
  }
  print('JavaScript at the start, gzip', bytes, 'bytes', START_BYTES);
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  );
  print('first contentful paint', paint, 'ms');

  print('largest task of the start, wall clock', await page.evaluate(largestTask), 'ms');

  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.locator('input[type=file]').setInputFiles({
    name: 'manual.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from(manual(1_000_000)),
  });
  await page.locator('.mark').first().waitFor();
  for (const tier of ['free', 'structure'] as const) await measureCuts(page, session, tier);
  await measureScroll(page, session, '1 MB');
  await page.getByRole('button', { name: 'Another document' }).click();
  await page.locator('input[type=file]').setInputFiles({
    name: 'archive.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from(manual(20_000_000)),
  });
  await page.locator('.mark').first().waitFor();
  await measureScroll(page, session, '20 MB');
  await page.getByRole('button', { name: 'Another document' }).click();
  await measurePages({ browser, page, busyMs: () => busyMs(session), session, print });
  print('requests to other origins', strangers.length, '', 0);
}

/** In the page: the longest task so far. The browser reports no task under 50 ms. */
function largestTask(): Promise<number> {
  return new Promise((resolve) => {
    const lengths = [0];
    new PerformanceObserver((list) => {
      lengths.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask', buffered: true });
    setTimeout(() => resolve(Math.max(...lengths)), 500);
  });
}

/** Moves the slider and adds up the time of worker and page for each step. */
async function measureCuts(page: Page, session: CDPSession, tier: keyof typeof CUT_MS): Promise<void> {
  await page.locator(`input[name=tier][value=${tier}]`).check();
  await page.locator('.histogram').waitFor();
  const spent: number[] = [];
  for (const size of SIZES) {
    const before = await busyMs(session);
    const cutMs = await page.evaluate(cutAt, size);
    spent.push((await busyMs(session)) - before + cutMs);
  }
  spent.sort((a, b) => a - b);
  const median = spent[spent.length >> 1] ?? 0;
  print(
    `a new cut of 1 MB, ${tier}: median (worst ${Math.round(spent.at(-1) ?? 0)})`,
    median,
    'ms',
    CUT_MS[tier],
  );
}

/**
 * In the page: cuts at a size, and resolves with the worker's time when the result is drawn. The panel of sizes is
 * looked up each time, because the tier mounts it anew.
 */
function cutAt(size: number): Promise<number> {
  const slider = document.querySelector<HTMLInputElement>('input[type=range]');
  if (slider === null) throw new Error('The page has no slider.');
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      const panel = document.querySelector<HTMLElement>(`.histogram[data-size="${size}"]`);
      if (panel === null) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(Number(panel.dataset['ms'])), 0));
    });
    watch.observe(document.body, { attributes: true, childList: true, subtree: true });
    slider.value = String(size);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** Scrolls window by window through a text of some size. */
async function measureScroll(page: Page, session: CDPSession, size: string): Promise<void> {
  let worst = 0;
  const start = await busyMs(session);
  for (let at = 0; at < SCROLLS; at++) {
    const before = await busyMs(session);
    await page.evaluate(() => {
      const text = document.querySelector('.text');
      if (text !== null) text.scrollTop += text.clientHeight;
      return new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    });
    worst = Math.max(worst, (await busyMs(session)) - before);
  }
  const mean = ((await busyMs(session)) - start) / SCROLLS;
  print(`scrolling ${size} by a window: worst (mean ${Math.round(mean)})`, worst, 'ms', SCROLL_MS);
}

/** Processor time of the page's main thread so far, in ms. */
async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

function print(what: string, value: number, unit: string, most?: number): void {
  const bar = most === undefined ? '' : ` (at most ${most})`;
  console.log(`${what.padEnd(52)} ${Math.round(value)} ${unit}${bar}`);
  if (most !== undefined && value > most) missed.push(what);
}

/** Sections of prose, lists and tables with about so many characters. */
function manual(characters: number): string {
  const parts: string[] = [];
  let length = 0;
  for (let section = 1; length < characters; section++) {
    const rows = Array.from(
      { length: section % 7 },
      (_, row) => `| Berth ${row} | ${row + section} m | free |`,
    );
    const table =
      rows.length === 0 ? '' : `| ChunkSpan | Depth | State |\n|---|---|---|\n${rows.join('\n')}\n\n`;
    const prose = `The pilots board outside the bar. They know its ${section} stones by name, and the depth above each at every hour of the tide. Most ships wait for the flood.\n\n`;
    const part = `## Section ${section}\n\n${prose.repeat(1 + (section % 4))}${table}- lines\n- anchors\n- lights\n\n`;
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}
