// The play chain as unmodified clients meet it: over HTTP and WebSocket, with commitments, forks and faults.
import {
  address,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
} from '@solana/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../src/chain/addresses.ts';
import { type Playchain, type PlaychainOptions, startPlaychain } from '../src/playchain.ts';
import { lyingAbout, WITHOUT_META, WITHOUT_TOKEN_BALANCES } from '../src/rpc/failures.ts';
import { createWallets, type Wallet } from '../src/wallets.ts';
import { type Rpc, rpcOf, sendAndConfirm, sign, subscriptionsOf, transfer } from './paying.ts';

let playchain: Playchain;
let rpc: Rpc;
let payer: Wallet;
let payTo: Wallet;

async function start(options: PlaychainOptions = {}): Promise<void> {
  playchain = await startPlaychain({ slotMs: 'manual', ...options });
  rpc = rpcOf(playchain);
  [payer, payTo] = (await createWallets(playchain, { count: 2, seed: 'test' })) as [Wallet, Wallet];
}

afterEach(() => playchain.stop());

/** Pays so many micro-dollars without waiting. */
async function pay(amount: bigint): Promise<Signature> {
  const transaction = await sign(rpc, payer.signer, [await transfer(payer.signer, payTo.address, amount)]);
  return await rpc
    .sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' })
    .send();
}

async function balanceAt(commitment: 'processed' | 'confirmed' | 'finalized'): Promise<bigint> {
  const { value } = await rpc.getTokenAccountBalance(payTo.usdcAccount, { commitment }).send();
  return BigInt(value.amount);
}

/** A call without any client. */
async function raw(method: string, params: readonly unknown[] = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(playchain.url, { method: 'POST', body });
  return (await response.json()) as {
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
}

const HUNDRED_DOLLARS = 100_000_000n;

describe('a signature', () => {
  it('is a text of 64 bytes and no other', async () => {
    await start();
    const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
    const randomOf = (length: number) =>
      Array.from({ length }, () => digits[Math.floor(Math.random() * digits.length)]).join('');
    // Each first digit, with the least and the most behind it, and at random.
    const texts = [86, 87].flatMap((length) =>
      Array.from('123456789ABz').flatMap((first) =>
        [randomOf(length), '1'.repeat(length), 'z'.repeat(length)].map((rest) => first + rest),
      ),
    );
    for (const text of [...texts, '1'.repeat(64), '1'.repeat(65), randomOf(44), '']) {
      const isOne = getBase58Encoder().encode(text).length === 64;
      const { result, error } = await raw('getSignatureStatuses', [[text]]);
      expect([text, result !== undefined]).toEqual([text, isOne]);
      if (!isOne) expect(error?.message).toContain('WrongSize');
    }
  });
});

describe('a payment by @solana/kit', () => {
  it('is confirmed over WebSocket, and its record says what moved', async () => {
    await start({ slotMs: 20 });
    const transaction = await sign(rpc, payer.signer, [await transfer(payer.signer, payTo.address, 4_000n)]);
    const signature = await sendAndConfirm(playchain, transaction);
    const record = await rpc
      .getTransaction(signature, {
        commitment: 'confirmed',
        maxSupportedTransactionVersion: 0,
        encoding: 'json',
      })
      .send();
    expect(record?.meta?.err).toBeNull();
    const place = record!.transaction.message.accountKeys.indexOf(payTo.usdcAccount);
    const amount = (balances: NonNullable<NonNullable<typeof record>['meta']>['preTokenBalances']) =>
      BigInt(balances!.find(({ accountIndex }) => accountIndex === place)!.uiTokenAmount.amount);
    expect(amount(record!.meta!.postTokenBalances) - amount(record!.meta!.preTokenBalances)).toBe(4_000n);
    expect(await balanceAt('confirmed')).toBe(HUNDRED_DOLLARS + 4_000n);
    expect(record!.meta!.fee).toBe(5000n);
  });

  it('that overdraws is refused before it is sent, with the code of nodes', async () => {
    await start();
    const error: unknown = await pay(HUNDRED_DOLLARS + 1n).catch((thrown: unknown) => thrown);
    expect(
      isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
    ).toBe(true);
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS);
  });

  it('that skips the preflight lands as failed and costs its fee alone', async () => {
    await start();
    const transaction = await sign(rpc, payer.signer, [
      await transfer(payer.signer, payTo.address, HUNDRED_DOLLARS + 1n),
    ]);
    const signature = await rpc
      .sendTransaction(getBase64EncodedWireTransaction(transaction), {
        encoding: 'base64',
        skipPreflight: true,
      })
      .send();
    const { value } = await rpc.getSignatureStatuses([signature]).send();
    expect(value[0]?.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS);
  });

  it('counts once, however often it is sent', async () => {
    await start();
    const transaction = await sign(rpc, payer.signer, [await transfer(payer.signer, payTo.address, 7n)]);
    const wire = getBase64EncodedWireTransaction(transaction);
    const send = (skipPreflight: boolean) =>
      rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight }).send();
    await send(false);
    await send(true);
    await expect(send(false)).rejects.toMatchObject({ cause: expect.anything() as unknown });
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS + 7n);
  });
});

