// Paid requests through a real socket, before a scripted chain: what is asked for, what is refused, and what one
// payment buys. Whenever nothing is bought, nothing is worked on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { memoOf, PaymentProblem, type Reason } from '@grainline/x402';
import { type Pay, payingFetch } from '@grainline/x402/client';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkerPool } from '../../src/sandbox/index.ts';
import { WorkError } from '../../src/sandbox/index.ts';
import { form, inlineWorkerPool, memoryDownloader, memoryStore, paragraphs } from '../http/fake-service.ts';
import { createHeldPool, openClient, until } from '../http/raw-client.ts';
import { sendRaw } from '../http/running-service.ts';
import { type FakeChain, type PaymentDetails, PAY_TO, PAYER, USDC } from './fake-chain.ts';
import { OPTIONS, type SellingService, send, sha256, startSelling, uploadFingerprint } from './selling.ts';

let service: SellingService;
afterEach(() => service.stop());

const STRUCTURE = '/chunk/structure';
const PRICE = 2000n;
const textOf = (fields: object = {}): string => JSON.stringify({ text: 'One.\n\nTwo.', ...fields });

describe('a paid request without a payment', () => {
  it('is told what to pay, and for a text the memo that binds the payment to it', async () => {
    service = await startSelling();
    const { status, headers, json } = await send(service, '/chunk', textOf());
    expect(status).toBe(402);
    expect(json).toMatchObject({ error: 'Payment Required', code: 'payment_required', retryable: false });
    expect(json).not.toHaveProperty('payment');
    const { extra, description, ...required } = json.paymentRequirements ?? {};
    expect(required).toEqual({
      x402Version: 1,
      scheme: 'exact',
      network: 'solana-mainnet',
      maxAmountRequired: '2000',
      asset: USDC,
      payTo: PAY_TO,
    });
    expect(description).toContain('structure');
    expect(extra?.memo).toMatch(/^chunk:1:[\w-]{43}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toBe('X-PAYMENT, PAYMENT-SIGNATURE');
    expect(headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED');
    expect(service.tasks).toEqual([]);
  });

  it('names the price of its tier in each deployment', async () => {
    service = await startSelling({ environment: { DEPLOYMENT: 'compact' } });
    const prices = await Promise.all(
      [undefined, 'standard', 'professional'].map(async (tier) => {
        const { json } = await send(service, '/chunk', textOf(tier === undefined ? {} : { tier }));
        return [json.paymentRequirements?.maxAmountRequired, json.paymentRequirements?.description];
      }),
    );
    expect(prices.map(([amount]) => amount)).toEqual(['1000', '1000', '8000']);
    expect(prices.map(([, text]) => /tier (\w+)/.exec(text ?? '')?.[1])).toEqual([
      'standard',
      'standard',
      'professional',
    ]);
  });

  it('is refused as an upload before a byte of its body is sent', async () => {
    service = await startSelling();
    const head = `POST ${STRUCTURE} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n`;
    const { status, json } = await sendRaw(service.url, [
      `${head}Expect: 100-continue\r\nConnection: close\r\n\r\n`,
    ]);
    expect([status, json['code']]).toEqual([402, 'payment_required']);
  });

  it('is refused as a form of POST /chunk when its options are known, and its file is still to come', async () => {
    service = await startSelling();
    const parts = (fields: string): string[] => [
      'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n',
      fields,
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbegin',
    ];
    const size = '--x\r\nContent-Disposition: form-data; name="chunk_size"\r\n\r\n500\r\n';
    const priced = await sendRaw(service.url, parts(size));
    const { binding } =
      (priced.json as Awaited<ReturnType<typeof send>>['json']).paymentRequirements?.extra ?? {};
    expect([priced.status, binding?.request]).toMatchObject([
      402,
      { tier: 'structure', options: { ...OPTIONS, chunk_size: '500' } },
    ]);
    const wrong = await sendRaw(service.url, parts(size.replace('500', '5')));
    expect([wrong.status, wrong.json['code']]).toEqual([400, 'invalid_fields']);
  });

  it('is told for an upload what to hash, and a memo made of it is the right one', async () => {
    service = await startSelling();
    const { json } = await send(service, STRUCTURE, form('Text.'));
    const { binding } = json.paymentRequirements?.extra ?? {};
    expect(binding?.request).toMatchObject({ deployment: 'primary', tier: 'structure', options: OPTIONS });
    expect(binding?.optional).toHaveProperty('source.charset');
    const proof = service.chain.pay(PRICE, { boundTo: await uploadFingerprint('Text.') });
    expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
  });

  it.each([
    ['an unknown field', textOf({ colour: 'red' }), 'invalid_fields'],
    ['an empty text', textOf({ text: ' ' }), 'empty_document'],
    ['a text that is no Unicode', '{"text":"\\ud800"}', 'ill_formed_text'],
    ['a text that is too long', textOf({ text: 'a'.repeat(4_000_001) }), 'too_many_characters'],
    ['a forbidden link', JSON.stringify({ url: 'http://127.0.0.1/' }), 'url_forbidden'],
    ['a link that is none', JSON.stringify({ url: 'nonsense' }), 'url_invalid'],
  ])('is refused before it has a price when it has %s', async (_, body, code) => {
    service = await startSelling();
    const { json } = await send(service, '/chunk', body);
    expect(json.code).toBe(code);
    expect(json).not.toHaveProperty('paymentRequirements');
  });
});

describe('a payment', () => {
  it('buys an answer, which says what was paid', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    const { status, headers, json } = await send(service, STRUCTURE, form('One.\n\nTwo.'), proof);
    expect(status).toBe(200);
    expect(json['tier']).toBe('structure');
    expect(json.payment).toEqual({
      amount: 2000,
      asset: 'USDC',
      network: 'solana-mainnet',
      transaction: proof,
      payer: PAYER,
    });
    const receipt = headers.get('payment-response') ?? '';
    expect(JSON.parse(Buffer.from(receipt, 'base64').toString())).toMatchObject({
      success: true,
      transaction: proof,
      payer: PAYER,
    });
    expect(headers.get('vary')).toBe('X-PAYMENT, PAYMENT-SIGNATURE');
    expect(service.chain.lookups).toEqual([proof]);
    expect(service.tasks).toHaveLength(1);
  });

  it('buys chunks of a text and of a link, bound by the memo that the offer named', async () => {
    const url = 'https://a.example/x.txt';
    service = await startSelling({ downloader: memoryDownloader({ [url]: 'Linked text.' }) });
    for (const body of [textOf(), JSON.stringify({ url })]) {
      const { json } = await send(service, '/chunk', body);
      const proof = service.chain.pay(PRICE, { memos: [String(json.paymentRequirements?.extra.memo)] });
      expect((await send(service, '/chunk', body, proof)).status).toBe(200);
    }
  });

  it('buys a large result, which waits behind its link', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    const { json } = await send(service, STRUCTURE, form(paragraphs(250)), proof);
    const result = (await (await fetch(String(json['download_url']))).json()) as Record<string, unknown>;
    expect(result).toMatchObject({ total_chunks: json['total_chunks'], payment: json.payment });
    expect((await send(service, STRUCTURE, form(paragraphs(250)), proof)).text).toBe(JSON.stringify(json));
    expect(service.tasks).toHaveLength(1);
  });

  it('buys one answer: the same upload gets it again, however its form is written', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    const first = await send(service, STRUCTURE, form('Text.'), proof);
    // Every form that is encoded has another boundary.
    const second = await send(service, STRUCTURE, form('Text.'), proof);
    const third = await send(service, '/chunk', form('Text.', 'note.txt', { chunk_size: '1000' }), proof);
    expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
    expect([second.text, third.text]).toEqual([first.text, first.text]);
    expect(second.headers.get('payment-response')).toBe(first.headers.get('payment-response'));
    expect(service.tasks).toHaveLength(1);
    expect(service.chain.lookups).toHaveLength(1);
  });

  it.each([
    ['another document', STRUCTURE, () => form('Other.')],
    ['another name', STRUCTURE, () => form('Text.', 'other.txt')],
    ['another charset', STRUCTURE, () => form('Text.', 'note.txt', {}, 'text/plain; charset=koi8-r')],
    ['another option', STRUCTURE, () => form('Text.', 'note.txt', { chunk_size: '999' })],
    ['the same bytes as a text', '/chunk', () => JSON.stringify({ text: 'Text.', filename: 'note.txt' })],
  ])('that was used does not buy %s', async (_, path, body) => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    await send(service, STRUCTURE, form('Text.'), proof);
    const { status, json } = await send(service, path, body(), proof);
    expect([status, json.code, json.payment?.['reusable']]).toEqual([402, 'payment_already_used', false]);
    expect(json.paymentRequirements?.maxAmountRequired).toBe('2000');
    expect(service.tasks).toHaveLength(1);
  });

  it('gives its answer for an hour, then 410, and never an offer to pay again', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    await send(service, STRUCTURE, form('Text.'), proof);
    service.clock.now += 60 * 60_000 - 1;
    expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
    service.clock.now += 1;
    const { status, json } = await send(service, STRUCTURE, form('Text.'), proof);
    expect([status, json.code]).toEqual([410, 'result_expired']);
    expect(json).not.toHaveProperty('paymentRequirements');
    expect(service.tasks).toHaveLength(1);
  });

  it('of more than the price buys once, too', async () => {
    service = await startSelling();
    const proof = service.chain.pay(10n * PRICE);
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((text) => send(service, STRUCTURE, form(text), proof)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(service.tasks).toHaveLength(1);
  });

  it('is not looked at on the free tier, nor where payments are off', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    const free = await send(service, '/chunk/free', form('Text.'), proof);
    const nonsense = await send(service, '/chunk', textOf({ tier: 'free' }), 'nonsense');
    const refused = await send(service, '/chunk/free', form(''), proof);
    expect([free.status, nonsense.status, refused.status]).toEqual([200, 200, 400]);
    expect(refused.json).not.toHaveProperty('payment');
    expect(service.chain.lookups).toEqual([]);
    await service.stop();
    service = await startSelling({ environment: { PAYMENTS: 'off' } });
    expect((await send(service, STRUCTURE, form('Text.'), 'nonsense')).json.payment).toEqual({
      amount: 0,
      asset: 'USDC',
      network: 'solana-mainnet',
    });
  });
});

