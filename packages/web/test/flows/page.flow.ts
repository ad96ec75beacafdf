// Use of the page in a real browser on the built service.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { para, run, styled, writeDocx } from '@grainline/testing/docx-writer';
import { writePdf } from '@grainline/testing/pdf-writer';
import { CHUNK_SIZE } from '@grainline/server/testing';
import {
  closeClean,
  type BuiltService,
  isLeftOut,
  openBrowser,
  openFile,
  openSample,
  openWatched,
  startBuiltService,
  violations,
  type Watched,
} from './browser.ts';

/** Numbers in a text with separators: `1,793 chunks` is 1793. */
const numberIn = (text: string | null): number => Number(/[\d,]+/.exec(text ?? '')?.[0].replaceAll(',', ''));

const [LIGHT, DARK] = ['rgb(251, 250, 247)', 'rgb(23, 21, 18)'];

/** Chunks of the chosen tier after its cut. */
const chunkCount = async (page: Page): Promise<number> =>
  numberIn(await page.locator('.tier:has(:checked) .where', { hasText: /\d/ }).textContent());

/** Sets a slider. */
async function slide(page: Page, name: RegExp, value: number): Promise<void> {
  await page.getByRole('slider', { name }).fill(String(value));
}

/** A file for a picker or a drop. */
interface GivenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A PDF that takes some milliseconds a page. */
function largePdf(pageCount: number): GivenFile {
  const lines = Array.from({ length: 40 }, (_, line) => `${line} pilots board the ship outside the bar.`);
  const pages = Array.from({ length: pageCount }, (_, page) => ({ lines: [`Page ${page}`, ...lines] }));
  return { name: 'large.pdf', mimeType: 'application/pdf', buffer: Buffer.from(writePdf({ pages })) };
}

/** Drops a file on the page. */
async function drop(page: Page, { name, mimeType, buffer }: GivenFile): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([content, called, type]) => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      transfer.items.add(new File([bytes], called, { type }));
      return transfer;
    },
    [buffer.toString('base64'), name, mimeType] as const,
  );
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}

