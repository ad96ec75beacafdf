// The paying fetch against a server on a real socket that speaks the 402 protocol, with every kind of failure.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { PayingError, type PayingErrorCode } from '../../src/client/errors.ts';
import { createPaymentMemory, type PaymentMemory } from '../../src/client/memory.ts';
import { USDC } from '../../src/chains/solana/usdc.ts';
import { payingFetch, paymentOf, type PayingOptions } from '../../src/client/paying-fetch.ts';
import { keyOf, toRepeatable } from '../../src/client/request.ts';
import {
  createJumpingClock,
  createWallet,
  type SellerFailure,
  openSeller,
  PAY_TO,
  type PlainChain,
  type Seller,
  type TestWallet,
  THIEF,
  type WalletBehaviour,
} from './seller.ts';

let chain: PlainChain;
let seller: Seller;
let clock: ReturnType<typeof createJumpingClock>;
let wallet: TestWallet;
let memory: PaymentMemory;

beforeEach(async () => {
  chain = new Map();
  seller = await openSeller(chain);
  clock = createJumpingClock();
  wallet = createWallet(chain, clock);
  memory = createPaymentMemory();
});

afterEach(() => seller.close());

const JSON_REQUEST: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"tier":"structure","text":"High water."}',
};

function upload(fields: Record<string, string> = {}, text = 'High water.', name = 'tides.txt'): RequestInit {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([text]), name);
  return { method: 'POST', body: form };
}

function open(options: Partial<PayingOptions> = {}) {
  const all = { pay: wallet.pay, maxAmount: 10_000n, remember: memory, clock, random: zeros, ...options };
  return payingFetch(fetch, all);
}

const zeros = (count: number): Uint8Array => new Uint8Array(count);
const buy = (init: RequestInit = JSON_REQUEST, options: Partial<PayingOptions> = {}) =>
  open(options)(`${seller.url}/chunk`, init);

async function refused(promise: Promise<unknown>): Promise<PayingError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PayingError);
  return error as PayingError;
}

