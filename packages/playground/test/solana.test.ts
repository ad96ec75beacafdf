// Payments on Solana as the service sees them, over HTTP on the play chain: found, pulled, prepared, relayed, and gone.
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type Instruction,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { PaymentProblem } from '@grainline/x402';
import {
  createSolanaChain,
  SOLANA_NETWORKS,
  type SolanaChain,
  type Timers,
  transferIssue,
} from '@grainline/x402/solana';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from '../src/chain/addresses.ts';
import { writeAccount } from '../src/chain/machine.ts';
import { type Playchain, startPlaychain } from '../src/playchain.ts';
import { createWallets, type Wallet } from '../src/wallets.ts';
import { rpcOf, sign, transfer } from './paying.ts';

const NEVER = new AbortController().signal;
const WAIT_NONE = { waitMs: 0, signal: NEVER };

let playchain: Playchain;
let chain: SolanaChain;
let payer: Wallet;
let payTo: Wallet;
let facilitator: Wallet;
let nowMs: number;

/** Time goes on when somebody waits for it; what limits a call never ends here. */
const timers: Timers = {
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      if (ms >= 400 && ms !== 500) return;
      setImmediate(() => {
        nowMs += ms;
        resolve();
      });
    }),
};

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  playchain = await startPlaychain({ slotMs: 'manual', now: () => nowMs });
  [payer, payTo, facilitator] = (await createWallets(playchain, { count: 3, seed: 'solana' })) as [
    Wallet,
    Wallet,
    Wallet,
  ];
  chain = await chainFor(payTo.address);
});

afterEach(() => playchain.stop());

function chainFor(address: string, network = SOLANA_NETWORKS['solana-localnet']): Promise<SolanaChain> {
  return createSolanaChain({
    network,
    payTo: address,
    endpoints: [playchain.url],
    quorum: 1,
    now: () => nowMs,
    timers,
  });
}

/** The signature of no transaction; one that some transaction could have. */
function madeUpKey(): string {
  const bytes = randomBytes();
  bytes[63] = (bytes[63] ?? 0) & 0x0f;
  return getBase58Decoder().decode(bytes);
}

const randomBytes = () => crypto.getRandomValues(new Uint8Array(64));

/** Lets slots pass at their speed on the real chain. */
function pass(slots: number): void {
  for (let slot = 0; slot < slots; slot++) {
    nowMs += 400;
    playchain.chain.advance(1);
  }
}

async function signedBy(wallets: readonly Wallet[], transaction: string): Promise<string> {
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  let signatures = decoded.signatures;
  for (const { signer } of wallets) {
    const [added] = await signer.signTransactions([
      decoded as Parameters<typeof signer.signTransactions>[0][0],
    ]);
    signatures = { ...signatures, ...added };
  }
  return getBase64EncodedWireTransaction({ ...decoded, signatures });
}

interface Pull {
  readonly version?: 'legacy' | 0 | 1;
  readonly instructions?: readonly Instruction[];
}

/** The transaction of an x402 client: signed by the payer, not yet by the fee payer. */
async function pull({ version = 0, instructions }: Pull = {}): Promise<string> {
  const { blockhash } = playchain.chain.block(playchain.chain.slot('confirmed'))!;
  const lifetime = { blockhash, lastValidBlockHeight: 10_000n };
  const all = instructions ?? [await transfer(payer.signer, payTo.address, 4_000n)];
  const limits = { computeUnitLimit: 100_000, loadedAccountsDataSizeLimit: 1024 * 1024 };
  const message = pipe(
    createTransactionMessage({ version }),
    (bare) =>
      version === 1 ? setTransactionMessageConfig(limits, bare as typeof bare & { version: 1 }) : bare,
    (empty) => setTransactionMessageFeePayer(facilitator.address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (alive) => appendTransactionMessageInstructions(all, alive),
  );
  return getBase64EncodedWireTransaction(await partiallySignTransactionMessageWithSigners(message));
}

async function send(transaction: string): Promise<unknown> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'sendTransaction',
    params: [transaction, { encoding: 'base64', preflightCommitment: 'confirmed' }],
  });
  const response = await fetch(playchain.url, { method: 'POST', body });
  return ((await response.json()) as { result?: unknown }).result;
}

const callsMade = () => [...playchain.calls.values()].reduce((sum, count) => sum + count, 0);

