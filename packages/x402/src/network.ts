// What a network and its asset are called: each version of x402 has its own name for the same network.

/** The names of one network. */
export interface NetworkNames {
  /** In `paymentRequirements` and in answers: `solana-mainnet`. */
  readonly name: string;
  /** In x402 version 1: `solana`; null when that version has no word for it, and cannot be offered. */
  readonly v1: string | null;
  /** In x402 version 2, after CAIP-2: `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp`. */
  readonly caip2: string;
}

/** What payers should know of the asset. Its address is the chain's rule. */
export interface AssetFacts {
  /** Digits behind the point: an amount of 4000 with 6 decimals is 0.004. */
  readonly decimals: number;
}
