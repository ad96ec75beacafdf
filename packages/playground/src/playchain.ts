// A play chain on loopback: the chain, its faucet, its play dollars and an endpoint.
import { createHash } from 'node:crypto';
import { type Address, createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { USDC_DECIMALS, USDC_MINT } from './chain/addresses.ts';
import { type PlayChain, type ChainOptions, createChain } from './chain/chain.ts';
import { createFaucet } from './chain/faucet.ts';
import { addLamports, addTokens, writeMint } from './chain/machine.ts';
import { createMethods } from './rpc/methods.ts';
import { type RpcServer, serveChain } from './rpc/server.ts';

/** Settings of a play chain. */
export interface PlaychainOptions extends ChainOptions {
  /** Port of the endpoint; default 0, any free one. The next port must be free too. */
  readonly port?: number;
}

/** A running play chain. */
export interface Playchain extends RpcServer {
  readonly chain: PlayChain;
  /** Another endpoint of the same chain, with its own calls and failures. It ends with the chain. */
  endpoint(): Promise<RpcServer>;
  /**
   * Gives an address play money at once: lamports, and micro-dollars in its associated account, which is created even
   * for an amount of 0.
   *
   * @returns the associated account
   */
  fund(owner: Address, money: { readonly lamports?: bigint; readonly microUsdc?: bigint }): Promise<Address>;
}

/**
 * Starts a play chain on loopback. Its tokens have no value.
 *
 * @example
 * const chain = await startPlaychain({ slotMs: 'manual' });
 * const rpc = createSolanaRpc(chain.url);
 * chain.chain.advance(1); // processed transactions are confirmed
 * await chain.stop();
 */
export async function startPlaychain(options: PlaychainOptions = {}): Promise<Playchain> {
  const chain = createChain(options);
  const authority = await mintAuthority(chain.genesisHash);
  writeMint(chain.accounts, USDC_MINT, { decimals: USDC_DECIMALS, authority });
  const call = createMethods(chain, await createFaucet(chain));
  const first = await serveChain(chain, call, options.port);
  const others: RpcServer[] = [];

  return {
    ...first,
    chain,
    endpoint: async () => {
      const other = await serveChain(chain, call);
      others.push(other);
      return other;
    },
    fund: async (owner, { lamports = 0n, microUsdc = 0n }) => {
      if (lamports > 0n) addLamports(chain.accounts, owner, lamports);
      return await addTokens(chain.accounts, USDC_MINT, owner, microUsdc);
    },
    stop: async () => {
      chain.stop();
      await Promise.all([first, ...others].map((endpoint) => endpoint.stop()));
    },
  };
}

/** Mint authority of the play dollars: an address whose key is not needed. */
async function mintAuthority(genesisHash: string): Promise<Address> {
  const secret = createHash('sha256').update(`mint authority of ${genesisHash}`).digest();
  return (await createKeyPairSignerFromPrivateKeyBytes(secret)).address;
}