describe('the self-test', () => {
  it('finds nothing on a good network', async () => {
    expect(await chain.selfTest(NEVER)).toEqual({ kind: 'ok', issues: [], silent: [] });
  });

  it('names another chain', async () => {
    const devnet = await chainFor(payTo.address, SOLANA_NETWORKS['solana-devnet']);
    expect(await devnet.selfTest(NEVER)).toMatchObject({
      kind: 'faulty',
      issues: [{ code: 'wrong_genesis', fatal: true, endpoints: [1] }],
    });
  });

  it('names a missing token account', async () => {
    const { address } = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(3));
    const poor = await chainFor(address);
    expect(await poor.selfTest(NEVER)).toMatchObject({
      kind: 'faulty',
      issues: [{ code: 'account_missing', fatal: true }],
    });
    await playchain.fund(address, { microUsdc: 0n });
    expect(await poor.selfTest(NEVER)).toMatchObject({ kind: 'ok' });
  });

  it('names what may happen to the money in a frozen account of many masters', async () => {
    const state = playchain.chain.stateAt(payTo.usdcAccount, 'confirmed')!;
    const data = new Uint8Array(state.data);
    data[72] = 1;
    data[108] = 2;
    data[129] = 1;
    writeAccount(playchain.chain.accounts, payTo.usdcAccount, { owner: state.owner, data });
    const codes = (await chain.selfTest(NEVER)).issues.map(({ code, fatal }) => `${code} ${fatal}`);
    expect(codes).toEqual(['account_frozen true', 'account_delegated false', 'account_closable false']);
    data[40] = 99;
    writeAccount(playchain.chain.accounts, payTo.usdcAccount, { owner: state.owner, data });
    expect(await chain.selfTest(NEVER)).toMatchObject({ issues: [{ code: 'account_unfit', fatal: true }] });
  });

  it('names a clock that is more than a minute off', async () => {
    nowMs += 61_000;
    expect(await chain.selfTest(NEVER)).toMatchObject({ issues: [{ code: 'clock_apart', fatal: false }] });
    nowMs -= 122_000;
    expect(await chain.selfTest(NEVER)).toMatchObject({ issues: [{ code: 'clock_apart', fatal: false }] });
  });

  it('tells a network that does not answer from one that is wrong', async () => {
    playchain.fail({ kind: 'down' });
    expect(await chain.selfTest(NEVER)).toMatchObject({
      kind: 'unreachable',
      issues: [],
      silent: [{ kind: 'unreachable' }],
    });
  });
});

describe('a payment', () => {
  it('is found in two calls or fewer, pending, then finalized, and vanished after a fork that never took it', async () => {
    const { transaction } = await chain.prepareTransfer({ payer: payer.address, amount: 4_000n }, NEVER);
    const signed = await signedBy([payer], transaction);
    const relayed = await chain.relay(signed, NEVER);
    if (relayed.kind !== 'sent') throw new Error(relayed.detail);
    expect(await chain.find(relayed.key, WAIT_NONE)).toEqual({ kind: 'unknown' });
    pass(1);
    const before = callsMade();
    const found = await chain.find(relayed.key, WAIT_NONE);
    expect(callsMade() - before).toBeLessThanOrEqual(2);
    expect(found).toMatchObject({ kind: 'found', credited: 4_000n, payer: payer.address, memos: [] });
    if (found.kind !== 'found') throw new Error(found.kind);
    const { slot } = found;
    const options = { slot, signal: NEVER };
    expect(await chain.finality(relayed.key, options)).toBe('pending');

    playchain.chain.drop([relayed.key]);
    expect(await chain.finality(relayed.key, options)).toBe('pending');
    pass(440);
    expect(await chain.finality(relayed.key, options)).toBe('pending');
    pass(60);
    expect(await chain.finality(relayed.key, options)).toBe('vanished');
    expect(await chain.finality(relayed.key, { signal: NEVER })).toBe('pending');
  });

  it('is finalized once the chain says so', async () => {
    const { transaction } = await chain.prepareTransfer({ payer: payer.address, amount: 1n }, NEVER);
    const relayed = await chain.relay(await signedBy([payer], transaction), NEVER);
    if (relayed.kind !== 'sent') throw new Error(relayed.detail);
    pass(40);
    expect(await chain.finality(relayed.key, { signal: NEVER })).toBe('finalized');
  });
});

