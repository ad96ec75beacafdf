// Payments without the panel, against a real service on the play chain: each is paid exactly once through every failure
// of a wallet, the network or a tab.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type Overview } from '@grainline/client';
import { type Playground, startPlayground } from '@grainline/playground';
import { readSettings, type RunningService, startService } from '@grainline/server';
import type { Pay, PayingError, PaymentMemory, PaymentOrder } from '@grainline/x402/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerOrigin, TierRequest, RawSubmission } from '../../src/service/chunk-request.ts';
import { DEMO_WALLET } from '../../src/pay/demo-wallet.ts';
import { storedPayments } from '../../src/pay/memory.ts';
import { payByLink, payLink } from '../../src/pay/pay-by-link.ts';
import { findBy, type PayingPage, type PayingStage, payWithWallet } from '../../src/pay/pay-with-wallet.ts';
import { Paying, type View } from '../../src/pay/paying.ts';
import { purchase, type PurchaseDeps, repeatPurchase } from '../../src/pay/purchase.ts';
import { troubleOf } from '../../src/pay/sentences.ts';
import type { WalletAccount } from '../../src/pay/wallet.ts';

const folder = mkdtempSync(join(tmpdir(), 'grainline-page-'));
let playground: Playground;
let service: RunningService;
/** A site whose documents have the length that their path names; `/gone` is 404. */
let site: Server;
let siteUrl: string;
let client: Client;
let overview: Overview;
let demo: WalletAccount;

beforeAll(async () => {
  playground = await startPlayground({ chain: { slotMs: 20 }, seed: 'page tests', payers: 1 });
  site = createServer(({ url = '' }, reply) => {
    const length = Number(url.slice(1));
    reply.writeHead(url === '/gone' ? 404 : 200, { 'Content-Type': 'text/plain' });
    reply.end('High water. '.repeat(Math.ceil(length / 12)).slice(0, length));
  });
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  siteUrl = `http://${host}`;
  const environment = {
    ...{ ...playground.environment, PORT: '0', DATA_DIR: folder, WORKERS: '1', FETCH_ALLOW: host },
  };
  service = await startService(readSettings(environment), { log: { write: () => undefined } });
  await service.ready;
  client = createClient({ url: service.url, tries: 1 });
  overview = await client.overview();
  demo = await DEMO_WALLET.connect();
});
afterAll(async () => {
  await service.stop();
  await playground.stop();
  site.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The browser's storage for one test. */
function fakeStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
    getItem: (key) => items.get(key) ?? null,
    key: (index) => [...items.keys()][index] ?? null,
    removeItem: (key) => void items.delete(key),
    setItem: (key, value) => void items.set(key, value),
  };
}

/** A lock of one tab, always granted. */
const locks = { request: (_: string, run: () => unknown) => Promise.resolve(run()) } as LockManager;

interface Visit {
  readonly page: PayingPage;
  readonly stages: PayingStage[];
  readonly remember: PaymentMemory;
  readonly deps: PurchaseDeps;
  readonly buy: (order: TierRequest, pay: Pay) => Promise<RawSubmission>;
  /** The answer for an earlier payment. */
  readonly repeat: (order: TierRequest) => Promise<RawSubmission | undefined>;
}

function visit(storage: Storage = fakeStorage(), tier = 'structure'): Visit {
  const stages: PayingStage[] = [];
  const remember = storedPayments(storage, locks);
  const page: PayingPage = {
    transfers: client.transfers,
    tier,
    onStage: (stage) => stages.push(stage),
    nowMs: Date.now,
    wait: (_, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        setTimeout(resolve, 20);
      }),
  };
  const signal = new AbortController().signal;
  const deps: PurchaseDeps = { base: `${service.url}/`, signal, remember, onPaid: () => undefined };
  const buy = (order: TierRequest, pay: Pay) => purchase(order, pay, deps);
  const repeat = (order: TierRequest) => repeatPurchase(order, findBy(page), deps);
  return { page, stages, remember, deps, buy, repeat };
}