/** A header in place of a payment, and the reason of its refusal. */
type Refusal = readonly [
  what: string,
  reason: Reason,
  details: { readonly reusable?: boolean; readonly isLookedUp?: boolean },
  prove: (chain: FakeChain) => string,
];
const bad =
  (amount: bigint, details?: PaymentDetails) =>
  (chain: FakeChain): string =>
    chain.pay(amount, details);

const REFUSALS: readonly Refusal[] = [
  ['nonsense', 'payment_malformed', { isLookedUp: false }, () => 'nonsense'],
  ['a key of another length', 'payment_malformed', { isLookedUp: false }, () => '5'.repeat(60)],
  [
    'JSON in base64 that is no payload',
    'payment_malformed',
    { isLookedUp: false },
    () => btoa('{"x402Version":1}'),
  ],
  ['six kilobytes', 'payment_malformed', { isLookedUp: false }, () => 'x'.repeat(6000)],
  ['an unknown transaction', 'payment_not_found', { reusable: true }, (chain) => chain.invent()],
  [
    'a transaction that failed',
    'transaction_failed',
    {},
    (chain) => {
      const key = chain.invent();
      chain.say(key, { kind: 'failed' });
      return key;
    },
  ],
  ['one unit too little', 'amount_too_low', { reusable: true }, bad(PRICE - 1n)],
  ['a transaction that pays us nothing', 'amount_too_low', {}, bad(0n)],
  ['a transaction that takes from us', 'amount_too_low', {}, bad(-PRICE)],
  ['a payment of last week', 'payment_too_old', {}, bad(PRICE, { timeMs: Date.now() - 7 * 86_400_000 })],
  [
    'a payment bound to another request',
    'bound_to_another_request',
    { reusable: true },
    bad(PRICE, { boundTo: 'A'.repeat(43) }),
  ],
];