describe('64 random bytes', () => {
  it('are asked about only where a transaction could have them', async () => {
    const before = callsMade();
    for (let tried = 0; tried < 200; tried++) {
      const bytes = randomBytes();
      bytes[63] = (bytes[63] ?? 0) | 0x20;
      const finding = await chain.find(getBase58Decoder().decode(bytes), { waitMs: 9_000, signal: NEVER });
      expect(finding).toEqual({ kind: 'unknown', forGood: true });
    }
    expect(callsMade()).toBe(before);
    expect(await chain.find(madeUpKey(), WAIT_NONE)).toEqual({ kind: 'unknown' });
    expect(callsMade()).toBe(before + 1);
  });
});

describe('a crowd of look-ups', () => {
  it('is sorted in few calls, and the payments in it are found', async () => {
    const paid: string[] = [];
    for (let amount = 1n; amount <= 3n; amount++) {
      const { transaction } = await chain.prepareTransfer({ payer: payer.address, amount }, NEVER);
      const relayed = await chain.relay(await signedBy([payer], transaction), NEVER);
      if (relayed.kind === 'sent') paid.push(relayed.key);
    }
    pass(1);
    const keys = [...Array.from({ length: 600 }, () => madeUpKey()), ...paid];
    const before = callsMade();
    const findings = await Promise.all(keys.map((key) => chain.find(key, WAIT_NONE)));
    expect(findings.map(({ kind }) => kind)).toEqual(
      keys.map((key) => (paid.includes(key) ? 'found' : 'unknown')),
    );
    // The first 16 alone, 600 by the 256, and the payments.
    expect(callsMade() - before).toBeLessThanOrEqual(16 + 3 + 3);
  });

  it('waits together, and a payment that comes meanwhile is found', async () => {
    const { transaction } = await chain.prepareTransfer({ payer: payer.address, amount: 1n }, NEVER);
    const relayed = await chain.relay(await signedBy([payer], transaction), NEVER);
    if (relayed.kind !== 'sent') throw new Error(relayed.detail);
    const keys = [...Array.from({ length: 100 }, () => madeUpKey()), relayed.key];
    const before = callsMade();
    const waitMs = 2_000;
    const finding = Promise.all(keys.map((key) => chain.find(key, { waitMs, signal: NEVER })));
    pass(1);
    const findings = await finding;
    expect(findings.map(({ kind }) => kind)).toEqual([...keys.slice(1).map(() => 'unknown'), 'found']);
    // The first 16 look again by themselves, at growing distances; all others in one call each quarter of a second.
    expect(callsMade() - before).toBeLessThanOrEqual(16 * 9 + 10 + 1);
  });

  it('is not answered while the network is down', async () => {
    playchain.fail({ kind: 'down' });
    const keys = Array.from({ length: 40 }, () => madeUpKey());
    const ends = await Promise.allSettled(keys.map((key) => chain.find(key, WAIT_NONE)));
    expect(
      new Set(ends.map((end) => end.status === 'rejected' && (end.reason as PaymentProblem).reason)),
    ).toEqual(new Set(['chain_unavailable']));
  });
});

