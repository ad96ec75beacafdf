// The networks of Solana, as data. A network's names in x402 follow from its genesis hash.
import { USDC } from './usdc.ts';

/** A network of Solana. */
export interface SolanaNetwork {
  /** Its name in settings and answers. */
  readonly id: 'solana-mainnet' | 'solana-devnet' | 'solana-localnet';
  /** Hash of its first block in base58; null for networks whose chains differ, where endpoints report it. */
  readonly genesisHash: string | null;
  /** Address of the USDC mint. */
  readonly usdcMint: string;
}

/** All networks of the settings. */
export const SOLANA_NETWORKS: Readonly<Record<SolanaNetwork['id'], SolanaNetwork>> = {
  'solana-mainnet': {
    id: 'solana-mainnet',
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    usdcMint: USDC['solana-mainnet'],
  },
  'solana-devnet': {
    id: 'solana-devnet',
    genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    usdcMint: USDC['solana-devnet'],
  },
  'solana-localnet': { id: 'solana-localnet', genesisHash: null, usdcMint: USDC['solana-localnet'] },
};

/** The networks of x402 version 1, by name. */
const V1_NAMES: ReadonlyMap<string, string> = new Map([
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'solana'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet'],
  ['solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z', 'solana-testnet'],
]);

/** The names of a network in x402. */
export interface X402Names {
  /** Version 2: the CAIP-2 identifier. */
  readonly caip2: string;
  /** Version 1; null for networks without a name there. */
  readonly v1: string | null;
}

/**
 * The x402 names of the network with this genesis hash. CAIP-2 takes its first 32 characters.
 *
 * @example
 * x402NamesOf('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
 * // { caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', v1: 'solana' }
 */
export function x402NamesOf(genesisHash: string): X402Names {
  const caip2 = `solana:${genesisHash.slice(0, 32)}`;
  return { caip2, v1: V1_NAMES.get(caip2) ?? null };
}
