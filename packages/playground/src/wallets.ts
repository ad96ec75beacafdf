// Wallets with play money: their keys, from a seed or random, and key files of Solana's tools.
import { createHash, randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import {
  type Address,
  createKeyPairSignerFromBytes,
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressEncoder,
  type KeyPairSigner,
} from '@solana/kit';
import type { Playchain } from './playchain.ts';

/** A wallet of the play chain. */
export interface Wallet {
  readonly address: Address;
  readonly signer: KeyPairSigner;
  /** The private key of 32 bytes and the public one, in the form of Solana's tools. They hold only play money. */
  readonly keypair: Uint8Array;
  /** Address of its associated account for play dollars. */
  readonly usdcAccount: Address;
}

/** Settings of new wallets. */
export interface WalletOptions {
  /** Number of wallets (1). */
  readonly count?: number;
  /** Seed of the keys: equal seeds give equal keys; without a seed they are random. */
  readonly seed?: string;
  /** 10 SOL by default. */
  readonly lamports?: bigint;
  /** 100 dollars by default. */
  readonly microUsdc?: bigint;
}

/** Creates wallets with play money, which is there at every commitment at once. */
export async function createWallets(
  playchain: Pick<Playchain, 'fund'>,
  { count = 1, seed, lamports = 10n ** 10n, microUsdc = 100n * 10n ** 6n }: WalletOptions = {},
): Promise<readonly Wallet[]> {
  const wallets: Wallet[] = [];
  for (let place = 0; place < count; place++) {
    const secret = seed === undefined ? randomBytes(32) : secretOf(`${seed}/${place}`);
    const { address } = await createKeyPairSignerFromPrivateKeyBytes(secret);
    const keypair = Uint8Array.of(...secret, ...getAddressEncoder().encode(address));
    const signer = await createKeyPairSignerFromBytes(keypair);
    const usdcAccount = await playchain.fund(address, { lamports, microUsdc });
    wallets.push({ address, signer, keypair, usdcAccount });
  }
  return wallets;
}

function secretOf(text: string): Uint8Array {
  return createHash('sha256').update(`grainline play wallet: ${text}`).digest();
}

/**
 * Writes a key in the form of Solana's command line: a JSON array of 64 numbers, readable by the file's owner alone.
 */
export async function writeKeypair(path: string, keypair: Uint8Array): Promise<void> {
  await writeFile(path, `${JSON.stringify([...keypair])}\n`, { mode: 0o600 });
  // The mode above does not apply to an existing file.
  await chmod(path, 0o600);
}