describe('a prepared transfer', () => {
  it('has the memo that was ordered, and costs little', async () => {
    const memo = `chunk:1:${'A'.repeat(43)}`;
    const order = { payer: payer.address, amount: 25_000n, memo };
    const prepared = await chain.prepareTransfer(order, NEVER);
    const signed = await signedBy([payer], prepared.transaction);
    expect(chain.checkRelayable(signed)).toMatchObject({
      kind: 'relayable',
      payer: payer.address,
      amount: 25_000n,
    });
    const relayed = await chain.relay(signed, NEVER);
    if (relayed.kind !== 'sent') throw new Error(relayed.detail);
    pass(1);
    expect(await chain.find(relayed.key, WAIT_NONE)).toMatchObject({ credited: 25_000n, memos: [memo] });
    const { execution } = playchain.chain.transaction(relayed.key)!;
    console.info(`prepared transfer with memo: ${execution.computeUnits} units, ${execution.fee} lamports`);
    expect(execution.fee).toBeLessThan(6_000n);
  });

  it('is known by whoever is to sign it, before and after', async () => {
    const memo = `chunk:1:${'D'.repeat(43)}`;
    const order = { payer: payer.address, amount: 4_000n, memo };
    const { transaction } = await chain.prepareTransfer(order, NEVER);
    const expected = { ...order, payTo: payTo.address, asset: chain.rule.asset };
    expect(await transferIssue(transaction, expected)).toBeNull();
    expect(await transferIssue(await signedBy([payer], transaction), expected)).toBeNull();
    const issueOf = (changed: Partial<typeof expected>) =>
      transferIssue(transaction, { ...expected, ...changed });
    expect(await issueOf({ amount: 3_999n })).toMatch('transfers 4000 instead of 3999');
    expect(await issueOf({ memo: `chunk:1:${'E'.repeat(43)}` })).toMatch('does not name the request');
    expect(await issueOf({ payer: facilitator.address })).toMatch('not for this wallet');
    expect(await issueOf({ payTo: facilitator.address })).toMatch('something else');
    expect(await issueOf({ asset: payTo.address })).toMatch('something else');
    expect(await transferIssue('AAAA', expected)).toMatch('no transaction');
    expect(await transferIssue(await pull(), expected)).toMatch('not for this wallet');
  });

  it('is refused by whoever is to sign it when it does more, or is dear', async () => {
    const memo = `chunk:1:${'D'.repeat(43)}`;
    const expected = {
      payer: payer.address,
      amount: 4_000n,
      memo,
      payTo: payTo.address,
      asset: chain.rule.asset,
    };
    const pays = await transfer(payer.signer, payTo.address, 4_000n);
    const says = { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) };
    const build = async (instructions: readonly Instruction[]): Promise<string> =>
      getBase64EncodedWireTransaction(await sign(rpcOf(playchain), payer.signer, instructions));
    const price = (microLamports: bigint): Instruction => {
      const data = new Uint8Array(9);
      data[0] = 3;
      new DataView(data.buffer).setBigUint64(1, microLamports, true);
      return { programAddress: address('ComputeBudget111111111111111111111111111111'), data };
    };
    expect(await transferIssue(await build([pays, says]), expected)).toBeNull();
    expect(await transferIssue(await build([price(100_000n), pays, says]), expected)).toBeNull();
    expect(await transferIssue(await build([price(1_000_000n), pays, says]), expected)).toMatch('fee');
    expect(await transferIssue(await build([pays, pays, says]), expected)).toMatch('something else');
    expect(await transferIssue(await build([pays, says, says]), expected)).toMatch('request');
    expect(await transferIssue(await build([pays]), expected)).toMatch('request');
  });

  it('has room for the longest memo', async () => {
    const memo = 'ü'.repeat(128);
    const { transaction } = await chain.prepareTransfer({ payer: payer.address, amount: 1n, memo }, NEVER);
    const relayed = await chain.relay(await signedBy([payer], transaction), NEVER);
    if (relayed.kind !== 'sent') throw new Error(relayed.detail);
    const { execution } = playchain.chain.transaction(relayed.key)!;
    console.info(`with the longest memo: ${execution.computeUnits} units`);
    expect(execution.error).toBeNull();
  });

  it('is not made for an order that makes no sense', async () => {
    const order = { payer: payTo.address, amount: 0n, memo: 'ü'.repeat(129) };
    await expect(chain.prepareTransfer(order, NEVER)).rejects.toMatchObject({ issues: { length: 3 } });
    await expect(chain.prepareTransfer({ payer: 'me', amount: 2n ** 64n }, NEVER)).rejects.toMatchObject({
      issues: { length: 2 },
    });
  });

  it('that cannot be paid is refused by the network, not lost', async () => {
    const order = { payer: payer.address, amount: 10n ** 12n };
    const { transaction } = await chain.prepareTransfer(order, NEVER);
    expect(await chain.relay(await signedBy([payer], transaction), NEVER)).toMatchObject({ kind: 'refused' });
  });
});

