// @solana/web3.js 1.x, unmodified, on the play chain: what browser wallets and older programs use of it. Skipped,
// saying so, where it is not installed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN_PROGRAM, USDC_MINT } from '../src/chain/addresses.ts';
import { type Playchain, startPlaychain } from '../src/playchain.ts';
import { createWallets, type Wallet } from '../src/wallets.ts';
import { importPeer } from './clients/seller.ts';

interface Key {
  toBase58(): string;
}
interface Connection {
  requestAirdrop(to: Key, lamports: number): Promise<string>;
  confirmTransaction(
    strategy: object,
    commitment?: string,
  ): Promise<{ readonly value: { readonly err: unknown } }>;
  getLatestBlockhash(
    commitment?: string,
  ): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
  getBalance(key: Key): Promise<number>;
  getSlot(commitment?: string): Promise<number>;
  getParsedTransaction(signature: string, options: object): Promise<unknown>;
  getParsedTokenAccountsByOwner(
    owner: Key,
    filter: object,
  ): Promise<{ readonly value: readonly { readonly pubkey: Key }[] }>;
  getAddressLookupTable(
    table: Key,
  ): Promise<{ readonly value: { readonly state: { readonly addresses: readonly Key[] } } | null }>;
  sendTransaction(transaction: unknown): Promise<string>;
  simulateTransaction(transaction: unknown): Promise<{ readonly value: { readonly err: unknown } }>;
}
interface Web3 {
  readonly Connection: new (url: string, config: object) => Connection;
  readonly Keypair: {
    fromSecretKey(bytes: Uint8Array): { readonly publicKey: Key };
    generate(): { readonly publicKey: Key };
  };
  readonly PublicKey: new (address: string) => Key;
  readonly TransactionInstruction: new (options: object) => unknown;
  readonly TransactionMessage: new (options: object) => {
    compileToV0Message(tables?: readonly unknown[]): unknown;
  };
  readonly VersionedTransaction: new (message: unknown) => { sign(signers: readonly unknown[]): void };
  readonly AddressLookupTableProgram: {
    createLookupTable(options: object): readonly [instruction: unknown, table: Key];
    extendLookupTable(options: object): unknown;
  };
}

const web3 = await importPeer<Web3>('@solana/web3.js');
if (web3 === null)
  console.warn(
    'The tests of web3.js are SKIPPED: npm ci --prefix packages/playground/peers installs what they need.',
  );

describe.skipIf(web3 === null)('@solana/web3.js on the play chain', () => {
  // The body of a suite that is skipped runs all the same.
  const api = web3 ?? ({} as Web3);
  let playchain: Playchain;
  let connection: Connection;
  let payer: Wallet;
  let payTo: Wallet;
  beforeEach(async () => {
    playchain = await startPlaychain({ slotMs: 20 });
    connection = new api.Connection(playchain.url, { commitment: 'confirmed', fetch: watchedFetch });
    [payer, payTo] = (await createWallets(playchain, { count: 2, seed: 'web3' })) as [Wallet, Wallet];
  });
  afterEach(async () => {
    // The client polls on in the background after a confirmation, and drops the errors of these calls.
    await Promise.allSettled(replies.splice(0));
    await playchain.stop();
  });

  const replies: Promise<Response>[] = [];
  const watchedFetch: typeof fetch = (input, init) => {
    const response = fetch(input, init);
    replies.push(response);
    return response;
  };

  async function land(instructions: readonly unknown[], tables: readonly unknown[] = []): Promise<string> {
    const signer = api.Keypair.fromSecretKey(payer.keypair);
    const latest = await connection.getLatestBlockhash();
    const message = new api.TransactionMessage({
      payerKey: signer.publicKey,
      recentBlockhash: latest.blockhash,
      instructions,
    });
    const transaction = new api.VersionedTransaction(message.compileToV0Message(tables));
    transaction.sign([signer]);
    const simulated = await connection.simulateTransaction(transaction);
    expect(simulated.value.err, JSON.stringify(simulated)).toBeNull();
    const signature = await connection.sendTransaction(transaction);
    expect((await connection.confirmTransaction({ signature, ...latest })).value.err).toBeNull();
    return signature;
  }

  function transferChecked(amount: bigint): unknown {
    const data = Buffer.alloc(10);
    data.writeUInt8(12);
    data.writeBigUInt64LE(amount, 1);
    data.writeUInt8(6, 9);
    const writable = { isSigner: false, isWritable: true };
    const keys = [
      { pubkey: new api.PublicKey(payer.usdcAccount), ...writable },
      { pubkey: new api.PublicKey(USDC_MINT), isSigner: false, isWritable: false },
      { pubkey: new api.PublicKey(payTo.usdcAccount), ...writable },
      { pubkey: new api.PublicKey(payer.address), isSigner: true, isWritable: false },
    ];
    return new api.TransactionInstruction({ programId: new api.PublicKey(TOKEN_PROGRAM), keys, data });
  }

  it('is given lamports by an airdrop, which it sees confirmed', async () => {
    const someone = api.Keypair.generate().publicKey;
    const signature = await connection.requestAirdrop(someone, 5_000_000);
    const latest = await connection.getLatestBlockhash();
    expect((await connection.confirmTransaction({ signature, ...latest })).value.err).toBeNull();
    expect(await connection.getBalance(someone)).toBe(5_000_000);
  });

  it('reads token accounts and transactions spelled out', async () => {
    const owner = new api.PublicKey(payer.address);
    const mint = new api.PublicKey(USDC_MINT);
    const { value } = await connection.getParsedTokenAccountsByOwner(owner, { mint });
    expect(value.map(({ pubkey }) => pubkey.toBase58())).toEqual([payer.usdcAccount]);
    const signature = await land([transferChecked(9n)]);
    const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const parsed = await connection.getParsedTransaction(signature, options);
    expect(parsed).toMatchObject({
      transaction: {
        message: { instructions: [{ program: 'spl-token', parsed: { type: 'transferChecked' } }] },
      },
    });
  });

  it('makes a lookup table by its program, and pays through it', async () => {
    const authority = new api.PublicKey(payer.address);
    const [create, table] = api.AddressLookupTableProgram.createLookupTable({
      authority,
      payer: authority,
      recentSlot: await connection.getSlot('finalized'),
    });
    const extend = api.AddressLookupTableProgram.extendLookupTable({
      payer: authority,
      authority,
      lookupTable: table,
      addresses: [payTo.usdcAccount, USDC_MINT].map((key) => new api.PublicKey(key)),
    });
    await land([create, extend]);
    const { value } = await connection.getAddressLookupTable(table);
    expect(value?.state.addresses.map((key) => key.toBase58())).toEqual([payTo.usdcAccount, USDC_MINT]);
    const signature = await land([transferChecked(11n)], [value]);
    const found = playchain.chain.transaction(signature)?.execution;
    expect(found?.loaded).toEqual({ writable: [payTo.usdcAccount], readonly: [USDC_MINT] });
    const balance = found?.postTokenBalances.find(({ owner }) => owner === payTo.address);
    expect(balance?.uiTokenAmount.amount).toBe('100000011');
  });
});