describe('a request is refused, and nothing is worked on, for', () => {
  it.each(REFUSALS)('%s: %s', async (_, reason, { reusable = false, isLookedUp = true }, prove) => {
    service = await startSelling();
    const { status, headers, json } = await send(service, STRUCTURE, form('Text.'), prove(service.chain));
    expect([status, json.code, json.payment?.['reusable']]).toEqual([402, reason, reusable]);
    expect(json.paymentRequirements?.maxAmountRequired).toBe('2000');
    expect(headers.has('retry-after')).toBe(reason === 'payment_not_found');
    expect(service.chain.lookups).toHaveLength(isLookedUp ? 1 : 0);
    expect(service.tasks).toEqual([]);
  });

  it.each(['chain_unavailable', 'facilitator_unavailable', 'settlement_unknown', 'payments_busy'] as const)(
    'what is not known: %s is 503, and the payment is as good as before',
    async (reason) => {
      service = await startSelling();
      const proof = service.chain.pay(PRICE);
      service.chain.breakDown(new PaymentProblem(reason));
      const { status, headers, json } = await send(service, STRUCTURE, form('Text.'), proof);
      expect([status, json.code, json.payment?.['reusable']]).toEqual([503, reason, true]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(json).not.toHaveProperty('paymentRequirements');
      expect(service.tasks).toEqual([]);
      service.chain.breakDown(null);
      expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
    },
  );

  it.each(retryTimes())('%s names in Retry-After the %i s of docs/payments.md', async (reason, seconds) => {
    service = await startSelling();
    const proof = service.chain.invent();
    if (reason !== 'payment_not_found') service.chain.breakDown(new PaymentProblem(reason));
    const { headers, json } = await send(service, STRUCTURE, form('Text.'), proof);
    expect([json.code, json['retryable']]).toEqual([reason, true]);
    expect(headers.get('retry-after')).toBe(String(seconds));
  });

  it('an unconfirmed signature, and the first sentence says that it may be sent again', async () => {
    service = await startSelling();
    const { json } = await send(service, STRUCTURE, form('Text.'), service.chain.invent());
    expect(json['message']).toMatch(/^The same signature may be sent again, and nothing else must be paid: /);
  });

  it('a signature that cannot exist, and a repetition is useless', async () => {
    service = await startSelling();
    const proof = service.chain.invent();
    service.chain.say(proof, { kind: 'unknown', forGood: true });
    const { status, headers, json } = await send(service, STRUCTURE, form('Text.'), proof);
    expect([status, json.code, json['retryable']]).toEqual([402, 'payment_not_found', false]);
    expect(headers.has('retry-after')).toBe(false);
    expect(json.payment).toMatchObject({ reusable: false });
    expect(json['message']).toBe(
      'No transaction can have this signature. Send the signature of your transaction as the wallet shows it; do not pay again.',
    );
  });

  it('a payment without a memo where one is required', async () => {
    service = await startSelling({ environment: { PAYMENT_BINDING: 'require' } });
    const unbound = await send(service, STRUCTURE, form('Text.'), service.chain.pay(PRICE));
    expect([unbound.status, unbound.json.code]).toEqual([402, 'binding_required']);
    const proof = service.chain.pay(PRICE, { boundTo: await uploadFingerprint('Text.') });
    expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
  });

  it('a payment from before the moment that the settings name', async () => {
    service = await startSelling({
      environment: { PAYMENTS_NOT_BEFORE: new Date(Date.now() + 1000).toISOString() },
    });
    const { json } = await send(service, STRUCTURE, form('Text.'), service.chain.pay(PRICE));
    expect(json.code).toBe('payment_too_old');
  });

  it('a payment older than PAYMENT_MAX_AGE_S, and says how old one may be', async () => {
    service = await startSelling({ environment: { PAYMENT_MAX_AGE_S: '7200' } });
    const proof = service.chain.pay(PRICE, { timeMs: Date.now() - 7_201_000 });
    const { json } = await send(service, STRUCTURE, form('Text.'), proof);
    expect([json.code, json['error'], json['message']].join()).toMatch(/payment_too_old.*Here that is 2 h\./);
  });

  it('a signature that was read on the chain, by whoever did not pay: the memo names another document', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE, { boundTo: await uploadFingerprint('Mine.') });
    const thief = await send(service, STRUCTURE, form('Loot.'), proof);
    expect([thief.status, thief.json.code]).toEqual([402, 'bound_to_another_request']);
    expect((await send(service, STRUCTURE, form('Mine.'), proof)).status).toBe(200);
  });
});