describe('a payment of which only the memo is known', () => {
  const memo = `chunk:1:${'B'.repeat(43)}`;
  const wanted = { memo, amount: 4_000n, sinceMs: 1_700_000_000_000 };

  async function pay(amount: bigint, text: string): Promise<string> {
    const order = { payer: payer.address, amount, memo: text };
    const { transaction } = await chain.prepareTransfer(order, NEVER);
    const relayed = await chain.relay(await signedBy([payer], transaction), NEVER);
    if (relayed.kind !== 'sent') throw new Error(relayed.detail);
    pass(1);
    return relayed.key;
  }

  it('is found, whoever made it and whatever else was paid since', async () => {
    const key = await pay(4_000n, memo);
    await pay(4_000n, `chunk:1:${'C'.repeat(43)}`);
    expect(await chain.search(wanted, NEVER)).toEqual({ kind: 'paid', key });
  });

  it('is not one that pays too little, nor one that failed', async () => {
    const key = await pay(4_000n, memo);
    await pay(3_999n, memo);
    expect(await chain.search(wanted, NEVER)).toEqual({ kind: 'paid', key });
    expect(await chain.search({ ...wanted, amount: 4_001n }, NEVER)).toEqual({ kind: 'unknown' });
  });

  it('may still come until its last block is final, and then cannot', async () => {
    const order = { payer: payer.address, amount: 4_000n, memo };
    const { lastValidBlockHeight } = await chain.prepareTransfer(order, NEVER);
    const known = { ...wanted, lastValidBlockHeight };
    expect(await chain.search(known, NEVER)).toEqual({ kind: 'unknown' });
    pass(150);
    expect(await chain.search(known, NEVER)).toEqual({ kind: 'unknown' });
    pass(60);
    expect(await chain.search(known, NEVER)).toEqual({ kind: 'unpaid' });
    expect(await chain.search(wanted, NEVER)).toEqual({ kind: 'unknown' });
  });

  it('is looked for in vain while the network does not answer', async () => {
    playchain.fail({ kind: 'down' });
    await expect(chain.search(wanted, NEVER)).rejects.toMatchObject({ reason: 'chain_unavailable' });
  });
});

