// The networks of Solana, as data: another one is another entry. What x402 calls a network follows from its genesis
// hash.

/** A network of Solana. */
export interface SolanaNetwork {
  /** Its name in settings and answers. */
  readonly id: 'solana-mainnet' | 'solana-devnet' | 'solana-localnet';
  /** Hash of its first block in base58; null where every chain has its own, and endpoints are asked for it. */
  readonly genesisHash: string | null;
  /** Address of the USDC mint. */
  readonly usdcMint: string;
}

/** Decimals of every USDC mint: the smallest unit is a millionth. */
export const USDC_DECIMALS = 6;

const MAINNET_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** All networks that settings may name. */
export const SOLANA_NETWORKS: Readonly<Record<SolanaNetwork['id'], SolanaNetwork>> = {
  'solana-mainnet': {
    id: 'solana-mainnet',
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    usdcMint: MAINNET_USDC,
  },
  'solana-devnet': {
    id: 'solana-devnet',
    genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  },
  // Test chains put a mint of play money where mainnet has USDC, so that clients need not be told another address.
  'solana-localnet': { id: 'solana-localnet', genesisHash: null, usdcMint: MAINNET_USDC },
};

/** Version 1 of x402 knows three networks, by name. */
const V1_NAMES: ReadonlyMap<string, string> = new Map([
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'solana'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet'],
  ['solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z', 'solana-testnet'],
]);

/** What the versions of x402 call a network. */
export interface X402Names {
  /** Version 2: the CAIP-2 identifier. */
  readonly caip2: string;
  /** Version 1; null for networks that it has no word for. */
  readonly v1: string | null;
}

/**
 * What x402 calls the network that began with this block. CAIP-2 takes the first 32 characters of the hash.
 *
 * @example
 * x402NamesOf('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
 * // { caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', v1: 'solana' }
 */
export function x402NamesOf(genesisHash: string): X402Names {
  const caip2 = `solana:${genesisHash.slice(0, 32)}`;
  return { caip2, v1: V1_NAMES.get(caip2) ?? null };
}