const OPTIONS = { size: 1000, overlap: 0, unit: 'characters' } as const;

function textOrder(text: string): TierRequest {
  return { tier: 'structure', source: { text }, options: OPTIONS, overview, documentId: text };
}

/** Balance of the service's wallet, in payments of this tier. */
async function paid(): Promise<number> {
  const params = [playground.payTo.usdcAccount, { commitment: 'processed' }];
  const response = await fetch(playground.chain.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTokenAccountBalance', params }),
  });
  const { result } = (await response.json()) as { result: { value: { amount: string } } };
  return Number(result.value.amount) / 2000;
}

describe('paying by a wallet that signs', () => {
  it('buys the answer, and pays once for the same request', async () => {
    const { buy, page, stages } = visit();
    const order = textOrder('# Tides\n\nHigh water follows the moon.');
    const before = await paid();
    const bought = await buy(order, payWithWallet(demo, page));
    expect(bought).toMatchObject({
      kind: 'answer',
      answer: { tier: 'structure', payment: { amount: 2000 } },
    });
    expect(stages).toEqual(['preparing', 'signing', 'sending', 'confirming']);
    expect(await buy(order, payWithWallet(demo, page))).toEqual(bought);
    expect((await paid()) - before).toBe(1);
  });

  it('buys for an upload, bound to its very bytes', async () => {
    const { buy, page } = visit();
    const file = new File(['One harbour.\n\nTwo piers.'], 'harbour.txt', { type: 'text/plain' });
    const order: TierRequest = {
      ...textOrder(''),
      source: { file },
      options: { ...OPTIONS, size: 400 },
    };
    expect(await buy(order, payWithWallet(demo, page))).toMatchObject({
      kind: 'answer',
      answer: { metadata: { filename: 'harbour.txt' } },
    });
  });

  it('pays nothing when it is declined, and can be asked again', async () => {
    const { buy, page } = visit();
    const order = textOrder('Declined at first.');
    const declining: WalletAccount = {
      address: demo.address,
      sign: () => Promise.reject(Object.assign(new Error('User rejected the request.'), { code: 4001 })),
    };
    const before = await paid();
    const error: unknown = await buy(order, payWithWallet(declining, page)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'payment_failed' });
    expect(troubleOf(error)).toMatchObject({
      next: 'pay',
      text: expect.stringContaining('declined') as string,
    });
    expect(await paid()).toBe(before);
    expect(await buy(order, payWithWallet(demo, page))).toMatchObject({ kind: 'answer' });
  });

  it('signs and sends nothing but the transfer that was agreed', async () => {
    const { buy, page } = visit();
    const dearer: PayingPage = {
      ...page,
      transfers: {
        ...page.transfers,
        prepare: (transfer, call) => page.transfers.prepare({ ...transfer, tier: 'semantic' }, call),
      },
    };
    const signs: Uint8Array[] = [];
    const watched: WalletAccount = {
      address: demo.address,
      sign: (bytes) => Promise.resolve((signs.push(bytes), bytes)),
    };
    await expect(buy(textOrder('Dearer.'), payWithWallet(watched, dearer))).rejects.toThrow(
      /transfers 4000 instead of 2000/,
    );
    expect(signs).toEqual([]);
    await expect(buy(textOrder('Unsigned.'), payWithWallet(watched, page))).rejects.toThrow(/did not sign/);
  });

  it('that has no money is told so, and is asked for nothing', async () => {
    const { buy, page } = visit();
    const address = playground.facilitator.feePayer;
    const error: unknown = await buy(
      textOrder('Poor.'),
      payWithWallet({ address, sign: () => Promise.reject(new Error('asked')) }, page),
    ).catch((thrown: unknown) => thrown);
    expect(troubleOf(error)).toEqual({
      next: 'pay',
      text: expect.stringMatching(/no account for USDC|holds 0 USDC/) as string,
    });
  });

  it('goes on with what was signed when the tab is closed before the network has it', async () => {
    const storage = fakeStorage();
    const order = textOrder('A closed tab.');
    const first = visit(storage);
    const closed = new AbortController();
    const cut: PayingPage = {
      ...first.page,
      transfers: {
        ...first.page.transfers,
        // The signed transfer never leaves the page.
        send: (_, { signal } = {}) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
            closed.abort();
          }),
      },
    };
    const before = await paid();
    const lost = purchase(order, payWithWallet(demo, cut), { ...first.deps, signal: closed.signal });
    await expect(lost).rejects.toThrow();
    expect(await paid()).toBe(before);
    // A new visit without a wallet finds the payment or sends it once more, and never pays twice.
    const second = visit(storage);
    await expect
      .poll(() => second.repeat(order).catch((error: unknown) => (error as PayingError).code), {
        timeout: 10_000,
      })
      .toMatchObject({ kind: 'answer' });
    expect((await paid()) - before).toBe(1);
  });
});

