// A visit of the static demo that each browser makes: a PDF is dropped, its boxes appear, another size cuts it anew, a
// question finds its lines, and its records are downloaded. It uses what the drivers of all browsers have in common.
import { expect } from 'vitest';

/** A page by any driver. */
export interface VisitedPage {
  goto(url: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  waitForSelector(selector: string, options?: { timeout: number }): Promise<unknown>;
  evaluate<Answer, Given>(task: (given: Given) => Answer, given: Given): Promise<Awaited<Answer>>;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
}

const PATIENCE = { timeout: 60_000 };

/** Lists breaches of the page's policy and errors of its scripts in `globalThis.errors`. */
async function listErrors(page: VisitedPage): Promise<void> {
  await page.evaluate(() => {
    const errors: string[] = [];
    Object.assign(globalThis, { errors });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      errors.push(`${violatedDirective} ${blockedURI}`);
    });
    addEventListener('error', ({ message }) => errors.push(message));
    addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
  }, undefined);
}

/** Breaches and errors since the page has opened. */
export function errorsOf(page: VisitedPage): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as { errors: string[] }).errors, undefined);
}

/** Opens the demo's start view. */
export async function openDemo(page: VisitedPage, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForSelector('.samples button', PATIENCE);
  await listErrors(page);
}

/** Drops a PDF on the page, and waits for boxes on its first page. */
export async function dropPdf(page: VisitedPage, name: string, bytes: Uint8Array): Promise<void> {
  const drop = ([called, base64]: readonly [string, string]): void => {
    const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], called, { type: 'application/pdf' }));
    document
      .querySelector('main')
      ?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  };
  await page.evaluate(drop, [name, Buffer.from(bytes).toString('base64')] as const);
  await page.waitForSelector('.leaf.drawn', PATIENCE);
  await page.waitForSelector('.ink path', PATIENCE);
}

function boxCount(page: VisitedPage): Promise<number> {
  const count = (): number =>
    new Set([...document.querySelectorAll<SVGPathElement>('.ink path')].map((path) => path.dataset['chunk']))
      .size;
  return page.evaluate(count, undefined);
}

/** Cuts at another size. */
export async function changeSize(page: VisitedPage, size: number): Promise<void> {
  const slide = (value: number): void => {
    const slider = document.querySelector<HTMLInputElement>('input[type=range]');
    if (slider === null) throw new Error('There is no slider.');
    slider.value = String(value);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  };
  await page.evaluate(slide, size);
  await page.waitForSelector(`.histogram[data-size="${size}"]`, PATIENCE);
}

/** The visit: what the head of this file says. */
export async function visitDemo(page: VisitedPage, url: string, pdf: Uint8Array): Promise<void> {
  await openDemo(page, url);
  await dropPdf(page, 'harbour-handbook.pdf', pdf);
  const before = await boxCount(page);
  await changeSize(page, 250);
  await expect.poll(() => boxCount(page)).toBeGreaterThan(before);

  await page.click('#tab-ask');
  await page.waitForSelector('#question', PATIENCE);
  await page.click('#question');
  await page.keyboard.type('When does a pilot come aboard?');
  await page.keyboard.press('Enter');
  await page.waitForSelector('section[aria-label="Found by structure"] mark', PATIENCE);

  await page.click('#tab-records');
  await page.waitForSelector('.records .downloads button:not(:disabled)', PATIENCE);
  const [name, content] = await page.evaluate(downloadRecords, undefined);
  expect(name).toMatch(/^harbour-handbook.*\.json$/);
  const records = JSON.parse(content) as { text: string; metadata: { page_start?: number } }[];
  expect(records.length).toBeGreaterThanOrEqual(before);
  expect(records.every(({ text }) => text.length > 0)).toBe(true);
  expect(await errorsOf(page)).toEqual([]);
}

/** In the page: takes the first download, its name and its content. */
async function downloadRecords(): Promise<[name: string, content: string]> {
  const createObjectURL = URL.createObjectURL.bind(URL);
  let blob: Blob | undefined;
  let name = '';
  URL.createObjectURL = (object) => {
    if (object instanceof Blob) blob = object;
    return createObjectURL(object);
  };
  HTMLAnchorElement.prototype.click = function () {
    name = this.download;
  };
  document.querySelector<HTMLButtonElement>('.records .downloads button')?.click();
  return [name, (await blob?.text()) ?? ''];
}
