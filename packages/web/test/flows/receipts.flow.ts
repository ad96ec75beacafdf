// A receipt that a visitor brings, in a real browser on the built service, which has signed it for a payment on the
// play chain.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Playground, startPlayground } from '@grainline/playground';
import { payingFetch, payWithKeypair } from '@grainline/x402/client';
import type { Browser, Page } from 'playwright-core';
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

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

interface Answer {
  readonly chunks: readonly { readonly text: string }[];
  readonly payment: { readonly transaction: string; readonly receipt: string };
}

describe.skipIf(isLeftOut)('a receipt', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-receipts-'));
  let browser: Browser;
  let playground: Playground;
  let service: BuiltService;
  let answer: Answer;
  const open: Watched[] = [];

  beforeAll(async () => {
    const keyFile = join(folder, 'receipts.pem');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    [browser, playground] = await Promise.all([
      openBrowser(),
      startPlayground({ chain: { slotMs: 20 }, seed: 'receipts', payers: 1 }),
    ]);
    service = await startBuiltService({ ...playground.environment, RECEIPT_KEY_FILE: keyFile });
    answer = await buy();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await playground.stop();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => closeClean(open));

  async function buy(): Promise<Answer> {
    const [payer] = playground.payers;
    if (payer === undefined) throw new Error('There is one.');
    const pay = payWithKeypair({ rpcUrl: playground.chain.url, keypair: payer.keypair });
    const paid = payingFetch(fetch, {
      pay,
      maxAmount: 2_000n,
      assets: { 'solana-localnet': USDC },
    });
    const body = JSON.stringify({ tier: 'structure', text: '# Tides\n\nHigh water follows the moon.' });
    const headers = { 'Content-Type': 'application/json' };
    const response = await paid(`${service.url}/chunk`, { method: 'POST', headers, body });
    return (await response.json()) as Answer;
  }

  async function visit(options = {}): Promise<Watched> {
    const watched = await openWatched(browser, service.url, options);
    open.push(watched);
    return watched;
  }

  /** Drops files on the page. */
  async function drop(page: Page, files: Readonly<Record<string, unknown>>): Promise<void> {
    const texts = Object.entries(files).map(([name, content]) => ({
      name,
      text: typeof content === 'string' ? content : JSON.stringify(content),
    }));
    const dataTransfer = await page.evaluateHandle((given) => {
      const transfer = new DataTransfer();
      for (const { name, text } of given) transfer.items.add(new File([text], name));
      return transfer;
    }, texts);
    await page.dispatchEvent('main', 'drop', { dataTransfer });
  }

  const outcome = (page: Page, name: string) => page.getByRole('region', { name });

  it('that is dropped is checked with the keys of the service, and the page says what it proves', async () => {
    const { page, paths } = await visit();
    await drop(page, { 'receipt.jws': answer.payment.receipt });
    const region = outcome(page, 'This receipt is valid');
    await region.getByText('It was checked without chunks').waitFor();
    for (const text of [answer.payment.transaction, `${service.url}/chunk`, '0.002 USDC'])
      await region.getByText(text, { exact: true }).waitFor();
    expect(paths).toContain('/.well-known/jwks.json');
    expect(await violations(page)).toEqual([]);
    await region.getByRole('button', { name: 'Close' }).click();
    await region.waitFor({ state: 'detached' });
  });

  it('is compared with the answer that was brought with it, dropped or chosen', async () => {
    const { page } = await visit();
    await drop(page, { 'answer.json': answer });
    await outcome(page, 'This receipt is valid').getByText('are the delivered ones').waitFor();
    const changed = { ...answer, chunks: [{ ...answer.chunks[0], text: 'Low water.' }] };
    const buffer = Buffer.from(JSON.stringify(changed));
    const [chosen] = [{ name: 'answer.json', mimeType: 'application/json', buffer }];
    await page.locator('input[type=file]').setInputFiles([chosen]);
    await outcome(page, 'This receipt is for other chunks').getByText('not the delivered ones').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('that is forged, or of another service, is not valid; keys beside it are used instead', async () => {
    const { page, paths } = await visit({ colorScheme: 'dark' });
    const { receipt } = answer.payment;
    const [head, body = '', signature] = receipt.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, amount: '9000' })).toString('base64url');
    await drop(page, { 'receipt.txt': `${head}.${forged}.${signature}` });
    await outcome(page, 'This receipt is not valid').getByText('its signature is wrong').waitFor();
    expect(await violations(page)).toEqual([]);
    await drop(page, { 'receipt.txt': receipt, 'jwks.json': { keys: [] } });
    await outcome(page, 'This receipt is not valid').getByText('its key is not among').waitFor();
    paths.length = 0;
    const jwks = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as object;
    await drop(page, { 'receipt.txt': receipt, 'jwks.json': jwks });
    await outcome(page, 'This receipt is valid').getByText('the keys that you brought').waitFor();
    expect(paths).not.toContain('/.well-known/jwks.json');
  });

  it('may be pasted; other texts and files are documents', async () => {
    const { page } = await visit({ viewport: { width: 390, height: 844 } });
    await page.getByRole('textbox', { name: 'Or paste a text' }).fill(answer.payment.receipt);
    await page.getByRole('button', { name: 'Show its chunks' }).click();
    await outcome(page, 'This receipt is valid').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await violations(page)).toEqual([]);
    await drop(page, { 'tides.txt': 'High water follows the moon.' });
    await page.locator('.text', { hasText: 'High water' }).waitFor();
  });
});