describe('a flood of made-up signatures', () => {
  it('leaves nothing in the ledger', async () => {
    const store = memoryStore();
    service = await startSelling({ store, environment: { TRUSTED_PROXIES: '127.0.0.1' } });
    const proofs = Array.from({ length: 1000 }, () => service.chain.invent());
    const flood = proofs.map((proof, index) =>
      send(service, STRUCTURE, form('Text.'), proof, {
        'X-Forwarded-For': `10.0.${index >> 8}.${index & 255}`,
      }),
    );
    const codes = Map.groupBy(await Promise.all(flood), ({ json }) => json.code);
    // The answer to more than 256 at the same time; they are not looked up.
    const busy = codes.get('payments_busy')?.length ?? 0;
    expect((codes.get('payment_not_found')?.length ?? 0) + busy).toBe(1000);
    expect(service.chain.lookups).toHaveLength(1000 - busy);
    const records = await Promise.all(proofs.map((proof) => store.get(proof)));
    expect(records.filter((record) => record !== null)).toEqual([]);
  });
});

describe('a payment is given back', () => {
  it('when its document cannot be chunked, five times; then it is kept for a refund', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    const reusable = [];
    for (let bad = 0; bad < 5; bad++) {
      const { status, json } = await send(service, STRUCTURE, form(''), proof);
      expect([status, json.code, json.payment?.['transaction']]).toEqual([400, 'empty_document', proof]);
      reusable.push(json.payment?.['reusable']);
    }
    expect(reusable).toEqual([true, true, true, true, false]);
    const { status, json } = await send(service, STRUCTURE, form('Good.'), proof);
    expect([status, json.code, json.payment?.['reusable']]).toEqual([409, 'payment_exhausted', false]);
    // The chain is asked once; what it said is remembered.
    expect(service.chain.lookups).toHaveLength(1);
    expect(service.tasks).toEqual([]);
  });

  it('when the service fails, as often as it does', async () => {
    let failing = true;
    const run: WorkerPool['run'] = (...task) =>
      failing ? Promise.reject(new Error('a defect')) : inlineWorkerPool.run(...task);
    service = await startSelling({ workerPool: { ...inlineWorkerPool, run } });
    const proof = service.chain.pay(PRICE);
    for (let failed = 0; failed < 7; failed++) {
      const { status, headers, json } = await send(service, STRUCTURE, form('Text.'), proof);
      expect([status, json.code, json.payment]).toEqual([
        500,
        'internal_error',
        { reusable: true, transaction: proof },
      ]);
      expect(headers.get('payment-response')).not.toBeNull();
    }
    failing = false;
    expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
  });

  it('when there is no room for what it bought', async () => {
    const store = memoryStore(Date.now);
    let full = true;
    service = await startSelling({
      store: {
        ...store,
        commit: (...sale) =>
          full ? Promise.reject(new WorkError('storage_full', 'full')) : store.commit(...sale),
      },
    });
    const proof = service.chain.pay(PRICE);
    const refused = await send(service, STRUCTURE, form('Text.'), proof);
    expect([refused.status, refused.json.payment?.['reusable']]).toEqual([503, true]);
    full = false;
    expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
  });

  it('is not requested while its answer may find no room, and a paid answer is served again', async () => {
    const MIB = 2 ** 20;
    const store = memoryStore(Date.now);
    let left = MIB;
    service = await startSelling({
      environment: { MAX_PAID_BYTES: '1MiB' },
      store: { ...store, paidRoom: () => Promise.resolve(left) },
    });
    const sold = service.chain.pay(PRICE);
    expect((await send(service, STRUCTURE, form('Text.'), sold)).status).toBe(200);
    expect((await send(service, STRUCTURE, form('Text.'))).status).toBe(402);
    left = MIB / 8 - 1;
    service.clock.now += 1000;
    for (const [path, body] of [
      [STRUCTURE, form('Text.')],
      ['/chunk', JSON.stringify({ text: 'Text.', tier: 'structure' })],
      ['/payment/transaction', JSON.stringify({ payer: PAY_TO, tier: 'structure' })],
    ] as const) {
      const { status, json, headers } = await send(service, path, body);
      expect([status, json.code, headers.get('retry-after')]).toEqual([503, 'storage_full', '60']);
      expect(json.paymentRequirements).toBeUndefined();
    }
    // A client that has paid, for this or for a stored answer, got its offer while the store had room.
    expect((await send(service, STRUCTURE, form('Text.'), sold)).status).toBe(200);
    const late = service.chain.pay(PRICE);
    expect((await send(service, STRUCTURE, form('Another.'), late)).status).toBe(200);
    left = MIB / 8;
    service.clock.now += 1000;
    expect((await send(service, STRUCTURE, form('Text.'))).status).toBe(402);
  });

  it('when its upload breaks off, as often as it does: a lost connection is no bad document', async () => {
    service = await startSelling();
    const proof = service.chain.pay(PRICE);
    for (let lost = 0; lost < 7; lost++) {
      const held = service.chain.lookups.length;
      await breakOff(service.url, proof, lost % 2 === 0);
      // The first one had the chain asked, and all of them gave the payment back.
      expect(held).toBe(lost === 0 ? 0 : 1);
    }
    expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
  });

  it('to a dearer tier only when it covers its price', async () => {
    service = await startSelling({ environment: { DEPLOYMENT: 'compact' } });
    const proof = service.chain.pay(1000n);
    const dear = await send(service, '/chunk/professional', form('Text.'), proof);
    expect([dear.status, dear.json.code, dear.json.payment?.['reusable']]).toEqual([
      402,
      'amount_too_low',
      true,
    ]);
    expect(dear.json.paymentRequirements?.maxAmountRequired).toBe('8000');
    expect((await send(service, '/chunk/standard', form('Text.'), proof)).status).toBe(200);
  });

  it('after a crash, when its lease is over, to whoever shows it', async () => {
    const store = memoryStore(() => service.clock.now);
    service = await startSelling({ store, environment: { PAYMENT_LEASE_MS: '1500' } });
    const proof = service.chain.pay(PRICE);
    // The state that a process killed at work leaves behind.
    const taken = await store.reserve(proof, 1500);
    if (taken.kind !== 'reserved') throw new Error('nobody else has it');
    await store.recordVerified(taken.lease, { payer: PAYER, credited: PRICE, slot: 7n });
    await store.bind(taken.lease, { fingerprint: 'f', price: PRICE, product: 'structure' });
    const waiting = await send(service, STRUCTURE, form('Text.'), proof);
    expect([waiting.status, waiting.json.code]).toEqual([503, 'payment_in_progress']);
    service.clock.now += 1500;
    expect((await send(service, STRUCTURE, form('Text.'), proof)).status).toBe(200);
    expect(service.tasks).toHaveLength(1);
  });
});