describe('paying by a wallet that sends by itself', () => {
  /** Signs with the demo wallet's key and sends around the page. */
  const sending = (before: () => void = () => undefined): WalletAccount => ({
    address: demo.address,
    async signAndSend(bytes) {
      const signed = await demo.sign!(bytes);
      const signature = await client.transfers.send(Buffer.from(signed).toString('base64'));
      before();
      return bytesOf(signature);
    },
  });

  it('buys the answer', async () => {
    const { buy, page } = visit();
    expect(await buy(textOrder('Sent by the wallet.'), payWithWallet(sending(), page))).toMatchObject({
      kind: 'answer',
    });
  });

  it('finds the payment of a wallet that fails after it has paid', async () => {
    const { buy, page } = visit();
    const failing = sending(() => {
      throw new Error('The extension was restarted.');
    });
    const order = textOrder('Paid, and said nothing.');
    const before = await paid();
    await expect
      .poll(
        () => buy(order, payWithWallet(failing, page)).catch((error: unknown) => (error as PayingError).code),
        {
          timeout: 10_000,
        },
      )
      .toMatchObject({ kind: 'answer' });
    expect((await paid()) - before).toBe(1);
  });
});

describe('paying from another device', () => {
  it('asks for the very transfer, and notices it', async () => {
    const { buy, page } = visit();
    const order = textOrder('Paid by phone.');
    let link = '';
    const pay = payByLink(page, (order) => {
      link = payLink(order, 'structure');
      // Another device follows the link.
      void payWithWallet(demo, visit().page)(order, {
        signal: new AbortController().signal,
        record: () => Promise.resolve(),
      });
    });
    expect(await buy(order, pay)).toMatchObject({ kind: 'answer' });
    const url = new URL(link);
    expect(url.protocol).toBe('solana:');
    expect(url.pathname).toBe(overview.pay_to);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      amount: '0.002',
      'spl-token': overview.asset_address,
      memo: expect.stringMatching(/^chunk:1:/) as string,
    });
  });

  it('that is closed leaves the way free for a wallet at once, also after a reload', async () => {
    const storage = fakeStorage();
    const order = textOrder('Not paid by phone.');
    const before = await paid();
    const { page, deps, repeat } = visit(storage);
    const closed = new AbortController();
    const shown = purchase(
      order,
      payByLink(page, () => closed.abort()),
      { ...deps, signal: closed.signal },
    );
    await expect(shown).rejects.toThrow();
    // A search alone leaves it open, because the phone may still pay.
    await expect(repeat(order)).rejects.toMatchObject({ code: 'payment_unknown' });
    const next = visit(storage);
    expect(await next.buy(order, payWithWallet(demo, next.page))).toMatchObject({ kind: 'answer' });
    expect((await paid()) - before).toBe(1);
  });

  it('after the code is closed counts, whichever way is chosen next', async () => {
    const before = await paid();
    const pays = [payByLink, (page: PayingPage) => payWithWallet(demo, page)];
    for (const [index, way] of pays.entries()) {
      const { page, deps, buy } = visit();
      const order = textOrder(`Paid by phone behind the page's back, ${index}.`);
      const closed = new AbortController();
      let left: PaymentOrder | undefined;
      const show = (shown: PaymentOrder): void => {
        left = shown;
        closed.abort();
      };
      await expect(
        purchase(order, payByLink(page, show), { ...deps, signal: closed.signal }),
      ).rejects.toThrow();
      const signal = new AbortController().signal;
      await payWithWallet(demo, visit().page)(left!, { signal, record: () => Promise.resolve() });
      expect(
        await buy(
          order,
          way(page, () => undefined),
        ),
      ).toMatchObject({ kind: 'answer' });
    }
    expect((await paid()) - before).toBe(pays.length);
  });
});

