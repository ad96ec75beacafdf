// Wallets with play money: their keys, from a seed or from chance, and the files in which Solana's tools keep keys.
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
  /** The private key of 32 bytes and the public one, as Solana's tools keep them. Worth nothing but play money. */
  readonly keypair: Uint8Array;
  /** Address of its associated account for play dollars. */
  readonly usdcAccount: Address;
}

/** Settings of new wallets. */
export interface WalletOptions {
  /** How many (1). */
  readonly count?: number;
  /** Seed of the keys: the same seed gives the same ones; without a seed they are random. */
  readonly seed?: string;
  /** 10 SOL by default. */
  readonly lamports?: bigint;
  /** 100 dollars by default. */
  readonly microUsdc?: bigint;
}

/** Makes wallets and gives them play money, which they have at once at every commitment. */
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
 * Writes a key as Solana's command line does: a JSON array of 64 numbers, which only the owner of the file may read.
 */
export async function writeKeypair(path: string, keypair: Uint8Array): Promise<void> {
  await writeFile(path, `${JSON.stringify([...keypair])}\n`, { mode: 0o600 });
  // The mode above does nothing for a file that was there.
  await chmod(path, 0o600);
}
