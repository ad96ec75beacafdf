// The JSON of `GET /`, as far as the page looks at it: what the service offers and what it limits.

/** What a deployment offers. */
export interface Overview {
  readonly name: string;
  readonly version: string;
  readonly deployment: string;
  /** `solana-mainnet`, `solana-devnet` or `solana-localnet`. */
  readonly network: string;
  readonly asset: string;
  readonly payments: 'on' | 'off';
  /** Mint of the asset; null when nothing can be paid. */
  readonly asset_address: string | null;
  /** The wallet that is paid; null when nothing can be paid. */
  readonly pay_to: string | null;
  /** How a payment is bound to its request; null when it is not. */
  readonly binding: Binding | null;
  /** Cheapest first. */
  readonly tiers: readonly OverviewTier[];
  readonly default_tier: string;
  readonly output_formats: readonly string[];
  /** Kinds of upload that are accepted: `txt`, `pdf`. */
  readonly upload_types: readonly string[];
  /** Kinds of document that a link may lead to. */
  readonly url_types: readonly string[];
  readonly limits: OverviewLimits;
  readonly privacy: OverviewPrivacy;
  readonly endpoints: readonly {
    readonly method: string;
    readonly path: string;
    readonly description: string;
  }[];
  readonly links: Readonly<Record<string, string>>;
}

/** A memo `<memo_prefix><fingerprint>` binds a payment to one request. */
export interface Binding {
  readonly required: boolean;
  readonly memo_prefix: string;
  /** Goes into the fingerprint. */
  readonly deployment: string;
}

/** One tier as it is offered. */
export interface OverviewTier {
  readonly id: string;
  readonly price_usd: number;
  /** The price in the asset's smallest unit, micro-USDC; 0 when nothing is charged. */
  readonly amount: number;
  readonly mode: 'sync' | 'async';
  readonly available: boolean;
  /** Why it is not available. */
  readonly reason?: string;
  /** Where a file is uploaded for it. */
  readonly path: string;
  readonly description: string;
  /** Fields of a request that this tier takes and others may not. */
  readonly options: readonly string[];
  /** Longest document in UTF-16 units of its text; null when only the limits on bytes hold. */
  readonly max_characters: number | null;
}

/** Limits on requests. */
export interface OverviewLimits {
  readonly free_pages_per_day: number | null;
  /** null when requests are not limited. */
  readonly requests_per_minute: number | null;
  readonly max_upload_bytes: number;
  readonly max_json_bytes: number;
  readonly max_link_bytes: number;
  readonly chunk_size: {
    readonly least: number;
    readonly most: number;
    readonly default: { readonly characters: number; readonly tokens: number };
  };
  readonly units: readonly string[];
  readonly encodings: readonly string[];
  /** From so many chunks on an answer carries a link. */
  readonly link_from_chunks: number;
  readonly result_lifetime_seconds: number;
}

/** What is kept, in sentences for people. */
export interface OverviewPrivacy {
  readonly documents: string;
  readonly results: string;
  readonly payments: string;
  readonly clients: string;
  readonly logs: string;
  readonly outside_models: readonly unknown[];
}
