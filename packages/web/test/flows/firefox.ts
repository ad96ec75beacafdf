// Debian's Firefox by WebDriver BiDi. Its driver is installed by `npm run test:web` alone.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { VisitedPage } from './demo-visit.ts';

const PLACES = [process.env['FIREFOX'], '/usr/bin/firefox-esr', '/usr/bin/firefox'];
const FIREFOX = PLACES.find((place) => place !== undefined && existsSync(place));
const PEERS = join(import.meta.dirname, '../../peers');

const hasDriver = existsSync(join(PEERS, 'node_modules/puppeteer-core'));
/** True when the flows in Firefox are skipped; never on a build server. */
export const isFirefoxLeftOut = (FIREFOX === undefined || !hasDriver) && process.env['CI'] !== 'true';
if (isFirefoxLeftOut)
  console.warn('\nSKIPPED: no Firefox (set FIREFOX to its path), or no driver (npm run test:web).\n');

/** The part of puppeteer-core that the flows use; the package itself is outside the workspaces. */
interface Driver {
  launch(options: object): Promise<Firefox>;
}

/** A running Firefox. */
export interface Firefox {
  newPage(): Promise<VisitedPage>;
  close(): Promise<void>;
}

/** Starts the browser, with a window that is not on the screen. */
export async function openFirefox(): Promise<Firefox> {
  if (FIREFOX === undefined)
    throw new Error('There is no Firefox here: install it, or set FIREFOX to its path.');
  const entry = createRequire(join(PEERS, 'package.json')).resolve('puppeteer-core');
  const { default: driver } = (await import(pathToFileURL(entry).href)) as { default: Driver };
  return driver.launch({ browser: 'firefox', executablePath: FIREFOX, headless: true });
}
