// A browser, the built service, and a page of it that keeps watch: over its policy, its requests and its faults.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

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

/** Where Chromium is; undefined when it is not here. */
const CHROMIUM = PLACES.find((place) => place !== undefined && existsSync(place));
/** Whether the flows are left out, which a build server never does. */
export const isLeftOut = CHROMIUM === undefined && process.env['CI'] !== 'true';
if (isLeftOut)
  console.warn('\nSKIPPED: no Chromium here (set CHROMIUM to its path), so no flow was run in a browser.\n');

/** Starts the browser. */
export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined)
    throw new Error('There is no Chromium here: install it, or set CHROMIUM to its path.');
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}

/** The service in a process of its own, as it is built. */
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

/** A page and what went wrong in it. */
export interface Watched {
  readonly page: Page;
  /** Breaches of the policy, errors of scripts, and errors on the console. */
  readonly faults: string[];
  /** Requests to anywhere but the service. */
  readonly strangers: string[];
  /** Paths of the requests to the service. */
  readonly paths: string[];
}

/** Opens the service's page in a window of its own. */
export async function openWatched(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const watched: Watched = { page, faults: [], strangers: [], paths: [] };
  page.on('pageerror', (error) => watched.faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') watched.faults.push(`console: ${message.text()}`);
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
  await page.getByRole('heading', { name: 'Or try one of ours' }).waitFor();
  return watched;
}

/** Breaches of the page's policy so far. */
export function breachesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as { breaches: string[] }).breaches);
}

/** Opens one of the built-in documents and waits for its chunks. */
export async function openSample(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.locator('.mark').first().waitFor();
}

/** Gives the page a file, as a picker does. */
export async function openFile(
  page: Page,
  name: string,
  mimeType: string,
  bytes: Uint8Array | string,
): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) });
  await page.locator('.mark').first().waitFor();
}

/** What axe finds fault with. The page is opened with `bypassCSP`, because its policy forbids what axe does. */
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
