// Everything that trying the paid service out needs, on loopback: chain, facilitator, wallets, and the environment that
// tells a server of them.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MAINNET_GENESIS_HASH, USDC_MINT } from './chain/addresses.ts';
import { type Facilitator, startFacilitator } from './facilitator.ts';
import { type Playchain, type PlaychainOptions, startPlaychain } from './playchain.ts';
import { createWallets, type Wallet, writeKeypair } from './wallets.ts';

/** Settings of a playground. */
export interface PlaygroundOptions {
  /**
   * The chain answers with the main network's genesis hash unless told otherwise, because the clients of x402 know no
   * local network. Nobody can lose money by that: the facilitator knows the play chain alone, and a transaction for
   * another chain has no blockhash of this one.
   */
  readonly chain?: PlaychainOptions;
  /** Port of the facilitator; 0, the default, takes any. */
  readonly facilitatorPort?: number;
  /** Wallets that can pay (1). */
  readonly payers?: number;
  /** Seed of the wallets: the same seed gives the same ones; without a seed they are random. */
  readonly seed?: string;
  /** Folder that the payers' keys are written to, one file each; none are written without it. */
  readonly keypairsIn?: string;
}

/** A running playground. */
export interface Playground {
  readonly chain: Playchain;
  readonly facilitator: Facilitator;
  /** The wallet that is paid. */
  readonly payTo: Wallet;
  readonly payers: readonly Wallet[];
  /** Files with the keys of the payers, in their order; empty when none were written. */
  readonly keypairFiles: readonly string[];
  /** Settings that make a server take play money. */
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
  /** What must be said to whoever sees the prices: that no money is real. */
  readonly banner: string;
  stop(): Promise<void>;
}

/**
 * Starts a play chain, a facilitator and funded wallets.
 *
 * @throws Error when a port is taken or a key cannot be written; nothing is left running then
 */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const { seed } = options;
  const chain = await startPlaychain({ genesisHash: MAINNET_GENESIS_HASH, ...options.chain });
  const seeded = (role: string) => (seed === undefined ? {} : { seed: `${seed} ${role}` });
  let facilitator: Facilitator | undefined;
  try {
    const [feePayer] = await createWallets(chain, {
      ...seeded('fee payer'),
      lamports: 10n ** 12n,
      microUsdc: 0n,
    });
    const [payTo] = await createWallets(chain, { ...seeded('pay to'), lamports: 0n, microUsdc: 0n });
    if (feePayer === undefined || payTo === undefined) throw new Error('no wallets were made');
    const payers = await createWallets(chain, { ...seeded('payer'), count: options.payers ?? 1 });
    // Its key stands in the page that the service serves: whoever opens that can pay.
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
  facilitator: Facilitator,
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
    // Who tries it out asks often, and nobody else can reach it.
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

function bannerOf(chain: Playchain, facilitator: Facilitator, keypairFiles: readonly string[]): string {
  return [
    '*** PLAY MONEY *** The chain, the dollars and the facilitator run inside this process; nothing here is worth anything.',
    `  chain        ${chain.url} (JSON-RPC), ${chain.webSocketUrl} (WebSocket)`,
    `  facilitator  ${facilitator.url}`,
    ...keypairFiles.map((file) => `  wallet       ${file} (10 SOL and 100 USDC of play money)`),
  ].join('\n');
}
