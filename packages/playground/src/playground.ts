// The whole playground on loopback: chain, facilitator, wallets, and the environment of a server that uses them.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MAINNET_GENESIS_HASH, USDC_MINT } from './chain/addresses.ts';
import { type PlayFacilitator, startFacilitator } from './facilitator.ts';
import { type Playchain, type PlaychainOptions, startPlaychain } from './playchain.ts';
import { createWallets, type Wallet, writeKeypair } from './wallets.ts';

/** Settings of a playground. */
export interface PlaygroundOptions {
  /**
   * By default the chain answers with the main network's genesis hash, because x402 clients support no local network.
   * No real money can move: the facilitator is connected to the play chain alone, and a transaction for another chain
   * has no blockhash of this one.
   */
  readonly chain?: PlaychainOptions;
  /** Port of the facilitator; default 0, any free port. */
  readonly facilitatorPort?: number;
  /** Paying wallets (1). */
  readonly payers?: number;
  /** Seed of the wallets: equal seeds give equal wallets; without a seed they are random. */
  readonly seed?: string;
  /** Folder for the payers' keys, one file each; without it no file is written. */
  readonly keypairsIn?: string;
}

/** A running playground. */
export interface Playground {
  readonly chain: Playchain;
  readonly facilitator: PlayFacilitator;
  /** The recipient's wallet. */
  readonly payTo: Wallet;
  readonly payers: readonly Wallet[];
  /** Files with the keys of the payers, in their order; empty without a folder. */
  readonly keypairFiles: readonly string[];
  /** Settings of a server that takes play money. */
  readonly environment: Readonly<
    Record<
      | 'PAYMENTS'
      | 'NETWORK'
      | 'PAY_TO'
      | 'USDC_MINT'
      | 'SOLANA_RPC_URLS'
      | 'X402_FACILITATOR_URL'
      | 'RATE_LIMIT',
      string
    >
  >;
  /** Notice beside all prices: the money is not real. */
  readonly banner: string;
  stop(): Promise<void>;
}

/**
 * Starts a play chain, a facilitator and funded wallets.
 *
 * @throws Error when a port is taken or a key cannot be written; everything is stopped then
 */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const { seed } = options;
  const chain = await startPlaychain({ genesisHash: MAINNET_GENESIS_HASH, ...options.chain });
  const seeded = (role: string) => (seed === undefined ? {} : { seed: `${seed} ${role}` });
  let facilitator: PlayFacilitator | undefined;
  try {
    const [feePayer] = await createWallets(chain, {
      ...seeded('fee payer'),
      lamports: 10n ** 12n,
      microUsdc: 0n,
    });
    const [payTo] = await createWallets(chain, { ...seeded('pay to'), lamports: 0n, microUsdc: 0n });
    if (feePayer === undefined || payTo === undefined) throw new Error('no wallets were made');
    const payers = await createWallets(chain, { ...seeded('payer'), count: options.payers ?? 1 });
    // The page contains this wallet's key, so every visitor can pay.
    await createWallets(chain, { seed: 'page', microUsdc: 10n ** 9n });
    facilitator = await startFacilitator({
      rpcUrl: chain.url,
      feePayer: feePayer.signer,
      port: options.facilitatorPort ?? 0,
    });
    const keypairFiles =
      options.keypairsIn === undefined ? [] : await writeKeypairs(options.keypairsIn, payers);
    return composed(chain, facilitator, payTo, payers, keypairFiles);
  } catch (error) {
    await Promise.all([chain.stop(), facilitator?.stop()]);
    throw error;
  }
}

function composed(
  chain: Playchain,
  facilitator: PlayFacilitator,
  payTo: Wallet,
  payers: readonly Wallet[],
  keypairFiles: readonly string[],
): Playground {
  const environment = {
    PAYMENTS: 'on',
    NETWORK: 'solana-localnet',
    PAY_TO: payTo.address,
    USDC_MINT: USDC_MINT,
    SOLANA_RPC_URLS: chain.url,
    X402_FACILITATOR_URL: facilitator.url,
    // The playground listens on loopback alone, and trials send many requests.
    RATE_LIMIT: 'off',
  };
  return {
    chain,
    facilitator,
    payTo,
    payers,
    keypairFiles,
    environment,
    banner: bannerOf(chain, facilitator, keypairFiles),
    stop: async () => {
      await Promise.all([chain.stop(), facilitator.stop()]);
    },
  };
}

async function writeKeypairs(folder: string, payers: readonly Wallet[]): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const files = payers.map((_, place) =>
    join(folder, `play-payer${place === 0 ? '' : `-${place + 1}`}.json`),
  );
  await Promise.all(payers.map(({ keypair }, place) => writeKeypair(files[place] ?? '', keypair)));
  return files;
}

function bannerOf(chain: Playchain, facilitator: PlayFacilitator, keypairFiles: readonly string[]): string {
  return [
    '*** PLAY MONEY *** The chain, the dollars and the facilitator run inside this process; nothing here is worth anything.',
    `  chain        ${chain.url} (JSON-RPC), ${chain.webSocketUrl} (WebSocket)`,
    `  facilitator  ${facilitator.url}`,
    ...keypairFiles.map((file) => `  wallet       ${file} (10 SOL and 100 USDC of play money)`),
  ].join('\n');
}