describe('paid work', () => {
  it('is done once for many requests at once, and all that are the same get its answer', async () => {
    service = await startSelling({ environment: { PAYMENT_WAIT_MS: '10000' } });
    const proof = service.chain.pay(PRICE);
    const bodies = Array.from({ length: 20 }, (_, index) => form(index % 4 === 0 ? 'Other.' : 'Text.'));
    const answers = await Promise.all(bodies.map((body) => send(service, STRUCTURE, body, proof)));
    expect(service.tasks).toHaveLength(1);
    const won = answers.filter(({ status }) => status === 200);
    expect(new Set(won.map(({ text }) => text)).size).toBe(1);
    expect([5, 15]).toContain(won.length);
    for (const { status, json } of answers) {
      if (status !== 200) expect([status, json.code]).toEqual([402, 'payment_already_used']);
    }
  });

  it('is finished and kept although its client goes away', async () => {
    const workerPool = createHeldPool();
    service = await startSelling({ workerPool });
    const proof = service.chain.pay(PRICE);
    const leaving = new AbortController();
    const body = form('Text.');
    const first = fetch(`${service.url}${STRUCTURE}`, {
      method: 'POST',
      headers: { 'X-PAYMENT': proof },
      body,
      signal: leaving.signal,
    });
    first.catch(() => undefined);
    await until(() => service.tasks.length === 1);
    leaving.abort();
    await expect(first).rejects.toThrow();
    workerPool.release();
    let again = await send(service, STRUCTURE, form('Text.'), proof);
    while (again.status === 503) again = await send(service, STRUCTURE, form('Text.'), proof);
    expect(again.status).toBe(200);
    expect(service.tasks).toHaveLength(1);
  });

  it('is waited for when the service stops, also without its client', async () => {
    const workerPool = createHeldPool();
    const store = memoryStore(Date.now);
    let closed = false;
    service = await startSelling({
      workerPool,
      store: { ...store, close: () => Promise.resolve(void (closed = true)) },
    });
    const proof = service.chain.pay(PRICE);
    const leaving = new AbortController();
    const init = {
      method: 'POST',
      headers: { 'X-PAYMENT': proof },
      body: form('Text.'),
      signal: leaving.signal,
    };
    const first = fetch(`${service.url}${STRUCTURE}`, init).catch(() => undefined);
    await until(() => service.tasks.length === 1);
    leaving.abort();
    await first;
    const stopped = service.stop();
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    expect(closed).toBe(false);
    workerPool.release();
    await stopped;
    expect((await store.get(proof))?.state).toBe('consumed');
  });

  it('that has not ended within SHUTDOWN_MS gives its payment back', async () => {
    const store = memoryStore(Date.now);
    const kept = { ...store, close: () => Promise.resolve() };
    service = await startSelling({
      workerPool: createHeldPool(),
      store: kept,
      environment: { SHUTDOWN_MS: '50' },
    });
    const proof = service.chain.pay(PRICE);
    const answer = send(service, STRUCTURE, form('Text.'), proof);
    await until(() => service.tasks.length === 1);
    await service.stop();
    const { status, json } = await answer;
    expect([status, json.code, json.payment?.['reusable']]).toEqual([503, 'shutting_down', true]);
    expect(await store.get(proof)).toMatchObject({ state: 'released', tries: 0 });
  });

  it('that begins while the service stops has as long, and gives its payment back', async () => {
    const store = memoryStore(Date.now);
    let closed = false;
    service = await startSelling({
      workerPool: createHeldPool(),
      store: { ...store, close: () => Promise.resolve(void (closed = true)) },
      environment: { SHUTDOWN_MS: '400' },
      leavingMs: 0,
    });
    const proof = service.chain.pay(PRICE);
    const client = openClient(service.url);
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="note.txt"\r\n\r\n';
    client.write(
      `POST ${STRUCTURE} HTTP/1.1\r\nHost: a\r\nX-PAYMENT: ${proof}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 87\r\n\r\n${part}`,
    );
    await until(() => service.chain.lookups.length === 1);
    const stopped = service.stop();
    const isListening = (): Promise<boolean> =>
      fetch(`${service.url}/health`).then(
        () => true,
        () => false,
      );
    while (await isListening());
    client.write('Text.\r\n--b--\r\n');
    await until(() => service.tasks.length === 1);
    expect(closed).toBe(false);
    await stopped;
    await client.closed;
    expect(client.received()).toMatch(/HTTP\/1\.1 503 [^]*"shutting_down"[^]*"reusable":true/);
    expect(await store.get(proof)).toMatchObject({ state: 'released', tries: 0 });
  });

  it('is not begun without a place, and its payment is kept', async () => {
    const workerPool = createHeldPool();
    service = await startSelling({ workerPool, environment: { MAX_IN_WORK: '1' } });
    const holding = send(service, STRUCTURE, form('First.'), service.chain.pay(PRICE));
    await until(() => service.tasks.length === 1);
    const proof = service.chain.pay(PRICE);
    const leaving = new AbortController();
    const init = {
      method: 'POST',
      headers: { 'X-PAYMENT': proof },
      body: form('Text.'),
      signal: leaving.signal,
    };
    const waiting = fetch(`${service.url}${STRUCTURE}`, init).catch(() => undefined);
    await until(() => service.chain.lookups.length === 2);
    leaving.abort();
    await waiting;
    workerPool.release();
    expect((await holding).status).toBe(200);
    expect(service.tasks).toHaveLength(1);
    const again = send(service, STRUCTURE, form('Text.'), proof);
    await until(() => service.tasks.length === 2);
    workerPool.release();
    expect((await again).status).toBe(200);
  });
});

