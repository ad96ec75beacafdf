// The paying fetch against hostile servers: request, payment and proof go only to the host that the caller named,
// nothing is paid twice, and no answer holds the caller for ever or fills its memory.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPaymentMemory } from '../../src/client/memory.ts';
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
let elsewhere: Seller;
let wallet: TestWallet;
let door: Server;
/** Answers of the server itself before it redirects its clients. */
let honest: number;
let visits: number;
let url: string;

beforeEach(async () => {
  chain = new Map();
  elsewhere = await openSeller(chain);
  const clock = createJumpingClock();
  wallet = createWallet(chain, clock);
  honest = 0;
  visits = 0;
  door = createServer((request, response) => {
    visits++;
    request.resume();
    const isHonest = honest-- > 0;
    if (!isHonest) {
      response.writeHead(307, { location: `${elsewhere.url}${request.url ?? ''}` }).end();
      return;
    }
    void fetch(`${elsewhere.url}/chunk`, BUY).then(async (offer) => {
      response.writeHead(offer.status, { 'content-type': 'application/json' }).end(await offer.text());
    });
  });
  door.listen(0, '127.0.0.1');
  await new Promise((resolve) => door.once('listening', resolve));
  url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/chunk`;
});

afterEach(async () => {
  door.closeAllConnections();
  door.close();
  await elsewhere.close();
});

const BUY = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"text":"High water."}',
};

function buy(): Promise<Response> {
  const clock = createJumpingClock();
  return payingFetch(fetch, { pay: wallet.pay, maxAmount: 10_000n, clock })(url, BUY);
}

describe('a server that sends its clients to another host', () => {
  it('is not followed before anything is paid, and nothing is paid', async () => {
    await expect(buy()).rejects.toMatchObject({ code: 'redirected' });
    expect(wallet.orders).toEqual([]);
    expect(elsewhere.requests).toEqual([]);
  });

  it('once it is paid is not followed either: the proof stays with whom it was meant for', async () => {
    honest = 1;
    await expect(buy()).rejects.toMatchObject({ code: 'answer_missing' });
    expect(wallet.orders).toHaveLength(1);
    expect(elsewhere.requests).toEqual([null]);
    // Once before the payment, and four times after it.
    expect(visits).toBe(5);
  });
});

describe('a server that does not come to an end', () => {
  /** Answers to a paid request; the offer before is honest. */
  type Answering = (init: RequestInit) => Response | Promise<Response>;
  let tries: number;
  beforeEach(() => {
    tries = 0;
  });

  function buyFrom(answering: Answering, options: Partial<PayingOptions> = {}, body = BUY.body) {
    const counted = (input: string, init: RequestInit): Promise<Response> => {
      if (!new Headers(init.headers).has('X-PAYMENT')) return fetch(input, init);
      tries++;
      return Promise.resolve(answering(init));
    };
    const all = { pay: wallet.pay, maxAmount: 10_000n, clock: createJumpingClock(), ...options };
    return payingFetch(counted, all)(`${elsewhere.url}/chunk`, { ...BUY, body });
  }

  /** Pieces one after another, as fast as they are read or `everyMs` apart, until the reader leaves. */
  const endless = (piece: Uint8Array<ArrayBuffer>, signal?: AbortSignal | null, everyMs = 0) =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
      async pull(controller) {
        if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
        if (signal?.aborted !== true) controller.enqueue(piece);
      },
    });

  it('with its offer is left, and nothing is paid', async () => {
    const piece = new TextEncoder().encode(' '.repeat(100_000));
    const offering = () => Promise.resolve(new Response(endless(piece), { status: 402 }));
    await expect(
      payingFetch(offering, { pay: wallet.pay, maxAmount: 1n })('http://127.0.0.1/'),
    ).rejects.toMatchObject({ code: 'malformed_offer' });
    expect(wallet.orders).toEqual([]);
  });

  it('with its offer, drop by drop, is left after the patience, and nothing is paid', async () => {
    const drops = endless(new TextEncoder().encode(' '), undefined, 5);
    const offering = () => Promise.resolve(new Response(drops, { status: 402 }));
    const options = { pay: wallet.pay, maxAmount: 1n, patienceMs: 100 };
    await expect(payingFetch(offering, options)('http://127.0.0.1/')).rejects.toMatchObject({
      code: 'malformed_offer',
    });
    expect(wallet.orders).toEqual([]);
  });

  it('and never answers once it is paid is left after the patience, and the error has the signature', async () => {
    const silent: Answering = ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const error: unknown = await buyFrom(silent, { patienceMs: 100 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'answer_missing',
      message: expect.stringContaining('it took too long to answer') as string,
      signature: [...chain.keys()][0],
    });
    expect([chain.size, tries]).toEqual([1, 1]);
  });

  it('and answers drop by drop once it is paid is left after the patience', async () => {
    const drop = new Uint8Array(1);
    const dripping: Answering = ({ signal }) => new Response(endless(drop, signal, 5));
    await expect(buyFrom(dripping, { patienceMs: 100 })).rejects.toMatchObject({ code: 'answer_missing' });
    expect([chain.size, tries]).toEqual([1, 1]);
  });

  it('but is only slow to take a large body is waited for as long as a slow line takes', async () => {
    const slow: Answering = async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      signal?.throwIfAborted();
      return new Response('chunks');
    };
    // At 16 KiB a second this body takes two seconds.
    const body = 'x'.repeat(32_768);
    expect(await (await buyFrom(slow, { patienceMs: 50 }, body)).text()).toBe('chunks');
    await expect(buyFrom(slow, { patienceMs: 50 })).rejects.toMatchObject({ code: 'answer_missing' });
  });

  it('and answers more than fits is left, and its answer is not kept', async () => {
    const piece = new Uint8Array(32 * 1024 * 1024);
    await expect(buyFrom(() => new Response(endless(piece)))).rejects.toMatchObject({
      code: 'answer_missing',
      message: expect.stringContaining('more than 536870912 bytes') as string,
    });
    expect(chain.size).toBe(1);
    expect(tries).toBeLessThanOrEqual(4);
  });

  it('and refuses at greater length than any refusal has is left, and its words are not kept', async () => {
    const refusing = (bytes: number): Promise<Response> =>
      buyFrom(() => new Response('x'.repeat(bytes), { status: 404 }));
    expect(await (await refusing(1024 * 1024)).text()).toHaveLength(1024 * 1024);
    await expect(refusing(1024 * 1024 + 1)).rejects.toMatchObject({
      code: 'answer_missing',
      message: expect.stringContaining('more than 1048576 bytes') as string,
    });
    expect(tries).toBe(1 + 4);
  });

  it('and would be asked again at once, over and over, is asked a second later', async () => {
    const clock = createJumpingClock();
    const busy = () => new Response('', { status: 503, headers: { 'retry-after': '0' } });
    await expect(buyFrom(busy, { clock, patienceMs: 10_000 })).rejects.toMatchObject({
      code: 'answer_missing',
    });
    expect(clock.waits).toEqual(Array<number>(10).fill(1000));
  });
});

describe('a server that refuses a request that is paid for', () => {
  it('is not paid for it again when it then calls the payment used up', async () => {
    const remember = createPaymentMemory();
    const options = { pay: wallet.pay, maxAmount: 10_000n, remember, clock: createJumpingClock() };
    const ask = () => payingFetch(fetch, options)(`${elsewhere.url}/chunk`, BUY);
    elsewhere.failures = ['unreadable', 'unreadable', 'exhausted', 'exhausted'];
    expect((await ask()).status).toBe(422);
    expect((await ask()).status).toBe(422);
    const refusal = { code: 'payment_refused', reason: 'payment_exhausted' };
    await expect(ask()).rejects.toMatchObject(refusal);
    await expect(ask()).rejects.toMatchObject(refusal);
    expect(wallet.orders).toHaveLength(1);
  });
});
