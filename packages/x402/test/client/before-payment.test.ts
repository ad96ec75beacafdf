// The check before a payment: its moment, its input, and the effect of its results.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPaymentMemory, type PaymentMemory } from '../../src/client/memory.ts';
import type { BeforePayment, DuePayment } from '../../src/client/pay.ts';
import { payingFetch, type PayingOptions } from '../../src/client/paying-fetch.ts';
import {
  createJumpingClock,
  createWallet,
  openSeller,
  type PlainChain,
  type Seller,
  type TestWallet,
} from './seller.ts';

let chain: PlainChain;
let seller: Seller;
let wallet: TestWallet;
let memory: PaymentMemory;
let received: DuePayment[];
let answer: BeforePayment;

beforeEach(async () => {
  chain = new Map();
  seller = await openSeller(chain);
  wallet = createWallet(chain, createJumpingClock());
  memory = createPaymentMemory();
  received = [];
  answer = () => Promise.resolve(undefined);
});

afterEach(() => seller.close());

const REQUEST = { method: 'POST', body: '{"text":"High water."}' };
const NO = { abort: true, reason: 'The cat sat on it.' } as const;

function open(options: Partial<PayingOptions> = {}) {
  const beforePayment: BeforePayment = (due) => {
    received.push(due);
    return answer(due);
  };
  const clock = createJumpingClock();
  const all = { pay: wallet.pay, maxAmount: 10_000n, remember: memory, clock, beforePayment, ...options };
  return payingFetch(fetch, all);
}

const buy = (init: RequestInit = REQUEST, options: Partial<PayingOptions> = {}) =>
  open(options)(`${seller.url}/chunk`, init);

describe('who is asked before a payment', () => {
  it('is told what is to be paid and for what, once, before anything is written down or signed', async () => {
    const form = new FormData();
    form.append('file', new Blob(['High water.']), 'a.txt');
    let before: unknown;
    answer = () => {
      before = [wallet.orders.length, chain.size];
      return Promise.resolve(undefined);
    };
    expect((await buy({ method: 'POST', body: form })).status).toBe(200);
    expect(before).toEqual([0, 0]);
    expect(received).toHaveLength(1);
    expect(received[0]?.order).toEqual(wallet.orders[0]);
    expect(received[0]?.request).toMatchObject({ url: `${seller.url}/chunk`, method: 'POST' });
    expect(received[0]?.request.body).toBe(form);
  });

  it('and refuses has nothing paid, and says why; the next call asks anew', async () => {
    answer = () => Promise.resolve(NO);
    await expect(buy()).rejects.toMatchObject({
      code: 'payment_aborted',
      message: 'Nothing was paid: The cat sat on it.',
      amount: 4000n,
      signature: undefined,
    });
    expect([wallet.orders, seller.requests]).toEqual([[], [null]]);
    answer = () => Promise.resolve(undefined);
    expect((await buy()).status).toBe(200);
    expect([chain.size, received.length]).toEqual([1, 2]);
  });

  it('and fails ends the request with that, and nothing is paid', async () => {
    answer = () => Promise.reject(new Error('out of ink'));
    await expect(buy()).rejects.toThrow('out of ink');
    expect(wallet.orders).toEqual([]);
  });

  it('while the call is taken back has nothing paid', async () => {
    const call = new AbortController();
    answer = ({ signal }) => {
      call.abort(new Error('enough'));
      expect(signal.aborted).toBe(true);
      return Promise.resolve(undefined);
    };
    await expect(buy({ ...REQUEST, signal: call.signal })).rejects.toThrow('enough');
    expect(wallet.orders).toEqual([]);
  });

  it('is not asked of what may not be paid anyway', async () => {
    await expect(buy(REQUEST, { maxAmount: 3999n })).rejects.toMatchObject({ code: 'price_too_high' });
    expect(received).toEqual([]);
  });

  it('is not asked of what costs nothing', async () => {
    const free = payingFetch(() => Promise.resolve(new Response('free')), {
      pay: wallet.pay,
      maxAmount: 1n,
      beforePayment: () => Promise.resolve(NO),
    });
    expect(await (await free('http://127.0.0.1/')).text()).toBe('free');
  });

  it('is not asked of what was paid before, whatever would be said now', async () => {
    await buy();
    answer = () => Promise.resolve(NO);
    expect((await buy()).status).toBe(200);
    expect([received.length, chain.size]).toEqual([1, 1]);
  });

  it('is asked once for equal requests at the same time', async () => {
    const fetchPaid = open();
    const all = [1, 2, 3].map(() => fetchPaid(`${seller.url}/chunk`, REQUEST));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([received.length, chain.size]).toEqual([1, 1]);
  });

  it('so long that another process pays meanwhile leaves it at that one payment', async () => {
    answer = async () => {
      await buy(REQUEST, { beforePayment: () => Promise.resolve(undefined) });
      return undefined;
    };
    expect((await buy()).status).toBe(200);
    expect([received.length, chain.size]).toEqual([1, 1]);
  });
});
