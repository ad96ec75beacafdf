// A browser, the built service, and a page that records breaches of its policy, foreign requests and errors.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

const PLACES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Path of Chromium; undefined without one. */
const CHROMIUM = PLACES.find((place) => place !== undefined && existsSync(place));
/** True when the flows are skipped; never on a build server. */
export const isLeftOut = CHROMIUM === undefined && process.env['CI'] !== 'true';
if (isLeftOut)
  console.warn('\nSKIPPED: no Chromium here (set CHROMIUM to its path), so no flow was run in a browser.\n');

/** Starts the browser. */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined)
    throw new Error('There is no Chromium here: install it, or set CHROMIUM to its path.');
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}

/** The built service in a process of its own. */
export interface BuiltService {
  readonly url: string;
  stop(): Promise<void>;
}

const SERVER = join(import.meta.dirname, '../../../server/bin/grainline-server.js');

/** Starts the built service on a port of its own. */
export async function startBuiltService(
  settings: Readonly<Record<string, string>> = {},
): Promise<BuiltService> {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-flows-'));
  const environment = { PORT: '0', PAYMENTS: 'off', RATE_LIMIT: 'off', LOG_LEVEL: 'error', DATA_DIR: folder };
  const child = spawn(process.execPath, [SERVER], {
    env: { PATH: process.env['PATH'], ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressOf(child);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The service has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The service ended before it listened. Build it first: npm run build.');
}

/** A page with its errors. */
export interface Watched {
  readonly page: Page;
  /** Breaches of the policy, errors of scripts, and errors on the console. */
  readonly errors: string[];
  /** Requests to other origins. */
  readonly strangers: string[];
  /** Paths of the requests to the service. */
  readonly paths: string[];
}

/** Opens the service's page in its own window. */
export async function openWatched(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const watched: Watched = { page, errors: [], strangers: [], paths: [] };
  page.on('pageerror', (error) => watched.errors.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') watched.errors.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { origin, pathname, protocol } = new URL(request.url());
    if (origin === new URL(url).origin) watched.paths.push(pathname);
    else if (protocol !== 'blob:' && protocol !== 'data:') watched.strangers.push(request.url());
  });
  await page.addInitScript(() => {
    const breaches: string[] = [];
    Object.assign(globalThis, { breaches });
    document.addEventListener('securitypolicyviolation', (event) => {
      breaches.push(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  await page.goto(url);
  await page.getByRole('heading', { name: 'Or try a sample' }).waitFor();
  return watched;
}

/** Breaches of the page's policy so far. */
export function breachesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as { breaches: string[] }).breaches);
}

/** Closes pages, which must have broken no policy, requested nothing from elsewhere, and reported no other errors. */
export async function closeClean(
  open: Watched[],
  isExpected: (error: string) => boolean = () => false,
): Promise<void> {
  for (const { page, errors, strangers } of open.splice(0)) {
    expect(await breachesOf(page)).toEqual([]);
    expect(errors.filter((error) => !isExpected(error))).toEqual([]);
    expect(strangers).toEqual([]);
    await page.context().close();
  }
}

/** Opens a sample and waits for its chunks. */
export async function openSample(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.locator('.mark').first().waitFor();
}

/** Gives the page a file through the picker, and waits for its text or its first page. */
export async function openFile(
  page: Page,
  name: string,
  mimeType: string,
  bytes: Uint8Array | string,
): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) });
  await page.locator('.mark, .leaf.drawn').first().waitFor({ timeout: 60_000 });
}

/** Violations that axe reports. The page must be opened with `bypassCSP`, because its policy forbids axe's script. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    (
      globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      }
    ).axe.run(),
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