describe('GET /', () => {
  it('says where to pay, and how to bind a payment', async () => {
    service = await startSelling({ environment: { DEPLOYMENT_ID: 'north', PAYMENT_BINDING: 'require' } });
    const json = (await (await fetch(service.url)).json()) as Record<string, unknown>;
    expect(json).toMatchObject({
      payments: 'on',
      pay_to: PAY_TO,
      asset: 'USDC',
      asset_address: USDC,
      network: 'solana-mainnet',
      binding: { required: true, memo_prefix: 'chunk:1:', deployment: 'north' },
    });
    const tiers = json['tiers'] as { id: string; available: boolean; amount: number; reason?: string }[];
    expect(tiers.find(({ id }) => id === 'structure')).toMatchObject({ available: true, amount: 2000 });
  });
});

describe('payments that cannot be taken', () => {
  it('make paid tiers unavailable before anything is asked for, and the free tier stays', async () => {
    service = await startSelling({
      paymentNetwork: () => ({ rule: { payTo: PAY_TO, asset: USDC }, connect: failing }),
    });
    const refused = await send(service, STRUCTURE, form('Text.'));
    expect([refused.status, refused.json.code]).toEqual([503, 'tier_unavailable']);
    expect(refused.json).not.toHaveProperty('paymentRequirements');
    const text = await send(service, '/chunk', textOf(), 'nonsense');
    expect([text.status, text.json.code, text.json.payment]).toEqual([
      503,
      'tier_unavailable',
      { reusable: true },
    ]);
    expect((await send(service, '/chunk/free', form('Text.'))).status).toBe(200);
    const json = (await (await fetch(service.url)).json()) as { tiers: { id: string; reason?: string }[] };
    expect(json.tiers.find(({ id }) => id === 'structure')).toMatchObject({
      available: false,
      reason: expect.stringContaining('network') as string,
    });
  });
});