describe.skipIf(isLeftOut)('the page', () => {
  let browser: Browser;
  let service: BuiltService;
  const open: Watched[] = [];
  const visit = async (options = {}): Promise<Page> => {
    const watched = await openWatched(browser, service.url, options);
    open.push(watched);
    return watched.page;
  };

  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), startBuiltService()]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  /** A tier of the service shows no chunks of a new document. */
  async function openTranscript(page: Page): Promise<void> {
    await page.getByRole('button', { name: /A transcript/ }).click();
    await page.locator('.text', { hasText: 'Good evening' }).waitFor();
  }
  afterEach(() => closeClean(open));

  it('cuts each of its own documents, without a request that uploads', async () => {
    for (const name of [/A report/, /A transcript/, /A guide/]) {
      const page = await visit();
      await openSample(page, name);
      expect(await chunkCount(page)).toBeGreaterThan(3);
    }
    for (const { paths } of open)
      expect(paths.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
  });

  it('reads a PDF that is dropped on it, with its pages', async () => {
    const page = await visit();
    const lines = ['The tide turns at noon.', 'The pilot boards at two.', 'The ship sails at six.'];
    const bytes = writePdf({ pages: [{ lines }, { lines: [...lines].reverse() }] });
    await drop(page, { name: 'tides.pdf', mimeType: 'application/pdf', buffer: Buffer.from(bytes) });
    await page.locator('.leaf.drawn').first().waitFor();
    await page.locator('.document', { hasText: '2 pages' }).waitFor();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.locator('.text', { hasText: 'The pilot boards at two.' }).waitFor();
    await page.locator('.text').press('End');
    await page.locator('.facts dd', { hasText: /^(?:2|1–2)$/ }).waitFor();
  });

  it('says how far a large PDF is read, and stops when told to, with what was there before', async () => {
    const page = await visit({ bypassCSP: true });
    const reading = page.getByRole('region', { name: /^Reading / });
    const bar = reading.getByRole('progressbar');
    const begin = (pages: number): Promise<void> =>
      page.locator('input[type=file]').setInputFiles(largePdf(pages));
    // Without a document a cancellation returns to the start view.
    await begin(2000);
    await reading.getByText(/^page [\d,]+ of 2,000$/).waitFor();
    expect(await page.getByRole('status').first().textContent()).toBe('Reading large.pdf …');
    await expect.poll(() => violations(page)).toEqual([]);
    const value = (): Promise<number> => bar.evaluate((element) => (element as HTMLProgressElement).value);
    const before = await value();
    await expect.poll(value).toBeGreaterThan(before);
    await reading.getByRole('button', { name: 'Cancel' }).press('Enter');
    await reading.waitFor({ state: 'detached' });
    await page.locator('.drop input:focus').waitFor();
    // The current document stays, and can be cut during the reading of another one.
    await openSample(page, /A report/);
    await drop(page, largePdf(2000));
    await reading.getByText(/^page /).waitFor();
    const chunks = await chunkCount(page);
    await slide(page, /At most/, 300);
    await expect.poll(() => chunkCount(page)).toBeGreaterThan(chunks);
    await reading.getByRole('button', { name: 'Cancel' }).click();
    await reading.waitFor({ state: 'detached' });
    await page.locator('.document', { hasText: 'harbour-report.md' }).waitFor();
    await slide(page, /At most/, 1000);
    await expect.poll(() => chunkCount(page)).toBe(chunks);
    // A later reading replaces an earlier one.
    await drop(page, largePdf(2000));
    await reading.getByText(/^page /).waitFor();
    await drop(page, largePdf(40));
    await page.locator('.document', { hasText: '40 pages' }).waitFor();
    await page.locator('.leaf.drawn').first().waitFor();
    expect(await reading.count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  }, 120_000);

  it('reads a DOCX and an HTML page here', async () => {
    const page = await visit();
    const docx = writeDocx({ body: styled('Heading1', 'Tides') + para(run('The pilot boards at two.')) });
    await openFile(
      page,
      'tides.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      docx,
    );
    await page.locator('.text', { hasText: 'The pilot boards at two.' }).waitFor();
    const other = await visit();
    await openFile(
      other,
      'tides.html',
      'text/html',
      '<h1>Tides</h1><script>alert(1)</script><p>The pilot boards.</p>',
    );
    await other.locator('.text', { hasText: 'The pilot boards.' }).waitFor();
    expect(await other.locator('.text').textContent()).not.toContain('alert');
  });

  it('asks for the password of a PDF, and leaves no trace of it', async () => {
    const page = await visit({ bypassCSP: true });
    const lines = ['The tide turns at noon.'];
    const bytes = writePdf({ pages: [{ lines }], password: { user: 'ebb-4711', owner: 'flood' } });
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'tides.pdf', mimeType: 'application/pdf', buffer: Buffer.from(bytes) });
    const field = page.getByLabel(/^A password opens tides.pdf/);
    await field.waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await field.getAttribute('type')).toBe('password');
    await expect.poll(() => violations(page)).toEqual([]);
    await field.fill('neap');
    await page.keyboard.press('Enter');
    const again = page.getByLabel(/^This password does not open tides.pdf/);
    await again.fill('ebb-4711');
    await page.getByRole('button', { name: 'Open it' }).click();
    // The drawing has the password too.
    await page.locator('.leaf.drawn').waitFor();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.locator('.text', { hasText: 'The tide turns at noon.' }).waitFor();
    expect(await page.getByLabel(/password/i).count()).toBe(0);
    const traces = await page.evaluate(() => JSON.stringify([location.href, localStorage, sessionStorage]));
    expect(traces).not.toContain('4711');
    expect(open[0]!.paths.filter((path) => path === '/chunk')).toEqual([]);
  });

  it('reads a file again by the options of its kind, and keeps the former text when that fails', async () => {
    const page = await visit({ bypassCSP: true });
    const pages = ['The tide turns at noon.', 'The pilot boards at two.', 'The ship sails at six.'];
    const pdf = Buffer.from(writePdf({ pages: pages.map((line) => ({ lines: [line] })) }));
    await openFile(page, 'tides.pdf', 'application/pdf', pdf);
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    const text = page.locator('.text');
    const field = page.getByLabel('Pages');
    expect(await field.isVisible()).toBe(false);
    await page.getByText('Reading', { exact: true }).click();
    await expect.poll(() => violations(page)).toEqual([]);
    expect(await page.locator('.reading .field').allInnerTexts()).toHaveLength(3);
    await field.fill('2');
    await field.press('Enter');
    await text.getByText('The tide turns at noon.').waitFor({ state: 'detached' });
    await text.getByText('The pilot boards at two.').waitFor();
    await chunkCount(page);
    await field.fill('9');
    await field.press('Enter');
    await page.getByRole('alert').getByText('9 begins after its last page, 3').waitFor();
    await text.getByText('The pilot boards at two.').waitFor();
    expect(await field.inputValue()).toBe('9');
    await field.fill('3');
    await field.press('Enter');
    await text.getByText('The ship sails at six.').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByLabel('Line breaks').selectOption('keep');
    await expect.poll(() => page.evaluate(() => location.hash)).toBe('#lines=keep');
    await page.getByText('Reading, 2 changed', { exact: true }).waitFor();
    // In a narrow window the sheet of the controls gives way to an error.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /at most/ }).click();
    await field.fill('9');
    await field.press('Enter');
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /at most/ }).click();
    expect(await field.inputValue()).toBe('9');
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 820 });
    // Another document has all its pages, and the controls of its kind.
    const html = '<h1>Tides</h1><p>The <a href="https://example.org/bar">pilot</a> boards.</p>';
    await page.getByRole('button', { name: 'Another document' }).click();
    await openFile(page, 'tides.html', 'text/html', html);
    await page.getByText('Reading', { exact: true }).click();
    expect(await field.count()).toBe(0);
    await page.getByRole('button', { name: 'Source' }).click();
    await page.getByLabel('Link targets').selectOption('markdown');
    await page.locator('.text.source', { hasText: '[pilot](https://example.org/bar)' }).waitFor();
    expect(open[0]!.paths.filter((path) => path.startsWith('/chunk'))).toEqual([]);
    await page.getByRole('button', { name: 'Another document' }).click();
    await openSample(page, /A report/);
    expect(await page.getByText('Reading', { exact: true }).count()).toBe(0);
  });

  it('takes a text that is pasted', async () => {
    const page = await visit();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'The tide turns at noon. '.repeat(200));
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    });
    await page.locator('.mark').first().waitFor();
    expect(await chunkCount(page)).toBeGreaterThan(3);
  });

  it('compares two tiers: figures, and marks on both sides', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    await page.getByLabel('Compare with').selectOption('free');
    await page.getByText('of the boundaries agree').waitFor();
    const [, shared = 0, first = 0, second = 0] =
      /agree: (\d+) shared.*?(\d+) only structure.*?(\d+) only free/
        .exec((await page.locator('.agreement').textContent()) ?? '')
        ?.map(Number) ?? [];
    await expect.poll(() => chunkCount(page)).toBe(shared + first + 1);
    await page.getByRole('radio', { name: /^free/ }).check();
    await expect.poll(() => page.getByLabel('Compare with').inputValue()).toBe('');
    await page.locator('.agreement').waitFor({ state: 'detached' });
    await expect.poll(() => chunkCount(page)).toBe(shared + second + 1);
  });

  it('cuts anew when a slider moves, and shows what is repeated', async () => {
    const page = await visit();
    await openSample(page, /A transcript/);
    const before = await chunkCount(page);
    await slide(page, /At most/, 400);
    await expect.poll(() => chunkCount(page)).toBeGreaterThan(before);
    await slide(page, /Overlap/, 100);
    await page.locator('.block span.overlap').first().waitFor();
    // Repeated text is hatched over the colour of its chunk, also in the current chunk.
    await page.locator('.text').press('ArrowDown');
    await page.locator('.text').press('ArrowDown');
    await page.locator('.block span.overlap.current-1').first().waitFor();
    const drawn = await page
      .locator('.block span.overlap.current-1')
      .first()
      .evaluate((element) => {
        const { backgroundImage, textDecorationLine } = getComputedStyle(element);
        return [backgroundImage.split('(')[0], textDecorationLine];
      });
    expect(drawn).toEqual(['repeating-linear-gradient', 'underline']);
  });

  it('lists its keys for a question mark and a button, and gives the focus back', async () => {
    const page = await visit({ bypassCSP: true });
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await openSample(page, /A guide/);
    await page.locator('.text').press('?');
    await keys.getByText('Next chunk').waitFor();
    await expect.poll(() => violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await page.locator('.text:focus').waitFor();
    const button = page.getByRole('button', { name: 'Shortcuts' });
    await button.click();
    await keys.getByRole('button', { name: 'Close' }).click();
    await keys.waitFor({ state: 'hidden' });
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
    // In a field the key is a letter.
    await page.getByRole('tab', { name: /Ask/ }).click();
    await page.getByLabel('Your question').press('?');
    await expect.poll(() => page.getByLabel('Your question').inputValue()).toBe('?');
    expect(await keys.isVisible()).toBe(false);
  });

  it('is used by keyboard alone', async () => {
    const page = await visit();
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
    for (let stops = 0; stops < 12 && !(await focused()).startsWith('A guide'); stops++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.mark').first().waitFor();
    await page.getByRole('radio', { name: /^structure/ }).focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('radio', { name: /^standard/, checked: true }).waitFor();
    // A new cut has no current chunk.
    await chunkCount(page);
    await page.locator('.text').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByText(/^Chunk 2 of/).waitFor();
    await page.keyboard.press('End');
    await page.getByText(/^Chunk (\d+) of \1$/).waitFor();
    await page.getByRole('tab', { name: 'Document' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Code that loads them').waitFor();
  });

  it('keeps the focus of the keyboard when a document comes and goes', async () => {
    const page = await visit();
    await page.getByRole('button', { name: /A report/ }).press('Enter');
    await page.locator('.text:focus').waitFor();
    await page.locator('.mark').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByText(/^Chunk 1 of/).waitFor();
    await page.getByRole('button', { name: 'Another document' }).press('Enter');
    await page.locator('.drop input:focus').waitFor();
    // A focus elsewhere stays there.
    await page.getByLabel('Theme').focus();
    await openFile(page, 'tides.txt', 'text/plain', 'The tide turns at noon. '.repeat(100));
    await page.locator('.tools select:focus').waitFor();
  });

  it('leaves room for the text in a window that is wide and low', async () => {
    const page = await visit({ viewport: { width: 900, height: 400 } });
    await openSample(page, /A report/);
    expect((await page.locator('.text').boundingBox())?.height).toBeGreaterThan(150);
  });

  it('shows its keys from the first one on in a window that is low', async () => {
    const page = await visit({ viewport: { width: 512, height: 300 } });
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.waitFor();
    expect(await keys.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  });

  it('takes the same file again, which was mended since', async () => {
    const page = await visit();
    const field = page.locator('input[type=file]');
    await field.setInputFiles({
      name: 'a.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.7'),
    });
    await page.getByRole('alert').waitFor();
    // A browser fires an event only for a changed choice.
    expect(await field.evaluate((element) => (element as HTMLInputElement).files?.length)).toBe(0);
  });

  it('says in its own words that it is offline, and goes on when it is not', async () => {
    const page = await visit();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: /A report/ }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('The service could not be reached. Try again when you are online').waitFor();
    await page.context().setOffline(false);
    await openSample(page, /A report/);
    await alert.waitFor({ state: 'detached' });
    await page.context().setOffline(true);
    await page.getByLabel('Count in').selectOption('tokens');
    await alert.getByText('The service could not be reached. Try again when you are online').waitFor();
    await page.context().setOffline(false);
    await slide(page, /At most/, 256);
    await alert.waitFor({ state: 'detached' });
    for (const { errors } of open)
      expect(errors.splice(0).filter((error) => !error.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });

  it('keeps headings of other scripts in their order', async () => {
    const page = await visit();
    await openFile(page, 'a.md', 'text/markdown', '# المد\n\n## 1 Tides\n\nHigh water follows the moon.');
    await page.locator('.text').press('End');
    const headings = page.locator('.path bdi');
    expect(await headings.allTextContents()).toEqual(['المد', '1 Tides']);
    const [first, second] = [await headings.first().boundingBox(), await headings.last().boundingBox()];
    expect(first!.x + first!.width).toBeLessThan(second!.x);
  });

  it('shows records of every format, and downloads them', async () => {
    const page = await visit();
    await openSample(page, /A guide/);
    const count = await chunkCount(page);
    await page.getByRole('tab', { name: 'Records' }).click();
    for (const format of ['raw', 'pinecone', 'weaviate', 'chroma', 'qdrant']) {
      await page.getByLabel('Format').selectOption(format);
      const shown = page.getByRole('group', { name: /record/ });
      await shown.getByText('queue-guide.md').or(shown.getByText('chunk_index')).first().waitFor();
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'JSONL' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('queue-guide.structure.jsonl');
    const lines: string[] = [];
    for await (const part of await download.createReadStream()) lines.push(String(part));
    const records = lines
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(records).toHaveLength(count);
  });

  it('finds chunks for a question by every tier, and shows one in the text', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    await page.getByRole('tab', { name: /Ask/ }).click();
    await page.getByLabel('Your question').fill('Which ships were sent to the western basin?');
    await page.keyboard.press('Enter');
    for (const tier of ['free', 'standard', 'structure'])
      await page
        .getByRole('region', { name: `Found by ${tier}` })
        .getByRole('listitem')
        .nth(2)
        .waitFor();
    const order = page.getByRole('region', { name: /^Found by/ }).getByRole('heading');
    expect(await order.allInnerTexts()).toEqual(['structure', 'free', 'standard', 'professional']);
    const best = page.getByRole('region', { name: 'Found by standard' }).getByRole('listitem').first();
    await best.getByText('western basin').waitFor();
    const name = await best.getByRole('button').textContent();
    await best.getByRole('button').click();
    await page.getByText(new RegExp(`^${name ?? ''} of`)).waitFor();
  });

  it('keeps place, question and answer while another tab is looked at', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    const scrolled = (): Promise<number> => page.locator('.text').evaluate(({ scrollTop }) => scrollTop);
    await page.locator('.text').evaluate((element) => (element.scrollTop = 700));
    await page.getByRole('tab', { name: /Ask/ }).click();
    await page.getByLabel('Your question').fill('Which ships were sent to the western basin?');
    await page.keyboard.press('Enter');
    await page.locator('.found li').first().waitFor();
    await page.getByRole('tab', { name: 'Records' }).click();
    await page.getByLabel('Format').selectOption('qdrant');
    await page.getByRole('tab', { name: 'Document' }).click();
    await page.locator('.mark').first().waitFor({ state: 'attached' });
    await expect.poll(scrolled).toBe(700);
    await page.getByRole('tab', { name: /Ask/ }).click();
    expect(await page.getByLabel('Your question').inputValue()).toMatch(/western basin/);
    await page.locator('.found li').first().waitFor();
    await page.getByRole('tab', { name: 'Records' }).click();
    expect(await page.getByLabel('Format').inputValue()).toBe('qdrant');
  });

  it('shows a program in fixed pitch, and prose not', async () => {
    const page = await visit();
    const family = (): Promise<string> =>
      page.locator('.text').evaluate((element) => getComputedStyle(element).fontFamily);
    await openFile(page, 'tides.py', 'text/x-python', 'def tide(hour):\n    return hour % 12\n\n'.repeat(40));
    expect(await family()).toContain('monospace');
    await page.getByRole('button', { name: 'Another document' }).click();
    await openSample(page, /A guide/);
    await page.getByRole('button', { name: 'Source' }).click();
    expect(await family()).not.toContain('monospace');
    // Only code is in fixed pitch, also where two chunks split it and where repeated text is hatched.
    await page.getByRole('radio', { name: /^free/ }).check();
    await slide(page, /At most/, 200);
    await slide(page, /Overlap/, 100);
    await page.locator('.block code span.overlap').first().waitFor();
    const code = page.locator('.block code', { hasText: 'payload' }).first();
    expect(await code.evaluate((element) => getComputedStyle(element).fontFamily)).toContain('monospace');
    expect((await page.locator('.block code').allTextContents()).join('')).not.toContain('## The table');
  });

  it('ends the worker of a document that is put away', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    expect(page.workers()).toHaveLength(1);
    await page.getByRole('button', { name: 'Another document' }).click();
    await expect.poll(() => page.workers().length).toBe(0);
    await openSample(page, /A guide/);
    expect(page.workers()).toHaveLength(1);
  });

  it('leaves most of a phone to the text, has its controls in a sheet, and shows what is tapped', async () => {
    const page = await visit({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      bypassCSP: true,
    });
    await openSample(page, /A report/);
    const box = await page.locator('.text').boundingBox();
    expect(box!.y).toBeLessThan(100);
    expect(box!.height).toBeGreaterThan(640);
    const dock = page.getByRole('button', { name: /^structure \d+ chunks, at most 1,000 characters/ });
    expect((await dock.boundingBox())!.height).toBeLessThan(44);
    const size = page.getByRole('spinbutton', { name: 'At most' });
    expect(await size.isVisible()).toBe(false);
    await dock.tap();
    await size.fill('300');
    await page.getByRole('radio', { name: /^free in this page/ }).waitFor();
    await page.getByRole('radio', { name: /^ai not available/ }).check();
    await page.getByText('AI_MODEL').first().waitFor();
    await page.getByRole('radio', { name: /^structure/ }).check();
    await expect.poll(() => violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await size.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /at most 300/ }).waitFor();
    // The details lie within the window, and step on.
    await page.locator('.text').tap({ position: { x: 120, y: 30 } });
    const details = page.getByRole('region', { name: 'Chunk' });
    await details.getByText(/^Chunk 1 of/).waitFor();
    const sheet = await details.boundingBox();
    expect(sheet!.y + sheet!.height).toBeLessThanOrEqual(844);
    await details.getByRole('button', { name: 'Next chunk' }).tap();
    await details.getByText(/^Chunk 2 of/).waitFor();
    await expect.poll(() => violations(page)).toEqual([]);
    // Escape closes the latest of the two sheets.
    await page.getByRole('button', { name: /at most 300/ }).tap();
    await size.waitFor();
    await page.keyboard.press('Escape');
    await size.waitFor({ state: 'hidden' });
    await details.getByRole('button', { name: 'Close' }).tap();
    await details.waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate(overhang)).toBeLessThanOrEqual(0);
  });

  it('goes from the document to the bar and into its sheet by the keyboard of a narrow window', async () => {
    const page = await visit({ viewport: { width: 360, height: 740 } });
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // Its tables would take the Tab key too.
    await page.getByRole('button', { name: /A transcript/ }).press('Enter');
    const text = page.locator('.text:focus');
    await text.waitFor();
    await page.locator('.mark').first().waitFor();
    await press('Tab');
    const bar = page.locator('.dock button:focus');
    await bar.waitFor();
    await press('Enter', 'Tab');
    await page.locator('.controls button:focus', { hasText: 'Close' }).waitFor();
    await press('Enter');
    await bar.waitFor();
    await press('Enter', 'Tab', 'Tab', 'Escape');
    await bar.waitFor();
    // The sheet would hide the focus in the text.
    await press('Enter', 'Shift+Tab');
    await text.waitFor();
    await page.locator('.controls').waitFor({ state: 'hidden' });
  });

  it('shows Markdown as it reads: tables as tables, code in fixed pitch, and chunks as in the source', async () => {
    const page = await visit();
    await openSample(page, /A guide/);
    const rendered = page.locator('.text.rendered');
    const family = (selector: string): Promise<string> =>
      rendered
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).fontFamily);
    expect(await family('pre')).toContain('monospace');
    expect(await family('.paragraph code')).toContain('monospace');
    await rendered.getByRole('heading', { name: 'A small queue in SQLite', level: 2 }).waitFor();
    expect(await rendered.textContent()).not.toMatch(/```|## /);
    const chunks = await chunkCount(page);
    // Beside the source, both views go to the same chunk.
    await page.getByRole('button', { name: 'Both' }).click();
    const source = page.locator('.text.source');
    await source.locator('.mark').first().waitFor();
    await rendered.press('End');
    await page.getByText(new RegExp(`^Chunk ${chunks} of ${chunks}$`)).waitFor();
    for (const view of [rendered, source])
      await expect
        .poll(() =>
          view
            .locator(`.mark[data-first="${chunks}"]`)
            .evaluate((mark) => {
              const around = mark.closest('.text')!.getBoundingClientRect();
              const { top } = mark.getBoundingClientRect();
              return top >= around.top && top <= around.bottom;
            })
            .catch(() => false),
        )
        .toBe(true);
    await page.getByRole('button', { name: 'Source' }).click();
    await source.getByText('```sql').waitFor();
    expect(await rendered.count()).toBe(0);
    // A plain text has one view.
    await page.getByRole('button', { name: 'Another document' }).click();
    await openSample(page, /A transcript/);
    expect(await page.getByRole('button', { name: 'Rendered' }).count()).toBe(0);
  });

  it('shows every table of a report as one, with the numbers of its chunks beside its rows', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    const table = page.locator('.rendered table').first();
    await table.getByRole('columnheader', { name: 'Section' }).waitFor();
    await table.getByRole('row', { name: /^Bar 10.2/ }).waitFor();
    expect(await table.locator('tr:not(.note-row)').count()).toBe(13);
    await table.locator('.mark').first().waitFor();
    await table.locator('tr.chunk-3').first().waitFor();
    await table.getByRole('cell', { name: '10.2' }).click();
    await table.locator('tr.current-3').first().waitFor();
    // The columns beyond the edge are hinted at there, and after the last one no column is covered.
    const frame = page.locator('.unit.table').first();
    const hint = await frame.evaluate((element) => {
      const { width, position } = getComputedStyle(element, '::after');
      return { position, isCut: element.scrollWidth > element.clientWidth, width: Number.parseFloat(width) };
    });
    expect(hint).toMatchObject({ position: 'sticky', isCut: true });
    await frame.evaluate((element) => (element.scrollLeft = element.scrollWidth));
    const edges = await frame.evaluate((element) => [
      element.getBoundingClientRect().right,
      element.querySelector('table')!.getBoundingClientRect().right,
    ]);
    expect(edges[0]! - edges[1]!).toBeCloseTo(hint.width, 0);
  });

  it('shows the current chunk in its own hue, with ink that stands out from it', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await visit({ colorScheme });
      await openSample(page, /A guide/);
      const fills = await page.evaluate(currentFills);
      expect(new Set(fills.map(({ fill }) => fill)).size).toBe(fills.length);
      for (const { contrast } of fills) expect(contrast).toBeGreaterThan(4.5);
    }
  });

  it('shows hostile Markdown as text under its policy', async () => {
    const page = await visit();
    const hostile = [
      '# <script>globalThis.owned = true</script> **bold**',
      '[click](javascript:globalThis.owned=true) and ![x](https://tracker.example/x.png)',
      '| <img src=x onerror="globalThis.owned = true"> | b |\n|---|---|\n| </td></table><h1>Pay here</h1> | 2 |',
      '<iframe src="https://evil.example"></iframe>',
      '- [ ] <svg onload="globalThis.owned = true">',
      '```html\n</code></pre><script>globalThis.owned = true</script>\n```',
    ].join('\n\n');
    await openFile(page, 'hostile.md', 'text/markdown', hostile);
    const rendered = page.locator('.text.rendered');
    await rendered.locator('table').waitFor();
    await rendered.getByText('click').click();
    for (const shown of ['<script>globalThis.owned = true</script>', '<iframe src=', '<svg onload='])
      expect(await rendered.textContent()).toContain(shown);
    expect(await rendered.locator('script, img, iframe, svg, h1, a[href]').count()).toBe(0);
    expect(await page.evaluate(() => 'owned' in globalThis)).toBe(false);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it('keeps a chunk that is clicked, whatever the pointer passes, until Escape', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    const text = page.locator('.text');
    await text.hover({ position: { x: 150, y: 30 } });
    await page.getByText(/^Chunk 1 of/).waitFor();
    await text.click({ position: { x: 150, y: 165 } });
    await page.getByText(/^Chunk 2 of/).waitFor();
    await text.hover({ position: { x: 150, y: 30 } });
    await page.getByRole('button', { name: 'Copy the chunk' }).hover();
    await page.getByText(/^Chunk 2 of/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Point at a chunk').waitFor();
    await text.hover({ position: { x: 150, y: 32 } });
    await page.getByText(/^Chunk 1 of/).waitFor();
  });

  it('takes a typed size, and what is impossible becomes the nearest possible one', async () => {
    const page = await visit();
    await openSample(page, /A transcript/);
    const size = page.getByRole('spinbutton', { name: 'At most' });
    const before = await chunkCount(page);
    await size.fill('512');
    await expect.poll(() => page.locator('.histogram').getAttribute('data-size')).toBe('512');
    expect(await chunkCount(page)).toBeGreaterThan(before);
    expect(await page.getByRole('slider', { name: /At most/ }).inputValue()).toBe('500');
    const overlap = page.getByRole('spinbutton', { name: 'Overlap' });
    await overlap.fill('9000');
    await overlap.blur();
    await expect.poll(() => overlap.inputValue()).toBe('511');
    await size.fill('');
    await size.blur();
    expect(await size.inputValue()).toBe('512');
    await size.fill('1');
    await size.blur();
    await expect.poll(() => size.inputValue()).toBe('10');
    await expect.poll(() => overlap.inputValue()).toBe('9');
    await size.fill('6000');
    await expect.poll(() => page.locator('.histogram').getAttribute('data-size')).toBe('6000');
    expect(await chunkCount(page)).toBeLessThan(before);
  });

  it('has a scale at its histogram, with the same numbers as a table', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    const scale = await page.locator('.histogram svg text').allTextContents();
    expect(scale).toEqual(expect.arrayContaining(['0', '2', '500', '1,000', 'characters a chunk']));
    await page.getByText('Sizes as a table').click();
    const counts = await page.locator('.histogram td:last-child').allTextContents();
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(await chunkCount(page));
  });

  it('has its settings in its address, for a link that says nothing of the text', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    await page.getByRole('radio', { name: /^standard/ }).check();
    await page.getByLabel('Count in').selectOption('tokens');
    await page.getByRole('spinbutton', { name: 'At most' }).fill('200');
    await page.getByLabel('Compare with').selectOption('free');
    await expect
      .poll(() => new URL(page.url()).hash)
      .toBe('#tier=standard&unit=tokens&size=200&compare=free');
    const shared = page.url();
    await page.reload();
    await openSample(page, /A guide/);
    expect(page.url()).toBe(shared);
    expect(await page.getByRole('spinbutton', { name: 'At most' }).inputValue()).toBe('200');
    await page.getByText('of the boundaries agree').waitFor();
    await page.getByRole('radio', { name: /^standard/, checked: true }).waitFor();
    // A tier of the service waits for its document; nonsense is left out.
    await page.goto(
      new URL('#tier=semantic&size=9e9&overlap=-1&unit=bits&compare=semantic&x=1', shared).href,
    );
    await expect.poll(() => new URL(page.url()).hash).toBe('#tier=semantic');
    await page.reload();
    await openTranscript(page);
    await page.getByRole('radio', { name: /^semantic/, checked: true }).waitFor();
    await page.getByRole('button', { name: /Send to semantic/ }).waitFor();
    for (const { paths } of open) expect(paths.filter((path) => path === '/chunk')).toEqual([]);
  });

  it('cuts by professional here, with its context, and sends nothing', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    await page.getByRole('radio', { name: /^professional/ }).check();
    await page.locator('.context', { hasText: 'Harbour of Aldermouth' }).first().waitFor();
    expect(await page.getByRole('button', { name: /Send/ }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Records' }).click();
    await page.getByRole('button', { name: 'TypeScript' }).click();
    await page.getByRole('group', { name: 'TypeScript' }).getByText("tier: 'professional'").waitFor();
    expect(open[0]!.paths).not.toContain('/chunk');
  });

  it('keeps the focus of the keyboard while a part of the page is fetched again', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    await page.route('**/assets/search-*.js', (route) => route.abort());
    await page.getByRole('tab', { name: /Ask/ }).click();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.press('Enter');
    await page.getByText('The service could not be reached.').waitFor();
    expect(await again.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.unroute('**/assets/search-*.js');
    await again.press('Enter');
    await page.locator('#question:focus').waitFor();
    for (const { errors } of open)
      expect(errors.splice(0).filter((error) => !error.includes('ERR_FAILED'))).toEqual([]);
  });

  it('says that it takes one file at a time, and reads none of several', async () => {
    const page = await visit();
    const dataTransfer = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      for (const name of ['a.txt', 'b.txt']) transfer.items.add(new File(['The tide turns.'], name));
      return transfer;
    });
    await page.dispatchEvent('main', 'drop', { dataTransfer });
    await page.getByRole('alert').getByText('These are 2 files: bring one at a time.').waitFor();
    expect(await page.locator('.document').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('shows no chunks for a question that are not the chunks of the text any more', async () => {
    const page = await visit();
    await openSample(page, /A report/);
    await page.getByRole('tab', { name: /Ask/ }).click();
    await page.getByLabel('Your question').fill('Which ships were sent to the western basin?');
    await page.keyboard.press('Enter');
    await page.locator('.found li').first().waitFor();
    await slide(page, /At most/, 400);
    await page.getByText('The chunks have changed: ask again.').waitFor();
    expect(await page.locator('.found li').count()).toBe(0);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.found li').first().waitFor();
  });

  it('sends to the service only when asked to, and shows what it answers', async () => {
    const page = await visit();
    await openSample(page, /A transcript/);
    await page.getByRole('radio', { name: /^semantic/ }).check();
    await page.getByRole('button', { name: /Send to semantic/ }).click();
    await page.locator('.tier:has([value=semantic]) .where', { hasText: 'chunk' }).waitFor();
    await page.locator('.mark').first().waitFor();
    expect(open[0]?.paths).toContain('/chunk');
    await page.getByLabel('Compare with').selectOption('structure');
    await page.getByText('of the boundaries agree').waitFor();
  });

  it('has no violations that axe finds, light and dark, wide and narrow', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [
        { width: 1280, height: 820 },
        { width: 360, height: 740 },
      ]) {
        const page = await visit({ colorScheme, viewport, bypassCSP: true });
        await expect.poll(() => violations(page)).toEqual([]);
        await openSample(page, /A report/);
        const dock = page.getByRole('button', { name: /at most/ });
        if (await dock.isVisible()) await dock.click();
        await page.getByLabel('Compare with').selectOption('free');
        await page.getByText('of the boundaries agree').waitFor();
        await expect.poll(() => violations(page)).toEqual([]);
        await page.locator('.text').press('ArrowDown');
        await page.getByText(/^Chunk 1 of/).waitFor();
        await expect.poll(() => violations(page)).toEqual([]);
        for (const view of ['Source', 'Both']) {
          const button = page.getByRole('button', { name: view });
          if (!(await button.isVisible())) continue;
          await button.click();
          await page.locator('.source .mark').first().waitFor();
          await expect.poll(() => violations(page)).toEqual([]);
        }
        await expect.poll(() => page.evaluate(overhang)).toBeLessThanOrEqual(0);
        for (const tab of [/Records/, /Ask/]) {
          await page.getByRole('tab', { name: tab }).click();
          await page.getByText(/Code that loads|A small model/).waitFor();
          await expect.poll(() => violations(page)).toEqual([]);
        }
      }
    }
  }, 180_000);

  it('is dark where the system is', async () => {
    const backgrounds: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await visit({ colorScheme });
      backgrounds.push(await page.evaluate(background));
    }
    expect(backgrounds).toEqual([LIGHT, DARK]);
  });

  it('is light or dark where the visitor wants it, from the first paint of the next visit on', async () => {
    const page = await visit({ colorScheme: 'light' });
    await page.getByLabel('Theme').selectOption('dark');
    await expect.poll(() => page.evaluate(background)).toBe(DARK);
    // The page never loads, so that the first paint is that of the head alone.
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.reload({ waitUntil: 'domcontentloaded' });
    expect(await page.evaluate(background)).toBe(DARK);
    expect(await page.locator('.tools').count()).toBe(0);
    await page.unroute('**/assets/index-*.js');
    await page.reload();
    await expect.poll(() => page.getByLabel('Theme').inputValue()).toBe('dark');
    await page.getByLabel('Theme').selectOption('system');
    await expect.poll(() => page.evaluate(background)).toBe(LIGHT);
    await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
    // The script that the test blocks.
    for (const { errors } of open) expect(errors.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });

  it('cuts a document without JavaScript, by a form', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(service.url);
    await page.getByLabel('A PDF or text file').setInputFiles({
      name: 'tides <b>.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(`${'The tide turns at noon. '.repeat(40)}<script>alert(1)</script>`),
    });
    const sizes = page.getByLabel('Longest chunk');
    expect(
      await sizes.evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).min)),
    ).toEqual([String(CHUNK_SIZE.least), String(CHUNK_SIZE.least)]);
    await sizes.first().fill('300');
    await page.getByRole('button', { name: 'Send the file' }).click();
    await page.getByRole('heading', { name: 'tides <b>.txt' }).waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await page.getByRole('listitem').nth(2).waitFor();
    await page.getByRole('link', { name: 'Another document' }).click();
    await page.getByLabel('A PDF or text file').setInputFiles({
      name: 'nothing.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('   '),
    });
    await page.getByRole('button', { name: 'Send the file' }).click();
    await page.getByText('(empty_document)').waitFor();
    await page.getByRole('link', { name: 'Another document' }).click();
    await page
      .getByLabel('Or a text')
      .fill(`One <b>bold</b> line.\n\n${'The tide turns at noon. '.repeat(40)}`);
    await sizes.last().fill('300');
    await page.getByRole('button', { name: 'Send the text' }).click();
    await page.getByText('One <b>bold</b> line.').waitFor();
    await page.getByRole('listitem').nth(2).waitFor();
    await context.close();
  });

  it('shows a hostile document as the text that it is', async () => {
    const page = await visit();
    const hostile = [
      '<script>globalThis.owned = true</script>',
      '<img src=x onerror="globalThis.owned = true">',
      'Invoice \u202Efdp.exe\u2066 and \u0007 \u200B\u{E0001} e\u0301\u0301\u0301',
      'javascript:globalThis.owned=true',
      '</div></main><h1>Grainline says: pay here</h1>',
    ].join('\n\n');
    await openFile(page, '<img src=x onerror=alert(1)>.txt', 'text/plain', hostile);
    expect(await page.evaluate(() => 'owned' in globalThis)).toBe(false);
    expect(await page.locator('.text img, .text script, .text h1, .document img').count()).toBe(0);
    await page.locator('.text', { hasText: '<script>globalThis.owned = true</script>' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  it('shows a line of 10 MB, and still answers', async () => {
    const page = await visit();
    await openFile(page, 'line.txt', 'text/plain', 'word '.repeat(2_000_000));
    expect(await chunkCount(page)).toBeGreaterThan(5000);
    await page.locator('.text').press('End');
    // The search uses the element's own index: a search for text through 10 MB takes longer than all the rest.
    await page.locator('.details h2', { hasText: /^Chunk ([\d,]+) of \1$/ }).waitFor();
  }, 120_000);

  it('says what is wrong with a document, and goes on', async () => {
    const page = await visit();
    await page.locator('input[type=file]').setInputFiles({
      name: 'broken.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.7\nnothing else'),
    });
    await page
      .getByRole('alert')
      .getByText(/PDF|damaged|corrupt|read/i)
      .waitFor();
    await openSample(page, /A report/);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('colours by spans where there are no highlights', async () => {
    const watched = await openWatched(browser, service.url);
    open.push(watched);
    const { page } = watched;
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'Highlight', { value: undefined });
    });
    await page.reload();
    await openSample(page, /A guide/);
    await page.locator('.block span.chunk-0').first().waitFor();
    await page.locator('.text').press('ArrowDown');
    await page.locator('.block span.current-0').first().waitFor();
  });
});

/** Runs in the page: its overflow beyond the window. */
function overhang(): number {
  return document.documentElement.scrollWidth - innerWidth;
}

/** Runs in the page: the colours of the current chunk for each hue, and the contrast of its text (WCAG 2). */
function currentFills(): { fill: string; contrast: number }[] {
  const context = document.createElement('canvas').getContext('2d')!;
  const luminance = (colour: string): number => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((value) =>
      value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const text = document.querySelector('.text')!;
  return Array.from({ length: 5 }, (_, hue) => {
    const { color, backgroundColor } = getComputedStyle(text, `::highlight(current-${hue})`);
    const [dark = 0, light = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
    return { fill: backgroundColor, contrast: (light + 0.05) / (dark + 0.05) };
  });
}

/** Runs in the page. */
function background(): string {
  return getComputedStyle(document.documentElement).backgroundColor;
}
