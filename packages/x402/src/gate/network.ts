// The names of a network: each version of x402 has its own.

/** The names of one network. */
export interface NetworkNames {
  /** Name in `paymentRequirements` and in answers: `solana-mainnet`. */
  readonly name: string;
  /** Name in x402 version 1: `solana`. Null for a network without one, which is then not offered in that version. */
  readonly v1: string | null;
  /** Name in x402 version 2, after CAIP-2: `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp`. */
  readonly caip2: string;
}

/** The asset's properties for payers. Its address is part of the chain's rule. */
export interface AssetFacts {
  /** Decimals of the asset: an amount of 4000 with 6 decimals is 0.004. */
  readonly decimals: number;
}