describe('paying for the document behind a link', () => {
  /** The views of the panel for a link until it waits for the visitor. */
  async function panelFor(
    path: string,
  ): Promise<{ views: View[]; paying: Paying; answered: AnswerOrigin[] }> {
    const views: View[] = [];
    const answered: AnswerOrigin[] = [];
    const url = `${siteUrl}${path}`;
    const paying = new Paying({
      request: { ...textOrder(''), source: { url }, documentId: url },
      keep: () => Promise.resolve(),
      onAnswer: (_, origin) => answered.push(origin),
      ...{ base: `${service.url}/`, remember: visit().remember, show: (view) => views.push(view) },
    });
    paying.resume();
    await expect.poll(() => views.at(-1)?.kind, { timeout: 10_000 }).not.toBe('busy');
    return { views, paying, answered };
  }

  it('is offered once the service has measured the document', async () => {
    const { views } = await panelFor('/1000');
    expect(views).toEqual([
      { kind: 'busy', stage: 'searching' },
      { kind: 'busy', stage: 'measuring' },
      { kind: 'choose', codeMs: undefined },
    ]);
  });

  it('is not offered for one that is larger than the tier takes', async () => {
    const before = await paid();
    const { max_characters: most } = overview.tiers.find(({ id }) => id === 'structure')!;
    const { views } = await panelFor(`/${most! + 1}`);
    expect(views.at(-1)).toMatchObject({
      kind: 'trouble',
      trouble: {
        next: 'none',
        text: expect.stringMatching(/takes at most .* Nothing was paid\.$/) as string,
      },
    });
    expect(await paid()).toBe(before);
  });

  it('is not begun by a visitor who has not waited for the measuring', async () => {
    const before = await paid();
    const { views, paying } = await panelFor('/gone');
    paying.choose();
    paying.payBy({ name: 'Demo wallet', isDemo: true, connect: () => DEMO_WALLET.connect() });
    await expect.poll(() => views.at(-1)?.kind, { timeout: 10_000 }).toBe('trouble');
    expect(views.at(-1)).toMatchObject({
      trouble: { text: expect.stringContaining('Nothing was paid.') as string },
    });
    expect(await paid()).toBe(before);
  });
});

describe('an earlier payment', () => {
  it('gives its answer again, and without one nothing is sent', async () => {
    const { page, buy, repeat } = visit();
    const order = textOrder('Bought once, read twice.');
    expect(await repeat(order)).toBeUndefined();
    const before = await paid();
    const bought = await buy(order, payWithWallet(demo, page));
    expect(await repeat(order)).toEqual(bought);
    expect(await repeat({ ...order, options: { ...OPTIONS, size: 999 } })).toBeUndefined();
    expect((await paid()) - before).toBe(1);
  });
});

function bytesOf(base58: string): Uint8Array {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let value = 0n;
  for (const digit of base58) value = value * 58n + BigInt(digits.indexOf(digit));
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(128, '0'), 'hex'));
}
