// Draws docs/page-view.png, the picture of the README: the sample PDF in the page view of the built service, with its
// chunks by the tier `structure`; and docs/site/public/page.webp, its first page alone, for the site.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser, openWatched, startBuiltService } from '../test/flows/browser.ts';

const PICTURE = join(import.meta.dirname, '../../../docs/page-view.png');

const PAGE_PICTURE = join(import.meta.dirname, '../../../docs/site/public/page.webp');
/** Share of the page's height with its columns, its table and its list. */
const UPPER = 0.78;
const QUALITY = 0.7;

const browser = await openBrowser();
const service = await startBuiltService();
try {
  const { page } = await openWatched(browser, service.url, {
    viewport: { width: 1060, height: 820 },
    colorScheme: 'light',
    bypassCSP: true,
  });
  await page.getByRole('button', { name: /A handbook/ }).click();
  await page.locator('.ink path').first().waitFor({ state: 'attached' });
  await page.getByLabel('At most').first().fill('450');
  await page.locator('.ink path[data-chunk="5"]').first().waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Smaller' }).click();
  await page.locator('.leaf.drawn').first().waitFor();
  await page.locator('.ink path[data-chunk="2"]').first().hover();
  await page.getByText(/^Chunk 3 of/).waitFor();
  await page.getByText(/characters, \d+ tokens/).waitFor();
  // The toolbar lies over the page.
  await page.addStyleTag({ content: '.page-tools { display: none }' });
  await page.screenshot({ path: PICTURE });
  // The whole page in the window, with the same chunk under the pointer.
  await page.setViewportSize({ width: 1060, height: 1400 });
  await page.locator('.leaf.drawn').first().waitFor();
  await page.locator('.ink path[data-chunk="2"]').first().hover();
  const box = await page.locator('.leaf').first().boundingBox();
  if (box === null) throw new Error('There is no page.');
  const clip = { ...box, height: UPPER * box.height };
  const shot = await page.screenshot({ clip });
  await writeFile(
    PAGE_PICTURE,
    Buffer.from(await page.evaluate(toWebp, [shot.toString('base64'), QUALITY] as const), 'base64'),
  );
} finally {
  await browser.close();
  await service.stop();
}

/** In the page: a PNG as WebP, which takes a third of its bytes. Both are base64. */
async function toWebp([png, quality]: readonly [string, number]): Promise<string> {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), {
    width: image.width,
    height: image.height,
  });
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', quality).split(',')[1] ?? '';
}
