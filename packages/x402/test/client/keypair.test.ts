// Payments from a key pair on the play chain: the real token program, and an endpoint with every kind of failure.
import fc from 'fast-check';
import { USDC_DEVNET_ADDRESS, USDC_MAINNET_ADDRESS } from '@x402/svm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Address,
  type Base64EncodedWireTransaction,
  createSolanaRpc,
  getBase64Encoder,
  getTransactionDecoder,
  type Signature,
} from '@solana/kit';
import {
  createWallets,
  type RpcFailures,
  type Playchain,
  startPlaychain,
  USDC_MINT,
  type Wallet,
} from '@grainline/playground';
import { cases } from '@grainline/testing/cases';
import type { Clock } from '../../src/gate/clock.ts';
import { PayingError } from '../../src/client/errors.ts';
import { readKeypair } from '../../src/client/keypair/keypair.ts';
import { payWithKeypair } from '../../src/client/keypair/pay-with-keypair.ts';
import { USDC } from '../../src/chains/solana/usdc.ts';
import { createPaymentMemory } from '../../src/client/memory.ts';
import type { Attempt, Pay, PaymentOrder } from '../../src/client/pay.ts';
import { payingFetch, paymentOf } from '../../src/client/paying-fetch.ts';
import { openSeller, THIEF, type Seller, type Transfer } from './seller.ts';

const MEMO = `chunk:1:${'A'.repeat(43)}`;
const SLOT_MS = 400;

let playchain: Playchain;
let payer: Wallet;
let shop: Wallet;
let rpc: ReturnType<typeof createSolanaRpc>;
let failures: RpcFailures[] = [];
let clock: Clock;

beforeAll(async () => {
  playchain = await startPlaychain({ slotMs: 'manual', genesis: 'keypair tests' });
  // The tests and the seller use an endpoint without failures.
  rpc = createSolanaRpc((await playchain.endpoint()).url);
});

afterAll(() => playchain.stop());