describe('a request that costs money', () => {
  it('is paid with the memo of the offer and sent again with the signature', async () => {
    const paid: string[] = [];
    const response = await buy(JSON_REQUEST, { onPaid: ({ signature }) => paid.push(signature) });
    const [order] = wallet.orders;
    expect(await response.json()).toEqual({ success: true, bought: order?.memo });
    expect(order).toMatchObject({ payTo: PAY_TO, amount: 4000n, network: 'solana-mainnet', decimals: 6 });
    expect(seller.requests).toEqual([null, paid[0]]);
    expect(paymentOf(response)).toEqual({ signature: paid[0], order });
  });

  it.each([
    ['its defaults', {}],
    ['its own fields', { chunk_size: '200', document_id: 'a' }],
    ['a tier of its own', { tier: 'professional', output_format: 'qdrant' }],
  ])('as an upload binds the payment to %s, as the server reads them', async (_, fields) => {
    const response = await buy(upload(fields));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ bought: wallet.orders[0]?.memo });
  });

  it('as an upload binds the file and its name: others have another memo', async () => {
    for (const init of [
      upload(),
      upload({}, 'Low water.'),
      upload({}, 'High water.', 'b.txt'),
      upload({ a: 'b' }),
    ])
      expect((await buy(init)).status).toBe(200);
    expect(new Set(wallet.orders.map(({ memo }) => memo)).size).toBe(4);
  });

  it('is the same purchase with another password, as a form and as JSON', async () => {
    const json = (members: object): RequestInit => ({
      method: 'POST',
      body: JSON.stringify({ url: 'a', ...members }),
    });
    for (const requestOf of [upload, json]) {
      const keyFor = (members: Record<string, string>): Promise<string> =>
        keyOf(toRepeatable(seller.url, requestOf(members)));
      const key = await keyFor({});
      expect(await keyFor({ password: 'wrong' })).toBe(key);
      expect(await keyFor({ password: 'right' })).toBe(key);
      expect(await keyFor({ pages: '1' })).not.toBe(key);
    }
  });

  it('may have its body as bytes, a Blob or parameters', async () => {
    for (const body of [new TextEncoder().encode('a'), new Blob(['b']), new URLSearchParams({ c: 'd' })])
      expect((await buy({ method: 'POST', body })).status).toBe(200);
    expect(chain.size).toBe(3);
  });

  it('gets a random memo from a server that binds nothing, so that no two payments are one transaction', async () => {
    seller.offer = (honest) => ({ ...honest, extra: undefined });
    let next = 0;
    const random = (count: number): Uint8Array => new Uint8Array(count).fill(++next);
    await buy({ method: 'POST', body: 'a' }, { random });
    await buy({ method: 'POST', body: 'b' }, { random });
    expect(new Set(wallet.orders.map(({ memo }) => memo)).size).toBe(2);
    expect(wallet.orders[0]?.memo).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('a request that costs nothing', () => {
  it('gets its answer as it is, whatever its status', async () => {
    let requests = 0;
    const fetchPaid = payingFetch(
      () => {
        requests++;
        return Promise.resolve(new Response('no', { status: 404 }));
      },
      { pay: wallet.pay, maxAmount: 1n },
    );
    const response = await fetchPaid('http://127.0.0.1/x');
    expect([response.status, await response.text(), paymentOf(response), requests]).toEqual([
      404,
      'no',
      undefined,
      1,
    ]);
  });

  it('rejects as fetch does', async () => {
    const fetchPaid = payingFetch(() => Promise.reject(new TypeError('fetch failed')), {
      pay: wallet.pay,
      maxAmount: 1n,
    });
    await expect(fetchPaid('http://127.0.0.1/x')).rejects.toThrow(TypeError);
  });
});

describe('an answer that is slow in coming', () => {
  const PASSING: SellerFailure[] = ['drop', 'break off', 'busy', 'fault', 'not found yet', 'rate limit'];

  it.each(PASSING)('after "%s" is asked for again with the same payment', async (failure) => {
    seller.failures = [failure, failure];
    const response = await buy();
    expect(response.status).toBe(200);
    expect(chain.size).toBe(1);
    const [signature] = chain.keys();
    expect(seller.requests).toEqual([null, signature, signature, signature]);
  });

  it('is waited for as long as the server says', async () => {
    seller.failures = ['busy', 'rate limit'];
    await buy();
    expect(clock.waits).toEqual([2000, 1000]);
  });

  it('is given up when patience ends, and the error has the signature', async () => {
    seller.failures = Array.from({ length: 1000 }, () => 'busy');
    const error = await refused(buy());
    expect(error).toMatchObject({
      code: 'answer_missing',
      signature: [...chain.keys()][0],
      reason: 'chain_unavailable',
    });
    seller.failures = [];
    expect((await buy()).status).toBe(200);
    expect(chain.size).toBe(1);
  });

  it('is given up after some faults of the server itself, long before patience ends', async () => {
    seller.failures = Array.from({ length: 1000 }, () => 'fault');
    expect(await refused(buy())).toMatchObject({ code: 'answer_missing', reason: 'internal' });
    expect(seller.requests.length).toBeLessThan(8);
  });
});

describe('a payment that the server refuses', () => {
  it.each<[SellerFailure, string]>([
    ['dearer', 'amount_too_low'],
    ['other recipient', 'payment_required'],
  ])('with "%s" is not followed by another one', async (failure, reason) => {
    seller.failures = [failure];
    const error = await refused(buy());
    expect(error).toMatchObject({
      code: 'payment_refused',
      reason,
      signature: [...chain.keys()][0],
      amount: 4000n,
    });
    expect(chain.size).toBe(1);
    expect([...chain.values()].map(({ payTo }) => payTo)).toEqual([PAY_TO]);
  });

  it('and that bought nothing blocks its request, because paying again is for people to decide', async () => {
    seller.failures = ['dearer', 'dearer'];
    await refused(buy());
    expect(await refused(buy())).toMatchObject({ code: 'payment_refused', reason: 'amount_too_low' });
    expect(chain.size).toBe(1);
  });
});

describe('an offer', () => {
  type Change = Record<string, unknown>;
  it.each<[string, PayingErrorCode, Change]>([
    ['above the ceiling', 'price_too_high', { maxAmountRequired: '10001' }],
    ['of a fraction', 'malformed_offer', { maxAmountRequired: '0.004' }],
    ['of nothing', 'malformed_offer', { maxAmountRequired: '0' }],
    ['of a number', 'malformed_offer', { maxAmountRequired: 4000 }],
    ['of a negative amount', 'malformed_offer', { maxAmountRequired: '-1' }],
    ['of hexadecimal digits', 'malformed_offer', { maxAmountRequired: '0x10' }],
    ['of more than there is', 'malformed_offer', { maxAmountRequired: '9'.repeat(30) }],
    ['on another network', 'network_not_allowed', { network: 'solana-devnet' }],
    ['on a network named like a member of objects', 'network_not_allowed', { network: 'constructor' }],
    ['without a network', 'malformed_offer', { network: undefined }],
    ['in another asset', 'asset_not_allowed', { asset: THIEF }],
    ['in no asset', 'malformed_offer', { asset: 'USDC' }],
    ['with another scheme', 'malformed_offer', { scheme: 'upto' }],
    ['with another version', 'malformed_offer', { x402Version: 2 }],
    ['to no address', 'malformed_offer', { payTo: 'me' }],
    ['to a list', 'malformed_offer', { payTo: [PAY_TO] }],
    ['with a memo of another form', 'malformed_offer', { extra: { memo: 'pay me' } }],
    ['with a memo that is no text', 'malformed_offer', { extra: { memo: 7 } }],
    ['with absurd decimals', 'malformed_offer', { extra: { decimals: 1.5 } }],
    [
      'bound by an unknown prefix',
      'malformed_offer',
      { extra: { binding: { prefix: 'x', algorithm: 'sha256', request: {} } } },
    ],
    [
      'with a template of numbers',
      'malformed_offer',
      { extra: { binding: { prefix: 'chunk:1:', algorithm: 'sha256', request: { a: 1 } } } },
    ],
    [
      'with a template for a body that is no form',
      'not_bindable',
      { extra: { binding: { prefix: 'chunk:1:', algorithm: 'sha256', request: {} } } },
    ],
  ])('%s is not paid', async (_, code, change) => {
    seller.offer = (honest) => ({ ...honest, ...change });
    const error = await refused(buy());
    expect(error.code).toBe(code);
    expect(error.signature).toBeUndefined();
    expect(wallet.orders).toEqual([]);
    expect(error.message).not.toMatch(/[\n\r]/);
  });

  it.each([[null], ['text'], [[]], [undefined]])('that is %j is not paid', async (offer) => {
    seller.offer = () => offer;
    expect((await refused(buy())).code).toBe('malformed_offer');
  });

  it('in a body that is no JSON is not paid', async () => {
    const broken = payingFetch(() => Promise.resolve(new Response('<html>', { status: 402 })), {
      pay: wallet.pay,
      maxAmount: 1n,
    });
    expect((await refused(broken('http://127.0.0.1/'))).code).toBe('malformed_offer');
  });

  it('to another address than the one expected is not paid', async () => {
    expect((await refused(buy(JSON_REQUEST, { payTo: THIEF }))).code).toBe('recipient_not_allowed');
    expect((await buy(JSON_REQUEST, { payTo: PAY_TO })).status).toBe(200);
  });

  it('at exactly the ceiling is paid', async () => {
    expect((await buy(JSON_REQUEST, { maxAmount: 4000n })).status).toBe(200);
    expect(await refused(buy(upload(), { maxAmount: 3999n }))).toMatchObject({
      code: 'price_too_high',
      amount: 4000n,
    });
  });

  it('on a network that the payer allows is paid', async () => {
    seller.offer = (honest) => ({ ...honest, network: 'solana-localnet' });
    const assets = { 'solana-localnet': USDC['solana-localnet'] };
    expect((await buy(JSON_REQUEST, { assets })).status).toBe(200);
  });
});

describe('a body that can be read only once', () => {
  it.each([
    ['a stream', (url: string) => open()(url, { method: 'POST', body: new Blob(['a']).stream() })],
    ['a Request with a body', (url: string) => open()(new Request(url, { method: 'POST', body: 'a' }))],
  ])('is refused before anything is sent: %s', async (_, send) => {
    expect((await refused(send(seller.url))).code).toBe('unrepeatable_body');
    expect(seller.requests).toEqual([]);
  });

  it('is given beside a Request instead', async () => {
    const request = new Request(`${seller.url}/chunk`, { method: 'POST' });
    expect((await open()(request, { body: 'a' })).status).toBe(200);
  });
});

describe('a payment that was made before', () => {
  it('is used by the next call with the same request, whose form has another boundary', async () => {
    await buy(upload());
    const response = await buy(upload());
    expect(response.status).toBe(200);
    expect(chain.size).toBe(1);
    expect(seller.requests).toEqual([null, ...Array<string>(2).fill([...chain.keys()][0]!)]);
  });

  it('is used after a crash between paying and the answer', async () => {
    const crash = new AbortController();
    seller.failures = ['busy'];
    const slow = {
      ...clock,
      wait: () => {
        crash.abort(new Error('killed'));
        return Promise.resolve();
      },
    };
    await expect(buy({ ...JSON_REQUEST, signal: crash.signal }, { clock: slow })).rejects.toThrow('killed');
    expect(chain.size).toBe(1);
    const made: unknown[] = [];
    expect((await buy(JSON_REQUEST, { onPaid: (payment) => made.push(payment) })).status).toBe(200);
    expect([chain.size, made.length]).toEqual([1, 0]);
  });

  it('and answered is forgotten when the answer is no longer kept, and the request paid anew', async () => {
    await buy();
    seller.keeps = false;
    expect((await buy()).status).toBe(200);
    expect(chain.size).toBe(2);
  });

  it('and never answered is not forgotten when the server has no answer any more', async () => {
    seller.keeps = false;
    seller.failures = ['break off', 'drop'];
    const error = await refused(buy());
    expect(error).toMatchObject({ code: 'payment_refused', reason: 'result_expired' });
    expect(await refused(buy())).toMatchObject({ signature: error.signature });
    expect(chain.size).toBe(1);
  });

  it('is shared by equal requests at the same time', async () => {
    const fetchPaid = open();
    const all = Array.from({ length: 8 }, () => fetchPaid(`${seller.url}/chunk`, upload()));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
    expect(chain.size).toBe(1);
  });

  it('is shared by equal requests of functions that share a memory', async () => {
    const all = Array.from({ length: 8 }, () => buy(upload()));
    const outcomes = await Promise.allSettled(all);
    expect(chain.size).toBe(1);
    // A call beside another's open wallet cannot know the outcome yet, and reports that.
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'payment_unknown' });
    expect((await buy(upload())).status).toBe(200);
    expect(chain.size).toBe(1);
  });
});