describe('commitment', () => {
  beforeEach(() => start());

  it('grows from processed through confirmed to finalized as slots pass', async () => {
    const signature = await pay(5n);
    const status = async () => (await rpc.getSignatureStatuses([signature]).send()).value[0];
    const balances = async () =>
      await Promise.all([balanceAt('processed'), balanceAt('confirmed'), balanceAt('finalized')]);
    const [before, after] = [HUNDRED_DOLLARS, HUNDRED_DOLLARS + 5n];

    expect((await status())?.confirmationStatus).toBe('processed');
    expect(await balances()).toEqual([after, before, before]);
    expect(
      await rpc.getTransaction(signature, { commitment: 'confirmed', encoding: 'json' }).send(),
    ).toBeNull();

    playchain.chain.advance(1);
    expect((await status())?.confirmationStatus).toBe('confirmed');
    expect(await balances()).toEqual([after, after, before]);
    expect(
      await rpc
        .getTransaction(signature, {
          commitment: 'confirmed',
          encoding: 'json',
          maxSupportedTransactionVersion: 0,
        })
        .send(),
    ).not.toBeNull();

    playchain.chain.advance(30);
    expect((await status())?.confirmationStatus).toBe('confirmed');
    playchain.chain.advance(1);
    expect(await status()).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
    expect(await balances()).toEqual([after, after, after]);
  });

  it('of a blockhash ends after 150 blocks', async () => {
    const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const transaction = await sign(rpc, payer.signer, [await transfer(payer.signer, payTo.address, 1n)]);
    const valid = async () =>
      (await rpc.isBlockhashValid(value.blockhash, { commitment: 'processed' }).send()).value;
    playchain.chain.advance(149);
    expect(await valid()).toBe(true);
    expect(await rpc.getBlockHeight({ commitment: 'processed' }).send()).toBe(value.lastValidBlockHeight);
    playchain.chain.advance(1);
    expect(await valid()).toBe(false);
    const wire = getBase64EncodedWireTransaction(transaction);
    const error = await raw('sendTransaction', [
      wire,
      { encoding: 'base64', preflightCommitment: 'processed' },
    ]);
    expect(error.error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
  });

  it('below confirmed is none of the ledger', async () => {
    const signature = await pay(5n);
    expect((await raw('getTransaction', [signature, { commitment: 'processed' }])).error?.code).toBe(-32602);
  });

  it('is announced over WebSocket: signature, slot, root and account', async () => {
    const signature = await pay(5n);
    const subscriptions = subscriptionsOf(playchain);
    const abortSignal = AbortSignal.timeout(10_000);
    const slots = await subscriptions.slotNotifications().subscribe({ abortSignal });
    const roots = await subscriptions.rootNotifications().subscribe({ abortSignal });
    const accounts = await subscriptions
      .accountNotifications(payTo.usdcAccount, { commitment: 'confirmed', encoding: 'base64' })
      .subscribe({ abortSignal });
    const landed = await subscriptions
      .signatureNotifications(signature, { commitment: 'confirmed' })
      .subscribe({ abortSignal });
    // The client throws away what comes before it is asked for.
    const first = async <T>(stream: AsyncIterable<T>): Promise<T> =>
      ((await stream[Symbol.asyncIterator]().next()) as IteratorYieldResult<T>).value;
    const seen = Promise.all([first(slots), first(roots), first(landed), first(accounts)]);
    playchain.chain.advance(1);
    const [slot, root, { value: signed }, { value: account }] = await seen;
    const newest = BigInt(playchain.chain.slot('processed'));
    expect(slot).toMatchObject({ slot: newest, parent: newest - 1n });
    expect(root).toBe(BigInt(playchain.chain.slot('finalized')));
    expect(signed).toMatchObject({ err: null });
    expect(Buffer.from(account.data[0], 'base64').readBigUInt64LE(64)).toBe(HUNDRED_DOLLARS + 5n);
  });
});

describe('a fork', () => {
  beforeEach(() => start());

  it('takes a transaction back, and keeps the others', async () => {
    const signatures = [await pay(1n), await pay(20n), await pay(300n)];
    playchain.chain.advance(1);
    playchain.chain.drop([signatures[1]!]);
    expect(await balanceAt('confirmed')).toBe(HUNDRED_DOLLARS + 301n);
    const { value } = await rpc.getSignatureStatuses(signatures).send();
    expect(value.map((status) => status?.confirmationStatus)).toEqual(['confirmed', undefined, 'confirmed']);
    expect((await rpc.getTokenAccountBalance(payer.usdcAccount).send()).value.amount).toBe(
      String(HUNDRED_DOLLARS - 301n),
    );
  });

  it('lets a dropped transaction land again while its blockhash lives', async () => {
    const transaction = await sign(rpc, payer.signer, [await transfer(payer.signer, payTo.address, 9n)]);
    const wire = getBase64EncodedWireTransaction(transaction);
    await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
    playchain.chain.drop([getSignatureFromTransaction(transaction)]);
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS);
    await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS + 9n);
  });

  it('cannot take what is finalized', async () => {
    const signature = await pay(1n);
    playchain.chain.advance(32);
    expect(() => playchain.chain.drop([signature])).toThrow('not finalized');
    expect(await balanceAt('finalized')).toBe(HUNDRED_DOLLARS + 1n);
  });

  it('leaves money that was given from outside', async () => {
    const signature = await pay(1n);
    await playchain.fund(payTo.address, { microUsdc: 50n });
    expect(await balanceAt('finalized')).toBe(HUNDRED_DOLLARS + 50n);
    playchain.chain.drop([signature]);
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS + 50n);
  });
});

