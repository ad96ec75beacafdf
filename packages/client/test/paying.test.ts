// Payments by the port: a document is paid for once, for any failures of the network and the service.
import { createHash } from 'node:crypto';
import { cases } from '@grainline/testing/cases';
import { rejectionOf } from '@grainline/testing/rejection';
import { type Pay, PayingError, payingFetch, type PaymentOrder, USDC } from '@grainline/x402/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../src/client.ts';
import { ClientError } from '../src/errors.ts';
import {
  BASE,
  chunkAnswer,
  type FakeReply,
  fakeFetch,
  jumpingClock,
  json,
  networkError,
} from './fake-service.ts';

const SIGNATURE = `Sig${'1'.repeat(61)}`;

function offer(memo: string, price = '2000'): Response {
  const paymentRequirements = {
    x402Version: 1,
    scheme: 'exact',
    network: 'solana-mainnet',
    maxAmountRequired: price,
    asset: USDC['solana-mainnet'],
    payTo: '7Y8wTqCYGdYX4TwLBDQvVVfxR5oBVb6zqLzGQFuP7r4W',
    extra: { memo, decimals: 6 },
  };
  return json({ code: 'payment_required', paymentRequirements }, 402);
}

const memoOf = (text: string): string => `chunk:1:${createHash('sha256').update(text).digest('base64url')}`;

/** A wallet that counts its payments. */
function createWallet() {
  const orders: PaymentOrder[] = [];
  const pay: Pay = (order) => {
    orders.push(order);
    return Promise.resolve(`Sig${String(orders.length).padStart(61, '1')}`);
  };
  return { pay, orders };
}

function open(replies: readonly FakeReply[]) {
  const { fetch, sent } = fakeFetch(...replies);
  const clock = jumpingClock();
  const { now } = clock;
  const wait = (ms: number, signal: AbortSignal): Promise<void> => clock.wait(ms, signal);
  const wallet = createWallet();
  const client = createClient({
    url: BASE,
    fetch,
    clock,
    pay: (inner) =>
      payingFetch(inner, {
        pay: wallet.pay,
        maxAmount: 2000n,
        clock: { now, wait },
        random: (count) => new Uint8Array(count),
      }),
  });
  const proofs = (): (string | null)[] => sent.map(({ headers }) => headers.get('x-payment'));
  return { client, sent, proofs, wallet };
}

describe('a paid request', () => {
  it('is sent again with the proof of its payment', async () => {
    const { client, proofs, wallet } = open([offer(memoOf('x')), json(chunkAnswer())]);
    expect((await client.chunk({ text: 'x' })).total_chunks).toBe(1);
    expect(proofs()).toEqual([null, SIGNATURE]);
    expect(wallet.orders).toHaveLength(1);
  });

  it('that is refused names its payment', async () => {
    const refusal = json({ code: 'corrupted', message: 'It is damaged.' }, 400);
    const { client } = open([offer(memoOf('x')), refusal]);
    expect(await rejectionOf(client.chunk({ text: 'x' }), ClientError)).toMatchObject({
      code: 'corrupted',
      payment: SIGNATURE,
    });
  });

  it('whose answer makes no sense, whose link is gone or whose job fails names its payment, too', async () => {
    const ticket = json({ async: true, status: 'processing', job_id: 'ai-pro_1' });
    const link = json({ download_url: '/results/free_1' });
    const gone = json({ code: 'result_not_found' }, 404);
    for (const replies of [[json({})], [link, gone], [ticket, gone], [ticket, json({ status: 'failed' })]]) {
      const { client, wallet } = open([offer(memoOf('x')), ...replies]);
      const error = await rejectionOf(client.chunk({ text: 'x' }), ClientError);
      expect([error.payment, wallet.orders.length]).toEqual([SIGNATURE, 1]);
    }
  });

  it('that is too dear rejects with the error of the payer, and nothing is paid', async () => {
    const { client, sent, wallet } = open([offer(memoOf('x'), '2001')]);
    expect(await rejectionOf(client.chunk({ text: 'x' }), PayingError)).toMatchObject({
      code: 'price_too_high',
    });
    expect([sent.length, wallet.orders.length]).toEqual([1, 0]);
  });

  it('is repeated before its payment only, where it fails for the moment', async () => {
    const { client, proofs, wallet } = open([
      json({}, 503),
      networkError(),
      offer(memoOf('x')),
      json(chunkAnswer()),
    ]);
    await client.chunk({ text: 'x' });
    expect(proofs()).toEqual([null, null, null, SIGNATURE]);
    expect(wallet.orders).toHaveLength(1);
  });

  it('whose payment is refused is not paid again, in this call or in the next', async () => {
    const again = json({ code: 'payment_required', message: 'Pay.' }, 402);
    const { client, proofs, wallet } = open([offer(memoOf('x')), again]);
    for (let call = 0; call < 2; call++)
      expect(await rejectionOf(client.chunk({ text: 'x' }), PayingError)).toMatchObject({
        code: 'payment_refused',
        signature: SIGNATURE,
      });
    expect(proofs()).toEqual([null, SIGNATURE, SIGNATURE]);
    expect(wallet.orders).toHaveLength(1);
  });

  it('whose payment is used up is paid anew only when the caller says so', async () => {
    const used = json({ code: 'result_expired', message: 'Gone.' }, 410);
    const sold = [offer(memoOf('x')), json(chunkAnswer())];
    const { client, proofs, wallet } = open([...sold, used, ...sold, used, ...sold]);
    await client.chunk({ text: 'x' });
    expect(await rejectionOf(client.chunk({ text: 'x' }), ClientError)).toMatchObject({
      code: 'payment_used_up',
      payment: SIGNATURE,
    });
    expect([proofs().length, wallet.orders.length]).toEqual([3, 1]);
    await client.chunk({ text: 'x' });
    expect(wallet.orders).toHaveLength(2);
    await client.chunk({ text: 'x' }, {}, { payAgain: true });
    expect(wallet.orders).toHaveLength(3);
  });
});