describe('a wallet', () => {
  it('that declines has paid nothing, and is asked again by the next call', async () => {
    wallet.behaviours = ['declines'];
    expect(await refused(buy())).toMatchObject({ code: 'payment_failed', signature: undefined });
    expect((await buy()).status).toBe(200);
    expect(chain.size).toBe(1);
  });

  it('that fails after it has paid is looked behind, and the payment is used', async () => {
    wallet.behaviours = ['fails after'];
    expect((await buy()).status).toBe(200);
    expect([chain.size, wallet.orders.length]).toEqual([1, 1]);
  });

  it('that fails and whose payment comes late is not asked again before it is found', async () => {
    wallet.behaviours = ['fails, lands later'];
    expect((await refused(buy())).code).toBe('payment_unknown');
    expect((await buy()).status).toBe(200);
    expect([chain.size, wallet.orders.length]).toEqual([1, 1]);
  });

  it('that fails without having paid is asked again once no transaction of it can come any more', async () => {
    wallet.behaviours = ['fails before'];
    expect((await refused(buy())).code).toBe('payment_unknown');
    expect((await refused(buy())).code).toBe('payment_unknown');
    clock.skip(301_000);
    expect((await buy()).status).toBe(200);
    expect([chain.size, wallet.orders.length]).toEqual([1, 2]);
  });

  it('that fails and cannot look is never asked again for the request', async () => {
    const blind = createWallet(chain, clock, false);
    blind.behaviours = ['fails after'];
    expect((await refused(buy(JSON_REQUEST, { pay: blind.pay }))).code).toBe('payment_unknown');
    clock.skip(1e9);
    expect((await refused(buy(JSON_REQUEST, { pay: blind.pay }))).code).toBe('payment_unknown');
    expect(blind.orders.length).toBe(1);
  });

  it('that gives back no signature is not believed', async () => {
    const pay = (): Promise<string> => Promise.resolve('ok\r\nX-Other: 1');
    expect((await refused(buy(JSON_REQUEST, { pay }))).code).toBe('payment_unknown');
    expect(seller.requests).toEqual([null]);
  });
});

