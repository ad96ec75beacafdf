// What a network and its asset are called: each version of x402 has its own name for the same network.

/** The names of one network. */
export interface NetworkNames {
  /** Name in `paymentRequirements` and in answers: `solana-mainnet`. */
  readonly name: string;
  /**
   * Name in x402 version 1: `solana`; null when that version has no word for the network, which then cannot be offered
   * in it.
   */
  readonly v1: string | null;
  /** Name in x402 version 2, after CAIP-2: `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp`. */
  readonly caip2: string;
}

/** What payers should know of the asset. Its address is the chain's rule. */
export interface AssetFacts {
  /** Decimals of the asset: an amount of 4000 with 6 decimals is 0.004. */
  readonly decimals: number;
}