beforeEach(async () => {
  [payer, shop] = (await createWallets(playchain, { count: 2 })) as [Wallet, Wallet];
  failures = [];
  let now = 1_700_000_000_000;
  // A wait passes slots, and brings the next failure.
  clock = {
    now: () => now,
    wait: async (ms) => {
      now += ms;
      playchain.chain.advance(Math.max(1, Math.round(ms / SLOT_MS)));
      playchain.fail(failures.shift() ?? {});
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
});

afterEach(() => playchain.fail({}));

const order = (changes: Partial<PaymentOrder> = {}): PaymentOrder => ({
  payTo: shop.address,
  amount: 4000n,
  asset: USDC_MINT,
  decimals: 6,
  network: 'solana-localnet',
  memo: MEMO,
  ...changes,
});
const wallet = (url = playchain.url): Pay =>
  payWithKeypair({ rpcUrl: url, keypair: payer.keypair, clock, random: (count) => new Uint8Array(count) });

interface Paid {
  readonly attempts: Attempt[];
  readonly outcome: string | PayingError;
}

async function pay(
  what: PaymentOrder = order(),
  record?: (attempt: Attempt) => Promise<void>,
): Promise<Paid> {
  const attempts: Attempt[] = [];
  const keep = async (attempt: Attempt): Promise<void> => {
    attempts.push(attempt);
    await record?.(attempt);
  };
  const context = { signal: new AbortController().signal, record: keep };
  const outcome = await wallet()(what, context).catch((error: unknown) => error as PayingError);
  return { attempts, outcome };
}

async function balance(account: Address): Promise<bigint> {
  const { value } = await rpc.getTokenAccountBalance(account, { commitment: 'processed' }).send();
  return BigInt(value.amount);
}

const gained = (): Promise<bigint> => balance(shop.usdcAccount).then((amount) => amount - 100_000_000n);
const find = (attempts: readonly Attempt[], what = order()) =>
  wallet().find!(what, attempts, { signal: new AbortController().signal, spent: [] });
/** Past the life of all signed transactions. */
const outlive = (): void => playchain.chain.advance(200);

it('USDC is the asset that the official client of x402 knows by this name', () => {
  expect(USDC['solana-mainnet']).toBe(USDC_MAINNET_ADDRESS);
  expect(USDC['solana-devnet']).toBe(USDC_DEVNET_ADDRESS);
  expect(USDC['solana-localnet']).toBe(USDC_MINT);
});

describe('a payment from a key pair', () => {
  it('moves the amount to the associated account, carries the memo, and is confirmed', async () => {
    const { outcome, attempts } = await pay();
    expect(attempts.map(({ signature }) => signature)).toEqual([outcome]);
    expect(await gained()).toBe(4000n);
    const options = { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' } as const;
    const found = await rpc.getTransaction(outcome as Signature, options).send();
    expect(found?.version).toBe(0);
    expect(found?.meta?.err).toBeNull();
    expect(found?.meta?.logMessages?.join('\n')).toMatch(`Program log: ${MEMO}`);
    console.info(`compute units: ${found?.meta?.computeUnitsConsumed}`);
  });

  it('is written down before it leaves', async () => {
    const sent = (): number => playchain.calls.get('sendTransaction') ?? 0;
    const before = sent();
    let whenRecorded = -1;
    await pay(order(), () => {
      whenRecorded = sent();
      return Promise.resolve();
    });
    expect([whenRecorded, sent()]).toEqual([before, before + 1]);
  });

  it('does not leave when it cannot be written down', async () => {
    const { outcome } = await pay(order(), () => Promise.reject(new Error('disk full')));
    expect(outcome).toMatchObject({ message: 'disk full' });
    outlive();
    expect(await gained()).toBe(0n);
  });

  it('pays a price per unit of compute when it is asked to', async () => {
    const pay = payWithKeypair({
      rpcUrl: playchain.url,
      keypair: payer.keypair,
      clock,
      feePerUnit: 1_000_000n,
    });
    const attempts: Attempt[] = [];
    const record = (attempt: Attempt): Promise<void> => Promise.resolve(void attempts.push(attempt));
    const before = (await rpc.getBalance(payer.address, { commitment: 'processed' }).send()).value;
    await pay(order(), { signal: new AbortController().signal, record });
    const after = (await rpc.getBalance(payer.address, { commitment: 'processed' }).send()).value;
    // 5000 for the signature, and 100,000 units at one lamport.
    expect(before - after).toBe(105_000n);
    const bytes = getBase64Encoder().encode(attempts[0]?.transaction ?? '');
    expect(Object.keys(getTransactionDecoder().decode(bytes).signatures)).toEqual([payer.address]);
  });
});

const LOST: RpcFailures = {
  methods: ['sendTransaction'],
  rewrite: () => {
    throw new Error('the answer is lost');
  },
};
const DOWN: RpcFailures = { kind: 'down' };

describe('an endpoint', () => {
  it('that loses its answer after it has broadcast makes no second payment', async () => {
    playchain.fail(LOST);
    failures = [LOST, LOST];
    const { outcome, attempts } = await pay();
    expect(attempts.map(({ signature }) => signature)).toEqual([outcome]);
    outlive();
    expect(await gained()).toBe(4000n);
  });

  it.each<[string, RpcFailures]>([
    ['swallows transactions', { swallows: true }],
    ['takes none', { methods: ['sendTransaction'], kind: 'broken' }],
  ])('that %s is asked again with a new one only when the old one can never land', async (_, failure) => {
    playchain.fail(failure);
    failures = Array.from({ length: 40 }, () => failure);
    const { outcome, attempts } = await pay();
    expect(outcome).toBe(attempts.at(-1)?.signature);
    expect(attempts.length).toBe(2);
    // Anyone could send the first transaction now, and no node would take it.
    const late = attempts[0]?.transaction as Base64EncodedWireTransaction;
    const options = { encoding: 'base64', skipPreflight: true } as const;
    await rpc.sendTransaction(late, options).send();
    outlive();
    expect(await gained()).toBe(4000n);
  });

  it('that never takes one ends in an error that says that nothing was paid', async () => {
    const failure = { swallows: true };
    playchain.fail(failure);
    failures = Array.from({ length: 1000 }, () => failure);
    const { outcome, attempts } = await pay();
    expect(outcome).toMatchObject({ code: 'payment_failed' });
    expect(attempts.length).toBe(3);
    playchain.fail({});
    outlive();
    expect(await gained()).toBe(0n);
    expect(await find(attempts)).toEqual({ kind: 'unpaid' });
  });

  it('that does not answer before anything is signed has cost nothing', async () => {
    playchain.fail(DOWN);
    failures = Array.from({ length: 1000 }, () => DOWN);
    const { outcome, attempts } = await pay();
    expect(outcome).toMatchObject({ code: 'endpoint_unavailable', signature: undefined });
    // `fetch` itself hides the reason.
    const reported = new RegExp(`at ${new URL(playchain.url).host} fails: fetch failed \\(\\w+\\)`);
    expect(outcome).toHaveProperty('message', expect.stringMatching(reported));
    expect(attempts).toEqual([]);
  });

  it('that breaks down after the broadcast leaves it open, and the payment is found later', async () => {
    const { outcome, attempts } = await pay(order(), () => {
      failures = Array.from({ length: 1000 }, () => ({ kind: 'limited' }));
      playchain.fail(LOST);
      return Promise.resolve();
    });
    expect(outcome).toMatchObject({ code: 'payment_unknown', signature: attempts[0]?.signature });
    playchain.fail({});
    failures = [];
    const search = await find(attempts);
    expect(search).toEqual({ kind: 'paid', signature: attempts[0]?.signature });
    outlive();
    expect(await gained()).toBe(4000n);
  });

  it('on another network than the offer names is not paid through', async () => {
    const { outcome, attempts } = await pay(order({ network: 'solana-mainnet' }));
    expect(outcome).toMatchObject({ code: 'wrong_chain' });
    expect(attempts).toEqual([]);
  });
});

describe('a payment that was begun by a run that died', () => {
  it('before the broadcast is made by the next one, with the same transaction', async () => {
    const { attempts } = await pay(order(), () => Promise.reject(new Error('killed')));
    expect(await find(attempts)).toEqual({ kind: 'paid', signature: attempts[0]?.signature });
    outlive();
    expect(await gained()).toBe(4000n);
  });

  it('after the broadcast is found, however much later', async () => {
    const { attempts } = await pay();
    outlive();
    expect(await find(attempts)).toEqual({ kind: 'paid', signature: attempts[0]?.signature });
    expect(await gained()).toBe(4000n);
  });

  it('and whose transaction has outlived its blockhash is unpaid', async () => {
    const { attempts } = await pay(order(), () => Promise.reject(new Error('killed')));
    outlive();
    expect(await find(attempts)).toEqual({ kind: 'unpaid' });
    expect(await gained()).toBe(0n);
  });
});

describe('a wallet that cannot pay', () => {
  it('says so at once when it is asked again, and pays once it can, by the same transaction', async () => {
    const [poor] = (await createWallets(playchain, { microUsdc: 1000n })) as [Wallet];
    const poorly = payWithKeypair({ rpcUrl: playchain.url, keypair: poor.keypair, clock });
    const attempts: Attempt[] = [];
    const record = (attempt: Attempt): Promise<void> => Promise.resolve(void attempts.push(attempt));
    const { signal } = new AbortController();
    const short = `the wallet ${poor.address} holds 0.001 USDC on solana-localnet, and 0.004 is asked`;
    await expect(poorly(order(), { signal, record })).rejects.toMatchObject({
      code: 'payment_failed',
      message: `The payment was not made: ${short}.`,
    });
    const began = clock.now();
    const look = () => poorly.find!(order(), attempts, { signal, spent: [] });
    expect(await look()).toEqual({ kind: 'unknown', detail: expect.stringContaining(short) as string });
    expect(clock.now()).toBe(began);
    await wallet()(order({ payTo: poor.address }), { signal, record: () => Promise.resolve() });
    expect(await look()).toEqual({ kind: 'paid', signature: attempts[0]?.signature });
    outlive();
    expect([attempts.length, await gained()]).toEqual([1, 4000n]);
  });

  it('says so as soon as the endpoint tells what it holds, though it did not at first', async () => {
    const [poor] = (await createWallets(playchain, { microUsdc: 1000n })) as [Wallet];
    const poorly = payWithKeypair({ rpcUrl: playchain.url, keypair: poor.keypair, clock });
    const attempts: Attempt[] = [];
    const record = (attempt: Attempt): Promise<void> => Promise.resolve(void attempts.push(attempt));
    const { signal } = new AbortController();
    await expect(poorly(order(), { signal, record })).rejects.toMatchObject({ code: 'payment_failed' });
    const silent: RpcFailures = { methods: ['getTokenAccountBalance'], kind: 'broken' };
    playchain.fail(silent);
    failures = [silent, silent];
    expect(await poorly.find!(order(), attempts, { signal, spent: [] })).toEqual({
      kind: 'unknown',
      detail: expect.stringContaining('holds 0.001 USDC on solana-localnet, and 0.004 is asked') as string,
    });
    expect(failures).toEqual([]);
  });

  it('for another reason than what it holds is asked for that once, however often it is refused', async () => {
    const { attempts } = await pay(order({ payTo: THIEF }));
    const counts = () => ['sendTransaction', 'getBalance'].map((name) => playchain.calls.get(name) ?? 0);
    const [sent = 0, looked = 0] = counts();
    expect(await find(attempts, order({ payTo: THIEF }))).toEqual({ kind: 'unpaid' });
    const [sentNow = 0, lookedNow = 0] = counts();
    expect(sentNow - sent).toBeGreaterThan(5);
    expect(lookedNow - looked).toBe(1);
  });

  it('says what it holds and what is asked', async () => {
    const { outcome } = await pay(order({ amount: 100_000_001n }));
    expect(outcome).toMatchObject({ code: 'payment_failed' });
    expect((outcome as PayingError).message).toMatch(
      `${payer.address} holds 100 USDC on solana-localnet, and 100.000001 is asked`,
    );
  });

  it('says so when the recipient has no account', async () => {
    const { outcome } = await pay(order({ payTo: THIEF }));
    expect((outcome as PayingError).message).toMatch('has no account for the asset');
  });

  it('says so when it has no lamports for the fee', async () => {
    const [poor] = await createWallets(playchain, { lamports: 0n });
    const broke = payWithKeypair({ rpcUrl: playchain.url, keypair: poor!.keypair, clock });
    const record = (): Promise<void> => Promise.resolve();
    const context = { signal: new AbortController().signal, record };
    await expect(broke(order(), context)).rejects.toMatchObject({
      code: 'payment_failed',
      message: `The payment was not made: the wallet ${poor!.address} holds 0 SOL on solana-localnet, too little for the fee of a transaction (0.000005).`,
    });
  });

  it.each([['[]'], ['{}'], ['no'], [JSON.stringify(Array(64).fill(1.5))]])('is not read from %s', (text) => {
    expect(() => readKeypair(text)).toThrow(PayingError);
  });

  it('is refused when its halves do not belong together, without showing them', async () => {
    const keypair = payer.keypair.slice();
    keypair[40]! ^= 1;
    const broken = payWithKeypair({ rpcUrl: playchain.url, keypair, clock });
    const record = (): Promise<void> => Promise.resolve();
    const error = await broken(order(), { signal: new AbortController().signal, record }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'invalid_keypair' });
    expect((error as PayingError).cause).toBeUndefined();
  });
});

describe('the paying fetch with a key pair', () => {
  const failure = fc.constantFrom<RpcFailures>(
    {},
    {},
    DOWN,
    LOST,
    { swallows: true },
    { kind: 'limited' },
    { kind: 'garbage' },
    {
      methods: ['getSignatureStatuses'],
      kind: 'broken',
    },
    { methods: ['sendTransaction'], kind: 'broken' },
  );
  const call = fc.record({
    schedule: fc.array(failure, { maxLength: 12 }),
    /** Wait after which the process is killed; none when beyond the call. */
    killedAfter: fc.nat({ max: 12 }),
    pauseSlots: fc.constantFrom(0, 10, 200),
  });

  let seller: Seller;
  beforeAll(async () => {
    seller = await openSeller({ get: lookUp });
    seller.network = 'solana-localnet';
  });
  afterAll(() => seller.close());

  /** Amount and memo of a transaction for the shop, as a node reports them. */
  async function lookUp(signature: string): Promise<Transfer | undefined> {
    const options = { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' } as const;
    const found = await rpc.getTransaction(signature as Signature, options).send();
    if (found?.meta?.err !== null) return undefined;
    const { preTokenBalances = [], postTokenBalances = [], logMessages } = found.meta;
    const held = (balances: typeof postTokenBalances): bigint =>
      BigInt(balances.find(({ owner }) => owner === shop.address)?.uiTokenAmount.amount ?? 0);
    const memo = /Program log: (chunk:1:\S+)/.exec((logMessages ?? []).join('\n'))?.[1] ?? '';
    return { payTo: shop.address, amount: held(postTokenBalances) - held(preTokenBalances), memo };
  }

  it('through any faults and kills pays once, and at last has its answer', async () => {
    let runs = 0;
    seller.payTo = shop.address;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 4 }), async (calls) => {
        runs++;
        const remember = createPaymentMemory();
        const before = await balance(payer.usdcAccount);
        const debited = async (): Promise<bigint> => before - (await balance(payer.usdcAccount));
        // Each call is its own process, which shares only the memory.
        const buy = (signal: AbortSignal): Promise<unknown> => {
          const assets = { 'solana-localnet': USDC_MINT };
          const options = { pay: wallet(), maxAmount: 4000n, remember, clock, assets };
          const request = { method: 'POST', body: `run ${runs}`, signal };
          return payingFetch(fetch, options)(seller.url, request).catch((error: unknown) => error);
        };
        for (const { schedule, killedAfter, pauseSlots } of calls) {
          const kill = new AbortController();
          const wait = clock.wait.bind(clock);
          let waits = 0;
          clock.wait = (ms, signal) => {
            if (waits++ === killedAfter) kill.abort(new Error('killed'));
            return wait(ms, signal);
          };
          playchain.fail(schedule[0] ?? {});
          failures = schedule.slice(1);
          const outcome = await buy(kill.signal);
          clock.wait = wait;
          playchain.fail({});
          failures = [];
          playchain.chain.advance(pauseSlots);
          expect(await debited()).toBeOneOf([0n, 4000n]);
          if (outcome instanceof Response) {
            expect([outcome.status, await debited()]).toEqual([200, 4000n]);
          } else if (outcome instanceof PayingError) {
            expect(outcome.code).toBeOneOf(['payment_failed', 'payment_unknown', 'endpoint_unavailable']);
          } else expect(outcome).toBe(kill.signal.reason);
        }
        const last = await buy(new AbortController().signal);
        if (last instanceof Error) throw last;
        const { signature } = paymentOf(last as Response)!;
        const standing = await rpc
          .getSignatureStatuses([signature as Signature], { searchTransactionHistory: true })
          .send();
        expect(standing.value[0]).toMatchObject({ err: null });
        outlive();
        expect(await debited()).toBe(4000n);
      }),
      cases(40),
    );
  }, 120_000);
});