describe('memory', () => {
  it('holds a window of transactions, the newest, and never forgets one that is not finalized', async () => {
    await start({ keptTransactions: 8 });
    const signatures: Signature[] = [];
    for (let round = 0; round < 5; round++) {
      for (let each = 0; each < 4; each++) signatures.push(await pay(BigInt(round * 4 + each + 1)));
      playchain.chain.advance(32);
    }
    expect([...playchain.chain.transactions()].map(({ execution }) => execution.signature)).toEqual(
      signatures.slice(-8).reverse(),
    );
    for (let each = 0; each < 8; each++) await pay(BigInt(100 + each));
    // A full chain takes no more until something is finalized.
    await pay(999n);
    expect(
      [...playchain.chain.transactions()].filter(
        (entry) => playchain.chain.commitmentOf(entry) === 'processed',
      ),
    ).toHaveLength(8);
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS + 210n + 828n);
  });
});

describe('faults', () => {
  beforeEach(() => start());

  it.each(['down', 'limited', 'broken', 'garbage'] as const)(
    '%s reach the client as errors, and pass',
    async (kind) => {
      playchain.fail({ kind });
      await expect(rpc.getSlot().send()).rejects.toThrow();
      playchain.fail({});
      expect(await rpc.getSlot().send()).toBe(BigInt(playchain.chain.slot('confirmed')));
    },
  );

  it('hang until the client gives up', async () => {
    playchain.fail({ kind: 'hang', methods: ['getSlot'] });
    await expect(rpc.getSlot().send({ abortSignal: AbortSignal.timeout(50) })).rejects.toThrow();
    await expect(rpc.getHealth().send()).resolves.toBe('ok');
  });

  it('can lie about amounts, or leave half of an answer out', async () => {
    const signature = await pay(5n);
    playchain.chain.advance(1);
    const honest = await playchain.endpoint();
    const statusFrom = async (from: Rpc) =>
      await from
        .getTransaction(signature, {
          commitment: 'confirmed',
          encoding: 'json',
          maxSupportedTransactionVersion: 0,
        })
        .send();
    const truth = await statusFrom(rpcOf(honest));
    playchain.fail(lyingAbout(1_000n));
    const lie = await statusFrom(rpc);
    const amounts = (answer: typeof truth) =>
      answer!.meta!.postTokenBalances!.map(({ uiTokenAmount }) => BigInt(uiTokenAmount.amount));
    expect(amounts(lie)).toEqual(amounts(truth).map((amount) => amount + 1_000n));
    playchain.fail(WITHOUT_META);
    expect((await statusFrom(rpc))?.meta).toBeNull();
    playchain.fail(WITHOUT_TOKEN_BALANCES);
    expect((await statusFrom(rpc))?.meta).not.toHaveProperty('postTokenBalances');
    expect(await statusFrom(rpcOf(honest))).toEqual(truth);
  });

  it('can throw transactions away', async () => {
    playchain.fail({ swallows: true });
    const signature = await pay(5n);
    expect((await rpc.getSignatureStatuses([signature]).send()).value).toEqual([null]);
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS);
  });
});

