// The paying fetch against servers that lead elsewhere: neither the request, nor the payment, nor its proof goes to a
// host that the caller did not name.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { payingFetch } from '../../src/client/paying-fetch.ts';
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
/** How often the server answers by itself before it sends its clients elsewhere. */
let honest: number;
let url: string;

beforeEach(async () => {
  chain = new Map();
  elsewhere = await openSeller(chain);
  const clock = createJumpingClock();
  wallet = createWallet(chain, clock);
  honest = 0;
  door = createServer((request, response) => {
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
  });
});