describe('the relay', () => {
  it('has sent what it is given twice, also when the first answer was lost', async () => {
    const { transaction } = await chain.prepareTransfer({ payer: payer.address, amount: 4_000n }, NEVER);
    const signed = await signedBy([payer], transaction);
    const first = await chain.relay(signed, NEVER);
    expect(first).toMatchObject({ kind: 'sent' });
    expect(await chain.relay(signed, NEVER)).toEqual(first);
    pass(1);
    expect(await chain.relay(signed, NEVER)).toEqual(first);
  });

  it('takes nothing but one exact transfer, signed by all', async () => {
    const pays = await transfer(payer.signer, payTo.address, 4_000n);
    const lamports: Instruction = {
      programAddress: SYSTEM_PROGRAM,
      accounts: [
        { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
        { address: payTo.address, role: AccountRole.WRITABLE },
      ],
      data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
    };
    const memo: Instruction = { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode('hello') };
    const elsewhere = await transfer(payer.signer, facilitator.address, 4_000n);
    const back = await transfer(payTo.signer, payTo.address, 4_000n);
    const refused = [
      [pays, pays],
      [pays, lamports],
      [pays, elsewhere],
      [elsewhere],
      [lamports],
      [memo],
      [back],
      [],
    ];
    for (const instructions of refused) {
      const signed = await signedBy([facilitator], await pull({ instructions }));
      expect(chain.checkRelayable(signed)).toMatchObject({ kind: 'refused' });
      expect(await chain.relay(signed, NEVER)).toMatchObject({ kind: 'refused' });
    }
    expect(chain.checkRelayable(await pull({ instructions: [pays] }))).toMatchObject({ kind: 'refused' });
    for (const version of ['legacy', 0, 1] as const) {
      const signed = await signedBy([facilitator], await pull({ version, instructions: [memo, pays] }));
      expect(chain.checkRelayable(signed)).toMatchObject({ kind: 'relayable', amount: 4_000n });
    }
    for (const text of ['', 'AQ==', 'not base64 at all', 'A'.repeat(6000)]) {
      expect(chain.checkRelayable(text)).toMatchObject({ kind: 'refused' });
    }
    expect(playchain.calls.get('sendTransaction')).toBeUndefined();
  });
});

describe('a payment that somebody else completes', () => {
  it.each(['legacy', 0, 1] as const)(
    'is read, and found by what the payer signed: version %s',
    async (version) => {
      const transaction = await pull({ version });
      const partial = chain.readPartial(transaction)!;
      expect(partial).toMatchObject({ amount: 4_000n, payer: payer.address });
      const sinceMs = nowMs;
      expect(await chain.findPartial(partial, { sinceMs, signal: NEVER })).toEqual({ kind: 'unknown' });

      const complete = await signedBy([facilitator], transaction);
      // The facilitator's signature leaves the payer's message unchanged.
      expect(chain.readPartial(complete)).toEqual(partial);
      const key = await send(complete);
      expect(await chain.findPartial(partial, { sinceMs, signal: NEVER })).toEqual({ kind: 'unknown' });
      pass(1);
      expect(await chain.findPartial(partial, { sinceMs, signal: NEVER })).toEqual({ kind: 'found', key });
      expect(await chain.find(key as string, WAIT_NONE)).toMatchObject({
        kind: 'found',
        credited: 4_000n,
        payer: payer.address,
        feePayer: facilitator.address,
      });
      pass(400);
      expect(await chain.findPartial(partial, { sinceMs, signal: NEVER })).toEqual({ kind: 'found', key });
    },
  );

  it('is known to be signed by its payer, or not', async () => {
    const partial = chain.readPartial(await pull())!;
    expect(await chain.isSigned(partial)).toBe(true);
    const other = await transfer(payer.signer, facilitator.address, 7n);
    const pays = await transfer(payer.signer, payTo.address, 4_000n);
    const { signature } = chain.readPartial(await pull({ instructions: [other, pays] }))!;
    expect(await chain.isSigned({ ...partial, signature })).toBe(false);
    expect(await chain.isSigned({ ...partial, signature: '' })).toBe(false);
  });

  it('expires only when no chain can take it any more, and not while its blockhash is too new to be final', async () => {
    const partial = chain.readPartial(await pull())!;
    const sinceMs = nowMs;
    const ask = () => chain.findPartial(partial, { sinceMs, signal: NEVER });
    for (const slots of [0, 10, 30, 100, 60, 60]) {
      pass(slots);
      expect(await ask()).toEqual({ kind: 'unknown' });
    }
    pass(200);
    expect(await ask()).toEqual({ kind: 'expired' });
  });

  it('is not another payment of the same payer', async () => {
    const partial = chain.readPartial(await pull())!;
    const sinceMs = nowMs;
    pass(2);
    await send(await signedBy([facilitator], await pull()));
    pass(2);
    expect(await chain.findPartial(partial, { sinceMs, signal: NEVER })).toEqual({ kind: 'unknown' });
  });

  it('is not found on the word of a node that gives another transaction a false name', async () => {
    const transaction = await pull();
    const partial = chain.readPartial(transaction)!;
    const sinceMs = nowMs;
    const other = await transfer(payer.signer, facilitator.address, 7n);
    await send(await signedBy([facilitator], await pull({ instructions: [other] })));
    pass(1);
    const complete = await signedBy([facilitator], transaction);
    playchain.fail({
      methods: ['getTransaction'],
      rewrite: (result) => ({ ...(result as object), transaction: [complete, 'base64'] }),
    });
    expect(await chain.findPartial(partial, { sinceMs, signal: NEVER })).toEqual({ kind: 'unknown' });
  });

  it('is none when it does not pay us, or could be broadcast after it was given up', async () => {
    const pays = await transfer(payer.signer, payTo.address, 4_000n);
    const elsewhere = await transfer(payer.signer, facilitator.address, 4_000n);
    const nonce: Instruction = {
      programAddress: SYSTEM_PROGRAM,
      accounts: [
        { address: facilitator.usdcAccount, role: AccountRole.WRITABLE },
        { address: payer.address, role: AccountRole.READONLY_SIGNER },
      ],
      data: Uint8Array.of(4, 0, 0, 0),
    };
    expect(chain.readPartial(await pull({ instructions: [elsewhere] }))).toBeNull();
    expect(chain.readPartial(await pull({ instructions: [nonce, pays] }))).toBeNull();
    expect(chain.readPartial(await pull({ instructions: [pays, pays] }))).toMatchObject({ amount: 8_000n });
    for (const text of ['', 'AQ==', '{}', 'A'.repeat(6000)]) expect(chain.readPartial(text)).toBeNull();
    const bytes = Buffer.from(await pull(), 'base64');
    expect(chain.readPartial(Buffer.concat([bytes, Buffer.of(0)]).toString('base64'))).toBeNull();
    expect(chain.readPartial(bytes.subarray(0, -1).toString('base64'))).toBeNull();
  });
});
