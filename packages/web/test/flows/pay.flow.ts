// Payments in a real browser, on the built service and the play chain: by the page's wallet, by a code, by wallets of
// the browser, and over a reload.
import { createClient } from '@grainline/client';
import { type Playground, startPlayground } from '@grainline/playground';
import type { Browser, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  closeClean,
  type BuiltService,
  isLeftOut,
  openBrowser,
  openWatched,
  startBuiltService,
  violations,
  type Watched,
} from './browser.ts';
import { DEMO_WALLET } from '../../src/pay/demo-wallet.ts';
import { injectWallet, type WalletWays } from './injected-wallet.ts';

/** Price of the tier semantic, in millionths of a dollar. */
const PRICE = 4000;

describe.skipIf(isLeftOut)('paying', () => {
  let browser: Browser;
  let playground: Playground;
  let service: BuiltService;
  const open: Watched[] = [];

  beforeAll(async () => {
    [browser, playground] = await Promise.all([
      openBrowser(),
      startPlayground({ chain: { slotMs: 20 }, seed: 'paying flows', payers: 1 }),
    ]);
    service = await startBuiltService(playground.environment);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await playground.stop();
  });
  // The first answer to a paid request is 402, which Chromium writes to the console.
  afterEach(() => closeClean(open, (error) => error.includes('status of 402')));

  async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(playground.chain.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: object };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  /** Balance of the service's wallet, in payments of the tier. */
  async function paid(): Promise<number> {
    const params = [playground.payTo.usdcAccount, { commitment: 'processed' }];
    const { value } = (await rpc('getTokenAccountBalance', params)) as { value: { amount: string } };
    return Number(value.amount) / PRICE;
  }

  /**
   * A page with the transcript, cut differently each time, because an earlier payment would serve an equal request.
   */
  let visits = 0;
  async function choose(options: BrowserContextOptions = {}, ways?: WalletWays): Promise<Page> {
    const page = await visit(options, ways);
    await askForSemantic(page, 500 + 50 * visits++);
    return page;
  }

  async function visit(options: BrowserContextOptions = {}, ways?: WalletWays): Promise<Page> {
    const watched = await openWatched(browser, service.url, options);
    open.push(watched);
    const { page } = watched;
    if (ways !== undefined) {
      const [payer] = playground.payers;
      if (payer === undefined) throw new Error('The playground has no payer.');
      await injectWallet(page, payer, ways, (transaction) =>
        rpc('sendTransaction', [transaction, { encoding: 'base64', preflightCommitment: 'confirmed' }]),
      );
      await page.reload();
    }
    return page;
  }

  /** Opens the transcript at a size, and the payment panel. */
  async function askForSemantic(page: Page, size: number): Promise<void> {
    await openTranscript(page, size);
    await page.getByRole('button', { name: 'Send to semantic: $0.004' }).click();
    await panelOf(page).getByRole('heading', { name: 'Pay $0.004 in USDC for semantic' }).waitFor();
    await panelOf(page)
      .getByRole('button', { name: /another device/ })
      .waitFor();
  }

  async function openTranscript(page: Page, size: number): Promise<void> {
    await page.getByRole('button', { name: /^A transcript/ }).click();
    await page.locator('.text', { hasText: 'Good evening' }).waitFor();
    // In a narrow window the controls are a sheet.
    const dock = page.getByRole('button', { name: /at most/ });
    if (await dock.isVisible()) await dock.click();
    await page.getByRole('spinbutton', { name: 'At most' }).fill(String(size));
    await page.getByRole('radio', { name: /^semantic/ }).check();
  }

  /** Pays by another wallet, as a phone does that follows a code. */
  async function payByPhone(memo: string): Promise<void> {
    const { transfers } = createClient({ url: service.url, tries: 1 });
    const account = await DEMO_WALLET.connect();
    const prepared = await transfers.prepare({ payer: account.address, tier: 'semantic', memo });
    const signed = await account.sign!(Uint8Array.from(Buffer.from(prepared.transaction, 'base64')));
    await transfers.send(Buffer.from(signed).toString('base64'));
    await expect.poll(() => transfers.find({ tier: 'semantic', memo })).toMatchObject({ state: 'paid' });
  }

  /** Resolves when no transaction that is prepared now can be included any more. */
  async function blockhashOver(): Promise<void> {
    const { value } = (await rpc('getLatestBlockhash', [{ commitment: 'processed' }])) as {
      value: { lastValidBlockHeight: number };
    };
    const height = async (): Promise<number> =>
      (await rpc('getBlockHeight', [{ commitment: 'finalized' }])) as number;
    await expect.poll(height).toBeGreaterThan(value.lastValidBlockHeight);
  }

  const receiptOf = (page: Page): Locator => page.getByRole('region', { name: 'Receipt' });

  const panelOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Pay for semantic' });

  const payBy = (page: Page, wallet: RegExp): Promise<void> =>
    panelOf(page).getByRole('button', { name: wallet }).click();

  /** The answer is visible, the panel is closed, and no request is left to resume. */
  async function seeChunks(page: Page): Promise<void> {
    await panelOf(page).waitFor({ state: 'detached' });
    await page.locator('.tier:has([value=semantic]) .where', { hasText: /^\d+ chunks$/ }).waitFor();
    await page.locator('.mark').first().waitFor();
    await expect.poll(() => page.evaluate(begunPayments)).toBe(0);
    await page.getByRole('region', { name: /Begun payment/ }).waitFor({ state: 'detached' });
  }

  it('is done with the demo wallet, once, and nothing is sent before', async () => {
    const before = await paid();
    const page = await choose();
    expect(open[0]?.paths).not.toContain('/chunk');
    await payBy(page, /^Demo wallet/);
    await seeChunks(page);
    expect((await paid()) - before).toBe(1);
    // The receipt takes the place of the button that would buy the same again.
    const receipt = await receiptOf(page).innerText();
    expect(receipt).toContain('Paid 0.004 USDC for semantic');
    expect(receipt).toMatch(/\d+ \w+ \d{4}, \d\d:\d\d:\d\d on solana-localnet/);
    expect(receipt).toMatch(/Transaction \w{4}…\w{4} Copy/);
    expect(receipt).toContain('Kept in this browser.');
    expect(await page.getByRole('button', { name: /Send/ }).count()).toBe(0);
    await page.locator('.receipt:focus').waitFor();
  });

  it('is not asked for again after a reload: the answer is in the browser until it is forgotten', async () => {
    const before = await paid();
    const page = await visit();
    await askForSemantic(page, 1210);
    await payBy(page, /^Demo wallet/);
    await seeChunks(page);
    await page.reload();
    // Without its document, by the list.
    await page.getByRole('button', { name: 'Open council-transcript.txt, semantic' }).click();
    await page.locator('.mark').first().waitFor();
    await receiptOf(page).getByText('nothing was sent or paid this time').waitFor();
    await page.getByRole('button', { name: 'Another document' }).click();
    // With its document, by the same tier and size.
    const sent = open[0]!.paths.filter((path) => path === '/chunk').length;
    await openTranscript(page, 1210);
    await receiptOf(page).getByText('nothing was sent or paid this time').waitFor();
    await page.locator('.tier:has([value=semantic]) .where', { hasText: /^\d+ chunks$/ }).waitFor();
    expect(open[0]!.paths.filter((path) => path === '/chunk')).toHaveLength(sent);
    await page.getByRole('button', { name: 'Another document' }).click();
    await page.getByRole('button', { name: 'Forget them' }).click();
    await page.getByRole('region', { name: 'Your paid answers' }).waitFor({ state: 'detached' });
    await page.reload();
    // Forgotten, but not paid twice: the service repeats it for its payment.
    await openTranscript(page, 1210);
    await page.getByRole('button', { name: 'Send to semantic: $0.004' }).click();
    await seeChunks(page);
    await receiptOf(page).getByText('sent it again for the same payment').waitFor();
    expect((await paid()) - before).toBe(1);
  });

  it('is asked for again when the service has the answer no longer, and says the price first', async () => {
    const before = await paid();
    const page = await visit();
    await askForSemantic(page, 1220);
    const answered = page.waitForResponse((response) => response.headers()['content-location'] !== undefined);
    await payBy(page, /^Demo wallet/);
    const path = (await answered).headers()['content-location'];
    await seeChunks(page);
    await page.getByRole('button', { name: 'Another document' }).click();
    await page.getByRole('button', { name: 'Forget them' }).click();
    expect((await fetch(new URL(path!, service.url), { method: 'DELETE' })).ok).toBe(true);
    await openTranscript(page, 1220);
    await page.getByRole('button', { name: 'Send to semantic: $0.004' }).click();
    await payBy(page, /^Demo wallet/);
    await seeChunks(page);
    expect((await paid()) - before).toBe(2);
    open[0]!.errors.splice(0);
  });

  it('by a code that is closed leaves the way free for a wallet at once, over a reload too', async () => {
    const before = await paid();
    const page = await visit();
    await askForSemantic(page, 1230);
    await payBy(page, /another device/);
    const code = panelOf(page).getByRole('img', { name: /Solana Pay code/ });
    await code.waitFor();
    const link = await panelOf(page)
      .getByRole('link', { name: /open it in a wallet/ })
      .getAttribute('href');
    expect(link).toContain(`solana:${playground.payTo.address}?amount=0.004&`);
    await panelOf(page).getByRole('button', { name: 'Another way to pay' }).click();
    await panelOf(page)
      .getByText(/no payment by it has arrived/)
      .waitFor();
    await payBy(page, /another device/);
    await code.waitFor();
    await page.keyboard.press('Escape');
    await panelOf(page).waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Begun payment: semantic' }).waitFor();
    await page.reload();
    // One bar, however often a code was shown.
    await page.getByRole('region', { name: /Begun payment/ }).waitFor();
    expect(await page.getByRole('region', { name: /Begun payment/ }).count()).toBe(1);
    await openTranscript(page, 1230);
    await page.getByRole('button', { name: 'Send to semantic: $0.004' }).click();
    await panelOf(page)
      .getByText(/no payment by it has arrived/)
      .waitFor();
    await payBy(page, /^Demo wallet/);
    await seeChunks(page);
    expect((await paid()) - before).toBe(1);
  });

  it('by a code that a phone follows after a reload is found without another question', async () => {
    const before = await paid();
    const page = await visit({}, { signs: true, sends: false, declines: 9 });
    await askForSemantic(page, 1240);
    await payBy(page, /another device/);
    const link = panelOf(page).getByRole('link', { name: /open it in a wallet/ });
    const memo = new URL((await link.getAttribute('href')) ?? '').searchParams.get('memo');
    await page.reload();
    await payByPhone(memo ?? '');
    await page
      .getByRole('region', { name: 'Begun payment: semantic' })
      .getByRole('button', { name: 'Look for the payment' })
      .click();
    await page.locator('.mark').first().waitFor();
    await seeChunks(page);
    await receiptOf(page).getByText('Paid 0.004 USDC').waitFor();
    expect((await paid()) - before).toBe(1);
  });

  it('is done by another wallet when the first one signs too late for the network', async () => {
    const before = await paid();
    const page = await choose({}, { signs: true, sends: false, declines: 0, waits: blockhashOver });
    await payBy(page, /^Test Wallet/);
    await panelOf(page)
      .getByRole('alert')
      .getByText(/Nothing was paid/)
      .waitFor();
    expect(await paid()).toBe(before);
    await panelOf(page).getByRole('button', { name: 'Another way to pay' }).click();
    await payBy(page, /^Demo wallet/);
    await seeChunks(page);
    expect((await paid()) - before).toBe(1);
    open[0]!.errors.splice(0);
  });

  it('is done with a wallet of the browser that signs, after its owner has declined once', async () => {
    const before = await paid();
    const page = await choose({}, { signs: true, sends: false, declines: 1 });
    await payBy(page, /^Test Wallet/);
    await panelOf(page)
      .getByRole('alert')
      .getByText(/you declined it in the wallet.*Nothing was paid/)
      .waitFor();
    expect(await paid()).toBe(before);
    await panelOf(page).getByRole('button', { name: 'Try again' }).click();
    await seeChunks(page);
    expect((await paid()) - before).toBe(1);
  });

  it('is done with a wallet that signs and sends by itself', async () => {
    const before = await paid();
    const page = await choose({}, { signs: false, sends: true, declines: 0 });
    await payBy(page, /^Test Wallet/);
    await seeChunks(page);
    expect(open[0]?.paths).not.toContain('/payment/send');
    expect((await paid()) - before).toBe(1);
  });

  const LOSSES: readonly { readonly what: string; readonly path: string; readonly reaches: boolean }[] = [
    { what: 'before the network has it', path: '**/payment/send', reaches: false },
    { what: 'before the request is sent again', path: '**/chunk', reaches: false },
    { what: 'before the answer is here', path: '**/chunk', reaches: true },
  ];
  it.each(LOSSES)('signed and lost by a reload $what is gone on with', async ({ path, reaches }) => {
    const before = await paid();
    const page = await choose();
    const lost = Promise.withResolvers<undefined>();
    // The page gets no notice of it.
    await page.route(path, async (route: Route) => {
      if (path.endsWith('/chunk') && !isPaid(route)) {
        await route.continue();
        return;
      }
      if (reaches) await route.fetch();
      lost.resolve(undefined);
    });
    await payBy(page, /^Demo wallet/);
    await lost.promise;
    await page.reload();
    await page.unroute(path);
    await page
      .getByRole('region', { name: 'Begun payment: semantic' })
      .getByText('Look for the payment')
      .click();
    await page.locator('.mark').first().waitFor();
    await seeChunks(page);
    await page.locator('.document', { hasText: 'transcript' }).waitFor();
    expect((await paid()) - before).toBe(1);
  });

  it('leaves the work area where it is, closes by Escape, and gives the focus back', async () => {
    const page = await choose();
    const box = await page.locator('.work').boundingBox();
    await page.keyboard.press('Escape');
    await panelOf(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.work').boundingBox()).toEqual(box);
    await page.locator(':focus', { hasText: 'Send to semantic' }).waitFor();
  });

  it('has no violations that axe finds, light and dark, wide and narrow', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [
        { width: 1280, height: 820 },
        { width: 360, height: 740 },
      ]) {
        const page = await choose({ colorScheme, viewport, bypassCSP: true });
        await expect.poll(() => violations(page)).toEqual([]);
        await payBy(page, /another device/);
        await panelOf(page).getByRole('img').waitFor();
        await expect.poll(() => violations(page)).toEqual([]);
        await panelOf(page).getByRole('button', { name: 'Another way to pay' }).click();
        await panelOf(page).getByRole('button', { name: /^Demo/ }).waitFor();
        await expect.poll(() => violations(page)).toEqual([]);
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
          .toBeLessThanOrEqual(0);
        await payBy(page, /^Demo wallet/);
        await seeChunks(page);
        await expect.poll(() => violations(page)).toEqual([]);
        await page.getByRole('button', { name: 'Another document' }).click();
        await page.getByRole('region', { name: 'Your paid answers' }).waitFor();
        await expect.poll(() => violations(page)).toEqual([]);
      }
    }
  }, 180_000);
});

function isPaid(route: Route): boolean {
  return Object.keys(route.request().headers()).some((name) => /^(?:x-)?payment/.test(name));
}

/** Runs in the page: the number of stored requests. */
function begunPayments(): Promise<number> {
  return new Promise((resolve, reject) => {
    const opened = indexedDB.open('grainline');
    opened.onerror = () => reject(new Error('There is no such database.'));
    opened.onsuccess = () => {
      const counted = opened.result.transaction('orders').objectStore('orders').count();
      counted.onsuccess = () => resolve(counted.result);
    };
  });
}