describe('answers', () => {
  beforeEach(() => start());

  it('to requests that are none have the codes of JSON-RPC', async () => {
    const post = async (body: string) => await (await fetch(playchain.url, { method: 'POST', body })).json();
    expect(await post('{')).toMatchObject({ error: { code: -32700 } });
    expect(await post('{}')).toMatchObject({ error: { code: -32600 } });
    expect(await post('[]')).toMatchObject({ error: { code: -32600 } });
    expect((await raw('getNothing')).error?.code).toBe(-32601);
    expect((await raw('getBalance', ['no address'])).error?.code).toBe(-32602);
    expect((await raw('sendTransaction', ['AAAA', { encoding: 'base64' }])).error?.code).toBe(-32602);
    expect((await raw('getSlot', [{ minContextSlot: 10 ** 9 }])).error).toMatchObject({
      code: -32016,
      data: { contextSlot: playchain.chain.slot('finalized') },
    });
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'getHealth' }));
    expect(await post(JSON.stringify(batch))).toEqual(
      [1, 2].map((id) => ({ jsonrpc: '2.0', result: 'ok', id })),
    );
  });

  it('about a version that the client cannot read say so', async () => {
    const signature = await pay(5n);
    playchain.chain.advance(1);
    const error: unknown = await rpc
      .getTransaction(signature, { commitment: 'confirmed', encoding: 'json' })
      .send()
      .catch((thrown: unknown) => thrown);
    expect(isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)).toBe(
      true,
    );
  });

  it('about accounts agree in every encoding', async () => {
    const parsed = await rpc.getAccountInfo(payer.usdcAccount, { encoding: 'jsonParsed' }).send();
    expect(parsed.value?.data).toMatchObject({
      program: 'spl-token',
      parsed: {
        type: 'account',
        info: {
          mint: USDC_MINT,
          owner: payer.address,
          tokenAmount: { amount: '100000000', uiAmountString: '100' },
        },
      },
    });
    const encoded = await rpc.getAccountInfo(payer.usdcAccount, { encoding: 'base64' }).send();
    expect(Buffer.from(encoded.value!.data[0], 'base64')).toHaveLength(165);
    expect(encoded.value?.lamports).toBe(await rpc.getMinimumBalanceForRentExemption(165n).send());
    const mint = await rpc.getAccountInfo(USDC_MINT, { encoding: 'jsonParsed' }).send();
    expect(mint.value?.data).toMatchObject({
      parsed: { type: 'mint', info: { decimals: 6, supply: '200000000' } },
    });
    expect((await rpc.getTokenSupply(USDC_MINT).send()).value.uiAmountString).toBe('200');
    const owned = await rpc
      .getTokenAccountsByOwner(payer.address, { mint: USDC_MINT }, { encoding: 'jsonParsed' })
      .send();
    expect(owned.value.map(({ pubkey }) => pubkey)).toEqual([payer.usdcAccount]);
    const several = await rpc
      .getMultipleAccounts([payer.address, address('Vote111111111111111111111111111111111111111'), USDC_MINT])
      .send();
    expect(several.value.map((account) => account === null)).toEqual([false, expect.any(Boolean), false]);
  });

  it('to a simulation change nothing', async () => {
    const transaction = await sign(rpc, payer.signer, [await transfer(payer.signer, payTo.address, 5n)]);
    const wire = getBase64EncodedWireTransaction(transaction);
    const { value } = await rpc
      .simulateTransaction(wire, { encoding: 'base64', replaceRecentBlockhash: true })
      .send();
    expect(value.err).toBeNull();
    expect(value.unitsConsumed).toBeGreaterThan(0n);
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS);
    await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
    expect(await balanceAt('processed')).toBe(HUNDRED_DOLLARS + 5n);
  });

  it('list the signatures of an address, the newest first, page by page', async () => {
    const signatures = [await pay(1n), await pay(2n), await pay(3n)].reverse();
    const listed = async (options: { limit?: number; before?: Signature } = {}) =>
      (
        await rpc.getSignaturesForAddress(payTo.usdcAccount, { commitment: 'confirmed', ...options }).send()
      ).map(({ signature }) => signature);
    expect(await listed()).toEqual([]);
    playchain.chain.advance(1);
    expect(await listed()).toEqual(signatures);
    expect(await listed({ limit: 1 })).toEqual(signatures.slice(0, 1));
    expect(await listed({ before: signatures[0]! })).toEqual(signatures.slice(1));
  });

  it('tell the fee that is then paid', async () => {
    const transaction = await sign(rpc, payer.signer, [await transfer(payer.signer, payTo.address, 5n)]);
    const message = Buffer.from(transaction.messageBytes).toString('base64');
    const fee = (await raw('getFeeForMessage', [message, { commitment: 'confirmed' }])).result;
    expect(fee).toMatchObject({ value: 5000 });
  });

  it('to airdrops are ordinary transactions, each its own', async () => {
    const before = await rpc.getBalance(payTo.address, { commitment: 'processed' }).send();
    const drop = async () => (await raw('requestAirdrop', [payTo.address, 1_000_000])).result;
    expect(await drop()).not.toBe(await drop());
    const after = await rpc.getBalance(payTo.address, { commitment: 'processed' }).send();
    expect(after.value - before.value).toBe(2_000_000n);
  });
});