/** Failure of one request in place of an honest answer. */
type Failure =
  'drop' | 'no answer' | 'busy' | 'rate limit' | 'fault' | 'nonsense' | 'pay again' | 'not found yet';

const FAILURES: Readonly<Record<Exclude<Failure, 'drop' | 'no answer'>, () => Response>> = {
  busy: () => json({ code: 'busy' }, 503),
  'rate limit': () => json({ code: 'rate_limited' }, 429, { 'Retry-After': '2' }),
  fault: () => json({ code: 'internal_error', retryable: true }, 500),
  nonsense: () => new Response('<html>', { status: 200 }),
  'pay again': () => json({ code: 'payment_required', message: 'Pay.' }, 402),
  'not found yet': () => json({ code: 'payment_not_found', retryable: true }, 402),
};

describe('a service that fails in every way', () => {
  const failure = fc.constantFrom<(Failure | 'none')[]>(
    'none',
    'drop',
    'no answer',
    ...(Object.keys(FAILURES) as Failure[]),
  );
  const call = fc.record({ document: fc.nat({ max: 2 }), faults: fc.array(failure, { maxLength: 12 }) });
  const form = fc.constantFrom('chunks', 'link', 'job');

  it('is paid once for a document, however often it is asked, unless the caller was told that the payment is used up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), form, async (calls, kind) => {
        let failures: (Failure | 'none')[] = [];
        const honest = async (url: string, init: RequestInit): Promise<Response> => {
          if (!url.endsWith('/chunk')) {
            const done = { status: 'completed', progress: 100 };
            return json(url.endsWith('/status') ? done : chunkAnswer());
          }
          const text = await (init.body as Blob).text();
          if (!new Headers(init.headers).has('x-payment')) return offer(memoOf(text));
          if (kind === 'link') return json({ download_url: '/results/ai_1' });
          return json(
            kind === 'job' ? { async: true, status: 'processing', job_id: 'ai-pro_1' } : chunkAnswer(),
          );
        };
        const { client, wallet } = open([
          async (url, init) => {
            const next = failures.shift() ?? 'none';
            if (next === 'drop') throw networkError();
            const answer = await honest(url, init);
            // The service did the work, and the answer is lost.
            if (next === 'no answer') throw networkError('UND_ERR_SOCKET');
            return next === 'none' ? answer : FAILURES[next]();
          },
        ]);
        let usedUp = 0;
        for (const { document, faults: coming } of calls) {
          failures = [...coming];
          const outcome = await client.chunk({ text: String(document) }).then(
            ({ total_chunks }) => total_chunks,
            (error: unknown) => error,
          );
          if (outcome !== 1 && !(outcome instanceof PayingError)) expect(outcome).toBeInstanceOf(ClientError);
          if (outcome instanceof ClientError && outcome.code === 'payment_used_up') usedUp++;
          const documents = new Set(wallet.orders.map(({ memo }) => memo));
          expect(wallet.orders.length - documents.size).toBeLessThanOrEqual(usedUp);
        }
      }),
      cases(300),
    );
  });
});