describe('a memory that fails', () => {
  it('before the payment stops it', async () => {
    const remember = { ...memory, write: () => Promise.reject(new Error('disk full')) };
    const error = await refused(buy(JSON_REQUEST, { remember }));
    expect(error.code).toBe('memory_failed');
    expect(error.message).toMatch('disk full');
    expect(wallet.orders).toEqual([]);
  });

  it('after the payment does not lose the answer', async () => {
    let writes = 0;
    const write: PaymentMemory['write'] = (...entry) =>
      ++writes > 1 ? Promise.reject(new Error('disk full')) : memory.write(...entry);
    expect((await buy(JSON_REQUEST, { remember: { ...memory, write } })).status).toBe(200);
    expect((await buy()).status).toBe(200);
    expect(chain.size).toBe(1);
  });
});

describe('an abort', () => {
  it('before the request sends and pays nothing', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(buy({ ...JSON_REQUEST, signal })).rejects.toThrow('enough');
    expect([seller.requests.length, wallet.orders.length]).toEqual([0, 0]);
  });
});

describe('whatever goes wrong', () => {
  const failure = fc.constantFrom<SellerFailure>(
    'drop',
    'break off',
    'busy',
    'fault',
    'not found yet',
    'rate limit',
    'dearer',
    'other recipient',
    'unreadable',
    'exhausted',
  );
  const behaviour = fc.constantFrom<WalletBehaviour>(
    'pays',
    'declines',
    'fails before',
    'fails after',
    'fails, lands later',
  );
  const call = fc.record({
    request: fc.nat({ max: 2 }),
    failures: fc.array(failure, { maxLength: 6 }),
    behaviours: fc.array(behaviour, { maxLength: 2 }),
    pauseMs: fc.constantFrom(0, 10_000, 400_000),
  });

  it('no request has two payments without an answer, and each call ends in an answer or an error that says what was paid', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async (calls) => {
        runs++;
        chain.clear();
        wallet = createWallet(chain, clock);
        memory = createPaymentMemory();
        const memos = new Map<number, string>();
        const answered = new Set<string>();
        for (const { request, failures, behaviours, pauseMs } of calls) {
          seller.failures = [...failures];
          wallet.behaviours = [...behaviours];
          clock.skip(pauseMs);
          const before = wallet.orders.length;
          const outcome = await buy({ ...JSON_REQUEST, body: `${runs} ${request}` }).catch(
            (error: unknown) => error,
          );
          const orders = wallet.orders.slice(before);
          expect(orders.length).toBeLessThanOrEqual(1);
          for (const { memo } of orders) memos.set(request, memo);
          // An answered payment is spent; after a later rejection the client may pay again.
          const open = [...chain].flatMap(([signature, { memo }]) =>
            memo === memos.get(request) && !answered.has(signature) ? [signature] : [],
          );
          expect(open.length).toBeLessThanOrEqual(1);
          if (outcome instanceof Response) {
            const signature = paymentOf(outcome)?.signature ?? '';
            expect([...open, ...answered]).toContain(signature);
            expect(outcome.status).toBeOneOf([200, 422]);
            // A rejection of the request buys nothing.
            if (outcome.ok) answered.add(signature);
            continue;
          }
          expect(outcome).toBeInstanceOf(PayingError);
          const { code, signature } = outcome as PayingError;
          if (code === 'payment_refused') expect(open).toEqual([signature]);
          else if (code === 'answer_missing') expect([...open, ...answered]).toContain(signature);
          else if (code === 'payment_failed') expect(open).toEqual([]);
          else expect(code).toBe('payment_unknown');
        }
      }),
      cases(150),
    );
  }, 60_000);
});
