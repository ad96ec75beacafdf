// The service that the clients under test pay: `npm run test:clients` names a running grainline server, its chain and a
// wallet in the environment.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ReceiptKeySet, verifyReceipt } from '@grainline/client/receipts';
import { expect } from 'vitest';
import { createKeyPairSignerFromBytes, type KeyPairSigner, type Signature } from '@solana/kit';
import { TOKEN_PROGRAM, USDC_MINT } from '../../src/chain/addresses.ts';
import { rpcOf } from '../paying.ts';

/** A service that sells, and a wallet that can pay it. */
export interface Seller {
  readonly url: string;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  readonly signer: KeyPairSigner;
  readonly keypair: Uint8Array;
}

/** Where the service is; undefined unless `npm run test:clients` started one. */
export const SERVICE_URL = process.env['GRAINLINE_URL'];

const peers = createRequire(new URL('../../peers/package.json', import.meta.url));

/** Imports a client; null where the clients are not installed. */
export async function importPeer<T>(name: string): Promise<T | null> {
  let path: string;
  try {
    path = peers.resolve(name);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code;
    if (missing === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
  return (await import(pathToFileURL(path).href)) as T;
}

/** The service that the environment names. */
export async function openSeller(): Promise<Seller> {
  const { SOLANA_RPC_URLS, GRAINLINE_KEYPAIR } = process.env;
  if (SERVICE_URL === undefined || SOLANA_RPC_URLS === undefined || GRAINLINE_KEYPAIR === undefined)
    throw new Error('The tests need GRAINLINE_URL, SOLANA_RPC_URLS and GRAINLINE_KEYPAIR.');
  const keypair = Uint8Array.from(JSON.parse(await readFile(GRAINLINE_KEYPAIR, 'utf8')) as number[]);
  return {
    url: SERVICE_URL,
    rpcUrl: SOLANA_RPC_URLS,
    webSocketUrl: SOLANA_RPC_URLS.replace(/^http/, 'ws'),
    keypair,
    signer: await createKeyPairSignerFromBytes(keypair),
  };
}

/** A paid answer. */
interface Delivery {
  readonly chunks: readonly unknown[];
  readonly payment: { readonly transaction: string; readonly receipt?: string };
}

/** Checks the receipt of an answer with the published keys. */
export async function expectReceipt(
  { url }: Pick<Seller, 'url'>,
  { chunks, payment: { transaction, receipt = '' } }: Delivery,
  paid: { readonly amount: string; readonly payer: string },
): Promise<void> {
  const keys = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as ReceiptKeySet;
  expect(await verifyReceipt(receipt, keys, { chunks })).toMatchObject({
    ...paid,
    transaction,
    tier: 'structure',
  });
  await expect(verifyReceipt(receipt, keys, { chunks: [...chunks, {}] })).rejects.toThrow('other chunks');
}

/** The gain of a wallet by a transaction, from the chain's record; null when it is not confirmed, or failed. */
export async function creditOf(
  rpcUrl: string,
  signature: Signature,
  owner: string,
): Promise<{ readonly credited: bigint; readonly payer: string } | null> {
  const record = await rpcOf({ url: rpcUrl })
    .getTransaction(signature, {
      commitment: 'confirmed',
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    })
    .send();
  if (record?.meta?.err !== null) return null;
  const { preTokenBalances = [], postTokenBalances = [] } = record.meta;
  const held = (balances: typeof preTokenBalances) =>
    balances
      .filter(
        (entry) => entry.mint === USDC_MINT && entry.owner === owner && entry.programId === TOKEN_PROGRAM,
      )
      .reduce((sum, entry) => sum + BigInt(entry.uiTokenAmount.amount), 0n);
  return {
    credited: held(postTokenBalances) - held(preTokenBalances),
    payer: record.transaction.message.accountKeys[0] ?? '',
  };
}