const failing = (): Promise<never> => Promise.reject(new PaymentProblem('chain_unavailable'));

/** Sends half of an upload and resets the connection, or closes its side. Resolves once it is closed. */
async function breakOff(url: string, proof: string, isReset: boolean): Promise<void> {
  const { socket, write, closed } = openClient(url);
  write(
    `POST ${STRUCTURE} HTTP/1.1\r\nHost: a\r\nX-PAYMENT: ${proof}\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
      'Content-Length: 100000\r\n\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbegin',
  );
  await until(() => service.chain.lookups.length > 0);
  // The payment is verified; a few turns later the body is being read.
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  if (isReset) socket.resetAndDestroy();
  else socket.end();
  await closed;
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

describe('the paying fetch', () => {
  const chosen = ([fields, name]: readonly [Readonly<Record<string, string>>, string]) =>
    form('Text.', name, fields);

  it.each([
    [{}, 'note.txt'],
    [{ chunk_size: '500', chunk_overlap: '50', output_format: 'qdrant' }, 'C:\\docs\\a b.txt'],
    [{ unit: 'tokens' }, 'note.txt'],
    [{ unit: 'tokens', encoding: 'cl100k', chunk_size: '100' }, 'note.txt'],
    [
      { chunk_target: '300', chunk_min: '10', document_id: 'ä', text_field: 'body', output_format: 'qdrant' },
      'ü.txt',
    ],
    [{}, `${'long '.repeat(50)}😀.txt`],
    [{}, `${'😀'.repeat(120)}.html`],
  ] as const)('binds its payment to an upload with %j, %s', async (...upload) => {
    service = await startSelling({ environment: { PAYMENT_BINDING: 'require' } });
    for (const path of [STRUCTURE, '/chunk']) {
      const memos: string[] = [];
      const pay: Pay = ({ amount, memo }) => {
        memos.push(memo);
        return Promise.resolve(service.chain.pay(amount, { memos: [memo] }));
      };
      const fetchPaid = payingFetch(fetch, { pay, maxAmount: 2000n });
      const answer = await fetchPaid(`${service.url}${path}`, { method: 'POST', body: chosen(upload) });
      const { code, message } = (await answer.json()) as { code?: string; message?: string };
      expect([answer.status, code, message, memos.length]).toEqual([200, undefined, undefined, 1]);
    }
  });

  it('binds its payment to a text', async () => {
    service = await startSelling({ environment: { PAYMENT_BINDING: 'require' } });
    const pay: Pay = ({ amount, memo }) => Promise.resolve(service.chain.pay(amount, { memos: [memo] }));
    const fetchPaid = payingFetch(fetch, { pay, maxAmount: 2000n });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetchPaid(`${service.url}/chunk`, { method: 'POST', headers, body: textOf() });
    expect(answer.status).toBe(200);
  });
});

describe('the memo of an offer', () => {
  it('is made of the request as docs say', async () => {
    service = await startSelling();
    const { json } = await send(service, '/chunk', textOf({ filename: 'a.md', chunk_size: 300 }));
    const { fingerprint } = await import('@grainline/x402');
    const print = await fingerprint({
      deployment: 'primary',
      tier: 'structure',
      options: { ...OPTIONS, chunk_size: '300' },
      source: { text_sha256: sha256('One.\n\nTwo.'), filename: 'a.md' },
    });
    expect(json.paymentRequirements?.extra.memo).toBe(memoOf(print));
  });
});

/** The reasons of docs/payments.md with a time after which the same proof may succeed, in seconds. */
function retryTimes(): (readonly [Reason, number])[] {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/payments.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| \d+ \| yes, after (\d+) s \|/gm)];
  return rows.map(([, reason, seconds]) => [reason as Reason, Number(seconds)]);
}
