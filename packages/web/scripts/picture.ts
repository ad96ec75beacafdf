// Draws docs/page-view.png, the picture of the README: the sample PDF in the page view of the built service, with its
// chunks by the tier `structure`.
import { join } from 'node:path';
import { openBrowser, openWatched, startBuiltService } from '../test/flows/browser.ts';

const PICTURE = join(import.meta.dirname, '../../../docs/page-view.png');

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
} finally {
  await browser.close();
  await service.stop();
}
